// The map of a roll: what each result would be worth.
import { call } from './api.js';
import { h } from './dom.js';
import * as numbers from './numbers.js';

const most = 40; // outcomes in the table; the middle ones of more are left out. Chosen

/**
 * The outcomes of the roll after an action, or of the roll of the position.
 * @param {any} context
 * @param {string} [action]
 */
export async function chanceMap(context, action) {
  try {
    const c = await call('chance', { ...context.address, step: context.view.step, action }, context.signal);
    const values = c.outcomes.map((o) => o.value.value);
    const low = Math.min(...values), high = Math.max(...values);
    const unit = context.view.unit, whose = numbers.nameOf(context.view, c.seat);
    const cell = (o) => {
      const level = high > low ? Math.round((8 * (o.value.value - low)) / (high - low)) : 4;
      return h('li', { class: `heat heat-${level}`, title: `${o.about || o.outcome}: ${numbers.value(o.value, unit)}, ${percent(o.prob)}` },
        h('span', {}, o.outcome), h('small', {}, numbers.short(o.value, unit)));
    };
    const cells = c.outcomes.length <= 36 && h('ul', { class: 'heatmap', 'aria-hidden': 'true' }, c.outcomes.map(cell));
    const left = c.outcomes.length > most ? c.outcomes.length - most : 0;
    const shown = left ? [...c.outcomes.slice(0, most / 2), null, ...c.outcomes.slice(-most / 2)] : c.outcomes;
    return h('div', { class: 'chance' },
      h('p', {}, `The value to ${whose === 'You' ? 'you' : whose} after each result, the best first. `, numbers.method(c)),
      spread(c.outcomes, unit), cells,
      h('details', {}, h('summary', {}, 'Table'), h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Results of the roll' }, h('table', {},
        h('thead', {}, h('tr', {}, ['result', 'probability', 'value'].map((x) => h('th', { scope: 'col' }, x)))),
        h('tbody', {}, shown.map((o) => (o ? h('tr', {}, h('td', {}, o.about || o.outcome), h('td', { class: 'number' }, percent(o.prob)), h('td', { class: 'number' }, numbers.digits(o.value, unit)))
          : h('tr', {}, h('td', { colspan: 3 }, `… ${left} others …`)))))))));
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    return h('p', { class: 'error' }, error.message);
  }
}

/** Says what a tenth of the rolls are worth at best and at worst. */
function spread(outcomes, unit) {
  const quantile = (list) => {
    let p = 0;
    return list.find((o) => (p += o.prob) >= 0.1 - 1e-12) ?? list.at(-1);
  };
  const good = quantile(outcomes), bad = quantile([...outcomes].reverse());
  return h('p', {}, 'The best tenth of the rolls leads to ', h('strong', {}, numbers.short(good.value, unit)), ' or more, the worst tenth to ', h('strong', {}, numbers.short(bad.value, unit)), ' or less.');
}

function percent(p) {
  return `${(100 * p).toFixed(p < 0.001 ? 4 : 2)} %`;
}
