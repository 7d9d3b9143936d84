// The guided first game: what to do at each step, in the game that is on the page. The logic
// holds its texts and its game (internal/web/guides.json).
import { callOnce } from './api.js';
import { gameIn, instead, link, write } from './address.js';
import { fill, h } from './dom.js';
import { t } from './language.js';

/** The guided game of a preset. @param {string} game */
export const guideOf = (game) => callOnce('guide', { game });

/** The address of a guided game. @param {any} guide */
export const guided = (guide) => link('play', write(guide, { guide: 1 }));

/**
 * What the guide says in a position, and the choice that it suggests.
 * @param {any} guide
 * @param {any} view
 */
export function tell(guide, view) {
  const own = view.log.slice(0, view.step).filter((e) => e.seat === 0).map((e) => e.name);
  const { steps, end } = guide, at = own.length, follows = steps.slice(0, at).every((step, i) => own[i] === step.move);
  const box = (title, text, ...links) => h('section', { class: 'guide', 'aria-label': t('Guide') }, h('p', { role: 'status' }, h('strong', {}, title), ' ', text), h('p', { class: 'row' }, links));
  const leave = (text) => h('a', { href: link('play', write(view.address)), 'data-key': 'leave-guide' }, text);
  if (!follows) return { element: box(t('Your own way.'), t('Choices other than that of the guide are fine.'), h('a', { href: guided(guide) }, t('Start the guide again')), leave(t('Play on without it'))) };
  if (at > steps.length) return {}; // the guide has ended
  if (at === steps.length) return { element: box(t('The guide ends here.'), end, leave(t('Play on'))) };
  return view.mover === 0 ? { element: box(t('Guide, {step} of {steps}.', { step: at + 1, steps: steps.length }), steps[at].text, leave(t('Skip the guide'))), move: steps[at].move } : {};
}

/** Opens the guided game of a preset. */
export async function show(main, query) {
  const games = await callOnce('games');
  const guide = await guideOf(gameIn(query, games, games.find((g) => g.id === 'pig')).id);
  fill(main, h('p', {}, t('Opening the guided game…')));
  instead(guided(guide));
}
