// The review of a game: the graph of the values, luck and skill apart, and the mistakes.
import { call } from './api.js';
import { button, fill, h } from './dom.js';
import { lineChart } from './chart.js';
import * as numbers from './numbers.js';

let current = null; // { key, result }

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
  if (current?.key === key && current.result) return draw(panel, context, current.result, go);
  forget();
  if (view.steps === 0) return fill(panel, h('p', {}, 'There is nothing to review yet.'));
  const stop = new AbortController();
  context.signal.addEventListener('abort', () => stop.abort());
  current = { key, stop };
  const progress = h('progress', { max: view.steps, value: 0, 'aria-label': 'Review' });
  fill(panel, h('p', {}, 'Computing values… '), progress, button('Stop', () => { stop.abort(); fill(panel, h('p', {}, 'Stopped.')); }));
  try {
    const result = await load(address, view.steps, (done) => { progress.value = done; }, stop.signal);
    current = { key, result };
    draw(panel, context, result, go);
  } catch (error) {
    if (error.name !== 'AbortError') fill(panel, h('p', { class: 'error' }, error.message));
  }
  return undefined;
}

const rollouts = 24; // for each position of a game that is not solved. Chosen: a game takes some seconds

/** Loads the review in parts; a solved game comes in one. */
async function load(address, steps, progress, signal) {
  const { exact } = await call('review', { ...address, from: 0, to: 1 }, signal).catch((e) => { if (e.name === 'AbortError') throw e; return { exact: false }; });
  if (exact) return call('review', { ...address }, signal);
  const all = { exact: false, points: [], prices: null };
  const part = 12;
  for (let from = 0; from < steps || from === 0; from += part) {
    const to = Math.min(steps, from + part - 1);
    const answer = await call('review', { ...address, from, to, rollouts }, signal);
    all.method = answer.method;
    all.points.push(...answer.points);
    progress(all.points.length);
  }
  return all;
}

function draw(panel, context, r, go) {
  const { view } = context;
  const seats = context.address.seats;
  const scale = view.unit ? -1 : 100;
  const name = (i) => `Seat ${i}${seats[i] === 'human' ? '' : `, ${seats[i]}`}`;
  const series = seats.map((_, i) => ({ name: name(i), x: r.points.map((_, k) => k), y: r.points.map((p) => scale * p.values[i].value), seat: i }));
  const p = r.prices;
  const mistakes = (p?.decisions ?? []).filter((d) => d.loss.low > 1e-12).sort((x, y) => y.loss.value - x.loss.value);
  fill(panel,
    h('p', { class: 'note' }, numbers.method(r.method)),
    lineChart({
      title: view.unit ? `Expected ${view.unit}` : 'Chance to win', xLabel: 'step', yLabel: view.unit || '%', series,
      marks: mistakes.slice(0, 8).map((d) => ({ x: d.step, label: '✗' })), at: view.step, onPick: (k) => go(k),
      describe: (k) => (k === 0 ? 'start' : context.view.log[k - 1]?.name ?? ''), digits: r.exact ? 6 : 1,
    }),
    p && [h('h2', {}, 'Luck and skill'), parts(p, view.unit, name)],
    !p && swings(r, view, name, go),
    p && h('h2', {}, 'Dearest mistakes'),
    p && (mistakes.length === 0 ? h('p', {}, 'No choice lost anything.') : h('ol', { class: 'mistakes' }, mistakes.slice(0, 8).map((d) => h('li', {},
      h('p', {}, h('strong', {}, `${name(d.seat)}: ${d.action}`), ` lost ${numbers.loss(d.loss, view.unit).replace('−', '')}.`),
      h('p', { class: 'row' }, button('Find the better choice', () => go(d.step, true)), h('details', {}, h('summary', {}, 'Answer'), `${d.options[0].action}: ${numbers.value(d.options[0].value, view.unit)}`)))))));
}

/** The table of the parts of the result. */
function parts(p, unit, name) {
  const columns = [['result', 'result'], ['start', 'start'], ['luck', 'luck'], ['losses', 'own losses'], ['others', 'losses of others']];
  return [h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Parts of the result' }, h('table', {},
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'seat'), columns.map(([, text]) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, p.seats.map((s, i) => h('tr', {}, h('th', { scope: 'row' }, name(i)), columns.map(([key]) => h('td', { class: 'number' }, numbers.signed(s[key], unit)))))))),
  h('p', { class: 'note' }, `result = start + luck − own losses + losses of others${unit ? `, in ${unit}, negated` : ', in % of the win'}. Luck is what the dice changed.`)];
}

/** The largest changes of estimated values. */
function swings(r, view, name, go) {
  const list = [];
  for (let k = 1; k < r.points.length; k++) {
    const seat = view.log[k - 1]?.seat ?? -1;
    const changes = r.points[k].values.map((v, i) => v.value - r.points[k - 1].values[i].value);
    const who = seat >= 0 ? seat : changes.indexOf(Math.max(...changes));
    list.push({ k, seat, who, change: changes[who] });
  }
  list.sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
  return [h('h2', {}, 'Largest changes'), h('ol', { class: 'mistakes' }, list.slice(0, 6).map((s) => h('li', {},
    h('p', {}, `${s.seat < 0 ? 'The dice' : name(s.seat)}: ${view.log[s.k - 1]?.name}, about ${s.change >= 0 ? '+' : '−'}${Math.abs((view.unit ? 1 : 100) * s.change).toFixed(0)}${view.unit ? '' : ' %'} for ${name(s.who)}. `, button('Show', () => go(s.k), { class: 'small' })))))];
}
