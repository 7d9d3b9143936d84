// The first page: choose a game, who plays, and how the dice are rolled.
import { button, fill, h } from './dom.js';
import { callOnce, offline } from './api.js';
import { gameIn, goTo, link, newSeed, write } from './address.js';
import { t } from './language.js';
import { keepLastGame, keepSeats, lastGame, seatsOf, turn } from './store.js';

const icons = { 'martian-dice': '⚅', 'mars-is-ours': '⬡', 'mars-is-ours-fast': '⬡', 'martian-risk': '⚑', 'martian-risk-small': '⚑', 'martian-risk-tiny': '⚑', pig: '⚀' };

/** Draws the page. */
export async function show(main, query, signal) {
  document.title = t('marsgym: play');
  const games = await callOnce('games');
  signal.throwIfAborted(); // another page was opened meanwhile
  const first = gameIn(query, games, games.find((g) => g.id === lastGame()) ?? games[0]);
  const state = { game: first.id, players: 0, seats: [], chosen: [], seed: newSeed(), typed: false };
  const form = h('form', { class: 'choose', onsubmit: (event) => { event.preventDefault(); start(state, form); } });
  fill(main,
    h('h1', {}, t('Play, and see what each choice is worth')),
    h('p', { class: 'lead' }, t('Board and dice games of Mars, against people or agents. Where a game is solved, every value is exact.'), ' ', h('a', { href: '#games' }, t('Exercise of the day'))),
    form);
  const cards = h('div', { class: 'cards' }, games.map((g) => h('label', { class: 'card' },
    h('input', { type: 'radio', name: 'game', value: g.id, checked: g.id === state.game, onchange: () => { Object.assign(state, { game: g.id, players: 0, chosen: [] }); keepLastGame(g.id); setup(); } }),
    h('span', { class: 'icon', 'aria-hidden': 'true' }, icons[g.id] ?? '●'),
    h('span', {}, h('strong', {}, g.title), h('small', {}, g.about)))));
  const details = h('div', { class: 'setup' });
  form.append(h('fieldset', { class: 'games' }, h('legend', {}, t('Game')), cards), details);

  async function setup() {
    const g = games.find((x) => x.id === state.game);
    const kept = seatsOf(g.id).slice(0, g.max);
    state.players ||= kept.length >= g.min ? kept.length : g.players;
    const { players } = state, agents = await callOnce('agents', { game: g.id, players });
    if (signal.aborted || state.game !== g.id || state.players !== players) return; // another choice was made meanwhile
    const levels = agents.filter((a) => a.level);
    const other = levels[Math.min(1, levels.length - 1)] ?? agents[1];
    state.seats = Array.from({ length: state.players }, (_, i) => (state.typed ? 'human' : agents.find((a) => a.name === (state.chosen[i] ?? kept[i]))?.name ?? (i === 0 ? 'human' : other.name)));
    const counts = Array.from({ length: g.max - g.min + 1 }, (_, i) => g.min + i);
    fill(details,
      h('fieldset', {}, h('legend', {}, t('Who plays')),
        counts.length > 1 && h('label', {}, t('Players'), ' ', h('select', { name: 'players', 'data-key': 'players', onchange: (e) => { state.players = Number(e.target.value); setup(); } },
          counts.map((n) => h('option', { value: n, selected: n === state.players }, n)))),
        state.seats.map((name, i) => h('label', {}, t('Seat {n}', { n: i + 1 }), ' ', h('select', { name: `seat${i}`, 'data-key': `seat${i}`, onchange: (e) => { state.seats[i] = state.chosen[i] = e.target.value; } },
          offered(agents, name, t('You, or a person here'))))),
        h('details', {}, h('summary', {}, t('What the levels are')), h('ul', {}, levels.map((a) => h('li', {}, a.strong ? t('{level} is {name}, {about}: {strong}.', a) : t('{level} is {name}, {about}.', a)))))),
      h('p', { class: 'row' }, h('button', { class: 'primary' }, state.typed ? t('Start advice') : t('Start the game')),
        h('a', { href: link('learn', { game: g.id }) }, t('Learn it step by step, against opponents of its own')),
        h('a', { href: link('rules', { game: g.id }) }, t('Read the rules'))),
      h('fieldset', {}, h('legend', {}, t('Dice')),
        radio('dice', 'drawn', t('Drawn by the page'), !state.typed, () => { state.typed = false; setup(); }),
        radio('dice', 'typed', t('Rolled on your own table: the page advises'), state.typed, () => { state.typed = true; setup(); }),
        !state.typed && h('label', {}, t('Seed'), ' ', h('input', { name: 'seed', inputmode: 'numeric', pattern: '[0-9]{1,20}', size: 12, value: state.seed, oninput: (e) => { state.seed = e.target.value; } }), h('small', {}, ' ', t('The same seed gives the same dice.')))),
      h('p', { class: 'note' }, agents.some((a) => a.name === 'exact') ? t('The values of the choices are exact: the game is solved.')
        : [t('The values of the choices are estimated.'), offline && [' ', t('This page has no server: go run ./cmd/web has exact values of more games, and run folders.')]]));
  }
  await setup();
}

/** The agents as the entries of a list: people, the levels, and the others in groups of their own. @param {any[]} agents @param {string} chosen @param {string} people */
export function offered(agents, chosen, people) {
  const called = (a) => (a.name === 'human' ? people : a.level ? `${a.level}: ${a.brief}` : a.name);
  const entries = (list) => list.map((a) => h('option', { value: a.name, selected: a.name === chosen }, called(a)));
  const group = (label, list) => list.length > 0 && h('optgroup', { label }, entries(list));
  const others = agents.filter((a) => a.name !== 'human' && !a.level);
  return [entries(agents.filter((a) => a.name === 'human' || a.level)), group(t('Other agents'), others.filter((a) => !a.run)), group(t('Training runs'), others.filter((a) => a.run))];
}

function radio(name, value, text, checked, change) {
  return h('label', {}, h('input', { type: 'radio', name, value, checked, 'data-key': `${name}-${value}`, onchange: change }), ` ${text}`);
}

function start(state, form) {
  if (state.typed) turn('values', true); // advice is what it is for
  const seed = form.elements.seed?.value || newSeed(); // with typed dice it only tells games apart
  if (!state.typed) keepSeats(state.game, state.seats);
  goTo(link('play', write({ ...state, seed })));
}
