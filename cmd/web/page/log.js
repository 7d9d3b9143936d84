// What has happened in the game.
import { button, h, sentence } from './dom.js';
import { t } from './language.js';
import { nameOf, words } from './numbers.js';

/**
 * The log, the latest turn first and in it the first step first. A roll stands under the player whose turn it belongs to.
 * @param {any} context
 * @param {(step: number) => void} go shows the position after a step
 */
export function log(context, go) {
  const { view } = context;
  if (view.log.length === 0) return h('p', {}, t('Nothing has happened yet.'));
  const turns = [];
  view.log.forEach((entry, i) => {
    if (!turns.length || turns.at(-1).seat !== entry.turn) turns.push({ seat: entry.turn, lines: [] });
    turns.at(-1).lines.push({ ...entry, step: i + 1 });
  });
  const line = (l) => {
    const [first, ...rest] = l.seat >= 0 ? [words(l.about || l.name), ...l.told] : [l.told[0] ?? l.name, ...l.told.slice(1)];
    return h('li', { class: l.step === view.step && !context.live ? 'here' : '' },
      button([l.seat < 0 && h('span', { 'aria-hidden': 'true' }, '⚄ '), sentence(first)], () => go(l.step), { class: 'move', 'data-key': `log-${l.step}`, title: t('Go to this position'), 'aria-label': t('Show the position after step {step}: {move}', { step: l.step, move: first }) }),
      rest.map((text) => h('span', { class: 'told' }, sentence(text))));
  };
  return h('div', { class: 'log', role: 'log', tabindex: 0, 'aria-label': t('Moves, the latest turn first'), 'aria-live': 'off' }, turns.reverse().map((turn) => h('section', { class: turn.seat >= 0 ? `turn seat-${turn.seat}` : 'turn' },
    h('h3', {}, turn.seat < 0 ? t('Start') : nameOf(view, turn.seat)),
    h('ol', {}, turn.lines.map(line)))));
}
