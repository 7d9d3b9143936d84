// The language of the page. A text of the page in English is the key of its translation in the table
// of the language (env/game/message), so English needs none. The logic of the page answers in the
// language itself.
import { languages } from './shell.js';

export { languages };

let chosen = languages[0], wanted = chosen;

/** The translations of the texts of the page. @type {Record<string, string>} */
let texts = {};

/** The code of the language that the page is in. */
export const language = () => chosen.code;

/** The tags of the languages of the browser; some browsers have none, or such as en-US@posix, which are not well formed. */
const tags = () => [navigator.languages, navigator.language].flat().filter((tag) => typeof tag === 'string');

const codeOf = (/** @type {string} */ tag) => tag.split(/[^A-Za-z]/)[0].toLowerCase();

/** The first language of the browser that the page has, else English. */
export function ofBrowser() {
  return tags().map(codeOf).find((code) => languages.some((l) => l.code === code)) ?? 'en';
}

/** Compares texts in the order of the language. @param {string} a @param {string} b */
export const compare = (a, b) => a.localeCompare(b, chosen.tag, { numeric: true });

/** The day of a time. @param {number} at */
export const day = (at) => date(at, 'toLocaleDateString', 10);

/** A time. @param {number | string} at */
export const moment = (at) => date(at, 'toLocaleString', 16);

/** A time as the browser writes it for its country, if that has the language, else by its form in ISO 8601: what the browser says of languages and time zones can be such that it refuses it. */
function date(at, how, digits) {
  const time = new Date(at);
  for (const tag of [...tags().filter((tag) => codeOf(tag) === chosen.code), chosen.tag]) {
    try {
      return time[how](tag);
    } catch {
      // The next one.
    }
  }
  return time.toISOString().slice(0, digits).replace('T', ' ');
}

/** Loads a language, which the page is in from then on; it throws an error for people. @param {string} code */
export async function speak(code) {
  const next = wanted = languages.find((l) => l.code === code) ?? languages[0];
  const own = next === languages[0] ? { page: {} } : await load(next.code);
  if (next !== wanted) return; // another one was chosen meanwhile
  [chosen, texts] = [next, own.page];
  document.documentElement.lang = next.tag;
}

async function load(code) {
  const response = await fetch(new URL(`lang/${code}.json`, import.meta.url)).catch(() => null);
  const own = await response?.json().catch(() => null); // a server can send a page in place of what it does not have
  if (!response?.ok || !own?.page) throw new Error(t('The language cannot be loaded. Check the connection and choose it again, or reload the page: there can be a new version.'));
  return own;
}

/**
 * A text in the language of the page, as parts: strings, and the values in place of {name}, which
 * can be elements.
 * @param {string} text in English
 * @param {Record<string, any>} [values]
 * @returns {any[]}
 */
export function mix(text, values = {}) {
  return (texts[text] ?? text).split(/\{(\w+)\}/).map((part, i) => (i % 2 ? values[part] : part));
}

/** A text in the language of the page, with values in place of {name}. @param {string} text in English @param {Record<string, string | number>} [values] */
export function t(text, values) {
  return mix(text, values).join('');
}

/** A number as the language writes it. @param {string | number} x */
export const written = (x) => String(x).replace('.', chosen.decimal);

/** Marks a text that is given to t later. @param {string} text */
export const later = (text) => text;
