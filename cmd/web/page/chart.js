// Charts of lines as SVG, each with a table beside it.
import { button, h, svg } from './dom.js';
import { t, written } from './language.js';
import { fixed } from './numbers.js';

const left = 46, right = 10, top = 10, bottom = 34;

/**
 * A chart of lines.
 * @param {object} o
 * @param {string} o.title
 * @param {string} o.xLabel
 * @param {string} o.yLabel
 * @param {{name: string, x: number[], y: number[], seat: number}[]} o.series
 * @param {{x: number, label: string}[]} [o.marks]
 * @param {number} [o.at] where a vertical line stands
 * @param {(x: number) => void} [o.onPick]
 * @param {(x: number) => string} [o.describe] a row of the table
 * @param {number} [o.digits]
 * @param {boolean} [o.open] whether the table is open
 * @param {boolean} [o.zero] whether the scale of y begins at 0
 * @param {boolean} [o.log] whether the scale of y is logarithmic
 */
export function lineChart(o) {
  const width = Math.min(560, Math.max(300, innerWidth - 64)), height = width < 480 ? 220 : 260; // text stays as large as other text
  const xs = o.series.flatMap((s) => s.x), ys = o.series.flatMap((s) => s.y);
  const percent = o.yLabel === '%';
  const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 1);
  const scale = o.log ? Math.log10 : (y) => y;
  let [y0, y1] = percent ? [0, 100] : [Math.min(...ys), Math.max(...ys)].map(scale);
  if (o.zero) y0 = 0;
  if (y1 === y0) y1 = y0 + 1;
  const px = (x) => left + ((x - x0) / (x1 - x0)) * (width - left - right);
  const py = (y) => height - bottom - ((scale(y) - y0) / (y1 - y0)) * (height - top - bottom);
  const ticks = (a, b, n) => { const step = nice((b - a) / n); const list = []; for (let v = Math.ceil(a / step) * step; v <= b + step * 1e-9; v += step) list.push(v); return list; };
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': t('{title}; the table below has the numbers', { title: o.title }) },
    (o.log ? logTicks(y0, y1) : ticks(y0, y1, 5)).map((v) => [svg('line', { class: 'grid', x1: left, x2: width - right, y1: py(v), y2: py(v) }), svg('text', { x: left - 6, y: py(v) + 4, 'text-anchor': 'end' }, label(v))]),
    ticks(x0, x1, 6).map((v) => svg('text', { x: px(v), y: height - bottom + 16, 'text-anchor': 'middle' }, label(v))),
    svg('text', { x: width - right, y: height - 4, 'text-anchor': 'end', class: 'axis' }, o.xLabel),
    o.at !== undefined && svg('line', { class: 'at', x1: px(o.at), x2: px(o.at), y1: top, y2: height - bottom }),
    o.series.map((s) => svg('path', { class: `line line-${s.seat % 10}`, d: s.x.map((x, i) => `${i ? 'L' : 'M'}${px(x).toFixed(1)} ${py(s.y[i]).toFixed(1)}`).join('') })),
    (o.marks ?? []).map((m) => svg('text', { class: 'mark', x: px(m.x), y: height - bottom - 4, 'text-anchor': 'middle' }, m.label)));
  if (o.onPick) {
    picture.addEventListener('click', (e) => {
      const box = picture.getBoundingClientRect();
      const x = x0 + ((((e.clientX - box.left) / box.width) * width - left) / (width - left - right)) * (x1 - x0);
      o.onPick(Math.max(x0, Math.min(x1, Math.round(x))));
    });
  }
  const digits = o.digits ?? 2;
  const rows = o.series[0]?.x ?? [];
  return h('figure', { class: 'figure' },
    h('figcaption', {}, `${o.title}${percent ? ', %' : ''}`),
    h('ul', { class: 'legend' }, o.series.map((s) => h('li', {}, svg('svg', { viewBox: '0 0 30 8', 'aria-hidden': 'true' }, svg('path', { class: `line line-${s.seat % 10}`, d: 'M1 4H29' })), s.name))),
    picture,
    h('details', { open: o.open }, h('summary', {}, t('Table')), h('div', { class: 'scroll tall', tabindex: 0, role: 'group', 'aria-label': t('Table: {title}', { title: o.title }) }, h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, o.xLabel), o.describe && h('th', { scope: 'col' }, t('what')), o.series.map((s) => h('th', { scope: 'col' }, s.name)))),
      h('tbody', {}, rows.map((x, i) => h('tr', {}, h('td', {}, o.onPick ? button(x, () => o.onPick(x), { class: 'move', 'data-key': `step-${x}`, 'aria-label': t('Show step {step}', { step: x }) }) : label(x)), o.describe && h('td', {}, o.describe(x)),
        o.series.map((s) => h('td', { class: 'number' }, s.y[i] === undefined ? '' : fixed(s.y[i], digits))))))))));
}

function nice(x) {
  const p = 10 ** Math.floor(Math.log10(x || 1));
  return [1, 2, 5, 10].map((m) => m * p).find((s) => s >= x) ?? p * 10;
}

/** Ticks at 1, 2 and 5 times the powers of ten between two logarithms. */
function logTicks(a, b) {
  const list = [];
  for (let p = Math.floor(a); p <= b; p++) for (const m of [1, 2, 5]) if (Math.log10(m) + p >= a - 1e-9 && Math.log10(m) + p <= b + 1e-9) list.push(m * 10 ** p);
  return list.length > 8 ? list.filter((v) => Number.isInteger(Math.round(1e9 * Math.log10(v)) / 1e9)) : list;
}

function label(v) {
  return written(Math.abs(v) >= 10000 ? `${+(v / 1e6).toPrecision(3)} M` : +v.toPrecision(4));
}
