// A game: the board, the choices with their values, the log and the review.
import { AnswerError, call } from './api.js';
import { drawBoard } from './board.js';
import { button, copy, failure, fill, h, say, sentence } from './dom.js';
import { common, gameOf, goTo, here, link, mainLine, read, replace, whole, write } from './address.js';
import { choices } from './choices.js';
import { rollInput } from './roll.js';
import { reviewPanel, forget } from './review.js';
import { rulesOf } from './rules.js';
import { log } from './log.js';
import { nameOf } from './numbers.js';
import { goesOn, keep, showValues, values } from './store.js';

/** What stays while the game on the page is the same. */
let shown = null;

/**
 * Draws the game of an address.
 * @param {HTMLElement} main
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {boolean} again whether a game is on the page
 */
export async function show(main, query, signal, again) {
  const address = read(query);
  const step = whole(query, 'step');
  const view = await call('view', { ...address, step }, signal);
  if (!again || !shown || shown.id !== identity(view.address)) shown = frame(main, view);
  shown.exercise = query.has('exercise');
  if (step === undefined && goesOn(view.address)) shown.mine = gameOf(view.address);
  update(view, step, signal);
  if (step === undefined) await agents(view, signal);
}

/** What two addresses of one game have in common. */
function identity(a) {
  return JSON.stringify([a.game, a.players, a.typed]);
}

/** Makes the parts of the page. */
function frame(main, view) {
  const t = {
    id: identity(view.address),
    values: values(),
    tab: 'moves',
    title: h('h1', { class: 'title' }), status: h('p', { class: 'status', role: 'status' }), news: h('p', { class: 'news' }),
    board: h('div', { class: 'board' }), actions: h('section', { class: 'actions', 'aria-label': 'Choices' }),
    tabs: h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'About the game' }), panel: h('section', { class: 'panel', role: 'tabpanel', tabindex: 0 }),
    tools: h('div', { class: 'tools' }), error: h('p', { class: 'error', role: 'alert' }),
  };
  fill(main, h('div', { class: 'play' },
    h('div', { class: 'left' }, h('div', { class: 'head' }, t.title, t.tools), t.status, t.news, t.error, t.board),
    h('div', { class: 'right' }, t.actions, h('div', { class: 'card-box' }, t.tabs, t.panel))));
  return t;
}

/** Goes to another position or game. */
function go(address, more) {
  goTo(link('play', write(address, more)));
}

function update(view, step, signal) {
  const t = shown, live = step === undefined, a = view.address;
  const person = view.mover >= 0 && a.seats[view.mover] === 'human';
  noticeFocus(t);
  document.title = `${view.title} · marsgym`;
  fill(t.title, view.title);
  fill(t.error);
  fill(t.status, statusOf(view, live));
  fill(t.news, news(view));
  const context = {
    view, live, signal, person, exercise: t.exercise, chosen: false,
    choose: (name) => {
      if (context.chosen) return; // a second click must not choose again, nor one after values came late
      context.chosen = true;
      noticeFocus(t);
      for (const b of t.actions.querySelectorAll('button')) b.disabled = true;
      after(view, [...(a.moves ?? []).slice(0, view.used), name]);
    },
    // A roll is free text: the logic reads it before it enters the address.
    roll: async (text) => {
      const moves = [...(a.moves ?? []).slice(0, view.used), text];
      await call('view', { ...a, moves }, signal);
      context.choose(text);
    },
    error: (error) => { if (error.name !== 'AbortError') fill(t.error, error.message); },
    address: a, values: t.values && !t.exercise,
  };
  const free = person || !live || a.typed;
  if (view.scene) {
    const onChoose = (index) => context.choose(view.options.find((o) => o.action === index).name);
    drawBoard(t.board, view.scene, { onChoose: free && !t.exercise ? onChoose : undefined, names: seatNames(a) });
  } else {
    fill(t.board, h('pre', { class: 'text-board', tabindex: 0, 'aria-label': 'The position' }, view.text));
  }
  fill(t.tools,
    button('Undo', () => undo(view), { disabled: !canUndo(view), 'data-key': 'undo', title: 'Take the last choice back' }),
    h('label', { class: 'switch' }, h('input', { type: 'checkbox', checked: t.values, 'data-key': 'values', onchange: (e) => {
      t.values = e.target.checked;
      showValues(t.values);
      update(view, step, signal);
    } }), ' Values'));
  const parts = [];
  if (!live) {
    parts.push(h('p', { class: 'row' }, `Step ${view.step} of ${view.steps}`,
      button('◀', () => go(a, { step: view.step - 1 }), { disabled: view.step === 0, 'aria-label': 'One step back', 'data-key': 'back' }),
      button('▶', () => go(a, { step: view.step + 1 }), { disabled: view.step === view.steps, 'aria-label': 'One step forward', 'data-key': 'forward' }),
      h('a', { href: link('play', write(a)) }, a.line ? 'To the end of the variation' : 'To the end of the game')));
  }
  if (a.line) {
    parts.push(h('p', { class: 'row variation' }, h('strong', {}, 'This is a variation.'),
      button('Back to the game', () => go(mainLine(a), { step: stepOf(view, common(a.moves, a.line)) }), { 'data-key': 'main-line' })));
  }
  if (view.ended && live) parts.push(h('div', { class: 'result' }, view.result.map((line) => h('p', {}, line)),
    h('p', { class: 'row' }, h('a', { class: 'button primary', href: link('home', { game: a.game }) }, 'New game'), button('Review the game', () => { t.tab = 'review'; update(view, step, signal); }))));
  if (view.mover === -1 && a.typed) parts.push(rollInput(context));
  if (view.mover >= 0) parts.push(choices(context, free));
  fill(t.actions, parts);
  if (free || view.ended) restoreFocus(t);
  if (live && shown.mine === gameOf(a)) remember(view);
  tabs(context);
  if (live && view.log.length && !view.ended) say([...view.log.slice(-1)[0].told, view.mover >= 0 ? (person ? 'Your choice.' : '') : ''].join(' '));
}

/** The number of steps up to the decision after so many moves. */
function stepOf(view, moves) {
  return view.log.filter((entry) => entry.used <= moves).length;
}

/**
 * Goes to the position after these moves, which follow or end at the position of the view. Moves
 * of the game, or of the variation, step forward in it; others leave it, and it stays as the line
 * to go back to.
 */
function after(view, moves) {
  const a = view.address, played = a.moves ?? [];
  for (const game of a.line ? [mainLine(a), a] : [a]) {
    if (common(moves, game.moves) === moves.length) return go(game, { step: stepOf(view, moves.length - 1) + 1 });
  }
  if (!a.start && !a.line) shown.mine = gameOf(a);
  return go({ ...a, moves, line: a.line ?? (common(played, moves) < played.length ? played : undefined) });
}

/** Stores the game as one that is played here. */
function remember(view) {
  const a = view.address;
  if (a.line || a.start) return;
  const score = view.scene?.seats.map((seat) => seat.score.value).join(' : ');
  keep(write(a), a, { open: !view.ended, result: view.ended ? view.result.join(' ') : score ?? '' });
}

/** Remembers which part of the page has the focus of the keyboard, before its elements are replaced. */
function noticeFocus(t) {
  t.focus = [t.board, t.actions].find((part) => part.querySelector(':focus-visible')) ?? t.focus;
}

/** Lets the keyboard go on in the part where it was, if the element that had the focus is gone. */
function restoreFocus(t) {
  if (t.focus && document.activeElement === document.body) {
    const next = t.focus.querySelector('[data-key].open, .picker button, .option-button') ?? t.actions.querySelector('button:not(:disabled), a');
    next?.focus();
  }
  t.focus = null;
}

function statusOf(view, live) {
  const a = view.address;
  if (view.ended && live) return view.result.join(' ');
  if (view.mover === -2) return 'The game is over.';
  if (view.mover === -1) return 'The dice are rolled next.';
  const name = nameOf(a.seats, view.mover);
  if (!live) return name === 'You' ? 'You were to move.' : `${name} was to move.`;
  if (a.seats[view.mover] !== 'human') return `${name} is to move.`;
  return name === 'You' ? 'It is your turn.' : `${name}: it is your turn.`;
}

/** What has happened since the last choice of a person, at most some lines of it. */
function news(view) {
  const { seats } = view.address, most = 4, parts = [];
  for (const entry of view.log.slice(0, view.step).reverse()) {
    if (entry.seat >= 0 && seats[entry.seat] === 'human' || parts.length >= most) break;
    parts.unshift(...(entry.seat >= 0 ? [`${nameOf(seats, entry.seat)}: ${entry.name}`] : []), ...entry.told);
  }
  return parts.slice(-most).map((text) => h('span', {}, sentence(text)));
}

/** The names of the seats. @param {import('./address.js').Address} a */
function seatNames(a) {
  const one = a.seats.filter((s) => s === 'human').length === 1;
  return a.seats.map((s, i) => (s !== 'human' ? `Seat ${i}, ${s}` : one ? `Seat ${i}, you` : `Seat ${i}`));
}

/** The number of moves before the last choice of a person; -1 if there is none. */
function lastChoice(view) {
  const a = view.address;
  for (const entry of [...view.log].reverse()) {
    if (a.typed || (entry.seat >= 0 && a.seats[entry.seat] === 'human')) {
      if (entry.used > 0) return entry.used - 1;
    }
  }
  return -1;
}

function canUndo(view) {
  return lastChoice(view) >= 0;
}

function undo(view) {
  const a = view.address, moves = a.moves.slice(0, lastChoice(view));
  if (a.line && common(moves, a.line) === moves.length) go(mainLine(a), { step: stepOf(view, moves.length) });
  else go({ ...a, moves });
}

function tabs(context) {
  const t = shown;
  const list = [['moves', 'Moves'], ['review', 'Review'], ['rules', 'Rules'], ['share', 'Share']];
  fill(t.tabs, list.map(([id, text], i) => button(text, () => { t.tab = id; tabs(context); }, {
    role: 'tab', id: `tab-${id}`, 'data-key': `tab-${id}`, 'aria-selected': t.tab === id, tabindex: t.tab === id ? 0 : -1,
    onkeydown: (e) => {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!move) return;
      t.tab = list[(i + move + list.length) % list.length][0];
      tabs(context);
      t.tabs.querySelector('[aria-selected=true]').focus();
    },
  })));
  t.panel.setAttribute('aria-labelledby', `tab-${t.tab}`);
  const show = {
    moves: () => fill(t.panel, log(context, (step) => go(context.address, { step }))),
    review: () => reviewPanel(t.panel, context, (step, exercise) => go(context.address, { step, exercise: exercise ? 1 : undefined })),
    rules: () => rulesOf(context.address.game, context.address.players).then((e) => t.tab === 'rules' && fill(t.panel, e), context.error),
    share: () => share(context),
  };
  if (t.tab !== 'review') forget();
  show[t.tab]();
}

/** The address and the text of the game. */
function share(context) {
  const a = context.address;
  const address = h('input', { readonly: true, value: here(), 'aria-label': 'The address of this page', class: 'address' });
  const copied = h('span', { class: 'copied', role: 'status' });
  const text = h('textarea', { rows: 8, readonly: true, 'aria-label': 'The game as text', spellcheck: 'false' });
  fill(shown.panel,
    h('h2', {}, 'Address'), h('p', {}, 'The address of this page holds the whole game: who opens it sees this position.'),
    h('p', { class: 'row' }, address, button('Copy the address', async () => fill(copied, (await copy(address)) ? 'Copied ✓' : 'The address is selected: copy it by Ctrl-C or the menu.')), copied),
    h('h2', {}, 'Position'), h('p', {}, h('code', { class: 'wrap' }, context.view.position)),
    h('p', {}, h('a', { href: link('editor', { game: a.game, players: a.players, position: context.view.position }) }, 'Edit this position')),
    h('h2', {}, 'Game as text'), text);
  call('write', { ...a }, context.signal).then((answer) => { text.value = answer.text; }, (e) => { text.value = e.message; });
}

/**
 * Lets agents play until a person is to move. The address follows at most some times a
 * second, since browsers bound that; the game on the page does not need it.
 */
async function agents(view, signal) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const next = () => !view.ended && view.mover >= 0 && view.address.seats[view.mover] !== 'human';
  let written = 0;
  fill(shown.error);
  while (next()) {
    try {
      await new Promise((resolve) => setTimeout(resolve, still ? 0 : 350));
      if (signal.aborted) return;
      view = await call('play', { ...view.address }, signal);
      if (signal.aborted) return;
    } catch (error) {
      if (signal.aborted || !(error instanceof AnswerError)) return;
      if (error.goesOn) {
        fill(shown.error, error.message);
        continue;
      }
      fill(shown.error, failure(error, () => agents(view, signal)));
      return;
    }
    if (!next() || performance.now() - written > 300) {
      replace(link('play', write(view.address)));
      written = performance.now();
    }
    update(view, undefined, signal);
  }
}
