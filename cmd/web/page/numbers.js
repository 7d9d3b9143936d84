// Numbers for people. Each says whether it is exact.
import { offline } from './api.js';
import { sentence } from './dom.js';
import { t, written } from './language.js';

/**
 * @typedef {object} Num
 * @property {number} value
 * @property {number} low
 * @property {number} high
 * @property {boolean} exact
 * @property {boolean} [no_interval] an estimate from too few simulations
 */

/** A number with so many digits behind the point. @param {number} x @param {number} digits */
export const fixed = (x, digits) => written(x.toFixed(digits));

/** A share of the win in per cent: estimates can lie beyond what is possible. @param {Num} n */
export function share(n) {
  return 100 * Math.min(1, Math.max(0, n.value));
}

/** Some per cent: 0 and 100 only for what is certain. @param {number} x @param {number} digits */
export function percent(x, digits) {
  const step = 10 ** -digits, text = x.toFixed(digits);
  if (x > 1e-9 && Number(text) === 0) return t('less than {value}', { value: `${fixed(step, digits)} %` });
  if (x < 100 - 1e-9 && Number(text) === 100) return t('more than {value}', { value: `${fixed(100 - step, digits)} %` });
  return `${fixed(x, digits)} %`;
}

/** What a return counts. Fewer turns are better, so their returns are negative. @param {number} x @param {string} unit */
export const counted = (x, unit) => (unit === t('turns') ? -x : x);

/** A value for a chart: in units, or in % of the win. @param {Num} n @param {string} unit */
export const amount = (n, unit) => (unit ? counted(n.value, unit) : share(n));

/** A value with all its digits, for tables. @param {Num} n @param {string} unit */
export function digits(n, unit) {
  return value(n, unit, 6);
}

/**
 * A value: a share of the win in per cent, or a number of the unit.
 * @param {Num} n
 * @param {string} unit
 * @param {number} [places] of an exact one
 */
export function value(n, unit, places = unit ? 2 : 1) {
  if (unit) return n.exact ? `${fixed(counted(n.value, unit), places)} ${unit}` : t('about {value}', { value: `${fixed(counted(n.value, unit), 2)}${plusMinus(n, 1, 2)} ${unit}` });
  return n.exact ? percent(share(n), places) : t('about {value}', { value: `${estimate(n, share(n))} %` });
}

/** An estimate of some per cent, with a digit more where the interval is short. @param {Num} n @param {number} percent */
function estimate(n, percent) {
  const digits = reach(n, 100) < 1 ? 1 : 0;
  return `${fixed(percent, digits)}${plusMinus(n, 100, digits)}`;
}

/** A value in a few digits. @param {Num} n @param {string} unit */
export function short(n, unit) {
  return unit ? fixed(counted(n.value, unit), 2) : n.exact ? percent(share(n), 1) : `${fixed(share(n), 0)} %`;
}

/** A loss against the best choice, behind a sign. @param {Num} n @param {string} unit @param {string} [sign] */
export function loss(n, unit, sign = '') {
  const lost = Math.max(0, n.value), [x, digits, least, per] = unit ? [lost, 2, 0.01, ''] : [100 * lost, 1, 0.1, ' %'];
  if (!n.exact) return t('about {value}', { value: `${sign}${unit ? `${fixed(x, 2)}${plusMinus(n, 1, 2)}` : estimate(n, x)}${per}` });
  return Number(x.toFixed(digits)) > 0 ? `${sign}${fixed(x, digits)}${per}` : t('less than {value}', { value: `${written(least)}${per}` });
}

/** The name of a seat at the beginning of a sentence. @param {{names: string[]}} view @param {number} seat */
export function nameOf(view, seat) {
  return sentence(view.names[seat]);
}

/** What an action does, without what follows from it behind a semicolon. @param {string} about */
export function words(about) {
  return about.split('; ')[0];
}

/** A signed part of a result. @param {Num} n @param {string} unit */
export function signed(n, unit) {
  const x = (unit ? 1 : 100) * n.value, digits = n.exact || unit ? 2 : 0;
  const text = Math.abs(x).toFixed(digits);
  const sign = x < 0 && Number(text) !== 0 ? '−' : '';
  return `${sign}${written(text)}${n.exact ? '' : plusMinus(n, unit ? 1 : 100, digits)}`;
}

/** Whether the sign of a number is known. @param {Num} n */
export function sure(n) {
  return n.exact || !n.no_interval && n.low * n.high > 0;
}

/** A part of a result that is kept as a number. @param {number} x @param {string} unit */
export function part(x, unit) {
  return (unit ? `${fixed(x, 2)} ${unit}` : `${fixed(100 * x, 1)} %`).replace('-', '−');
}

/** How far an interval reaches, behind ±; nothing where there were too few simulations for one. */
function plusMinus(n, scale, digits) {
  return n.no_interval ? '' : ` ± ${fixed(reach(n, scale), digits)}`;
}

/** The larger distance from the value to an end of the interval, which ends where the impossible begins. */
function reach(n, scale) {
  return scale * Math.max(n.high - n.value, n.value - n.low);
}

/** How a method is called, and what its intervals cover. @param {{method: string, about?: string}} answer */
export function method({ method, about }) {
  if (method === 'exact') return t('Exact: best play of all seats, computed over the whole game.');
  const [, searches, simulations, evaluator] = method.split(':');
  const by = evaluator === 'pretrained' ? t('the network that comes with the program') : t('games of the bot “{name}”', { name: evaluator });
  return [t('Estimated by {searches} tree searches × {simulations} simulations from each position, with {by}.', { searches, simulations, by }),
    about, offline && t('Exact values of more games need the program itself: go run ./cmd/web.')].filter(Boolean).join(' ');
}
