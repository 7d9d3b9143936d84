// What the browser keeps: the games that are played here by their addresses, the latest first,
// whether values are shown, and the token of the server. The storage can be full or denied, and hold what another
// version or program wrote. What it does not take stays in this page while that is open, and
// what is damaged counts as absent.

import { gameOf, parse, write } from './address.js';
import { notice } from './dom.js';

export const limit = 100; // of the games that are kept. Chosen

/**
 * A game: key is its address, open whether it goes on, result the result or, while it goes on, the score, against the names of the opponents.
 * @typedef {{key: string, game: string, players: number, at: number, open?: boolean, result?: string, against?: string}} Kept
 */

/** What the storage did not take. @type {Map<string, string | null>} */
const here = new Map();

/** Whether the person knows that the storage does not take everything. */
let told = false;

/** @param {string} name */
function get(name) {
  if (here.has(name)) return here.get(name);
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // denied
  }
}

/** Returns whether the storage took it; null forgets. @param {string} name @param {string | null} value */
function put(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
    here.delete(name);
    return true;
  } catch {
    here.set(name, value); // denied, or full
    if (!told) notice('The storage of this browser is full or denied: the page cannot remember all of your games and settings after it is closed.');
    told = true;
    return false;
  }
}

/** @returns {Kept[]} */
export function games() {
  let list;
  try {
    list = JSON.parse(get('games') ?? '[]');
  } catch {
    list = [];
  }
  return Array.isArray(list) ? list.filter(isKept).slice(0, limit) : [];
}

/** @param {any} g */
function isKept(g) {
  return typeof g?.key === 'string' && parse(g.key) !== null && typeof g.game === 'string' && Number.isInteger(g.players) &&
    typeof g.at === 'number' && !Number.isNaN(new Date(g.at).getTime()) && [g.result, g.against].every((text) => ['undefined', 'string'].includes(typeof text));
}

/**
 * Keeps a game, in place of what was kept of it while it went on. Where the storage is full it
 * keeps fewer.
 * @param {string} key its address
 * @param {{game: string, players: number}} a
 * @param {{open?: boolean, result?: string, against?: string}} [more]
 */
export function keep(key, a, more = {}) {
  const game = gameOf(parse(key));
  const before = games().filter((g) => g.key !== key && !(g.open && gameOf(parse(g.key)) === game));
  const list = [{ key, game: a.game, players: a.players, at: Date.now(), ...more }, ...before].slice(0, limit);
  for (let n = list.length; n > 0; n = n >> 1) if (put('games', JSON.stringify(list.slice(0, n)))) return;
  put('games', JSON.stringify(list));
}

/** Whether a game that goes on is kept just as it is. @param {import('./address.js').Address} a */
export function goesOn(a) {
  return games().some((g) => g.open && g.key === write(a));
}

/** Forgets all games. */
export function forgetGames() {
  put('games', null);
}

/** Whether something is switched on: values or the coach. @param {string} name */
export function isOn(name) {
  return get(name) === 'on';
}

/** Switches something on or off. @param {string} name @param {boolean} on */
export function turn(name, on) {
  put(name, on ? 'on' : 'off');
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
