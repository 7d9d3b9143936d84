// The players of a game: a row each, with what they have.
import { h, svg } from './dom.js';
import { t } from './language.js';
import { seatClass, swatch } from './pieces.js';

/** @typedef {import('./board.js').Scene} Scene */
/** @typedef {NonNullable<import('./board.js').Seat['counts']>} Counts */

/**
 * The table of the players.
 * @param {Scene} scene
 * @param {string[]} names of the seats
 */
export function players({ seats, player }, names) {
  const [{ score, counts = [] }] = seats, groups = [undefined, ...new Set(counts.map((c) => c.group).filter(Boolean))];
  const ordered = (/** @type {Counts} */ list) => groups.flatMap((group) => list.filter((c) => c.group === group));
  return h('table', { class: 'seats' },
    titles(score.name, ordered(counts)),
    h('tbody', {}, seats.map((seat, i) => h('tr', { class: `${seatClass(i)}${player === i ? ' mover' : ''}` },
      h('th', { scope: 'row' }, h('div', { class: 'seat-name' }, swatch(i), h('span', {}, names[i]),
        player === i && h('span', { class: 'hidden' }, t('to move')), seat.notes?.map((note) => h('span', { class: 'chip' }, note)))),
      h('td', { class: 'score' }, total(seat.score)),
      ordered(seat.counts ?? []).map((c) => h('td', { class: c.value ? '' : 'none' }, c.value, c.most && h('small', {}, [' ', t('of {most}', { most: c.most })])))))));
}

/** The titles: of counts in a group below that of the group. @param {string} score @param {Counts} counts */
function titles(score, counts) {
  const grouped = counts.some((c) => c.group), rowspan = grouped ? 2 : null;
  const first = (c, i) => !c.group || c.group !== counts[i - 1]?.group;
  return h('thead', {}, h('tr', {}, h('th', { scope: 'col', rowspan }, h('span', { class: 'hidden' }, t('player'))), h('th', { scope: 'col', rowspan }, score), counts.filter(first).map((c) => (c.group
    ? h('th', { scope: 'colgroup', class: 'group', colspan: counts.filter((x) => x.group === c.group).length }, c.group) : h('th', { scope: 'col', rowspan }, c.name)))),
  grouped && h('tr', {}, counts.filter((c) => c.group).map((c) => h('th', { scope: 'col' }, c.name))));
}

/** A score: what is sure, what the turn in progress would add, and how far it is to the target. */
function total({ value, gain = 0, target = 0 }) {
  const width = (n) => (100 * Math.min(n, target)) / target;
  return [h('strong', {}, value), gain > 0 && h('span', { class: 'gain' }, ` + ${gain}`), target > 0 && h('small', {}, [' ', t('of {most}', { most: target })]),
    target > 0 && svg('svg', { class: 'bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      svg('rect', { class: 'bar-ground', width: 100, height: 6 }),
      svg('rect', { class: 'bar-gain', width: width(value + gain), height: 6 }),
      svg('rect', { class: 'bar-value', width: width(value), height: 6 }))];
}
