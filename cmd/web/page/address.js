// Addresses of games, as they stand in the address of the page.

/**
 * @typedef {object} Address
 * @property {string} game
 * @property {number} players
 * @property {string} seed a whole number below 2^64
 * @property {string[]} seats
 * @property {boolean} [typed]
 * @property {string} [start]
 * @property {string[]} [moves]
 */

/** @param {URLSearchParams} q @returns {Address} */
export function read(q) {
  const list = (name, separator) => (q.get(name) ? q.get(name).split(separator) : undefined);
  return {
    game: q.get('game') ?? '',
    players: Number(q.get('players')) || 0,
    seed: q.get('seed') || '0',
    seats: list('seats', ','),
    typed: q.get('dice') === 'typed' || undefined,
    start: q.get('start') || undefined,
    moves: list('moves', '.'),
  };
}

/** @param {Address} a @param {Record<string, any>} [more] */
export function write(a, more = {}) {
  const q = new URLSearchParams({ game: a.game, players: String(a.players) });
  if (!a.typed) q.set('seed', a.seed);
  if (a.seats) q.set('seats', a.seats.join(','));
  if (a.typed) q.set('dice', 'typed');
  if (a.start) q.set('start', a.start);
  for (const [name, value] of Object.entries(more)) if (value != null) q.set(name, String(value));
  if (a.moves?.length) q.set('moves', a.moves.join('.'));
  return q.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%40', '@').replaceAll('%2F', '/');
}

/** A seed that is short enough to type. */
export function newSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}
