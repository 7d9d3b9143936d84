// A game: the board with the players and the choices on one screen, then the log and the review.
import { call, callOnce } from './api.js';
import { drawBoard, legend } from './board.js';
import { button, fill, h, notice, announce, sentence } from './dom.js';
import { common, gameOf, goTo, link, mainLine, read, whole, write } from './address.js';
import { choices, onBoard } from './choices.js';
import { odds } from './odds.js';
import { players } from './players.js';
import { rollInput } from './roll.js';
import { tellWhy } from './card.js';
import { answered } from './deck.js';
import { reviewPanel, forget } from './review.js';
import { guideOf, tell } from './guide.js';
import { mix, t } from './language.js';
import { rulesOf } from './rules.js';
import { share } from './share.js';
import { log } from './log.js';
import { altered } from './turnlink.js';
import { agents } from './turns.js';
import { nameOf, words } from './numbers.js';
import { goesOn, isOn, keep, keepLastGame, turn } from './store.js';

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
  keepLastGame(address.game);
  if (!again || !shown?.board.isConnected || shown.id !== identity(view.address)) shown = frame(main, view);
  shown.guide = query.has('guide') ? await guideOf(address.game) : null;
  signal.throwIfAborted();
  shown.exercise = query.has('exercise');
  shown.day = query.get('day');
  const other = !again && step === undefined && altered(view.address);
  if (other) notice(other);
  if (step === undefined && goesOn(view.address)) shown.mine = gameOf(view.address);
  document.addEventListener('keydown', stepByKey, { signal });
  update(view, step, signal);
  if (step === undefined) agents(view, signal, shown.error, (next) => update(next, undefined, signal), guideMark());
}

/** What two addresses of one game have in common. */
function identity(a) {
  return JSON.stringify([a.game, a.players, a.typed]);
}

/** Makes the parts of the page. */
function frame(main, view) {
  const page = {
    id: identity(view.address),
    values: isOn('values'), coach: isOn('coach'),
    tab: 'moves',
    title: h('h1', { class: 'title' }), status: h('p', { class: 'status', role: 'status' }), news: h('p', { class: 'news' }), praise: h('span', { class: 'praise', role: 'status' }),
    odds: h('div', { class: 'odds', role: 'group', 'aria-label': view.unit ? t('Expected {unit}', { unit: view.unit }) : t('Chances to win') }),
    board: h('div', { class: 'board' }), players: h('section', { class: 'players', 'aria-label': t('Players'), tabindex: 0 }), actions: h('section', { class: 'actions', 'aria-label': t('Choices'), tabindex: -1 }),
    tabs: h('div', { class: 'tabs', role: 'tablist', 'aria-label': t('About the game') }), panel: h('section', { class: 'panel', role: 'tabpanel', tabindex: 0 }),
    tools: h('div', { class: 'tools' }), error: h('p', { class: 'error', role: 'alert' }), legend: h('div', { class: 'legend-box' }),
  };
  fill(main, h('div', { class: 'play' },
    h('div', { class: 'screen' },
      h('div', { class: 'stage' }, h('div', { class: 'head' }, page.title, page.praise, page.tools), h('div', { class: 'told-line' }, page.status, page.news, page.error), page.odds, page.board),
      page.players, page.actions),
    h('div', { class: 'card-box' }, page.tabs, page.panel)));
  return page;
}

/** What the address says of the guide. */
function guideMark() {
  return shown.guide ? { guide: 1 } : {};
}

/** Goes to another position or game. */
function go(address, more) {
  goTo(link('play', write(address, { ...guideMark(), ...more })));
}

/** Goes to a step of the game that is shown: the last one is the game that goes on. */
function goStep(step) {
  const { view } = shown;
  if (step >= 0 && step <= view.steps) go(view.address, step === view.steps ? {} : { step });
}

/** Steps through the game by the arrow keys, Home and End, where nothing else uses them. */
function stepByKey(event) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest('input:not([type=checkbox]), textarea, select, [role=tab], .map, .players, .scroll, .log, pre')) return;
  const { step, steps } = shown.view;
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: steps }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  goStep(to);
}

function update(view, step, signal) {
  const page = shown, live = step === undefined, a = view.address;
  const person = view.mover >= 0 && a.seats[view.mover] === 'human';
  const passing = live && view.mover >= 0 && !person && !page.exact; // an agent would wait for estimates of its position
  noticeFocus(page);
  page.view = view;
  document.title = `${view.title} · marsgym`;
  fill(page.title, view.title);
  page.title.title = view.title;
  fill(page.error);
  fill(page.status, statusOf(view, live));
  line(page.news, news(view));
  const names = view.names.map(sentence);
  const help = page.guide && live && tell(page.guide, view);
  let tries = 0;
  const context = {
    view, live, signal, person, exercise: page.exercise, chosen: false, suggested: undefined,
    choose: async (name) => {
      if (context.chosen) return; // a second click must not choose again, nor one after values came late
      const mine = ++tries; // while the coach looks at a choice, another one replaces it
      const allowed = !list?.allows || await list.allows(name);
      if (!allowed) return;
      if (mine !== tries || context.chosen || signal.aborted) return;
      context.chosen = true;
      if (allowed === 'fine') praise(page.praise);
      const option = view.options?.find((o) => o.name === name);
      if (option) board?.chosen(option.action); // a roll is no choice
      noticeFocus(page);
      for (const b of page.actions.querySelectorAll('button')) b.disabled = true;
      after(view, [...(a.moves ?? []).slice(0, view.used), name]);
    },
    // A roll is free text: the logic reads it before it enters the address, and a later roll replaces it.
    roll: async (text) => {
      const mine = ++tries, moves = [...(a.moves ?? []).slice(0, view.used), text];
      const wrong = await call('view', { ...a, moves }, signal).then(() => null, (error) => error);
      if (mine !== tries) return;
      if (wrong) throw wrong;
      context.choose(text);
    },
    onValues: (known) => {
      page.exact = known.exact;
      if (page.view !== view) return;
      odds(page.odds, known, names);
      board?.worth(onBoard(known, view.options));
    },
    suggest,
    answered: (right) => fill(practice, answered(a, view.step, page.day, right)),
    error: (error) => { if (error.name !== 'AbortError') fill(page.error, error.message); },
    address: a, passing, values: page.values && !page.exercise && !passing, coach: page.coach && !page.exercise,
    coachSwitch: () => !page.exercise && switchOf('coach', t('Coach'), t('Warns before a costly choice, and gives hints')),
  };
  const over = live && view.ended; // also at the limit of moves, where a seat is to move
  const free = !over && (person || !live || a.typed);
  const list = view.mover >= 0 && !over && choices(context, free);
  let board = null;
  /** Marks a choice in the list and on the board. */
  function suggest(name) {
    context.suggested = name;
    list.draw();
    page.actions.querySelector('.suggested')?.scrollIntoView({ block: 'nearest' });
    board?.suggest(view.options.find((o) => o.name === name).action);
  }
  page.odds.classList.toggle('on', page.values && !page.exercise);
  if (!context.values || view.mover < 0) fill(page.odds);
  if (view.scene) {
    board = drawBoard(page.board, view.scene, names, {
      onChoose: free && !page.exercise ? (index) => context.choose(view.options.find((o) => o.action === index).name) : undefined,
      onNarrow: (actions) => list.narrow?.(actions, () => board.cancel()),
    });
    fill(page.players, players(view.scene, names));
    fill(page.legend, legend(view.scene, names));
  } else {
    fill(page.board, h('pre', { class: 'text-board', tabindex: 0, 'aria-label': t('The position') }, view.text));
  }
  const tool = page.tools.contains(document.activeElement);
  fill(page.tools,
    button('◀', () => goStep(view.step - 1), { disabled: view.step === 0, 'aria-label': t('One step back'), 'data-key': 'back' }),
    button('▶', () => goStep(view.step + 1), { disabled: view.step === view.steps, 'aria-label': t('One step forward'), 'data-key': 'forward' }),
    button(t('Undo'), () => undo(view), { disabled: !canUndo(view), 'data-key': 'undo', title: t('Take the last choice back') }),
    !page.exercise && switchOf('values', t('Values'), t('What each choice is worth')));
  if (tool && document.activeElement === document.body) page.tools.querySelector('button:not(:disabled)')?.focus(); // the other direction at an end
  function switchOf(name, text, title) {
    return h('label', { class: 'switch', title }, h('input', { type: 'checkbox', checked: page[name], 'data-key': name, onchange: (e) => {
      page[name] = e.target.checked;
      turn(name, page[name]);
      update(view, step, signal);
    } }), ` ${text}`);
  }
  const parts = [], practice = h('span', { class: 'row practice', role: 'status' }), why = h('p', { class: 'why', role: 'status' });
  if (!live) {
    parts.push(h('p', { class: 'row' }, !page.exercise && t('Step {step} of {steps}', { step: view.step, steps: view.steps }), h('a', { href: link('play', write(a, guideMark())) }, a.line ? t('To the end of the variation') : view.ended ? t('To the end of the game') : t('Back to the present')), page.exercise && practice));
  }
  if (a.line) {
    parts.push(h('p', { class: 'row variation' }, h('strong', {}, t('You are trying something out; your game is kept.')),
      button(t('Back to the game'), () => go(mainLine(a), { step: stepOf(view, common(a.moves, a.line)) }), { 'data-key': 'main-line' })));
  }
  if (view.ended && live) parts.push(h('div', { class: 'result' }, view.result.map((text) => h('p', {}, text)), why,
    h('p', { class: 'row' }, h('a', { class: 'button primary', href: link('home', { game: a.game }) }, t('New game')), button(t('Review the game'), () => { page.tab = 'review'; update(view, step, signal); page.panel.scrollIntoView({ block: 'nearest' }); }, { 'data-key': 'review-game' }),
      button(t('Share the result'), () => { page.tab = 'share'; update(view, step, signal); page.panel.scrollIntoView({ block: 'nearest' }); }, { 'data-key': 'share-result' }))));
  if (view.mover === -1 && a.typed) parts.push(rollInput(context));
  if (help?.element) parts.unshift(help.element);
  if (list) parts.push(list.element);
  fill(page.actions, parts);
  if (help?.move) suggest(help.move);
  if (free || view.ended) restoreFocus(page);
  if (live && shown.mine === gameOf(a)) remember(view);
  if (view.ended && live) tellWhy(why, context);
  tabs(context);
  if (live && view.log.length) announce([...view.log.slice(-1)[0].told, person && !view.ended ? t('Your choice.') : ''].join(' '));
}

/** Says for a moment that a choice was fine. */
function praise(element) {
  fill(element, t('✓ fine'));
  setTimeout(() => fill(element), 2000);
}

/** Fills a line that has a fixed room; what does not fit can be read by pointing at it. */
function line(element, text) {
  fill(element, text);
  element.title = text;
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
  const line = a.line ?? (common(played, moves) < played.length ? played : undefined);
  if (!a.start && !line) shown.mine = gameOf(a); // to try something out in a game that is only seen does not make it one's own
  return go({ ...a, moves, line });
}

/** Stores the game as one that is played here. */
function remember(view) {
  const a = view.address;
  if (a.line || a.start) return;
  const score = view.scene?.seats.map((seat) => seat.score.value).join(' : ');
  const { result, against } = view.kept;
  keep(write(a), a, { open: !view.ended, result: view.ended ? result ?? view.result[0] : score ?? '', against });
}

/** Remembers which part of the page has the focus of the keyboard, before its elements are replaced. */
function noticeFocus(page) {
  page.focus = [page.board, page.actions].find((part) => part.querySelector(':focus-visible')) ?? page.focus;
}

/** Lets the keyboard go on in the part where it was, if the element that had the focus is gone. */
function restoreFocus(page) {
  if (page.focus && document.activeElement === document.body) {
    const next = page.focus.querySelector('[data-key].open, .option-button') ?? page.actions.querySelector('button:not(:disabled), a');
    next?.focus();
  }
  page.focus = null;
}

function statusOf(view, live) {
  if (view.ended && live) return view.result[0];
  if (view.scene) return t('{text}.', { text: sentence(view.scene.text) });
  return view.mover >= 0 ? t('{player} to move.', { player: nameOf(view, view.mover) }) : view.mover === -1 ? t('Chance decides next.') : t('The game is over.');
}

/** What has happened since the last choice of a person, without what only counts, such as “hand 1 (+1)”. */
function news(view) {
  const { seats } = view.address, parts = [];
  for (const entry of view.log.slice(0, view.step).reverse()) {
    const person = entry.seat >= 0 && seats[entry.seat] === 'human';
    parts.unshift(...entry.told.filter((text) => !/[(（][+−-]\d+[)）]/.test(text)).map(sentence));
    if (person || parts.length > 6) break;
    if (entry.seat >= 0) parts.unshift(`${nameOf(view, entry.seat)}: ${words(entry.about)}`);
  }
  return parts.join(' · ');
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
  const page = shown;
  const list = [['moves', t('Moves')], ['review', t('Review')], ['about', t('Goal and signs')], ['rules', t('Rules')], ['share', t('Share')]];
  fill(page.tabs, list.map(([id, text], i) => button(text, () => { page.tab = id; tabs(context); }, {
    role: 'tab', id: `tab-${id}`, 'data-key': `tab-${id}`, 'aria-selected': page.tab === id, tabindex: page.tab === id ? 0 : -1,
    onkeydown: (e) => {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!move) return;
      page.tab = list[(i + move + list.length) % list.length][0];
      tabs(context);
      page.tabs.querySelector('[aria-selected=true]').focus();
    },
  })));
  page.panel.setAttribute('aria-labelledby', `tab-${page.tab}`);
  const show = {
    moves: () => fill(page.panel, log(context, (step) => go(context.address, { step }))),
    review: () => context.passing ? fill(page.panel, h('p', {}, t('Computing values…'))) : reviewPanel(page.panel, context, (step, exercise) => go(context.address, { step, exercise: exercise ? 1 : undefined })),
    rules: () => rulesOf(context.address.game, context.address.players).then((e) => page.tab === 'rules' && fill(page.panel, e), context.error),
    about: () => about(page, context),
    share: () => share(page.panel, context),
  };
  if (page.tab !== 'review' || context.passing) forget();
  show[page.tab]();
}

/** What the board shows, and who plays. */
async function about(page, { address: a, view, error }) {
  const opponents = h('ul', {});
  fill(page.panel, page.legend, opponents);
  try {
    const known = await callOnce('agents', { game: a.game, players: a.players });
    fill(opponents, a.seats.map((seat, i) => {
      const agent = known.find((x) => x.name === seat);
      return seat !== 'human' && h('li', {}, mix('{player} is {agent}.', { player: h('strong', {}, nameOf(view, i)), agent: agent ? `${seat}, ${[agent.about, agent.strong].filter(Boolean).join('; ')}` : seat }));
    }));
  } catch (e) {
    error(e);
  }
}
