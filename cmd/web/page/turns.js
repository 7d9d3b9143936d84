// The turns of agents.
import { AnswerError, call } from './api.js';
import { here, link, replace, write } from './address.js';
import { failure, fill } from './dom.js';
import { t } from './language.js';

/** The milliseconds that a step is shown before an agent goes on. Chosen: a person can follow that. */
const pause = 500;

/** Resolves at a click, or at a key that presses or leaves something: the person wants no more pauses. @param {AbortSignal} signal */
function skipped(signal) {
  return new Promise((resolve) => {
    document.addEventListener('pointerdown', resolve, { signal });
    document.addEventListener('keydown', (e) => ['Enter', ' ', 'Escape'].includes(e.key) && resolve(e), { signal });
  });
}

/**
 * Lets agents play until a person is to move, who sees each step for a while. The address follows at most some times a
 * second, since browsers bound that; the game on the page does not need it.
 * @param {any} view
 * @param {AbortSignal} signal
 * @param {HTMLElement} trouble where errors are shown
 * @param {(view: any) => void} update shows a view
 * @param {Record<string, any>} [more] fields of the address
 */
export async function agents(view, signal, trouble, update, more = {}) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches || !view.address.seats.includes('human'), skip = skipped(signal);
  const next = () => !view.ended && view.mover >= 0 && view.address.seats[view.mover] !== 'human';
  let written = 0, at = here();
  fill(trouble);
  while (next()) {
    try {
      const seen = still || Promise.race([skip, new Promise((resolve) => setTimeout(resolve, pause))]);
      [view] = await Promise.all([call('play', { ...view.address }, signal), seen]);
      if (signal.aborted || here() !== at) return; // somebody has followed a link
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
      at = here();
    }
    update(view);
    fill(trouble, view.solving && t('Best play is being computed, {percent} % done. Until then another level plays for it.', { percent: Math.floor(100 * view.solving.done) }));
  }
}
