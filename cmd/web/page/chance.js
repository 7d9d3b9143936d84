// The map of a roll: what each result would be worth.
import { call } from './api.js';
import { personOf } from './deck.js';
import { h } from './dom.js';
import { mix, t } from './language.js';
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
    const unit = context.view.unit, you = context.address.seats && personOf(context.address) === c.seat;
    const cell = (o) => {
      const level = high > low ? Math.round((8 * (o.value.value - low)) / (high - low)) : 4;
      return h('li', { class: `heat heat-${level}`, title: `${o.about || o.outcome}: ${numbers.value(o.value, unit)}, ${percent(o.prob)}` },
        h('span', {}, o.outcome), h('small', {}, numbers.short(o.value, unit)));
    };
    const cells = c.outcomes.length <= 36 && h('ul', { class: 'heatmap', 'aria-hidden': 'true' }, c.outcomes.map(cell));
    const left = c.outcomes.length > most ? c.outcomes.length - most : 0;
    const shown = left ? [...c.outcomes.slice(0, most / 2), null, ...c.outcomes.slice(-most / 2)] : c.outcomes;
    return h('div', { class: 'chance' },
      h('p', {}, you ? t('The value to you after each result, the best first.') : t('The value to {player} after each result, the best first.', { player: numbers.nameOf(context.view, c.seat) }), ' ', numbers.method(c)),
      spread(c.outcomes, unit), cells,
      h('details', {}, h('summary', {}, t('Table')), h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Results of the roll') }, h('table', {},
        h('thead', {}, h('tr', {}, [t('result'), t('probability'), t('value')].map((x) => h('th', { scope: 'col' }, x)))),
        h('tbody', {}, shown.map((o) => (o ? h('tr', {}, h('td', {}, o.about || o.outcome), h('td', { class: 'number' }, percent(o.prob)), h('td', { class: 'number' }, numbers.digits(o.value, unit)))
          : h('tr', {}, h('td', { colspan: 3 }, t('… {n} others …', { n: left }))))))))));
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
  return h('p', {}, mix('The best tenth of the rolls leads to {good} or more, the worst tenth to {bad} or less.', { good: h('strong', {}, numbers.short(good.value, unit)), bad: h('strong', {}, numbers.short(bad.value, unit)) }));
}

function percent(p) {
  return numbers.percent(100 * p, p < 0.001 ? 4 : 2);
}
