// Verdicts on choices by what they lose. GNU Backgammon calls losses of 0.04, 0.08 and 0.16
// points of a game, which are 2, 4 and 8 % of a win, doubtful, bad and very bad. Those of a unit
// such as turns are chosen.

/** @typedef {import('./numbers.js').Num} Num */

/** @type {[string, string, number][]} */
const shares = [['blunder', '??', 0.08], ['mistake', '?', 0.04], ['inaccuracy', '?!', 0.02]];
/** @type {[string, string, number][]} */
const units = [['blunder', '??', 0.5], ['mistake', '?', 0.25], ['inaccuracy', '?!', 0.1]];

/**
 * The verdict on a choice: of an estimated loss only what is sure counts. null stands for a loss below all thresholds.
 * @param {Num} loss
 * @param {string} unit
 * @returns {{name: string, sign: string} | null}
 */
export function verdict(loss, unit) {
  const sure = loss.exact ? loss.value : loss.low;
  const found = (unit ? units : shares).find(([, , least]) => sure >= least);
  return found ? { name: found[0], sign: found[1] } : null;
}

/** The thresholds in words. @param {string} unit */
export function thresholds(unit) {
  const text = (least) => (unit ? `${least} ${unit}` : `${100 * least} %`);
  return `A choice that loses ${(unit ? units : shares).map(([name, sign, least]) => `${text(least)} or more is ${name === 'inaccuracy' ? 'an' : 'a'} ${name} ${sign}`).reverse().join(', ')}.`;
}
