// The review of a game: the graph of the values, luck and skill apart, and the mistakes.
import { call } from './api.js';
import { button, failure, fill, h } from './dom.js';
import { lineChart } from './chart.js';
import { learn } from './deck.js';
import * as numbers from './numbers.js';
import { thresholds, verdict } from './verdict.js';

let last = null; // the latest review: { key, result, time }
let coming = null; // the review in progress: { key, time, review }, which promises the next last
let loading = null; // what stops the review that the panel loads

/** Stops a review in progress. */
export function forget() {
  loading?.abort();
}

export const usual = 20000;
const most = 60000; // milliseconds for the estimates of a review. Chosen

/**
 * The review of a game, with its time where values are estimated. Who asks while it is computed gets
 * the same. What it says of a game that was played here is kept.
 * @param {{address: import('./address.js').Address, view: {unit: string}}} context
 * @param {number} time
 * @param {AbortSignal} signal
 */
export async function reviewOf({ address, view }, time, signal) {
  const key = JSON.stringify(address);
  if (last?.key === key && (last.result.exact || last.time >= time)) return last;
  if (coming?.key !== key || coming.time < time) {
    const review = call('review', { ...address, time }, signal).then((result) => {
      learn(address, view.unit, result);
      return (last = { key, result, time });
    }).finally(() => { if (coming?.review === review) coming = null; });
    coming = { key, time, review };
  }
  try {
    const review = await coming.review;
    signal.throwIfAborted();
    return review;
  } catch (error) {
    if (error.name !== 'AbortError' || signal.aborted) throw error;
    return reviewOf({ address, view }, time, signal); // who asked first has stopped it
  }
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
  if (last?.key === key) return draw(panel, context, last, go);
  forget();
  if (view.steps === 0) return fill(panel, h('p', {}, 'There is nothing to review yet.'));
  return load(panel, context, go, usual);
}

/** Loads and draws the review; where values are estimated, within some milliseconds. */
async function load(panel, context, go, time) {
  const stop = new AbortController();
  context.signal.addEventListener('abort', () => stop.abort());
  loading = stop;
  fill(panel, h('p', {}, 'Computing values… ', h('progress', { 'aria-label': 'Review' })),
    h('p', { class: 'note' }, `If the game is not solved, that takes about ${time / 1000} s.`),
    button('Stop', () => { stop.abort(); fill(panel, h('p', {}, 'Stopped.')); }));
  try {
    draw(panel, context, await reviewOf(context, time, stop.signal), go);
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
    h('p', { class: 'note' }, numbers.method(r), ' ', !r.exact && moreTime(panel, context, go, time)),
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
