// The address of this page: the part after # names a page and, for a game, holds all of it.
// Anyone can write one, so each part is checked here or by the logic, whose errors are for people.
import { t } from './language.js';

/**
 * @typedef {object} Address
 * @property {string} game
 * @property {number} players
 * @property {string} seed a whole number below 2^64
 * @property {string[]} seats
 * @property {boolean} [typed]
 * @property {string} [start]
 * @property {string[]} [moves]
 * @property {string[]} [line] the moves of the game that moves is a variation of
 */

/** The name of the page and the fields of its query. */
export function current() {
  const [page, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  return { page: page || 'home', query: new URLSearchParams(query) };
}

const some = /./s, any = /^/, number = /^\d{1,9}$/, mark = /^1$/;

/** The fields that hold a game, which is kept by them, and what their texts look like. */
const played = { game: some, players: number, seed: some, seats: some, dice: /^typed$/, start: some, moves: any, line: any };

/** The fields of each page. @type {Map<string, Record<string, RegExp>>} */
const forms = new Map(Object.entries({
  home: { game: some },
  play: { ...played, step: number, exercise: mark, day: /^\d{4}-\d\d-\d\d$/, guide: mark },
  rules: { game: some, players: number },
  learn: { game: some },
  editor: { game: some, players: number, position: some },
  games: {},
  runs: { run: some },
}));

/** Throws an error for people about a page that there is not, or a field that it does not have, has twice or cannot read: it would be another game. @param {string} page @param {URLSearchParams} query */
export function check(page, query) {
  const form = forms.get(page);
  if (!form) throw new Error(t('The address names the page “{page}”, which does not exist.', { page: brief(page) }));
  for (const [name, value] of query) {
    if (!Object.hasOwn(form, name)) throw new Error(Object.keys(form).length ? t('The address has the field “{name}”, which is not one of this page: {fields}.', { name: brief(name), fields: Object.keys(form).join(', ') }) : t('The address has the field “{name}”, but this page has none.', { name: brief(name) }));
    if (query.getAll(name).length > 1) throw new Error(t('The address has the field “{name}” more than once.', { name }));
    if (!form[name].test(value)) throw new Error(t('The field “{name}” of the address cannot be read: “{value}”.', { name, value: brief(value) }));
  }
}

const brief = (/** @type {string} */ x) => (x.length > 60 ? `${x.slice(0, 60)}…` : x);

/** The game of a list that a query names; without one the other. It throws an error for people. @template {{id: string}} G @param {URLSearchParams} q @param {G[]} games @param {G} other @returns {G} */
export function gameIn(q, games, other) {
  const id = q.get('game'), found = id === null ? other : games.find((g) => g.id === id);
  if (!found) throw new Error(t('The address names the game “{game}”. This page has: {games}.', { game: brief(id ?? ''), games: games.map((g) => g.id).join(', ') }));
  return found;
}

/** The address of a page with these fields. @param {string} page @param {Record<string, any> | string} fields */
export function link(page, fields) {
  return `#${page}?${typeof fields === 'string' ? fields : query(fields)}`;
}

/**
 * Goes to an address. Chromium ignores changes of the address after 200 in ten seconds, which
 * a key held down can reach; it is asked again some times, unless the page is elsewhere.
 * @param {string} to
 */
export function goTo(to, tries = 20) {
  const before = location.hash, want = new URL(to, location.href).hash;
  if (want === before) return;
  location.hash = want;
  if (location.hash === before && tries > 0) setTimeout(() => location.hash === before && goTo(to, tries - 1), 500);
}

/** Goes to an address in place of this one. @param {string} to */
export function instead(to) {
  location.replace(new URL(to, location.href));
}

/** Goes to an address without a step of the history. @param {string} to */
export function replace(to) {
  try {
    history.replaceState(null, '', to);
  } catch {
    // Browsers bound how often; the page does not need it.
  }
}

/** Calls f after each change of the address. @param {() => void} f */
export function onChange(f) {
  addEventListener('hashchange', f);
}

/** The address of this page. */
export function here() {
  return location.href;
}

/** A link of this page with the page that it is in, for elsewhere. @param {string} to */
export function absolute(to) {
  return new URL(to, location.href).href;
}

/** Loads the page again, which the browser then asks the server for. */
export function reload() {
  location.reload();
}

/** Whether only this computer reaches the page. */
export function isLocal() {
  return /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
}

/** The token in the address; '' without one. */
export function tokenOf() {
  return new URLSearchParams(location.search).get('token') ?? '';
}

/** Takes the token out of the address. */
export function hideToken() {
  const to = new URL(location.href);
  to.searchParams.delete('token');
  replace(to.href);
}

/** A whole number in a query that is checked; undefined without one. @param {URLSearchParams} q @param {string} name */
export function whole(q, name) {
  return q.has(name) ? Number(q.get(name)) : undefined;
}

/** The game of a query that is checked. It throws an error for people. @param {URLSearchParams} q @returns {Address} */
export function read(q) {
  const list = (name, separator) => (q.get(name) ? q.get(name).split(separator) : undefined);
  const seed = q.get('seed') || '0';
  if (!/^\d{1,20}$/.test(seed) || BigInt(seed) >= 2n ** 64n) throw new Error(t('The seed in the address is no whole number below 2^64.'));
  return {
    game: q.get('game') ?? '',
    players: whole(q, 'players') ?? 0,
    seed,
    seats: list('seats', ',')?.map(decode),
    typed: q.get('dice') === 'typed' || undefined,
    start: q.get('start') || undefined,
    moves: list('moves', '.'),
    line: list('line', '.'),
  };
}

/** The game of a query as text; null if it has none. @param {string} text */
export function parse(text) {
  const query = new URLSearchParams(text);
  try {
    check('play', query);
    return query.has('game') ? read(query) : null;
  } catch {
    return null;
  }
}

/** A name of a seat in a list, as write writes it. @param {string} text */
function decode(text) {
  return text.replaceAll('%2C', ',').replaceAll('%25', '%');
}

/** The query of a game. @param {Address} a @param {Record<string, any>} [more] */
export function write(a, more = {}) {
  const seats = a.seats?.map((name) => name.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
  return query({
    game: a.game, players: a.players, seed: a.typed && a.seed === '0' ? undefined : a.seed, seats, dice: a.typed ? 'typed' : undefined, start: a.start || undefined,
    ...more, moves: a.moves?.length ? a.moves.join('.') : undefined, line: a.line?.length ? a.line.join('.') : undefined,
  });
}

/** What all addresses of one game have in common: all but the moves. @param {Address} a */
export function gameOf(a) {
  return write({ ...a, moves: undefined, line: undefined });
}

/** The game that a variation has left. @param {Address} a @returns {Address} */
export function mainLine(a) {
  return { ...a, moves: a.line, line: undefined };
}

/** The number of moves that two lists have in common at their beginning. @param {string[]} [a] @param {string[]} [b] */
export function common(a = [], b = []) {
  const n = a.findIndex((move, i) => move !== b[i]);
  return n < 0 ? a.length : n;
}

/** @param {Record<string, any>} fields */
function query(fields) {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value != null) q.set(name, String(value));
  return q.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%40', '@').replaceAll('%2F', '/');
}

/** A seed that is short enough to type. */
export function newSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}
