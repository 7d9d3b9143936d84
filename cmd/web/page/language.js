// The language of the page. A text in English is the key of its translation in the tables
// lang/*.json, so English needs none.

/** The languages: the code that names the table, how the language calls itself, and its tag. */
export const languages = [
  { code: 'en', name: 'English', tag: 'en' },
  { code: 'de', name: 'Deutsch', tag: 'de' },
  { code: 'zh', name: '中文', tag: 'zh-Hant' },
];

let chosen = languages[0], wanted = chosen;

/** The translations of the texts of the page, and of the sentences of the games. @type {Record<string, string>[]} */
let [texts, sentences] = [{}, {}];

/** The code of the language that the page is in. */
export const language = () => chosen.code;

/** The tag of the language for dates: that of the browser, which can name a country, if it fits. */
export const locale = () => navigator.languages.find((tag) => codeOf(tag) === chosen.code) ?? chosen.tag;

const codeOf = (tag) => tag.split('-')[0].toLowerCase();

/** The first language of the browser that the page has, else English. */
export function ofBrowser() {
  return navigator.languages.map(codeOf).find((code) => languages.some((l) => l.code === code)) ?? 'en';
}

/** Loads a language, which the page is in from then on; it throws an error for people. @param {string} code */
export async function speak(code) {
  const next = wanted = languages.find((l) => l.code === code) ?? languages[0];
  const table = next === languages[0] ? { page: {}, games: {} } : await load(next.code);
  if (next !== wanted) return; // another one was chosen meanwhile
  [chosen, texts, sentences] = [next, table.page, table.games];
  document.documentElement.lang = next.tag;
}

async function load(code) {
  const response = await fetch(`lang/${code}.json`).catch(() => null);
  if (!response?.ok) throw new Error(t('The language cannot be loaded. Check the connection and choose it again.'));
  return response.json();
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

/** A word or sentence of the games in the language of the page. @param {string} text in English */
export const say = (text) => sentences[text] ?? text;

/** Marks a text that is given to t later. @param {string} text */
export const later = (text) => text;
