// The choices of a position, with their values on demand.
import { call } from './api.js';
import { button, failure, fill, h, say } from './dom.js';
import * as numbers from './numbers.js';
import { chanceMap } from './chance.js';

const few = 12; // listed without a filter. Chosen

/**
 * The choices as buttons.
 * @param {any} context
 * @param {boolean} free whether a choice may be made
 */
export function choices(context, free) {
  const { view } = context, who = numbers.nameOf(context.address.seats, view.mover);
  const list = h('div', { class: 'options' });
  const note = h('div', { class: 'note' });
  const state = { values: null, filter: '', chosen: null, map: null };
  const heading = h('h2', {}, context.exercise ? 'Find the best choice' : who === 'You' ? 'Your choices' : `Choices of ${who}`);
  const filter = view.options.length > few && h('label', { class: 'filter' }, 'Find ', h('input', { type: 'search', oninput: (e) => { state.filter = e.target.value.toLowerCase(); draw(); } }));

  async function choose(option) {
    if (!context.exercise) {
      context.choose(option.name);
      return;
    }
    state.chosen = option.name;
    if (state.values) draw();
    else await load();
    if (!state.values || state.chosen !== option.name) return;
    const best = state.values.options[0];
    const own = state.values.options.find((o) => o.action === option.name);
    const lost = own === best || own.regret.value <= 1e-12 ? 'That is the best choice.'
      : own.regret.low <= 1e-12 ? `${option.name} may be as good as ${best.action}: it loses ${numbers.loss(own.regret, state.values.unit)}.`
        : `${option.name} loses ${numbers.loss(own.regret, state.values.unit)}. Best is ${best.action}.`;
    fill(heading, lost);
    say(lost);
  }

  function row(option) {
    const known = state.values?.options.find((o) => o.action === option.name);
    const best = known && (known === state.values.options[0] || (known.regret.exact && known.regret.value <= 1e-12));
    const item = h('li', { class: best ? 'best' : '' },
      button(h('span', { class: 'option' }, h('strong', {}, option.name), h('span', { class: 'about' }, option.about)), () => choose(option),
        { disabled: !free || context.chosen, 'data-key': `option-${option.name}`, class: state.chosen === option.name ? 'option-button chosen' : 'option-button' }),
      known && h('span', { class: 'worth' }, h('span', { class: 'number' }, numbers.value(known.value, state.values.unit)), h('span', { class: best ? 'loss best' : 'loss' }, best ? (known.regret.exact ? '✓ best' : '✓ best by estimate') : `−${numbers.loss(known.regret, state.values.unit)}`)),
      option.chance && (context.values || state.chosen) && button('Rolls', () => map(option), { class: 'small', 'aria-label': `Rolls after ${option.name}: what they are worth`, 'aria-expanded': state.map?.name === option.name, 'data-key': `map-${option.name}` }));
    return [item, state.map?.name === option.name && h('li', { class: 'map-row' }, state.map.element)];
  }

  function draw() {
    let shown = view.options.filter((o) => `${o.name} ${o.about}`.toLowerCase().includes(state.filter));
    if (state.values) {
      const rank = new Map(state.values.options.map((o, i) => [o.action, i]));
      shown = shown.toSorted((x, y) => rank.get(x.name) - rank.get(y.name));
    }
    fill(list, h('ol', { class: shown.length > few ? 'long' : '' }, shown.map(row)));
  }

  async function map(option) {
    if (state.map?.name === option.name) {
      state.map = null;
    } else {
      state.map = { name: option.name, element: h('p', {}, 'Computing…') };
      draw();
      const element = await chanceMap(context, option.name);
      if (state.map?.name === option.name) state.map.element = element;
    }
    draw();
  }

  /** Loads the values; where they are estimated, within some milliseconds. */
  async function load(time = 2000) {
    const more = time < 16000 && button('More time', () => load(4 * time), { class: 'small', 'data-key': 'more-time' });
    fill(note, 'Computing values…');
    try {
      state.values = await call('values', { ...context.address, step: view.step, time }, context.signal);
    } catch (error) {
      if (error.name !== 'AbortError') fill(note, failure(error, () => load(time)), ' ', error.moreTime && more);
      return;
    }
    fill(note, numbers.method(state.values.method), ' ', state.values.exact ? table(state.values) : more);
    draw();
  }

  /** The values with all digits. */
  function table({ options, unit }) {
    const lost = (o) => (o.regret.value > 1e-12 ? numbers.digits({ ...o.regret, value: unit ? -o.regret.value : o.regret.value }, unit) : '');
    return h('details', {}, h('summary', {}, 'All digits'), h('table', { class: 'digits' },
      h('thead', {}, h('tr', {}, ['choice', 'value', 'loss'].map((x) => h('th', { scope: 'col' }, x)))),
      h('tbody', {}, options.map((o) => h('tr', {}, h('th', { scope: 'row' }, o.action), h('td', { class: 'number' }, numbers.digits(o.value, unit)), h('td', { class: 'number' }, lost(o)))))));
  }

  draw();
  if (context.values) load();
  return h('div', {}, heading, filter, list, note);
}
