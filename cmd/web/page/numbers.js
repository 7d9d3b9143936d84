// Numbers for people. Each says whether it is exact.
import { offline } from './api.js';
import { sentence } from './dom.js';

/**
 * @typedef {object} Num
 * @property {number} value
 * @property {number} low
 * @property {number} high
 * @property {boolean} exact
 * @property {boolean} [no_interval] an estimate from too few simulations
 */

/** A share of the win in per cent: estimates can lie beyond what is possible. @param {Num} n */
export function share(n) {
  return 100 * Math.min(1, Math.max(0, n.value));
}

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
  if (unit) return n.exact ? `${(-n.value).toFixed(places)} ${unit}` : `about ${(-n.value).toFixed(2)}${plusMinus(n, 1, 2)} ${unit}`;
  return n.exact ? `${share(n).toFixed(places)} %` : `about ${estimate(n, share(n))} %`;
}

/** An estimate of some per cent, with a digit more where the interval is short. @param {Num} n @param {number} percent */
function estimate(n, percent) {
  const digits = half(n, 100) < 1 ? 1 : 0;
  return `${percent.toFixed(digits)}${plusMinus(n, 100, digits)}`;
}

/** A value in a few digits. @param {Num} n @param {string} unit */
export function short(n, unit) {
  return unit ? `${(-n.value).toFixed(2)}` : `${share(n).toFixed(n.exact ? 1 : 0)} %`;
}

/** A loss against the best choice, without a sign. @param {Num} n @param {string} unit */
export function loss(n, unit) {
  const lost = Math.max(0, n.value);
  if (!n.exact) return unit ? `about ${lost.toFixed(2)}${plusMinus(n, 1, 2)}` : `about ${estimate(n, 100 * lost)} %`;
  const text = unit ? lost.toFixed(2) : `${(100 * lost).toFixed(1)} %`;
  return Number.parseFloat(text) > 0 ? text : unit ? 'less than 0.01' : 'less than 0.1 %';
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
  return n.exact ? `${sign}${text}` : `${sign}${text}${plusMinus(n, unit ? 1 : 100, digits)}`;
}

/** Whether the sign of a number is known. @param {Num} n */
export function sure(n) {
  return n.exact || !n.no_interval && n.low * n.high > 0;
}

/** A part of a result that is kept as a number. @param {number} x @param {string} unit */
export function part(x, unit) {
  return (unit ? `${x.toFixed(2)} ${unit}` : `${(100 * x).toFixed(1)} %`).replace('-', '−');
}

/** The half of an interval behind ±; nothing where there were too few simulations for one. */
function plusMinus(n, scale, digits) {
  return n.no_interval ? '' : ` ± ${half(n, scale).toFixed(digits)}`;
}

function half(n, scale) {
  return (scale * (n.high - n.low)) / 2;
}

/** How a method is called, and what its intervals cover. @param {{method: string, about?: string}} answer */
export function method({ method, about }) {
  if (method === 'exact') return 'Exact: best play of all seats, computed over the whole game.';
  const [, searches, simulations, evaluator] = method.split(':');
  const by = evaluator === 'pretrained' ? 'the network that comes with the program' : `games of the bot “${evaluator}”`;
  return `Estimated by ${searches} tree searches × ${simulations} simulations from each position, with ${by}. Behind ± is half of the 99 % interval. ${about}${offline ? ' Exact values of more games need the program itself: go run ./cmd/web.' : ''}`;
}
