// Positions: any position by its notation, with the value of every choice.
import { call } from './api.js';
import { goTo, link, whole } from './address.js';
import { drawBoard } from './board.js';
import { players as playersOf } from './players.js';
import { button, fill, h, sentence } from './dom.js';
import { choices } from './choices.js';
import { chanceMap } from './chance.js';
import * as numbers from './numbers.js';

/** Draws the page. */
export async function show(main, query, signal) {
  document.title = 'marsgym: positions';
  const games = await call('games', {}, signal);
  const id = query.get('game') ?? games[0].id;
  const info = games.find((g) => g.id === id) ?? games[0];
  const players = whole(query, 'players') || info.players;
  const address = { game: info.id, players, typed: true };
  const first = await call('view', address, signal);
  const text = query.get('position') ?? first.position;
  const open = (position, game = info.id, seats = players) => goTo(link('editor', { game, players: seats, position: position || undefined }));

  const input = h('textarea', { rows: 3, spellcheck: 'false', name: 'position' });
  input.value = text;
  const fields = h('div', { class: 'numbers' });
  const counts = Array.from({ length: info.max - info.min + 1 }, (_, i) => info.min + i);
  const error = h('p', { class: 'error', role: 'alert' });
  const board = h('div', { class: 'board' });
  const side = h('section', { class: 'actions', 'aria-label': 'Values' });
  fill(main,
    h('h1', {}, 'Positions'),
    h('p', { class: 'lead' }, 'Write a position in the notation of the game, or change its numbers, and see what each choice is worth.'),
    h('div', { class: 'edit-page' }, h('div', { class: 'left' },
      h('form', { class: 'edit', onsubmit: (e) => { e.preventDefault(); open(input.value.trim()); } },
        h('p', { class: 'row' },
          h('label', {}, 'Game ', h('select', { name: 'game', onchange: (e) => open('', e.target.value, games.find((g) => g.id === e.target.value).players) }, games.map((g) => h('option', { value: g.id, selected: g.id === info.id }, g.title)))),
          counts.length > 1 && h('label', {}, 'Players ', h('select', { name: 'players', onchange: (e) => open('', info.id, Number(e.target.value)) }, counts.map((n) => h('option', { value: n, selected: n === players }, n))))),
        h('label', { class: 'block' }, 'Position', input), fields,
        h('p', { class: 'row' }, h('button', { class: 'primary' }, 'Show'), button('Start position', () => open('')))),
      error, board), h('div', { class: 'right' }, side)));

  const parts = text.split(/(\d+)/);
  if (parts.length > 1 && parts.length < 60) {
    fill(fields, h('fieldset', {}, h('legend', {}, 'Numbers in the position'), h('div', { class: 'row' }, parts.map((part, i) => (i % 2 === 0 ? h('code', {}, part)
      : h('input', { type: 'number', min: 0, value: Number(part), 'aria-label': `Number ${(i + 1) / 2}, after “${parts[i - 1].trim() || 'start'}”`, oninput: (e) => {
        parts[i] = e.target.value || '0';
        input.value = parts.join('');
      } }))))));
  }
  let view;
  try {
    view = await call('view', { ...address, start: text }, signal);
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    fill(error, e.message);
    return;
  }
  const names = view.names.map(sentence);
  if (view.scene) {
    drawBoard(board, view.scene, names);
    board.prepend(playersOf(view.scene, names));
  } else fill(board, h('pre', { class: 'text-board', tabindex: 0, 'aria-label': 'The position' }, view.text));
  const seats = h('div');
  const context = {
    view, address: view.address, signal, values: true, live: true, onValues: ofSeats,
    choose: (name) => goTo(link('play', { game: info.id, players, dice: 'typed', start: text, moves: name })),
  };
  if (view.ended) return fill(side, view.result.map((line) => h('p', {}, line)));
  fill(seats, h('p', {}, 'Computing values…'));
  fill(side, seats, view.mover >= 0 && choices(context, true).element, view.mover === -1 && await chanceMap(context));
  if (view.mover === -1) call('values', { ...view.address, start: text, step: 0 }, signal).then(ofSeats, (e) => { if (e.name !== 'AbortError') fill(seats, h('p', { class: 'error' }, e.message)); });
  return undefined;

  function ofSeats(v) {
    fill(seats, h('h2', {}, 'Value of the position'), h('table', {}, h('tbody', {}, v.values.map((x, i) => h('tr', {}, h('th', { scope: 'row' }, names[i]), h('td', { class: 'number' }, numbers.digits(x, v.unit)))))), h('p', { class: 'note' }, numbers.method(v.method)));
  }
}
