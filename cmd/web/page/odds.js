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
  return fill(bar, values.values.map((v, i) => {
    const text = `${names[i]} ${numbers.short(v, unit)}${unit ? ` ${unit}` : ''}`;
    const part = h('span', { class: `odds-part ${seatClass(i)}`, title: text }, text);
    part.style.flexGrow = String(unit ? 100 : Math.max(numbers.share(v), 0.5)); // the policy of the page forbids the attribute
    return part;
  }));
}
