// The review of a game: the graph of the values, luck and skill apart, and the mistakes.
import { call } from './api.js';
import { button, failure, fill, h } from './dom.js';
import { lineChart } from './chart.js';
import * as numbers from './numbers.js';
import { thresholds, verdict } from './verdict.js';

let current = null; // the review that is shown or loads: { key, stop } or { key, result, time }

/** Forgets a review in progress. */
export function forget() {
  current?.stop?.abort();
}

/**
 * Draws the review in a panel.
 * @param {HTMLElement} panel
 * @param {any} context
 * @param {(step: number, exercise?: boolean) => void} go
 */
export async function reviewPanel(panel, context, go) {
  const { address, view } = context;
  const key = JSON.stringify(address);
  if (current?.key === key && current.result) return draw(panel, context, current, go);
  forget();
  if (view.steps === 0) return fill(panel, h('p', {}, 'There is nothing to review yet.'));
  return load(panel, context, go, usual);
}

const usual = 20000, most = 60000; // milliseconds for the estimates of a review. Chosen

/** Loads and draws the review; where values are estimated, within some milliseconds. */
async function load(panel, context, go, time) {
  const { address } = context, key = JSON.stringify(address), stop = new AbortController();
  context.signal.addEventListener('abort', () => stop.abort());
  current = { key, stop };
  fill(panel, h('p', {}, 'Computing values… ', h('progress', { 'aria-label': 'Review' })),
    h('p', { class: 'note' }, `If the game is not solved, that takes about ${time / 1000} s.`),
    button('Stop', () => { stop.abort(); fill(panel, h('p', {}, 'Stopped.')); }));
  try {
    const result = await call('review', { ...address, time }, stop.signal);
    current = { key, result, time };
    draw(panel, context, current, go);
  } catch (error) {
    if (error.name !== 'AbortError') fill(panel, failure(error, () => load(panel, context, go, time)), ' ', error.moreTime && moreTime(panel, context, go, time));
  }
}

/** A button that loads the review with more time than it had. */
function moreTime(panel, context, go, time) {
  return time < most && button('More time', () => load(panel, context, go, Math.min(most, 3 * time)), { class: 'small' });
}

function draw(panel, context, { result: r, time }, go) {
  const { view } = context;
  const seats = context.address.seats;
  const name = (i) => numbers.nameOf(view, i);
  const series = seats.map((_, i) => ({ name: name(i), x: r.points.map((_, k) => k), y: r.points.map((p) => (view.unit ? -p.values[i].value : numbers.share(p.values[i]))), seat: i }));
  fill(panel,
    h('p', { class: 'note' }, numbers.method(r.method), ' ', !r.exact && moreTime(panel, context, go, time)),
    lineChart({
      title: view.unit ? `Expected ${view.unit}` : 'Chance to win', xLabel: 'step', yLabel: view.unit || '%', series,
      marks: judged(r, view.unit).map((d) => ({ x: d.step, label: d.verdict.sign })), at: view.step, onPick: (k) => go(k),
      describe: (k) => { const entry = view.log[k - 1]; return entry ? numbers.words(entry.about || entry.told[0] || entry.name) : 'start'; }, digits: r.exact ? 6 : 1,
    }),
    h('h2', {}, 'Costliest mistakes'), mistakes(r, view, name, go),
    r.ratings && [h('h2', {}, 'Estimated rating'), ratings(r, name)],
    h('h2', {}, 'Luck and skill'), parts(r, view.unit, name));
}

/** The choices with a verdict. */
function judged(r, unit) {
  return r.mistakes.map((d) => ({ ...d, verdict: verdict(d.loss, unit) })).filter((d) => d.verdict);
}

/** The mistakes as exercises. */
function mistakes(r, view, name, go) {
  const { unit } = view, list = judged(r, unit), left = r.mistakes.length - list.length;
  const small = left > 0 ? `${list.length ? 'Smaller losses are left out.' : 'No choice was an inaccuracy; the losses are smaller.'} ` : '';
  if (!r.mistakes.length) return h('p', {}, r.exact ? 'No choice lost anything.' : 'No choice lost anything beyond the error of the estimates.');
  return [h('ol', { class: 'mistakes' }, list.map((d) => {
    const entry = view.log[d.step];
    return h('li', {},
      h('p', {}, h('abbr', { class: `loss ${d.verdict.name}`, title: d.verdict.name }, d.verdict.sign), ' ', h('strong', {}, `${name(d.seat)}: ${numbers.words(entry?.about || d.action)}`), `, step ${d.step}. This ${d.verdict.name} lost ${numbers.loss(d.loss, unit)}${unit ? '' : ' of the chance to win'}.`),
      h('p', { class: 'row' }, button('Find the better choice', () => go(d.step, true)), h('details', {}, h('summary', {}, 'Answer'), `${d.options[0].action}: ${numbers.value(d.options[0].value, unit)}`)));
  })), h('p', { class: 'note' }, small, thresholds(unit))];
}

/** The rating of each seat from its losses in this game. */
function ratings(r, name) {
  if (!r.priced.length) return h('p', {}, 'None: the time allowed no estimate of all losses.');
  const text = (m) => (m === null ? 'none' : m.text);
  return [h('table', {}, h('tbody', {}, r.priced.map((i) => h('tr', {}, h('th', { scope: 'row' }, name(i)), h('td', { class: 'number' }, text(r.ratings[i])))))),
    h('p', { class: 'note' }, r.exact ? 'Elo, from the exact losses in this game, with best play at 0. One game gives no interval; those of “My games” together do.'
      : 'Elo, from the estimated losses in this game, with the best choices of the searches at 0. The interval, of the level 99 %, is that of the estimates.')];
}

/** The table of the parts of the result. */
function parts(r, unit, name) {
  const columns = [['result', 'result'], ['start', 'start'], ['luck', 'luck'], ['losses', 'own losses'], ['others', 'losses of others']].slice(0, r.exact ? 5 : r.priced.length ? 4 : 3);
  return [h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Parts of the result' }, h('table', {},
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'seat'), columns.map(([, text]) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, r.seats.map((s, i) => h('tr', {}, h('th', { scope: 'row' }, name(i)), columns.map(([key]) => h('td', { class: 'number' }, key === 'losses' && !r.priced.includes(i) ? '' : numbers.signed(s[key], unit)))))))),
  h('p', { class: 'note' }, r.exact && 'result = start + luck − own losses + losses of others. ', unit ? `In ${unit}, negated. ` : 'In % of the win. ', 'Luck is what the dice changed.')];
}
