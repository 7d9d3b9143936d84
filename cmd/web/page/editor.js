// Positions: any position by clicks or by its notation, with the value of every choice, and to
// play on from.
import { AnswerError, call, callOnce } from './api.js';
import { gameIn, goTo, link, newSeed, whole, write } from './address.js';
import { drawBoard } from './board.js';
import { players as playersOf } from './players.js';
import { button, fill, h, sentence } from './dom.js';
import { choices } from './choices.js';
import { chanceMap } from './chance.js';
import { offered } from './home.js';
import { clickable, deal, edit } from './edit.js';
import { t } from './language.js';
import { notationOf } from './rules.js';
import * as numbers from './numbers.js';

/** Draws the page. */
export async function show(main, query, signal) {
  document.title = t('marsgym: positions');
  const games = await callOnce('games');
  const info = gameIn(query, games, games[0]);
  const players = whole(query, 'players') || info.players;
  const address = { game: info.id, players, typed: true };
  const text = query.get('position') ?? await first(info.id, players, signal);
  let view = null, wrong = '';
  try {
    view = await call('view', { ...address, start: text }, signal);
  } catch (e) {
    if (!(e instanceof AnswerError)) throw e;
    wrong = e.message;
  }
  const open = (position, game = info.id, seats = players) => goTo(link('editor', { game, players: seats, position: position || undefined }));

  const input = h('textarea', { rows: 3, spellcheck: 'false', name: 'position' });
  input.value = text;
  const counts = Array.from({ length: info.max - info.min + 1 }, (_, i) => info.min + i);
  const error = h('p', { class: 'error', role: 'alert' });
  let now = text; // after the edits so far: the next one can come before the page is drawn again
  const names = view?.names.map(sentence) ?? Array.from({ length: players }, (_, i) => t('Seat {n}', { n: i + 1 }));
  const change = (after) => {
    now = after(now);
    open(now);
  };
  const editing = edit(info.id, text, view?.scene, names, change);
  const board = h('div', { class: 'board' }), against = h('div');
  if (view?.scene) {
    drawBoard(board, view.scene, names);
    if (editing.some) clickable(board, (name) => change((before) => editing.cell(name, before)));
    board.prepend(playersOf(view.scene, names));
  } else if (view) fill(board, h('pre', { class: 'text-board', tabindex: 0, 'aria-label': t('The position') }, view.text));
  const side = h('section', { class: 'actions', 'aria-label': t('Values') });
  fill(main,
    h('h1', {}, t('Positions')),
    h('p', { class: 'lead' }, t('Set up a position by clicks or in the notation of its game, see what each choice is worth, and play on from it.')),
    h('div', { class: 'edit-page' }, h('div', { class: 'left' },
      h('p', { class: 'row' },
        h('label', {}, t('Game'), ' ', h('select', { name: 'game', onchange: (e) => open('', e.target.value, games.find((g) => g.id === e.target.value).players) }, games.map((g) => h('option', { value: g.id, selected: g.id === info.id }, g.title)))),
        counts.length > 1 && h('label', {}, t('Players'), ' ', h('select', { name: 'players', onchange: (e) => open('', info.id, Number(e.target.value)) }, counts.map((n) => h('option', { value: n, selected: n === players }, n))))),
      error, editing.element, board,
      h('form', { class: 'edit', onsubmit: (e) => { e.preventDefault(); open(input.value.trim()); } },
        h('label', { class: 'block' }, t('The position as text'), input),
        h('p', { class: 'row' }, h('button', { class: 'primary' }, t('Show')), button(t('New position'), () => { input.value = text; open(''); })),
        notationOf(info.id, players))), h('div', { class: 'right' }, against, side)));

  if (!view) return fill(error, wrong);
  const seats = h('div');
  const context = {
    view, address: view.address, signal, values: true, live: true, onValues: ofSeats,
    choose: (name) => goTo(link('play', { game: info.id, players, dice: 'typed', start: text, moves: name })),
  };
  if (view.ended) return fill(side, view.result.map((line) => h('p', {}, line)));
  playOn(against, { game: info.id, players, start: text }, names, Math.max(0, view.mover));
  fill(seats, h('p', {}, t('Computing values…')));
  fill(side, seats, view.mover >= 0 && choices(context, true).element, view.mover === -1 && await chanceMap(context));
  if (view.mover === -1) call('values', { ...view.address, start: text, step: 0 }, signal).then(ofSeats, (e) => { if (e.name !== 'AbortError') fill(seats, h('p', { class: 'error' }, e.message)); });
  return undefined;

  function ofSeats(v) {
    fill(seats, h('h2', {}, t('Value of the position')), h('table', {}, h('tbody', {}, v.values.map((x, i) => h('tr', {}, h('th', { scope: 'row' }, names[i]), h('td', { class: 'number' }, numbers.value(x, v.unit)))))), h('p', { class: 'note' }, numbers.method(v)));
  }
}

/** The position to begin with: the first decision of a game or, on a map of regions, all of them dealt. */
async function first(game, players, signal) {
  const { position, scene } = await call('view', { game, players, seed: '1' }, signal);
  return scene?.map?.cells.some((c) => !c.kind) ? deal(scene.map.cells.map((c) => c.name), players) : position;
}

/** Starts a game at the position: one seat is yours, and the others play as one agent. */
async function playOn(element, a, names, mover) {
  const agents = await callOnce('agents', { game: a.game, players: a.players }).catch(() => []);
  const state = { seat: mover, agent: agents.find((x) => x.level)?.name ?? 'human' };
  fill(element, h('form', { class: 'row play-on', onsubmit: (e) => {
    e.preventDefault();
    goTo(link('play', write({ ...a, seed: newSeed(), seats: names.map((_, i) => (i === state.seat ? 'human' : state.agent)) })));
  } },
  names.length > 1 && h('label', {}, t('You are'), ' ', h('select', { 'data-key': 'my-seat', onchange: (e) => { state.seat = Number(e.target.value); } }, names.map((name, i) => h('option', { value: i, selected: i === mover }, name)))),
  names.length > 1 && h('label', {}, ' ', t('against'), ' ', h('select', { 'data-key': 'against', onchange: (e) => { state.agent = e.target.value; } }, offered(agents, state.agent, t('people here')))),
  h('button', { class: 'primary', 'data-key': 'play-on' }, t('Play on from here'))));
}
