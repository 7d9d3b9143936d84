// The deck of a person's own mistakes, and the daily exercise: each is a position with a choice to find.
import { call, callSolved } from './api.js';
import { goTo, link, parse, write } from './address.js';
import { deck, keepCards, keepDay, keepReview } from './store.js';
import { h } from './dom.js';
import { t } from './language.js';
import { sure } from './numbers.js';
import { verdict } from './verdict.js';

const waits = [1, 3, 7, 14, 30, 60]; // days until a card comes back from each box, after Leitner. Chosen

/** How the deck works. */
export const rule = () => t('As in Leitner’s card boxes, a mistake that you solve comes back after {days} and then {last} days; one that you miss starts again.', { days: waits.slice(0, -1).join(', '), last: waits.at(-1) });

/** The midnight that begins the day so many days from now. */
function midnight(days) {
  const now = new Date(Date.now());
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).getTime();
}

/** Today, such as 2026-11-27, where the person is. */
export function today() {
  const now = new Date(Date.now());
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, '0')).join('-');
}

/** The mistakes that are due, the longest first. */
export function due() {
  return deck().filter((card) => card.due <= Date.now()).sort((x, y) => x.due - y.due || x.at - y.at);
}

/** The seat of the only person of a game, or -1. @param {import('./address.js').Address} a */
export function personOf(a) {
  const seats = a.seats ?? []; // what is kept can come from elsewhere
  return seats.filter((name) => name === 'human').length === 1 ? seats.indexOf('human') : -1;
}

/** Keeps what a review says of the only person, if the game was played here. @param {import('./address.js').Address} a @param {{kept: {unit: string}}} view @param {any} review */
export function learn(a, view, review) {
  const seat = personOf(a);
  if (seat < 0 || !review.priced.includes(seat)) return;
  const { unit } = view.kept, known = (n) => (sure(n) ? n.value : undefined); // a wide estimate says nothing
  const { luck, losses, decisions } = review.seats[seat], key = write(a), now = Date.now();
  const cards = review.mistakes.filter((m) => m.seat === seat && verdict(m.loss, unit)).map(({ step }) => ({ key, step, box: 0, due: now, at: now }));
  keepReview(key, { luck: known(luck), loss: known(losses), decisions, unit, exact: review.exact }, cards);
}

/** The address of the exercise of a card. @param {import('./store.js').Card} card */
function exercise(card) {
  return link('play', write(parse(card.key), { step: card.step, exercise: 1 }));
}

/** Opens the exercise of a card, once it is known that its game can be played. */
export async function practise(card, signal) {
  await call('view', { ...parse(card.key), step: card.step }, signal);
  goTo(exercise(card));
}

/** Opens the exercise of today. @param {AbortSignal} signal @param {(message: string) => void} wait is told why it is not open yet */
export async function openDaily(signal, wait) {
  const day = today(), { address, step } = await callSolved('daily', { seed: day.replaceAll('-', '') }, signal, wait);
  goTo(link('play', write(address, { step, exercise: 1, day })));
}

/**
 * Keeps the first answer of an exercise, and returns what follows from it. Exercises that are
 * neither in the deck nor that of today change nothing.
 * @param {import('./address.js').Address} a
 * @param {number} step
 * @param {string | null} day of a daily exercise
 * @param {boolean} right
 */
export function answered(a, step, day, right) {
  const key = write(a), now = Date.now(), card = deck().find((c) => c.key === key && c.step === step);
  const told = [];
  if (day === today() && keepDay({ day, right })) {
    told.push(right ? t('Today’s exercise is solved.') : t('Today’s exercise is missed, and joins your mistakes.'));
    if (!right) keepCards([{ key, step, box: 0, due: midnight(waits[0]), at: now }]);
  } else if (card && card.due <= now) {
    const wait = right ? waits[Math.min(card.box, waits.length - 1)] : waits[0];
    keepCards([{ ...card, box: right ? Math.min(card.box + 1, waits.length - 1) : 0, due: midnight(wait), at: now }]);
    told.push(wait === 1 ? (right ? t('Solved: this mistake comes back in a day.') : t('Missed: this mistake comes back in a day.')) : t('Solved: this mistake comes back in {n} days.', { n: wait }));
  }
  const [next, ...rest] = due();
  if ((card || day) && next) told.push(h('a', { href: exercise(next), 'data-key': 'next-mistake' }, t('Next mistake ({n} due)', { n: rest.length + 1 })));
  else if (card || day) told.push(h('a', { href: '#games' }, t('My games')));
  return told;
}
