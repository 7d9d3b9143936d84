// What has happened in the game.
import { button, h, sentence } from './dom.js';
import { nameOf } from './numbers.js';

/**
 * The log, the latest turn first.
 * @param {any} context
 * @param {(step: number) => void} go shows the position after a step
 */
export function log(context, go) {
  const { view } = context;
  if (view.log.length === 0) return h('p', {}, 'Nothing has happened yet.');
  const turns = [];
  view.log.forEach((entry, i) => {
    const seat = entry.seat >= 0 ? entry.seat : turns.at(-1)?.seat ?? -1;
    if (!turns.length || turns.at(-1).seat !== seat) turns.push({ seat, lines: [] });
    turns.at(-1).lines.push({ ...entry, step: i + 1 });
  });
  const name = (seat) => (seat < 0 ? 'Start' : nameOf(context.address.seats, seat));
  return h('div', { class: 'log', role: 'log', tabindex: 0, 'aria-label': 'Moves', 'aria-live': 'off' }, turns.reverse().map((t) => h('section', { class: t.seat >= 0 ? `turn seat-${t.seat}` : 'turn' },
    h('h3', {}, name(t.seat)),
    h('ol', {}, t.lines.map((l) => h('li', { class: l.step === view.step && !context.live ? 'here' : '' },
      button(l.seat >= 0 ? l.name : `⚄ ${l.told.length ? '' : l.name}`, () => go(l.step), { class: 'move', 'aria-label': `Show the position after step ${l.step}: ${l.name}` }),
      h('span', {}, l.seat >= 0 ? sentence(l.about) : '', l.told.map((text) => h('span', { class: 'told' }, sentence(text))))))))));
}
