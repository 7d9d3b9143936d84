// The turns of agents.
import { AnswerError, call } from './api.js';
import { link, replace, write } from './address.js';
import { failure, fill } from './dom.js';
import { t } from './language.js';

/**
 * Lets agents play until a person is to move. The address follows at most some times a
 * second, since browsers bound that; the game on the page does not need it.
 * @param {any} view
 * @param {AbortSignal} signal
 * @param {HTMLElement} trouble where errors are shown
 * @param {(view: any) => void} update shows a view
 * @param {Record<string, any>} [more] fields of the address
 */
export async function agents(view, signal, trouble, update, more = {}) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const next = () => !view.ended && view.mover >= 0 && view.address.seats[view.mover] !== 'human';
  let written = 0;
  fill(trouble);
  while (next()) {
    try {
      await new Promise((resolve) => setTimeout(resolve, still ? 0 : 350));
      if (signal.aborted) return;
      view = await call('play', { ...view.address }, signal);
      if (signal.aborted) return;
    } catch (error) {
      if (signal.aborted || !(error instanceof AnswerError)) return;
      if (error.goesOn) {
        fill(trouble, error.message);
        continue;
      }
      fill(trouble, failure(error, () => agents(view, signal, trouble, update, more)));
      return;
    }
    if (!next() || performance.now() - written > 300) {
      replace(link('play', write(view.address, more)));
      written = performance.now();
    }
    update(view);
    fill(trouble, view.solving && t('Best play is being computed, {percent} % done. Until then another level plays for it.', { percent: Math.floor(100 * view.solving.done) }));
  }
}
