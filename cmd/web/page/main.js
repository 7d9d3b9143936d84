// The router: the part of the address after # chooses a page.
import { fill, h } from './dom.js';
import { offline } from './api.js';
import { current, link, onChange } from './address.js';

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

const links = [['home', 'Play'], ['editor', 'Positions'], ['games', 'My games'], ['rules', 'Rules'], ['runs', 'Runs']];

/** What helps after a bad link: the game as far as its moves are right, a new game, or those of this browser. */
function help(page, query, error) {
  const wrong = page === 'play' && /^move (\d+):/.exec(error.message);
  const moves = query.get('moves')?.split('.').slice(0, wrong ? Number(wrong[1]) - 1 : undefined).join('.');
  return h('ul', {}, wrong && h('li', {}, h('a', { href: link('play', { ...Object.fromEntries(query), moves, step: null, line: null }) }, 'Open the game up to there')),
    h('li', {}, h('a', { href: '#home' }, 'Start a game')), h('li', {}, h('a', { href: '#games' }, 'My games')));
}

let leave = new AbortController();
let shown = '';

async function show() {
  const { page: name, query } = current();
  if (name === 'main') return;
  const page = pages.has(name) ? name : 'home';
  leave.abort();
  leave = new AbortController();
  const signal = leave.signal;
  for (const a of document.querySelectorAll('nav a')) {
    const here = a.getAttribute('href') === `#${page}` || (page === 'play' && a.getAttribute('href') === '#home');
    if (here) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  const main = document.getElementById('main');
  try {
    const module = await pages.get(page)();
    if (signal.aborted) return;
    await module.show(main, query, signal, shown === page);
    if (shown !== page) scrollTo(0, 0);
    if (shown !== page && shown) main.focus({ preventScroll: true });
    shown = page;
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted) return;
    fill(main, h('h1', {}, 'That did not work'), h('p', { class: 'error', role: 'alert' }, error.message),
      help(page, query, error));
    shown = 'error';
  }
}

fill(document.getElementById('nav'), links.filter(([name]) => !(offline && name === 'runs')).map(([name, text]) => h('a', { href: `#${name}` }, text)));
onChange(show);
show();
if (offline && 'serviceWorker' in navigator) navigator.serviceWorker.register('sw.js');
