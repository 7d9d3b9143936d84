// What the browser keeps: ended games by their addresses, the latest first.

const most = 100; // games that are kept. Chosen

/** @typedef {{key: string, game: string, players: number, at: number}} Kept */

/** @returns {Kept[]} */
export function games() {
  try {
    return JSON.parse(localStorage.getItem('games') ?? '[]');
  } catch {
    return []; // another version wrote it
  }
}

/** Keeps a game. @param {string} key its address @param {import('./address.js').Address} a */
export function keep(key, a) {
  const list = games().filter((g) => g.key !== key);
  localStorage.setItem('games', JSON.stringify([{ key, game: a.game, players: a.players, at: Date.now() }, ...list].slice(0, most)));
}

/** Forgets all games. */
export function forgetGames() {
  localStorage.removeItem('games');
}
