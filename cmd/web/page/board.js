// The board of a position: seats, dice, map, places and tracks of a scene (package env/game,
// scene.go). A click on an element selects it and narrows the choices to the legal actions
// that belong to everything selected, which the list of choices then shows alone. If one is
// left, it is chosen if it belongs to nothing else, or by a second click on what it attacks.
import { button, fill, h, press, sentence, svg } from './dom.js';
import { t } from './language.js';
import { drawMap } from './map.js';
import { die, robot, seatClass, sign, swatch } from './pieces.js';

/**
 * @typedef {{kind: string, seat: number, count: number, lying?: boolean}} Piece
 * @typedef {{name: string, label?: string, text: string, at: number[], anchor?: number[], outline?: number[][][], kind?: string,
 *   power?: string, group?: string, pieces?: Piece[], mark?: string, actions?: number[]}} Cell
 * @typedef {{name: string, cells: number[], holder: number}} Group
 * @typedef {{width: number, height: number, unit: number, cells: Cell[], borders: number[][], lines?: boolean,
 *   groups?: Group[], group?: string, pays?: string, kinds?: Array<{kind: string, label: string, text: string}>}} SceneMap
 * @typedef {{score: {name: string, value: number, gain?: number, target?: number},
 *   counts?: Array<{name: string, group?: string, value: number, most?: number}>, notes?: string[]}} Seat
 * @typedef {{name: string, text?: string, dice: Array<{face: string, label?: string, count: number, actions?: number[]}>}} DiceGroup
 * @typedef {{name: string, label: string, levels: string[], at: number[], actions?: number[]}} Track
 * @typedef {{faces: Array<{text: string, name: string, label: string}>, count?: number, separator?: string}} Roll
 * @typedef {{text: string, goal: string, player: number, seats: Seat[], dice?: DiceGroup[], roll?: Roll, map?: SceneMap, places?: Cell[],
 *   tracks?: Track[], track?: string, options: Array<{action: number, name: string, text?: string}>}} Scene
 */

/**
 * What stays from scene to scene of an element: the pieces of its cells, to mark what has
 * changed, and the last choice with its selection, which is selected again where the same
 * choice is legal again.
 * @typedef {{pieces: Map<string, string>, action?: number, player?: number, keys?: string[]}} Last
 * @type {WeakMap<Element, Last>}
 */
const last = new WeakMap();

/**
 * Draws a scene into an element, and returns the board.
 * @param {HTMLElement} element
 * @param {Scene} scene
 * @param {string[]} names of the seats
 * @param {{onChoose?: (action: number) => void, onNarrow?: (actions: number[] | null) => void}} [options] Without
 *   onChoose nothing can be chosen. onNarrow is called with the actions that are left by a selection, null without one.
 */
export function drawBoard(element, scene, names, { onChoose, onNarrow } = {}) {
  const board = new Board(element, scene, names, onChoose, onNarrow);
  board.draw();
  return board;
}

export class Board {
  /** The elements that can be selected, with their actions. @type {Array<{element: HTMLElement | SVGElement, actions: number[]}>} */
  #parts = [];
  /** The outlines of the cells of the map, which are drawn above all cells. @type {Map<Element, Element>} */
  edges = new Map();
  /** @type {Set<HTMLElement | SVGElement>} */
  #selected = new Set();
  /** What actions are worth, if that is known: a text and a class. @type {Map<number, {text: string, level: string, order: number}> | null} */
  #worth = null;

  /** @type {Last} */
  last;

  constructor(element, scene, names, onChoose, onNarrow = (/** @type {number[] | null} */ _) => {}) {
    this.element = element;
    this.scene = scene;
    this.onChoose = onChoose;
    this.onNarrow = onNarrow;
    this.names = names;
    this.last = last.get(element) ?? { pieces: new Map() };
  }

  draw() {
    const { scene } = this;
    const root = h('div', { class: 'scene', onkeydown: (e) => { if (e.key === 'Escape' && this.#selected.size) this.cancel(); } },
      scene.board && h('pre', { class: 'text-board' }, scene.board),
      scene.dice && h('div', { class: 'dice-board' }, scene.dice.map((group) => this.#dice(group))),
      scene.map && h('div', { class: 'ground-row' }, drawMap(this), scene.places && h('div', { class: 'beside' }, this.#places(), scene.tracks && this.#tracks())));
    const { action, player, keys } = this.last, again = player === scene.player && scene.options.some((o) => o.action === action);
    last.set(this.element, {
      ...(again || scene.player < 0 ? this.last : {}),
      pieces: new Map([...scene.map?.cells ?? [], ...scene.places ?? []].map((c) => [c.name, JSON.stringify(c.pieces ?? [])])),
    });
    fill(this.element, root);
    this.#select(again ? this.#parts.map((p) => p.element).filter((e) => keys.includes(e.getAttribute('data-key'))) : []);
  }

  /** Shows what actions are worth where they belong. @param {Map<number, {text: string, level: string, order: number}>} worth */
  worth(worth) {
    this.#worth = worth;
    this.#value();
  }

  /** Writes on each element the best of its actions that are left. */
  #value() {
    if (!this.#worth) return;
    const left = this.#left([...this.#selected]);
    for (const p of this.#parts) {
      const open = p.actions.filter((a) => !left.length || left.includes(a));
      const best = (open.length ? open : p.actions).map((a) => this.#worth.get(a)).filter(Boolean).sort((x, y) => x.order - y.order)[0];
      if (best) this.#badge(p.element, best);
    }
  }

  #badge(element, { text, level }) {
    element.querySelector('.worth-badge')?.remove();
    element.setAttribute('data-worth', level);
    if (element instanceof SVGElement) {
      const index = this.scene.map.cells.findIndex((c) => `cell-${c.name}` === element.getAttribute('data-key'));
      const { at } = this.scene.map.cells[index], { unit } = this.scene.map, region = !this.scene.map.cells[index].kind;
      const y = at[1] + unit * (region ? (this.scene.map.cells[index].pieces ? 0.6 : 0.2) : 0.36);
      element.classList.add('valued');
      element.append(svg('g', { class: 'worth-badge' },
        svg('rect', { x: at[0] - unit * 0.38, y: y - unit * 0.2, width: unit * 0.76, height: unit * 0.28, rx: unit * 0.08 }),
        svg('text', { x: at[0], y: y + unit * 0.03, 'font-size': unit * 0.25 }, text.replace(' %', ''))));
    } else {
      element.append(h('span', { class: 'worth-badge' }, text.replace(' %', '')));
    }
  }

  /**
   * Makes an element that can be selected, if actions belong to it, and that says what it
   * shows.
   * @param {HTMLElement | SVGElement} element
   * @param {{text: string, label?: string, power?: string, group?: string, pieces?: Piece[], actions?: number[]}} what
   * @param {string} name
   */
  add(element, what, name) {
    const actions = (this.onChoose && what.actions) || [];
    const option = actions.length === 1 ? this.scene.options.find((o) => o.action === actions[0])?.text : '';
    const label = [`${what.label ?? name}: ${what.text}`, what.group && `${this.scene.map.group} ${what.group}`, option].filter(Boolean).join('; ');
    const drawn = element instanceof SVGElement;
    if (drawn || actions.length) element.setAttribute('aria-label', label);
    if (drawn) element.append(svg('title', {}, label));
    const pieces = this.last.pieces.get(name);
    if (pieces !== undefined && pieces !== JSON.stringify(what.pieces ?? [])) this.mark(element, 'changed', true);
    if (!actions.length) {
      if (drawn) element.setAttribute('aria-disabled', 'true');
      return;
    }
    this.mark(element, 'open', true);
    this.#parts.push({ element, actions });
    const click = () => this.#click(element);
    if (drawn) press(element, click);
    else element.addEventListener('click', click);
  }

  /** Gives an element and its outline a class, or takes it away. */
  mark(element, name, on) {
    element.classList.toggle(name, on);
    const edge = this.edges.get(element);
    edge?.classList.toggle(name, on);
    if (edge && on) edge.parentNode?.append(edge); // above the others
  }

  /** The actions that belong to all of some elements. */
  #left(elements) {
    const sets = this.#parts.filter((p) => elements.includes(p.element)).map((p) => p.actions);
    return sets.length ? sets[0].filter((a) => sets.every((s) => s.includes(a))) : [];
  }

  /** The actions that belong to no element, which no selection leaves out. */
  #elsewhere() {
    return this.scene.options.map((o) => o.action).filter((a) => !this.#parts.some((p) => p.actions.includes(a)));
  }

  /** The number of elements that an action belongs to and that are not selected. */
  #extra(action) {
    return this.#parts.filter((p) => p.actions.includes(action) && !this.#selected.has(p.element)).length;
  }

  #click(element) {
    const chosen = [...this.#selected], again = this.#selected.has(element);
    const both = again ? chosen : this.#left([...chosen, element]).length ? [...chosen, element] : [element];
    const left = this.#left(both);
    this.#selected = new Set(both);
    if (left.length === 1 && (this.#extra(left[0]) === 0 || again && this.#attacked(element))) this.onChoose(left[0]);
    else this.#select(again ? chosen.filter((e) => e !== element) : both);
  }

  /** Whether an element is a cell that another player holds. */
  #attacked(element) {
    const [piece] = this.scene.map?.cells.find((c) => `cell-${c.name}` === element.getAttribute('data-key'))?.pieces ?? [];
    return piece !== undefined && piece.seat !== this.scene.player;
  }

  /** Keeps what is selected for the next scene, where the same action may be legal. @param {number} action */
  chosen(action) {
    Object.assign(last.get(this.element), { action, player: this.scene.player, keys: [...this.#selected].map((e) => e.getAttribute('data-key')) });
  }

  /** Selects elements, marks what can be selected with them, and tells what is left. */
  #select(elements) {
    this.#selected = new Set(elements);
    const left = this.#left(elements);
    for (const p of this.#parts) {
      const is = this.#selected.has(p.element);
      this.mark(p.element, 'selected', is);
      this.mark(p.element, 'next', !is && p.actions.some((a) => left.includes(a)));
      p.element.setAttribute('aria-pressed', String(is));
    }
    this.element.firstElementChild.classList.toggle('narrowed', elements.length > 0);
    this.#value();
    if (this.onChoose) this.onNarrow(elements.length ? [...left, ...this.#elsewhere()] : null);
  }

  /** Marks where an action belongs. @param {number} action */
  suggest(action) {
    for (const p of this.#parts) this.mark(p.element, 'suggested', p.actions.includes(action));
  }

  /** Selects nothing. The focus goes back to what was selected, since the choices beside the board are replaced. */
  cancel() {
    const [first] = this.#selected;
    this.#select([]);
    first?.focus();
  }

  #dice(group) {
    const label = (d) => (d.face ? `${d.count} × ${d.label}` : d.actions && this.onChoose ? (d.count === 1 ? t('roll the die') : t('roll {n} dice', { n: d.count })) : d.count === 1 ? t('1 die') : t('{n} dice', { n: d.count }));
    return h('section', { class: 'dice', 'aria-label': t('Dice {group}', { group: group.name }) }, h('h2', {}, sentence(group.name), group.text && h('small', {}, group.text)),
      group.dice.length === 0 ? h('p', { class: 'note' }, t('none')) : h('div', { class: 'dice-row' }, group.dice.map((d) => {
        const dice = [h('span', { class: 'dice-set' }, Array.from({ length: d.count }, () => die(d.face))), h('span', { class: 'dice-name' }, label(d))];
        if (!d.actions || !this.onChoose) return h('div', { class: 'dice-group' }, dice);
        const element = button(dice, () => {}, { class: 'dice-group', 'data-key': `dice-${group.name}-${d.face}` });
        this.add(element, { text: group.name, actions: d.actions }, label(d));
        return element;
      })));
  }

  /** The places beside the map. */
  #places() {
    return h('ul', { class: 'places', 'aria-label': t('Places beside the map') }, this.scene.places.map((place) => {
      const attributes = { class: `place${place.mark ? ' aim' : ''}`, 'data-key': `cell-${place.name}` };
      const parts = [
        h('span', { class: 'place-robot', 'aria-hidden': 'true' }, svg('svg', { viewBox: '-12 -12 24 24' },
          svg('rect', { class: 'bay', x: -11, y: -11, width: 22, height: 22, rx: 4 }), place.pieces?.map((p) => robot(p, 20)))),
        h('span', {}, h('strong', {}, place.label), h('small', {}, place.power), h('span', { class: 'hidden' }, place.text)),
      ];
      const open = place.actions && this.onChoose;
      const element = open ? button(parts, () => {}, attributes) : h('div', attributes, parts);
      this.add(element, { ...place, text: [place.text, place.power].join('; ') }, place.name);
      return h('li', {}, element);
    }));
  }

  /** The tracks: the level of each seat that is above 0. */
  #tracks() {
    const { tracks } = this.scene;
    return h('ul', { class: 'tracks', 'aria-label': t('Tracks') }, tracks.map((track) => {
      const parts = [kindSign(track.name), h('span', {}, track.label), track.at.map((level, i) => level > 0 && h('span', { class: 'marker', title: `${this.names[i]}: ${track.levels[level]}` }, swatch(i), level))];
      if (!track.actions || !this.onChoose) return h('li', { class: 'track' }, parts);
      const element = button(parts, () => {}, { class: 'track track-name', 'data-key': `track-${track.name}` });
      this.add(element, { text: this.scene.track, label: track.label, actions: track.actions }, track.name);
      return h('li', {}, element);
    }));
  }
}

/**
 * What a board shows and how the game is won.
 * @param {Scene} scene
 * @param {string[]} names of the seats
 */
export function legend({ goal, map, tracks, track }, names) {
  const owner = (g) => (g.holder >= 0 ? t('held by {player}', { player: names[g.holder] }) : '');
  return [h('p', {}, t('Goal: {goal}.', { goal })),
    map && !map.kinds && h('p', {}, t('To attack, click a region of yours, then its neighbour, and the neighbour again to go on.')),
    map && h('p', {}, t('A red frame: changed by the last step.'), map.kinds && [' ', t('A dashed ring: a robot that you can attack. The digit on a robot is its seat.')]),
    map?.kinds && kinds(map),
    map?.groups?.length > 0 && h('p', {}, t('The letter behind a name is the {group}: {pays}.', { group: map.group, pays: map.pays })),
    map?.groups?.length > 0 && h('ul', { class: 'groups' }, map.groups.map((g) => h('li', {}, h('strong', {}, `${map.group} ${g.name}`), ` ${g.cells.map((i) => map.cells[i].name).join(', ')} ${owner(g)}`))),
    tracks && h('p', {}, t('Tracks: {text}.', { text: track })),
    tracks && h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('Tracks') }, h('table', { class: 'track-table' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('level')), tracks[0].levels.map((_, i) => h('th', { scope: 'col' }, i)))),
      h('tbody', {}, tracks.map((x) => h('tr', {}, h('th', { scope: 'row' }, x.label), x.levels.map((pay) => h('td', {}, pay)))))))];
}

/** What the kinds of cells of a map are. @param {SceneMap} map */
export function kinds(map) {
  const shown = new Set(map.cells.map((c) => c.kind));
  return h('ul', { class: 'kinds' }, map.kinds.filter((k) => shown.has(k.kind)).map((k) => h('li', {}, kindSign(k.kind), h('span', {}, h('strong', {}, k.label), ` ${k.text}`))));
}

/** The colour and the sign of a kind of cells. */
function kindSign(kind) {
  return h('span', { class: `kind kind-${kind}`, 'aria-hidden': 'true' }, svg('svg', { viewBox: '-12 -12 24 24' }, sign(kind, 16)));
}
