// The choices of a position, with their values on demand. They keep their order; a selection on
// the board narrows them.
import { call } from './api.js';
import { button, failure, fill, h, announce, sentence } from './dom.js';
import * as numbers from './numbers.js';
import { chanceMap } from './chance.js';
import { personOf } from './deck.js';
import { compare, mix, t } from './language.js';
import { coach } from './coach.js';
import { asGood, thresholds, verdict } from './verdict.js';

const few = 12; // listed without a filter. Chosen
const first = 2000; // milliseconds for estimates, before more are asked for

/**
 * The choices as buttons.
 * @param {any} context whose onValues is called with values, once they are known
 * @param {boolean} free whether a choice may be made
 * @returns {{element: HTMLElement, narrow: (actions: number[] | null, cancel?: () => void) => void, draw: () => void, allows?: (name: string) => Promise<boolean | 'fine'>}}
 *   draw draws them again, and allows is there with a coach, and asks whether a choice may be played
 */
export function choices(context, free) {
  const { view } = context, own = context.address.seats && personOf(context.address) === view.mover;
  const list = h('div', { class: 'options' });
  const note = h('div', { class: 'note' });
  const best = h('p', { class: 'best-line' }), rivals = h('div', { class: 'note', role: 'status' });
  const state = { values: null, filter: '', chosen: null, answered: false, map: null, left: null, cancel: null };
  const heading = h('h2', {}, context.exercise ? t('Find the best choice') : own ? t('Your choices') : t('Choices of {player}', { player: numbers.nameOf(view, view.mover) }));
  const filter = view.options.length > few && h('label', { class: 'filter' }, t('Find'), ' ', h('input', { type: 'search', 'data-key': 'filter', oninput: (e) => { state.filter = e.target.value.toLowerCase(); draw(); } }));
  let asked = { time: 0 };
  // Regions, which the rules number by longitude, are found by their names.
  const regions = view.scene?.map && !view.scene.map.kinds;
  const listed = (options) => (regions ? [...options].sort((x, y) => Number(x.name === 'end') - Number(y.name === 'end') || compare(x.about, y.about)) : options);
  const about = new Map(view.options.map((o) => [o.name, o.about || o.name]));
  const words = (name) => sentence(numbers.words(about.get(name)));

  async function choose(option) {
    if (!context.exercise) {
      context.choose(option.name);
      return;
    }
    state.chosen = option.name;
    if (state.values) draw();
    else await load();
    if (!state.values || state.chosen !== option.name) return;
    const top = state.values.options[0];
    const own = state.values.options.find((o) => o.action === option.name);
    const [mine, other] = [own, top].map((o) => words(o.action));
    const lost = own === top || own.regret.value <= 1e-12 ? t('That is the best choice.')
      : own.regret.low <= 1e-12 ? t('“{mine}” may be as good as “{other}”: it loses {loss}.', { mine, other, loss: numbers.loss(own.regret, state.values.unit) })
        : t('“{mine}” loses {loss}. Best is “{other}”.', { mine, other, loss: numbers.loss(own.regret, state.values.unit) });
    fill(heading, lost);
    announce(lost);
    if (!state.answered) context.answered(own === top || own.regret.low <= 1e-12);
    state.answered = true;
  }

  /** What a choice is worth: its value, and its loss or that it is the best. */
  function worth(known, top) {
    const { unit } = state.values, judged = verdict(known.regret, unit);
    return h('span', { class: 'worth' }, h('span', { class: 'number' }, numbers.value(known.value, unit)),
      h('span', { class: `loss ${top ? 'best' : judged?.name ?? ''}` }, top ? (known.regret.exact ? t('✓ best') : t('✓ best by estimate')) : numbers.loss(known.regret, unit, '−'),
        judged && !top && h('abbr', { title: judged.text }, ` ${judged.sign}`)));
  }

  function row(option) {
    const known = state.values?.options.find((o) => o.action === option.name);
    const top = known && isBest(state.values, known);
    const [first, ...more] = (option.about || option.name).split('; ');
    const item = h('li', { class: top ? 'best' : '' },
      button(h('span', { class: 'option' }, h('strong', {}, sentence(first)), more.length > 0 && h('span', { class: 'about' }, more.join('; '))), () => choose(option),
        { disabled: !free || context.chosen, title: option.name, 'data-key': `option-${option.name}`, class: ['option-button', state.chosen === option.name && 'chosen', context.suggested === option.name && 'suggested'].filter(Boolean).join(' ') }),
      known && worth(known, top),
      option.chance && (context.values || state.chosen) && button(t('Rolls'), () => map(option), { class: 'small', 'aria-label': t('Rolls after “{choice}”: what they are worth', { choice: first }), 'aria-expanded': state.map?.name === option.name, 'data-key': `map-${option.name}` }));
    return [item, state.map?.name === option.name && h('li', { class: 'map-row' }, state.map.element)];
  }

  function draw() {
    const left = listed(state.left ? state.left.map((action) => view.options.find((o) => o.action === action)) : view.options);
    const shown = left.filter((o) => `${o.name} ${o.about}`.toLowerCase().includes(state.filter));
    fill(list, h('ol', {}, shown.map(row)), state.left && button(t('All choices'), () => state.cancel(), { class: 'cancel small', 'data-key': 'cancel' }));
  }

  /** Shows the choices that a selection on the board leaves, or all. */
  function narrow(actions, cancel) {
    if (actions === state.left) return; // nothing is selected, as before
    Object.assign(state, { left: actions, cancel });
    draw();
    if (actions) announce(actions.length === 1 ? t('One choice is left beside the board.') : t('{n} choices are left beside the board. Select more to narrow them.', { n: actions.length }));
  }

  async function map(option) {
    if (state.map?.name === option.name) {
      state.map = null;
    } else {
      state.map = { name: option.name, element: h('p', {}, t('Computing…')) };
      draw();
      const element = await chanceMap(context, option.name);
      if (state.map?.name === option.name) state.map.element = element;
    }
    draw();
  }

  /** The values; where they are estimated, within some milliseconds. They are asked for once, and again with more time. */
  function known(time = first) {
    if (time <= asked.time) return asked.values;
    const values = call('values', { ...context.address, step: view.step, time }, context.signal);
    asked = { time, values };
    values.catch(() => { asked = { time: 0 }; });
    return values;
  }

  /** Shows the values. */
  async function load(time = first) {
    const soon = h('span', { role: 'status' }), more = time < 16000 && button(t('More time'), () => load(4 * time), { class: 'small', 'data-key': 'more-time' });
    fill(note, t('Computing values…'));
    try {
      state.values = await known(time);
    } catch (error) {
      if (error.name !== 'AbortError') fill(note, failure(error, () => load(time)), ' ', error.moreTime && more, ' ', soon);
      if (error.moreTime || error.goesOn) until(soon); // a slow computer solves the game before it can estimate
      return;
    }
    const { exact, options, solving, unit } = state.values;
    fill(note, soon, numbers.method(state.values), ' ', exact ? table(state.values) : more, h('p', {}, thresholds(unit)));
    const top = options.length > 0 && { choice: h('strong', {}, words(options[0].action)), value: numbers.value(options[0].value, unit) };
    fill(best, options.length > 1 && [mix('Best: {choice}, {value}', top), asGood(options) && ` · ${asGood(options)}`]);
    fill(rivals, context.live && blunders().map((text) => h('p', {}, text)));
    draw();
    context.onValues?.(state.values);
    if (solving) until(soon); // they can be ready by now
  }

  /** What other players have thrown away since the last choice of the mover, in sentences. */
  function blunders() {
    const { others = [], unit } = state.values;
    return others.map((d) => ({ ...d, verdict: verdict(d.loss, unit) })).filter((d) => d.verdict).map((d) => t('{player}, {mistake} {sign}: “{choice}” lost {loss} of the chance to win.',
      { player: numbers.nameOf(view, d.seat), mistake: d.verdict.text, sign: d.verdict.sign, choice: sentence(numbers.words(view.log[d.step].about)), loss: numbers.loss(d.loss, unit) }));
  }

  /** Says how far the exact values are, and loads them when they are ready. */
  async function until(soon) {
    for (;;) {
      const { done, solved } = await call('solving', { game: context.address.game, players: context.address.players }, context.signal).catch(() => ({})) ?? {};
      if (context.signal.aborted || !soon.isConnected) return;
      if (done === undefined) return fill(soon);
      if (solved) {
        asked = { time: 0 };
        return load();
      }
      fill(soon, t('The exact values are being computed, {percent} % done; until then these are estimates.', { percent: Math.floor(100 * done) }), ' ');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** The values with all digits. */
  function table({ options, unit }) {
    const lost = (o) => (o.regret.value > 1e-12 ? numbers.digits({ ...o.regret, value: numbers.counted(o.regret.value, unit) }, unit) : '');
    return h('details', {}, h('summary', {}, t('All digits')), h('table', { class: 'digits' },
      h('thead', {}, h('tr', {}, [t('choice'), t('value'), t('loss')].map((x) => h('th', { scope: 'col' }, x)))),
      h('tbody', {}, options.map((o) => h('tr', {}, h('th', { scope: 'row' }, o.action), h('td', { class: 'number' }, numbers.digits(o.value, unit)), h('td', { class: 'number' }, lost(o)))))));
  }

  draw();
  if (context.values) load();
  const guard = context.coach && free && coach(known, view, words, context.suggest);
  if (guard) known();
  return { element: h('div', { class: 'choices' }, h('div', { class: 'choices-head' }, heading, guard && guard.hint, free && context.coachSwitch?.(), filter), guard && guard.told, rivals, best, list, note), narrow, draw, allows: guard ? guard.allows : undefined };
}

/** Whether an option is the best one, or exactly as good. */
function isBest({ options }, o) {
  return o === options[0] || (o.regret.exact && o.regret.value <= 1e-12);
}

/** What choices are worth, by action, for a board. @param {any} values @param {{name: string, action: number}[]} options */
export function onBoard(values, options) {
  const number = new Map(options.map((o) => [o.name, o.action]));
  return new Map(values.options.map((o, order) => [number.get(o.action), {
    order, text: numbers.short(o.value, values.unit), level: isBest(values, o) ? 'best' : verdict(o.regret, values.unit)?.name ?? 'fine',
  }]));
}
