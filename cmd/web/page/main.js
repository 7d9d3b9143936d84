// The router: the part of the address after # chooses a page.
import { announce, button, fill, h, notice, svg } from './dom.js';
import { offline } from './api.js';
import { check, current, link, onChange, reload } from './address.js';
import { language, languages, later, ofBrowser, speak, t } from './language.js';
import { keepLanguage, keptLanguage } from './store.js';
import { keepVersion } from './version.js';

/** Pages by name: each returns its title and what draws it. */
const pages = new Map([
  ['home', () => import('./home.js')],
  ['play', () => import('./play.js')],
  ['rules', () => import('./rules.js')],
  ['learn', () => import('./guide.js')],
  ['editor', () => import('./editor.js')],
  ['games', () => import('./games.js')],
  ['runs', () => import('./runs.js')],
]);

const links = [['home', later('Play')], ['editor', later('Positions')], ['games', later('My games')], ['rules', later('Rules')], ['runs', later('Runs')]];

/** What helps after a bad link: the game as far as its moves are right, a new game, or those of this browser. */
function help(page, query, error) {
  const wrong = page === 'play' && error.move > 0;
  const moves = query.get('moves')?.split('.').slice(0, wrong ? error.move - 1 : undefined).join('.');
  return h('ul', {}, wrong && h('li', {}, h('a', { href: link('play', { ...Object.fromEntries(query), moves, step: null, line: null }) }, t('Open the game up to there'))),
    h('li', {}, h('a', { href: '#home' }, t('Start a game'))), h('li', {}, h('a', { href: '#games' }, t('My games'))));
}

/** A part of the page is missing: the server has another version now, or cannot be reached. */
class Incomplete extends Error {
  constructor() {
    super(t('A part of this page cannot be loaded. Check the connection and reload the page: there can be a new version.'));
  }
}

/** Whether the page has its style sheets, without which it is not the page. One that the browser refuses has no rules. */
const styled = () => [...document.querySelectorAll('link[rel=stylesheet]')].every((/** @type {HTMLLinkElement} */ link) => link.sheet?.cssRules.length);

let leave = new AbortController();
let asked = ''; // the page that was asked for last, or 'error' in place of one that cannot be shown; '' before the first
let shown = ''; // the page that is on the screen; '' while another one takes its place
let moved = false; // whether the page that is asked for gets the focus: the person came to it from another one

async function show() {
  const { page, query } = current();
  leave.abort();
  leave = new AbortController();
  const signal = leave.signal;
  for (const a of document.querySelectorAll('nav a')) {
    const here = a.getAttribute('href') === `#${page}` || (page === 'play' && a.getAttribute('href') === '#home');
    if (here) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  const main = document.getElementById('main');
  moved ||= asked !== '' && asked !== page; // a page that is left before it is complete has not got it
  asked = page;
  if (shown !== page) shown = '';
  const again = shown === page;
  if (!again) announce(''); // what was said of the page before
  try {
    check(page, query);
    const module = await pages.get(page)().catch(() => null);
    if (!module || !styled()) throw new Incomplete();
    if (signal.aborted) return;
    await module.show(main, query, signal, again);
    if (signal.aborted) return; // another page is shown since
    shown = page;
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted) return;
    fill(main, h('h1', {}, t('That did not work')), h('p', { class: 'error', role: 'alert' }, error.message),
      error instanceof Incomplete ? button(t('Reload'), reload) : help(page, query, error));
    asked = 'error';
    shown = '';
  }
  if (!again) scrollTo(0, 0);
  if (moved) main.focus({ preventScroll: true });
  moved = false;
}

/** Draws what stands above all pages. */
function header() {
  document.querySelector('.skip').textContent = t('Skip to the content');
  document.getElementById('nav').setAttribute('aria-label', t('Pages'));
  fill(document.getElementById('nav'), links.filter(([name]) => !(offline && name === 'runs')).map(([name, text]) => h('a', { href: `#${name}` }, t(text))));
  fill(document.getElementById('language'), svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: 'M3 12h18M12 3a9 9 0 1 0 .01 0C7 8 7 16 12 21 17 16 17 8 12 3' })), h('select', {
    'aria-label': t('Language'), 'data-key': 'language', onchange: (e) => { keepLanguage(e.target.value); draw(e.target.value); },
  }, languages.map((l) => h('option', { value: l.code, lang: l.tag, selected: l.code === language() }, l.name))));
}

/** Draws everything in a language; without its table, in the language so far. @param {string} code */
async function draw(code) {
  await speak(code).catch((error) => notice(error.message));
  header();
  shown = '';
  await show();
}

// The address of the link is that of no page: the game in it stays.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  document.getElementById('main').focus();
});
onChange(show);
draw(keptLanguage() || ofBrowser());
if (offline) keepVersion();
