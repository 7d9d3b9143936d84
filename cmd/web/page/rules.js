// The rules of a game, in the words of its page of documentation.
import { fill, h } from './dom.js';
import { call, callOnce } from './api.js';
import { drawBoard, kinds } from './board.js';
import { gameIn, link, whole } from './address.js';
import { language, t } from './language.js';
import { lastGame } from './store.js';

/** Draws the page. */
export async function show(main, query, signal) {
  document.title = t('marsgym: rules');
  const games = await callOnce('games');
  const { id } = gameIn(query, games, games.find((g) => g.id === lastGame()) ?? games[0]);
  const players = whole(query, 'players') ?? 0, { title, blocks: list, language: own } = await call('rules', { game: id, players, language: language() }, signal);
  fill(main,
    h('h1', {}, t('Rules: {game}', { game: title })),
    h('ul', { class: 'chips', 'aria-label': t('Games') }, games.map((g) => h('li', {}, h('a', { href: link('rules', { game: g.id }), 'aria-current': g.id === id ? 'true' : null }, g.title)))),
    h('article', { class: 'rules', lang: own === 'en' ? own : null }, blocks(list, id, players)),
    h('p', {}, h('a', { class: 'button primary', href: link('home', { game: id }) }, t('Play this game')), ' ', h('a', { class: 'button', href: link('learn', { game: id }) }, t('Learn it step by step'))));
}

/** Rules as elements, for a panel. @param {string} game @param {number} players */
export async function rulesOf(game, players) {
  const { blocks: list, language: own } = await callOnce('rules', { game, players, language: language() });
  return h('div', { class: 'rules', lang: own === 'en' ? own : null }, blocks(list, game, players));
}

/** How positions of a game are written, to open where it is needed. @param {string} game @param {number} players */
export function notationOf(game, players) {
  const text = h('div', { class: 'rules', lang: 'en' });
  return h('details', { ontoggle: async (e) => {
    if (e.target.open && !text.hasChildNodes()) fill(text, blocks((await callOnce('rules', { game, players })).notation, game, players));
  } }, h('summary', {}, t('How positions are written')), text);
}

/**
 * Blocks as elements.
 * @param {{kind: string, text?: string, mark?: string, indent?: number, cells?: string[], loose?: boolean}[]} list
 * @param {string} game
 * @param {number} players
 */
function blocks(list, game, players) {
  const out = [];
  for (let i = 0; i < list.length; ) {
    const b = list[i];
    let n = i + 1; // the end of the blocks that belong together
    const together = { item: (x) => x.kind === 'item', row: (x) => x.kind === 'row' && !x.loose, code: (x) => x.kind === 'code' && !x.loose, map: (x) => x.kind === 'map' }[b.kind];
    while (together && n < list.length && together(list[n])) n++;
    const part = list.slice(i, n);
    i = n;
    if (b.kind === 'heading') out.push(h('h2', {}, b.text));
    else if (b.kind === 'code') out.push(h('pre', { tabindex: 0 }, part.map((x) => x.text).join('\n')));
    else if (b.kind === 'map') out.push(picture(part.map((x) => x.text).join('\n'), game, players));
    else if (b.kind === 'row') out.push(table(part.map((x) => x.cells)));
    else if (b.kind === 'item') out.push(h('div', { class: 'items', role: 'list' }, part.map((x) => h('p', { role: 'listitem', class: x.indent ? 'inner' : '' }, h('span', { class: 'mark' }, x.mark === '-' ? '•' : x.mark?.replace('- ', '') ?? ''), h('span', {}, x.text)))));
    else out.push(h('p', {}, b.text));
  }
  return out;
}

/** The map at the start of a game with its signs, in place of a map that is drawn as text. */
function picture(text, game, players) {
  const figure = h('figure', { class: 'map-figure' }, h('pre', { tabindex: 0 }, text)), board = h('div');
  callOnce('view', { game, players, seed: '1' }).then(({ scene, names }) => {
    drawBoard(board, scene, names);
    fill(figure, board, h('figcaption', { class: 'legend-box' }, kinds(scene.map)));
  }, () => {}); // the text stays
  return figure;
}

function table(rows) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Table') }, h('table', {},
    h('thead', {}, h('tr', {}, rows[0].map((c) => h('th', { scope: 'col' }, c)))),
    h('tbody', {}, rows.slice(1).map((r) => h('tr', {}, r.map((c) => h('td', {}, c)))))));
}
