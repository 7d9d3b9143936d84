// The review of a game: the graph of the values, luck and skill apart, and the mistakes.
import { call } from './api.js';
import { button, failure, fill, h } from './dom.js';
import { lineChart } from './chart.js';
import { learn } from './deck.js';
import { language, t } from './language.js';
import * as numbers from './numbers.js';
import { asGood, thresholds, verdict } from './verdict.js';

let last = null; // the latest review: { key, result, time }
let coming = null; // the review in progress: { key, time, review }, which promises the next last
let loading = null; // what stops the review that the panel loads

/** Stops a review in progress. */
export function forget() {
  loading?.abort();
}

/** What names a review: a game, and the language of its texts. */
const keyOf = (address) => JSON.stringify([language(), address]);

export const usual = 20000;
const most = 60000; // milliseconds for the estimates of a review. Chosen

/**
 * The review of a game, with its time where values are estimated. Who asks while it is computed gets
 * the same. What it says of a game that was played here is kept.
 * @param {{address: import('./address.js').Address, view: {unit: string, kept: {unit: string}}}} context
 * @param {number} time
 * @param {AbortSignal} signal
 */
export async function reviewOf({ address, view }, time, signal) {
  const key = keyOf(address);
  if (last?.key === key && (last.result.exact || last.time >= time)) return last;
  if (coming?.key !== key || coming.time < time) {
    const review = call('review', { ...address, time }, signal).then((result) => {
      learn(address, view, result);
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
  const key = keyOf(address);
  if (last?.key === key) return draw(panel, context, last, go);
  forget();
  if (view.steps === 0) return fill(panel, h('p', {}, t('There is nothing to review yet.')));
  return load(panel, context, go, usual);
}

/** Loads and draws the review; where values are estimated, within some milliseconds. */
async function load(panel, context, go, time) {
  const stop = new AbortController();
  context.signal.addEventListener('abort', () => stop.abort());
  loading = stop;
  fill(panel, h('p', {}, t('Computing values…'), ' ', h('progress', { 'aria-label': t('Review') })),
    h('p', { class: 'note' }, t('If the game is not solved, that takes about {n} s.', { n: time / 1000 })),
    button(t('Stop'), () => { stop.abort(); fill(panel, h('p', {}, t('Stopped.'))); }));
  try {
    draw(panel, context, await reviewOf(context, time, stop.signal), go);
  } catch (error) {
    if (error.name !== 'AbortError') fill(panel, failure(error, () => load(panel, context, go, time)), ' ', error.moreTime && moreTime(panel, context, go, time));
  }
}

/** A button that loads the review with more time than it had. */
function moreTime(panel, context, go, time) {
  return time < most && button(t('More time'), () => load(panel, context, go, Math.min(most, 3 * time)), { class: 'small' });
}

function draw(panel, context, { result: r, time }, go) {
  const { view } = context;
  const seats = context.address.seats;
  const name = (i) => numbers.nameOf(view, i);
  const series = seats.map((_, i) => ({ name: name(i), x: r.points.map((_, k) => k), y: r.points.map((p) => numbers.amount(p.values[i], view.unit)), seat: i }));
  fill(panel,
    h('p', { class: 'note' }, numbers.method(r), ' ', !r.exact && moreTime(panel, context, go, time)),
    lineChart({
      title: view.unit ? t('Expected {unit}', { unit: view.unit }) : t('Chance to win'), xLabel: t('step'), yLabel: view.unit || '%', series,
      marks: judged(r, view.unit).map((d) => ({ x: d.step, label: d.verdict.sign })), at: view.step, onPick: (k) => go(k),
      describe: (k) => { const entry = view.log[k - 1]; return entry ? numbers.words(entry.about || entry.told[0] || entry.name) : t('start'); }, digits: r.exact ? 6 : 1,
      open: panel.querySelector('.figure details')?.open, // as it was at another step
    }),
    h('h2', {}, t('Costliest mistakes')), mistakes(r, view, name, go),
    r.ratings && [h('h2', {}, t('Estimated rating')), ratings(r, name)],
    h('h2', {}, t('Luck and skill')), parts(r, view.unit, name));
}

/** The choices with a verdict. */
function judged(r, unit) {
  return r.mistakes.map((d) => ({ ...d, verdict: verdict(d.loss, unit) })).filter((d) => d.verdict);
}

/** The mistakes as exercises. */
function mistakes(r, view, name, go) {
  const { unit } = view, list = judged(r, unit), left = r.mistakes.length - list.length;
  const small = left > 0 ? `${list.length ? t('Smaller losses are left out.') : t('No choice was an inaccuracy; the losses are smaller.')} ` : '';
  if (!r.mistakes.length) return h('p', {}, r.exact ? t('No choice lost anything.') : t('No choice lost anything beyond the error of the estimates.'));
  return [h('ol', { class: 'mistakes' }, list.map((d) => {
    const entry = view.log[d.step], lost = { step: d.step, mistake: d.verdict.text, loss: numbers.loss(d.loss, unit) };
    return h('li', {},
      h('p', {}, h('abbr', { class: `loss ${d.verdict.name}`, title: d.verdict.text }, d.verdict.sign), ' ', h('strong', {}, `${name(d.seat)}: ${numbers.words(entry?.about || d.action)}`), ', ', unit ? t('step {step}. This {mistake} lost {loss}.', lost) : t('step {step}. This {mistake} lost {loss} of the chance to win.', lost)),
      h('p', { class: 'row' }, button(t('Find the better choice'), () => go(d.step, true)), h('details', {}, h('summary', {}, t('Answer')), [`${d.options[0].action}: ${numbers.value(d.options[0].value, unit)}`, asGood(d.options)].filter(Boolean).join(' · '))));
  })), h('p', { class: 'note' }, small, thresholds(unit))];
}

/** The rating of each seat from its losses in this game. */
function ratings(r, name) {
  if (!r.priced.length) return h('p', {}, t('None: the time allowed no estimate of all losses.'));
  const text = (m) => (m === null ? t('no rating') : m.text);
  return [h('table', {}, h('tbody', {}, r.priced.map((i) => h('tr', {}, h('th', { scope: 'row' }, name(i)), h('td', { class: 'number' }, text(r.ratings[i])))))),
    h('p', { class: 'note' }, r.exact ? t('Elo, from the exact losses in this game, with best play at 0. One game gives no interval; those of “My games” together do.')
      : t('Elo, from the estimated losses in this game, with the best choices of the searches at 0. The interval, of the level 99 %, is that of the estimates.'))];
}

/** The table of the parts of the result. */
function parts(r, unit, name) {
  const columns = [['result', t('result')], ['start', t('start')], ['luck', t('luck')], ['losses', t('own losses')], ['others', t('losses of others')]].slice(0, r.exact ? 5 : r.priced.length ? 4 : 3);
  return [h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Parts of the result') }, h('table', {},
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('seat')), columns.map(([, text]) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, r.seats.map((s, i) => h('tr', {}, h('th', { scope: 'row' }, name(i)), columns.map(([key]) => h('td', { class: 'number' }, key === 'losses' && !r.priced.includes(i) ? '' : numbers.signed(s[key], unit)))))))),
  h('p', { class: 'note' }, [r.exact && t('result = start + luck − own losses + losses of others.'), unit ? numbers.counted(1, unit) < 0 && t('In {unit}, negated.', { unit }) : t('In % of the win.'), t('Luck is what the dice changed.')].filter(Boolean).join(' '))];
}
