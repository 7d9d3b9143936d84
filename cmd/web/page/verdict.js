// Verdicts on choices by what they lose. GNU Backgammon calls losses of 0.04, 0.08 and 0.16
// points of a game, which are 2, 4 and 8 % of a win, doubtful, bad and very bad. Those of a unit
// such as turns are chosen.
import { later, t, written } from './language.js';

/** @typedef {import('./numbers.js').Num} Num */

/** @type {[string, string, number][]} */
const shares = [[later('blunder'), '??', 0.08], [later('mistake'), '?', 0.04], [later('inaccuracy'), '?!', 0.02]];
/** @type {[string, string, number][]} */
const units = [['blunder', '??', 0.5], ['mistake', '?', 0.25], ['inaccuracy', '?!', 0.1]];

/**
 * The verdict on a choice: of an estimated loss only what is sure counts, and of an exact one the digits that the page
 * shows, so that no loss of 4.0 % is less than 4 %. null stands for a loss below all thresholds.
 * @param {Num} loss
 * @param {string} unit
 * @returns {{name: string, text: string, sign: string} | null} text is the name in the language of the page
 */
export function verdict(loss, unit) {
  const sure = loss.exact ? Number(loss.value.toFixed(unit ? 2 : 3)) : loss.low;
  const found = (unit ? units : shares).find(([, , least]) => sure >= least);
  return found ? { name: found[0], text: t(found[0]), sign: found[1] } : null;
}

/** The thresholds in words. @param {string} unit */
export function thresholds(unit) {
  const [blunder, mistake, inaccuracy] = (unit ? units : shares).map(([, , least]) => (unit ? `${written(least)} ${unit}` : `${100 * least} %`));
  return t('A choice that loses {inaccuracy} or more is an inaccuracy ?!, {mistake} or more is a mistake ?, {blunder} or more is a blunder ??.', { inaccuracy, mistake, blunder });
}

/** How many options are as good as the best of them, in words; '' if none is. @param {{regret: Num}[]} options */
export function asGood(options) {
  const n = options.filter((o) => o.regret.exact && o.regret.value <= 1e-12).length - 1;
  return n > 0 ? t('As good: {n} more.', { n }) : '';
}
