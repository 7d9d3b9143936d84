// What the browser keeps: ended games by their addresses, the latest first, whether values are
// shown, and the token of the server. The storage can be full or denied, and hold what another
// version or program wrote. What it does not take stays in this page while that is open, and
// what is damaged counts as absent.

import { parse } from './address.js';

const most = 100; // games that are kept. Chosen

/** @typedef {{key: string, game: string, players: number, at: number}} Kept */

/** What the storage did not take. @type {Map<string, string | null>} */
const here = new Map();

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
  return Array.isArray(list) ? list.filter(isKept).slice(0, most) : [];
}

/** @param {any} g */
function isKept(g) {
  return typeof g?.key === 'string' && parse(g.key) !== null && typeof g.game === 'string' && Number.isInteger(g.players) &&
    typeof g.at === 'number' && !Number.isNaN(new Date(g.at).getTime());
}

/**
 * Keeps a game. Where the storage is full it keeps fewer.
 * @param {string} key its address
 * @param {{game: string, players: number}} a
 */
export function keep(key, a) {
  const list = [{ key, game: a.game, players: a.players, at: Date.now() }, ...games().filter((g) => g.key !== key)].slice(0, most);
  for (let n = list.length; n > 0; n = n >> 1) if (put('games', JSON.stringify(list.slice(0, n)))) return;
  put('games', JSON.stringify(list));
}

/** Forgets all games. */
export function forgetGames() {
  put('games', null);
}

/** Whether values are shown. */
export function values() {
  return get('values') === 'on';
}

/** @param {boolean} on */
export function showValues(on) {
  put('values', on ? 'on' : 'off');
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
