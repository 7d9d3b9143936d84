// What the browser keeps: the games that are played here by their addresses, the latest first, the deck
// of mistakes and the daily exercises, whether values are shown, the last game and its seats, the language, and the token of the
// server. The storage can be full or denied, and hold what another version or program wrote. What
// it does not take stays in this page while that is open, and what is damaged counts as absent.
// Other projects can share the origin, and so the storage: what has no prefix may be theirs.

import { gameOf, parse, write } from './address.js';
import { notice } from './dom.js';
import { t } from './language.js';

export const limit = 500; // of the games, the mistakes and the days that are kept, each. Chosen

/**
 * A game: key is its address, open whether it goes on, result the result or, while it goes on, the score, against the names of the opponents.
 * Once it is reviewed, luck and loss are parts of the result to the only person, in shares of the win or in the unit, after so many decisions.
 * @typedef {{key: string, game: string, players: number, at: number, open?: boolean, result?: string, against?: string, luck?: number, loss?: number, decisions?: number, unit?: string, exact?: boolean}} Kept
 */

/**
 * A mistake in the deck: the step of a game, the box that it is in, and when it is due and was last answered, or added.
 * @typedef {{key: string, step: number, box: number, due: number, at: number}} Card
 */

/** A daily exercise: its day and whether the answer was right. @typedef {{day: string, right: boolean}} Day */

/** What the storage did not take. @type {Map<string, string | null>} */
const here = new Map();

/** Whether the person knows that the storage does not take everything. */
let told = false;

const prefix = 'marsgym ';

/** The names that had no prefix once and hold a setting: there it is read, where the name with the prefix has none, but not changed. */
const settings = /^(values|coach|game|language|seats .*)$/;

/** @param {string} name */
function get(name) {
  if (here.has(name)) return here.get(name);
  try {
    return localStorage.getItem(prefix + name) ?? (settings.test(name) ? localStorage.getItem(name) : null);
  } catch {
    return null; // denied
  }
}

/** Returns whether the storage took it; null forgets. @param {string} name @param {string | null} value */
function put(name, value) {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
    here.delete(name);
    return true;
  } catch {
    here.set(name, value); // denied, or full
    if (!told) notice(t('The storage of this browser is full or denied: the page cannot remember all of your games and settings after it is closed.'));
    told = true;
    return false;
  }
}

/** The list that a text is; none if it is something else. @param {string | null} text @returns {any[]} */
function listIn(text) {
  try {
    const all = JSON.parse(text ?? '[]');
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
}

/** The entries that are stored under a name and are what they should be. @param {string} name @param {(x: any) => boolean} is */
function list(name, is) {
  return listIn(get(name)).filter(is).slice(0, limit);
}

/** @returns {Kept[]} */
export function games() {
  return list('games', isKept);
}

/** @returns {Card[]} */
export function deck() {
  return list('deck', isCard);
}

/** The latest first. @returns {Day[]} */
export function days() {
  return list('days', isDay);
}

const isTime = (x) => typeof x === 'number' && !Number.isNaN(new Date(x).getTime());
const isKey = (x) => typeof x === 'string' && parse(x) !== null;
const maybe = (types, list) => list.every((x) => x === undefined || (types === 'number' ? Number.isFinite(x) : typeof x === types));

/** @param {any} g */
function isKept(g) {
  return isKey(g?.key) && g.game === parse(g.key)?.game && Number.isInteger(g.players) && isTime(g.at) &&
    maybe('string', [g.result, g.against, g.unit]) && maybe('number', [g.luck, g.loss, g.decisions]) && maybe('boolean', [g.open, g.exact]);
}

/** @param {any} c */
function isCard(c) {
  return isKey(c?.key) && [c.step, c.box].every((n) => Number.isInteger(n) && n >= 0) && isTime(c.due) && isTime(c.at);
}

/** @param {any} d */
function isDay(d) {
  return typeof d?.day === 'string' && Object.keys(d).length === 2 && /^\d{4}-\d\d-\d\d$/.test(d.day) && typeof d.right === 'boolean';
}

/**
 * Keeps a game, in place of what was kept of it while it went on. Where the storage is full it
 * keeps fewer.
 * @param {string} key its address
 * @param {{game: string, players: number}} a
 * @param {{open?: boolean, result?: string, against?: string}} [more]
 */
export function keep(key, a, more = {}) {
  const game = gameOf(parse(key)), all = games(), known = all.find((g) => g.key === key && !g.open && !more.open);
  const before = all.filter((g) => g.key !== key && !(g.open && gameOf(parse(g.key)) === game));
  const list = [{ at: Date.now(), ...known, key, game: a.game, players: a.players, ...more }, ...before].slice(0, limit);
  for (let n = list.length; n > 0; n = n >> 1) if (put('games', JSON.stringify(list.slice(0, n)))) return;
  put('games', JSON.stringify(list));
}

/** Adds what a review has found to a game that is kept and has ended, and its mistakes to the deck. @param {string} key @param {Partial<Kept>} numbers @param {Card[]} cards */
export function keepReview(key, numbers, cards) {
  const all = games(), game = all.find((g) => g.key === key && !g.open);
  if (!game) return;
  Object.assign(game, numbers);
  put('games', JSON.stringify(all));
  keepCards(cards.filter((c) => !deck().some((d) => same(c, d))));
}

function same(c, d) {
  return c.key === d.key && c.step === d.step;
}

/** Puts cards into the deck, in place of those of the same mistakes. @param {Card[]} cards */
export function keepCards(cards) {
  if (cards.length) put('deck', JSON.stringify([...cards, ...deck().filter((d) => !cards.some((c) => same(c, d)))].slice(0, limit)));
}

/** Takes a card out of the deck. @param {Card} card */
export function dropCard(card) {
  put('deck', JSON.stringify(deck().filter((d) => !same(card, d))));
}

/** Keeps the first answer of a day, and returns whether it is the first. @param {Day} day */
export function keepDay(day) {
  const all = days();
  if (all.some((d) => d.day === day.day)) return false;
  put('days', JSON.stringify([day, ...all].slice(0, limit)));
  return true;
}

const mark = 'marsgym games 1'; // tells the file of all games from others

/** All games, mistakes and days, as the text of a file. */
export function everything() {
  return JSON.stringify({ format: mark, games: games(), deck: deck(), days: days() });
}

/**
 * Adds what a file of everything holds to what is here, which stays: of a game, a mistake or a
 * day that is here too, the file adds only what is missing. It throws an error for people.
 * @param {string} text
 * @returns {{games: number, mistakes: number, days: number, left: number}} what was added, and what had no room
 */
export function merge(text) {
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    file = null;
  }
  if (file?.format !== mark) throw new Error(t('This file holds no games of this page. Choose one that “Save to a file” has written.'));
  const parts = kinds.map((kind) => {
    const { name, is } = kind;
    if (!Array.isArray(file[name]) || !file[name].every(is)) throw new Error(t('The file is damaged in its part “{name}”. Nothing was added.', { name }));
    return { name, ...joined(kind, file[name]) };
  });
  for (const { name, all } of parts) put(name, JSON.stringify(all));
  const [g, c, d] = parts.map((part) => part.added);
  return { games: g, mistakes: c, days: d, left: parts.reduce((sum, part) => sum + part.left, 0) };
}

/**
 * What lists are kept, what is an entry of each, and which are of the same game, mistake or day.
 * @typedef {{name: string, is: (x: any) => boolean, equal: (x: any, y: any) => boolean}} Kind
 * @type {Kind[]}
 */
const kinds = [{ name: 'games', is: isKept, equal: (x, y) => x.key === y.key }, { name: 'deck', is: isCard, equal: same }, { name: 'days', is: isDay, equal: (x, y) => x.day === y.day }];

/** The list of a kind with others added to it, how many of them are new, and how many had no room. @param {Kind} kind @param {any[]} others */
function joined({ name, is, equal }, others) {
  const here = list(name, is), found = here.map((x) => ({ ...others.find((y) => equal(x, y)), ...x }));
  const more = others.filter((y, i) => !here.some((x) => equal(x, y)) && others.findIndex((x) => equal(x, y)) === i);
  const added = more.slice(0, limit - here.length);
  return { added: added.length, left: more.length - added.length, all: [...found, ...added].sort((x, y) => (name === 'days' ? y.day.localeCompare(x.day) : y.at - x.at)) };
}

/**
 * Takes over the lists of the time before names had a prefix. A list that has other entries too may be that of
 * another project, or damaged: it stays, and what is ours in it is copied once.
 */
function adopt() {
  for (const kind of kinds) {
    const { name, is } = kind, text = localStorage.getItem(name), all = listIn(text), ours = all.filter(is), whole = ours.length === all.length;
    if (!text || !ours.length || !whole && get(name) !== null) continue;
    if (whole) localStorage.removeItem(name); // there may be no room for both
    if (!put(name, JSON.stringify(joined(kind, ours).all)) && whole) localStorage.setItem(name, text);
  }
}

try {
  adopt();
} catch {
  // The storage is denied.
}

/** Whether a game that goes on is kept just as it is. @param {import('./address.js').Address} a */
export function goesOn(a) {
  return games().some((g) => g.open && g.key === write(a));
}

/** Forgets all games, mistakes and days. */
export function forgetGames() {
  for (const { name } of kinds) put(name, '[]');
}

/** Whether something is switched on: values or the coach. @param {string} name */
export function isOn(name) {
  return get(name) === 'on';
}

/** Switches something on or off. @param {string} name @param {boolean} on */
export function turn(name, on) {
  put(name, on ? 'on' : 'off');
}

/** The game that was played or chosen last; '' without one. */
export function lastGame() {
  return get('game') ?? '';
}

/** @param {string} game */
export function keepLastGame(game) {
  put('game', game);
}

/** Who sat in the seats when a game was started last; none if it was not. @param {string} game @returns {string[]} */
export function seatsOf(game) {
  return list(`seats ${game}`, (x) => typeof x === 'string');
}

/** @param {string} game @param {string[]} seats */
export function keepSeats(game, seats) {
  put(`seats ${game}`, JSON.stringify(seats));
}

/** The language that the person has chosen; '' without one. */
export function keptLanguage() {
  return get('language') ?? '';
}

/** @param {string} code */
export function keepLanguage(code) {
  put('language', code);
}

/** The token of the server; '' without one. */
export function token() {
  const text = get('token') ?? '';
  return isToken(text) ? text : '';
}

/** Returns whether the storage took it. @param {string} text */
export function keepToken(text) {
  return put('token', text);
}

/** Whether a text can be a token: a header takes no other. @param {string} text */
export function isToken(text) {
  return /^[A-Za-z0-9]{1,64}$/.test(text);
}
