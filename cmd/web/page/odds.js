// The bar of the chances to win.
import { fill, h } from './dom.js';
import * as numbers from './numbers.js';
import { seatClass } from './pieces.js';

/**
 * Fills the bar with the values of a position; without values it is empty, and keeps its room.
 * @param {HTMLElement} bar
 * @param {{values: import('./numbers.js').Num[], unit: string} | null} values
 * @param {string[]} names
 */
export function odds(bar, values, names) {
  if (!values) return fill(bar);
  const { unit } = values;
  const parts = values.values.map((v, i) => ({ seat: i, text: `${names[i]} ${numbers.short(v, unit)}${unit ? ` ${unit}` : ''}`, share: unit ? 100 : numbers.share(v) }));
  return fill(bar, parts.map((p) => h('span', { class: `odds-part ${seatClass(p.seat)}`, title: p.text, style: null, 'data-share': p.share.toFixed(1) }, p.text)), grow(bar, parts));
}

/** The widths follow the shares; they are no attribute, which the policy of the page forbids. */
function grow(bar, parts) {
  queueMicrotask(() => [...bar.children].forEach((part, i) => { part.style.flexGrow = String(Math.max(parts[i].share, 0.5)); }));
  return null;
}
