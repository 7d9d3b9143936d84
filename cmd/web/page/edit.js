// Edits of positions by clicks. A position stays a text in the notation of its game: an edit
// changes the text, and the logic says whether it is right.
import { button, h, press } from './dom.js';
import { later, t } from './language.js';
import { die } from './pieces.js';

const faces = [['T', later('tank')], ['R', later('ray')], ['H', later('human')], ['C', later('cow')], ['K', later('chicken')]];
const counted = ['mars-is-ours-fast', 'martian-risk']; // games whose first numbers follow from the map

/**
 * The controls of a position.
 * @param {string} game the preset
 * @param {string} text the position
 * @param {any} scene or null, if the text is wrong
 * @param {string[]} names of the seats
 * @param {(after: (now: string) => string) => void} change makes an edit: after returns the text after it, for the text so far
 * @returns {{element: HTMLElement, cell: (name: string, now: string) => string, some: boolean}} cell is the text after a click on a cell; some is whether cells can be clicked
 */
export function edit(game, text, scene, names, change) {
  const is = (id) => game.startsWith(id), players = names.length;
  const tools = is('martian-risk') ? [['owner', t('Owner')], ['more', t('One army more')], ['less', t('One army less')], ['tower', t('Tower')]]
    : / map \S*[gsmt]/.test(text) ? [['robot', t('Robots')], ['ground', t('Ground')]] : [];
  const picked = () => (tools.some(([id]) => id === tool) ? tool : tools[0]?.[0]);
  const radios = tools.map(([id, name]) => h('label', {}, h('input', { type: 'radio', name: 'tool', value: id, checked: id === picked(), onchange: () => { tool = id; } }), ` ${name}`));
  const parts = [
    numbers(is, text, scene, names, change),
    is('martian-dice') && ['aside', 'roll'].map((word) => dice(word, text, change)),
    tools.length > 0 && h('fieldset', { class: 'tools-row' }, h('legend', {}, t('A click on the map changes')), radios),
  ];
  const cells = (scene?.map?.cells ?? []).map((c) => c.name), places = (scene?.places ?? []).map((c) => c.name);
  return {
    element: h('div', { class: 'edit-parts' }, parts), some: cells.length > 0,
    cell: (name, now) => (is('martian-risk') ? region(now, name, players, cells, picked())
      : places.includes(name) ? robots(now, 'labs', places.indexOf(name), players, is)
        : picked() === 'ground' ? ground(now, cells.indexOf(name)) : robots(now, 'robots', cells.indexOf(name), players, is)),
  };
}

let tool = 'robot'; // what a click changes, from position to position

/** The numbers of the seats, whose turn it is, and the total of a turn. */
function numbers(is, text, scene, names, change) {
  const list = new RegExp(`(?:^|([a-z]+) )(\\d+(?:-\\d+){${names.length - 1}})(?=[ @]|$)`, 'g'), columns = [];
  const set = (index, seat, n) => change((now) => {
    let k = 0;
    return now.replace(list, (all, _, values) => (k++ === index ? all.slice(0, -values.length) + values.split('-').with(seat, n).join('-') : all));
  });
  for (const [index, [, word, values]] of [...text.matchAll(list)].entries()) {
    if (['tracks', 'start', 'round', 'turns', 'turn', 'passed', 'over'].includes(word) || (!word && counted.some(is))) continue;
    columns.push([word ? { hand: t('in hand'), junk: t('junkyard'), dice: t('alchemy dice') }[word] ?? word : scene?.seats[0].score.name ?? t('score'), (seat) => values.split('-')[seat], (seat, n) => set(index, seat, n)]);
  }
  const field = (label, value, set) => h('input', { type: 'number', min: 0, value, 'aria-label': label, 'data-key': `number ${label}`, onchange: (e) => set(String(Math.max(0, Math.trunc(Number(e.target.value) || 0)))) });
  const mover = /@(\d)/.exec(text), total = / turn (\d+)/.exec(text), canHave = is('pig') && /@\d( turn \d+)?$/.test(text);
  return [
    columns.length > 0 && h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Numbers of the seats') }, h('table', { class: 'edit-numbers' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('seat')), columns.map(([name]) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, names.map((name, seat) => h('tr', {}, h('th', { scope: 'row' }, name), columns.map(([column, get, set]) => h('td', {}, field(`${name}, ${column}`, get(seat), (n) => set(seat, n))))))))),
    h('p', { class: 'row' },
      mover && names.length > 1 && h('label', {}, t('To move'), ' ', h('select', { 'data-key': 'mover', onchange: (e) => change((now) => now.replace(/@\d/, `@${e.target.value}`)) }, names.map((name, i) => h('option', { value: i, selected: String(i) === mover[1] }, name)))),
      canHave && h('label', {}, t('Turn total'), ' ', field(t('Turn total'), total?.[1] ?? '0', (n) => change((now) => now.replace(/ turn \d+/, '') + (n === '0' ? '' : ` turn ${n}`))))),
  ];
}

/** The dice behind a word, with buttons for one more and one less. */
function dice(word, text, change) {
  const first = /^\S+@\d+/;
  if (!first.test(text) || / over| tie| draw/.test(text)) return null;
  const read = (from, w) => Object.fromEntries([...(new RegExp(` ${w} ((?:[TRHCK]\\d+)+)`).exec(from)?.[1] ?? '').matchAll(/([TRHCK])(\d+)/g)].map(([, f, n]) => [f, Number(n)]));
  const written = (counts) => faces.filter(([f]) => counts[f] > 0).map(([f]) => f + counts[f]).join('');
  const add = (face, by) => change((now) => {
    const both = { aside: read(now, 'aside'), roll: read(now, 'roll') }, [head] = first.exec(now);
    both[word][face] = Math.max(0, (both[word][face] ?? 0) + by);
    const rest = now.slice(head.length).replace(/ (aside|roll) (?:[TRHCK]\d+)+/g, '').replace(' rolling', '');
    return head + ['aside', 'roll'].map((w) => (written(both[w]) ? ` ${w} ${written(both[w])}` : '')).join('') + rest;
  });
  const counts = read(text, word);
  return h('fieldset', {}, h('legend', {}, word === 'aside' ? t('Dice set aside') : t('Dice of the roll')), h('div', { class: 'edit-dice' },
    faces.filter(([f]) => word === 'aside' || f !== 'T').map(([f, name]) => h('div', {}, die(name), h('span', { class: 'number' }, counts[f] ?? 0),
      button('−', () => add(f, -1), { class: 'small', disabled: !counts[f], 'aria-label': word === 'aside' ? t('One {die} less set aside', { die: t(name) }) : t('One {die} less in the roll', { die: t(name) }), 'data-key': `less-${word}-${f}` }),
      button('+', () => add(f, 1), { class: 'small', 'aria-label': word === 'aside' ? t('One {die} more set aside', { die: t(name) }) : t('One {die} more in the roll', { die: t(name) }), 'data-key': `more-${word}-${f}` })))));
}

/** Sets the letter of a map or of the laboratories, whose rows slashes separate. */
function letter(text, word, index, set) {
  return text.replace(new RegExp(`( ${word} )(\\S+)`), (_, before, cells) => {
    let n = -1;
    return before + [...cells].map((c) => (c !== '/' && ++n === index ? set(c) : c)).join('');
  });
}

/** The ground of a cell, one kind on. */
const ground = (text, index) => letter(text, 'map', index, (c) => ('gsmt'.includes(c) ? 'gsmt'['gsmt'.indexOf(c) + 1] ?? 'g' : c));

/** The robot of a cell: none, then one of each seat, standing or lying. It comes from the junkyard or the hand, and goes back to the junkyard. */
function robots(text, word, index, players, is) {
  const fast = is('mars-is-ours-fast'), seats = [...'ABCD'.slice(0, players)];
  const list = (name) => (new RegExp(` ${name} (\\S+)`).exec(text)?.[1] ?? '').split('-').map(Number);
  const hand = list('hand'), junk = list('junk');
  let old = '', now = '';
  let next = letter(text, word, index, (c) => {
    const order = ['.', ...seats.flatMap((s) => (fast ? [s] : [s, s.toLowerCase()]))];
    if (!order.includes(c)) return c;
    old = c;
    const has = (s) => { const p = seats.indexOf(s.toUpperCase()); return p < 0 || s.toUpperCase() === c.toUpperCase() || hand[p] + junk[p] > 0; };
    for (let i = order.indexOf(c) + 1; ; i++) if (has(order[i % order.length])) return (now = order[i % order.length]);
  });
  const from = seats.indexOf(old.toUpperCase()), to = seats.indexOf(now.toUpperCase());
  if (from !== to) {
    if (from >= 0) junk[from]++;
    if (to >= 0) (junk[to] > 0 ? junk : hand)[to]--;
    next = next.replace(/ hand \S+/, ` hand ${hand.join('-')}`).replace(/ junk \S+/, ` junk ${junk.join('-')}`);
  }
  if (!fast) return next;
  const map = / robots (\S+)/.exec(next)[1];
  return next.replace(/^[\d-]+/, seats.map((s) => map.split(s).length - 1).join('-'));
}

/** Changes a region of Martian Risk; the regions of a seat keep the order of the map. */
function region(text, name, players, cells, what) {
  const round = / round \d+$/.exec(text)?.[0] ?? '';
  const [head, ...lists] = text.slice(0, text.length - round.length).split(';').map((part) => part.trim());
  const seats = lists.map((list) => list.split(' ').filter(Boolean)), owner = seats.findIndex((list) => list.some((r) => r.startsWith(`${name}:`)));
  const at = owner < 0 ? -1 : seats[owner].findIndex((r) => r.startsWith(`${name}:`));
  const [, armies, tower] = owner < 0 ? [0, '1', ''] : /:(\d+)([LMS]*)/.exec(seats[owner][at]);
  const put = (n, pieces) => { seats[owner][at] = `${name}:${n}${pieces}`; };
  if (owner < 0 || what === 'owner') {
    if (owner >= 0) seats[owner].splice(at, 1);
    seats[(owner + 1) % players].push(`${name}:${armies}`);
    seats[(owner + 1) % players].sort((x, y) => cells.indexOf(x.split(':')[0]) - cells.indexOf(y.split(':')[0]));
  } else if (what === 'tower') put(armies, { '': 'L', L: 'LM', LM: 'LMS' }[tower] ?? '');
  else put(Math.max(1, Number(armies) + (what === 'more' ? 1 : -1)), tower);
  return write(head, seats, round);
}

const write = (head, seats, round) => `${head.replace(/^[\d-]+/, seats.map((list) => list.filter((r) => r.includes(':')).length).join('-'))} ${seats.map((list) => [';', ...list].join(' ')).join(' ')}${round}`;

/** A position of Martian Risk in which all regions are dealt. @param {string[]} cells @param {number} players */
export function deal(cells, players) {
  const seats = Array.from({ length: players }, (_, p) => cells.filter((_, i) => i % players === p).map((name, i) => `${name}:${i === 0 ? '3LMS' : 2}`));
  return write('0@0 attack start 0', seats, ' round 1');
}

/** Lets cells of a drawn board be clicked. @param {HTMLElement} board @param {(name: string) => void} onCell */
export function clickable(board, onCell) {
  for (const cell of /** @type {NodeListOf<HTMLElement | SVGElement>} */ (board.querySelectorAll('[data-key^=cell-]'))) {
    cell.removeAttribute('aria-disabled');
    press(cell, () => onCell(cell.getAttribute('data-key').slice(5)));
    if (!cell.hasAttribute('tabindex')) for (const [name, value] of [['tabindex', '0'], ['role', 'button']]) cell.setAttribute(name, value);
  }
}
