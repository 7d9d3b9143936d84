// Games of people at several places, who send each other the address after each turn.
import { common, gameOf, parse } from './address.js';
import { t } from './language.js';
import { games } from './store.js';

/** Whether several people play. @param {import('./address.js').Address} a */
export const shared = (a) => a.seats.filter((seat) => seat === 'human').length > 1;

/** What such a game relies on. */
export const trust = () => t('Play with somebody elsewhere: choose, then send this address, and get theirs back. The dice follow from the seed in the address, so both can look ahead or try again: such a game relies on trust. With “Dice: rolled on your own table” you type what you rolled, and trust each other in that.');

/**
 * How a link differs from what this browser has seen of its game; '' if the game only goes on.
 * @param {import('./address.js').Address} a
 */
export function altered(a) {
  const known = shared(a) && !a.line && games().map((g) => parse(g.key)).find((k) => k && gameOf(k) === gameOf(a));
  if (!known) return '';
  const seen = known.moves?.length ?? 0, same = common(known.moves, a.moves);
  if (same === seen) return '';
  return same === (a.moves?.length ?? 0) ? t('This link is older than what this browser has seen of the game: the moves after move {same} are missing.', { same })
    : t('This link changes the game that this browser has seen: move {move} is another one.', { move: same + 1 });
}
