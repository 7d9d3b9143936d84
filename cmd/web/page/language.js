// The language of the page. A text in English is the key of its translation in the tables
// lang/*.json, so English needs none. Those of the games can be templates: {0} stands for a text,
// which is translated itself, and # for a number. In a translation, {2} is what the third of them
// stands for, and # the next number.

/** The languages: the code that names the table, how the language calls itself, and its tag. */
export const languages = [
  { code: 'en', name: 'English', tag: 'en' },
  { code: 'de', name: 'Deutsch', tag: 'de' },
  { code: 'zh', name: '中文', tag: 'zh-Hant' },
];

let chosen = languages[0], wanted = chosen;

/** The translations of the texts of the page. @type {Record<string, string>} */
let texts = {};

/** The translations of the sentences of the games, and what was said. @type {Map<string, string>} */
let sentences = new Map(), said = new Map();

/** Those that are templates, the most specific first. @type {{test: RegExp, parts: string[], key: string, into: string}[]} */
let templates = [];

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
  const table = next === languages[0] ? { page: {}, games: {} } : await load(next.code);
  if (next !== wanted) return; // another one was chosen meanwhile
  [chosen, texts, sentences, said] = [next, table.page, new Map(Object.entries(table.games)), new Map()];
  templates = [...sentences].filter(([key]) => key.match(hole)).map(([key, into]) => ({ test: tester(key), parts: key.split(hole).slice(1), key, into }))
    .sort((x, y) => y.key.replace(hole, '').length - x.key.replace(hole, '').length);
  document.documentElement.lang = next.tag;
}

async function load(code) {
  const response = await fetch(new URL(`lang/${code}.json`, import.meta.url)).catch(() => null);
  const table = await response?.json().catch(() => null); // a server can send a page in place of what it does not have
  if (!response?.ok || !table?.page || !table.games) throw new Error(t('The language cannot be loaded. Check the connection and choose it again, or reload the page: there can be a new version.'));
  return table;
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

const hole = /\{\d\}|#/g;

/** What a template matches. Its first letter can be a capital. */
function tester(key) {
  const parts = key.split(hole).map((part, i) => {
    const literal = part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return i || !/^[a-z]/.test(part) ? literal : `[${part[0]}${part[0].toUpperCase()}]${literal.slice(1)}`;
  });
  const holes = key.match(hole).map((x) => (x === '#' ? '([+-]?\\d+(?:\\.\\d+)?)' : '(.+?)'));
  return new RegExp(`^ *${parts.map((part, i) => part + (holes[i] ?? '')).join('')}$`);
}

/** A word or sentence of the games in the language of the page. What no table has stays as it is. @param {string} text in English */
export function say(text) {
  if (chosen === languages[0]) return text;
  if (!said.has(text)) said.set(text, chosen.code === 'zh' ? spaced(translated(text)) : translated(text));
  return said.get(text);
}

/** Chinese with a space between its signs and numbers or letters, and none between signs. */
const spaced = (text) => text.replace(/([\u4e00-\u9fff」])(?=[\dA-Za-z])|([\dA-Za-z])(?=[\u4e00-\u9fff「])/g, '$& ').replace(/([\u4e00-\u9fff」]) (?=[\u4e00-\u9fff「])/g, '$1');

function translated(text) {
  const small = text.charAt(0).toLowerCase() + text.slice(1);
  if (sentences.has(text)) return sentences.get(text);
  if (sentences.has(small)) return capital(sentences.get(small));
  const found = templates.find(({ test, parts }) => parts.every((part) => text.includes(part)) && test.exec(text)?.slice(1).every((x) => !/(^|\S)[;:]( |$)|\.$/.test(x)));
  if (!found) return joined(text) ?? (/^\d+\.\d+$/.test(text) ? written(text) : text);
  const values = found.test.exec(text).slice(1).map(say);
  const numbers = values.filter((_, i) => found.key.match(hole)[i] === '#');
  const out = found.into.replace(hole, (x) => (x === '#' ? numbers.shift() : values[x[1]]));
  return /^[a-z]/.test(found.key) && small !== text ? capital(out) : out;
}

/** A text of several parts, each translated; undefined for one of one part. */
function joined(text) {
  if (text.length > 1 && text.endsWith('.')) return say(text.slice(0, -1)) + say('.');
  for (const mark of marks) {
    const i = text.indexOf(mark);
    if (i > 0 && text[i - 1] !== ' ' && i + mark.length < text.length) return say(text.slice(0, i).trim()) + say(mark) + say(text.slice(i + mark.length));
  }
  const counted = /^ *(.+) ([\d.]+)$/.exec(text); // such as a player with the score
  return counted ? `${say(counted[1])} ${written(counted[2])}` : undefined;
}

const marks = ['; ', ': ', ', ', ' and ']; // a score such as 2 : 26 is one part

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The fields of answers that are for people, and those in which a name is. */
const told = new Set(['title', 'about', 'names', 'unit', 'text', 'ask', 'told', 'result', 'goal', 'notes', 'track', 'levels', 'group', 'pays', 'power', 'situation', 'level', 'strong', 'brief', 'end', 'cells', 'error']);
const named = new Set(['score', 'counts', 'dice']);

/** An answer with what is for people in the language of the page. Rules that are not translated stay English. @param {any} x @param {string} [key] of its field */
export function inLanguage(x, key = '') {
  if (chosen === languages[0]) return x;
  if (typeof x === 'string') return told.has(key) && x ? say(x) : x;
  if (Array.isArray(x)) return x.map((y) => inLanguage(y, key));
  if (x === null || typeof x !== 'object') return x;
  return Object.fromEntries(Object.entries(x).map(([k, y]) => {
    if (k === 'notation' || k === 'blocks' && x.language !== chosen.code) return [k, y];
    return [k, inLanguage(y, k === 'name' && named.has(key) ? 'names' : k)];
  }));
}

/** A number as the language writes it. @param {string | number} x */
export const written = (x) => (chosen.code === 'de' ? String(x).replace('.', ',') : String(x));

/** Marks a text that is given to t later. @param {string} text */
export const later = (text) => text;
