// The board of a position: seats, dice, map, places and tracks of a scene (package env/game,
// scene.go). A click on an element selects it and narrows the choices to the legal actions
// that belong to everything selected; what is left of them is offered as buttons. If one is
// left, and it belongs to nothing else, it is chosen.
import { button, fill, h, say, sentence, svg } from './dom.js';
import { drawMap } from './map.js';
import { die, robot, seatClass, sign, swatch } from './pieces.js';

/**
 * @typedef {{kind: string, seat: number, count: number, lying?: boolean}} Piece
 * @typedef {{name: string, text: string, at: number[], anchor?: number[], outline?: number[][][], kind?: string,
 *   power?: string, group?: string, pieces?: Piece[], mark?: string, actions?: number[]}} Cell
 * @typedef {{name: string, cells: number[], holder: number}} Group
 * @typedef {{width: number, height: number, unit: number, cells: Cell[], borders: number[][], lines?: boolean,
 *   groups?: Group[], group?: string, pays?: string, kinds?: Array<{kind: string, text: string}>}} SceneMap
 * @typedef {{score: {name: string, value: number, gain?: number, target?: number},
 *   counts?: Array<{name: string, value: number, most?: number}>, notes?: string[]}} Seat
 * @typedef {{name: string, text?: string, dice: Array<{face: string, count: number, actions?: number[]}>}} DiceGroup
 * @typedef {{name: string, levels: string[], at: number[], actions?: number[]}} Track
 * @typedef {{faces: Array<{text: string, name: string}>, count?: number, separator?: string}} Roll
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
 * Draws a scene into an element.
 * @param {HTMLElement} element
 * @param {Scene} scene
 * @param {{onChoose?: (action: number) => void, names?: string[]}} [options] Without onChoose nothing
 *   can be chosen. names are those of the seats.
 */
export function drawBoard(element, scene, { onChoose, names } = {}) {
  new Board(element, scene, onChoose, names).draw();
}

export class Board {
  /** The elements that can be selected, with their actions. @type {Array<{element: HTMLElement | SVGElement, actions: number[]}>} */
  #parts = [];
  /** The outlines of the cells of the map, which are drawn above all cells. @type {Map<Element, Element>} */
  edges = new Map();
  /** @type {Set<HTMLElement | SVGElement>} */
  #selected = new Set();
  #picker = h('div', { class: 'picker', role: 'group', 'aria-label': 'Choices of the selection' });

  /** @type {Last} */
  last;

  constructor(element, scene, onChoose, names) {
    this.element = element;
    this.scene = scene;
    this.onChoose = onChoose;
    this.names = names ?? scene.seats.map((_, seat) => `Seat ${seat}`);
    this.last = last.get(element) ?? { pieces: new Map() };
  }

  draw() {
    const { scene } = this, legend = /** @type {HTMLDetailsElement} */ (this.element.querySelector('.legend-box'));
    const root = h('div', { class: 'scene', onkeydown: (e) => { if (e.key === 'Escape' && this.#selected.size) this.#cancel(root); } },
      h('p', { class: 'scene-text' }, sentence(scene.text)), h('p', { class: 'note goal' }, 'Goal: ', scene.goal, '.'),
      this.#seats(),
      scene.dice?.map((group) => this.#dice(group)),
      h('div', { class: 'ground-row' }, scene.map && drawMap(this), scene.places && this.#places()),
      scene.tracks && this.#tracks(), this.#picker, scene.map && this.#legend());
    if (legend) root.querySelector('.legend-box').toggleAttribute('open', legend.open);
    const { action, player, keys } = this.last, again = player === scene.player && scene.options.some((o) => o.action === action);
    last.set(this.element, {
      ...(again || scene.player < 0 ? this.last : {}),
      pieces: new Map([...scene.map?.cells ?? [], ...scene.places ?? []].map((c) => [c.name, JSON.stringify(c.pieces ?? [])])),
    });
    this.#select(root, again ? this.#parts.map((p) => p.element).filter((e) => keys.includes(e.getAttribute('data-key'))) : []);
    fill(this.element, root);
  }

  /**
   * Makes an element that can be selected, if actions belong to it, and that says what it
   * shows.
   * @param {HTMLElement | SVGElement} element
   * @param {{text: string, power?: string, group?: string, pieces?: Piece[], actions?: number[]}} what
   * @param {string} name
   */
  add(element, what, name) {
    const actions = (this.onChoose && what.actions) || [];
    const option = actions.length === 1 ? this.scene.options.find((o) => o.action === actions[0])?.text : '';
    const label = [`${name}: ${what.text}`, what.group && `${this.scene.map.group} ${what.group}`, option].filter(Boolean).join('; ');
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
    element.addEventListener('click', click);
    if (drawn) {
      element.addEventListener('keydown', (e) => {
        if (e.key !== 'Enter' && e.key !== ' ') return;
        e.preventDefault();
        click();
      });
    }
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

  /** The number of elements that an action belongs to and that are not selected. */
  #extra(action) {
    return this.#parts.filter((p) => p.actions.includes(action) && !this.#selected.has(p.element)).length;
  }

  #click(element) {
    const chosen = [...this.#selected], again = this.#selected.has(element);
    const both = again ? chosen : this.#left([...chosen, element]).length ? [...chosen, element] : [element];
    const left = this.#left(both);
    this.#selected = new Set(both);
    if (left.length === 1 && this.#extra(left[0]) === 0) this.#choose(left[0]);
    else this.#select(this.element.firstElementChild, again ? chosen.filter((e) => e !== element) : both);
  }

  #choose(action) {
    Object.assign(last.get(this.element), { action, player: this.scene.player, keys: [...this.#selected].map((e) => e.getAttribute('data-key')) });
    this.onChoose(action);
  }

  /** Selects elements, marks what can be selected with them, and offers what is left. */
  #select(root, elements) {
    this.#selected = new Set(elements);
    const left = this.#left(elements);
    for (const p of this.#parts) {
      const is = this.#selected.has(p.element);
      this.mark(p.element, 'selected', is);
      this.mark(p.element, 'next', !is && p.actions.some((a) => left.includes(a)));
      p.element.setAttribute('aria-pressed', String(is));
    }
    root.classList.toggle('narrowed', elements.length > 0);
    if (!this.onChoose) return;
    const open = new Set(this.#parts.flatMap((p) => p.actions));
    const options = this.scene.options.filter((o) => (elements.length ? left.includes(o.action) : !open.has(o.action)));
    options.sort((x, y) => this.#extra(x.action) - this.#extra(y.action));
    const hint = open.size > 0 && !elements.length && h('p', { class: 'note' }, options.length ? 'Choose on the board, or:' : 'Choose on the board.');
    fill(this.#picker, hint, options.map((o) => button([h('strong', {}, o.name), o.text && h('span', { class: 'about' }, o.text)], () => this.#choose(o.action), { 'data-key': `pick-${o.name}` })),
      elements.length > 0 && button('Cancel', () => this.#cancel(root), { class: 'cancel' }));
    if (elements.length) say(`${options.length} choices below the board. Select more to narrow them.`);
  }

  /** Selects nothing. The focus goes back to what was selected, since the choices below the board are replaced. */
  #cancel(root) {
    const [first] = this.#selected;
    this.#select(root, []);
    first.focus();
  }

  /** The seats with what they have, a row each. */
  #seats() {
    const { seats, player } = this.scene;
    const [{ score, counts = [] }] = seats;
    return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Seats' }, h('table', { class: 'seats' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'seat')), h('th', { scope: 'col' }, score.name), counts.map((c) => h('th', { scope: 'col' }, c.name)))),
      h('tbody', {}, seats.map((seat, i) => h('tr', { class: `${seatClass(i)}${player === i ? ' mover' : ''}` },
        h('th', { scope: 'row' }, h('div', { class: 'seat-name' }, swatch(i), this.names[i]),
          player === i && h('span', { class: 'chip to-move' }, 'to move'), seat.notes?.map((note) => h('span', { class: 'chip' }, note))),
        h('td', { class: 'score' }, total(seat.score)),
        seat.counts?.map((c) => h('td', { class: c.value ? '' : 'none' }, c.value, c.most && h('small', {}, ` of ${c.most}`))))))));
  }

  #dice(group) {
    const label = (d) => (d.face ? `${d.count} × ${d.face}` : d.actions && this.onChoose ? `roll ${d.count === 1 ? 'the die' : `${d.count} dice`}` : `${d.count} ${d.count === 1 ? 'die' : 'dice'}`);
    return h('section', { class: 'dice', 'aria-label': `Dice ${group.name}` }, h('h2', {}, sentence(group.name), group.text && h('small', {}, group.text)),
      group.dice.length === 0 ? h('p', { class: 'note' }, 'none') : h('div', { class: 'dice-row' }, group.dice.map((d) => {
        const dice = [h('span', { class: 'dice-set' }, Array.from({ length: d.count }, () => die(d.face))), h('span', { class: 'dice-name' }, label(d))];
        if (!d.actions || !this.onChoose) return h('div', { class: 'dice-group' }, dice);
        const element = button(dice, () => {}, { class: 'dice-group', 'data-key': `dice-${group.name}-${d.face}` });
        this.add(element, { text: group.name, actions: d.actions }, label(d));
        return element;
      })));
  }

  /** The places beside the map. */
  #places() {
    return h('ul', { class: 'places', 'aria-label': 'Places beside the map' }, this.scene.places.map((place) => {
      const attributes = { class: `place${place.mark ? ' aim' : ''}`, 'data-key': `cell-${place.name}` };
      const parts = [
        h('span', { class: 'place-robot', 'aria-hidden': 'true' }, svg('svg', { viewBox: '-12 -12 24 24' },
          svg('rect', { class: 'bay', x: -11, y: -11, width: 22, height: 22, rx: 4 }), place.pieces?.map((p) => robot(p, 20)))),
        h('span', {}, h('strong', {}, place.name), h('small', {}, place.power), h('span', { class: 'hidden' }, place.text)),
      ];
      const open = place.actions && this.onChoose;
      const element = open ? button(parts, () => {}, attributes) : h('div', attributes, parts);
      this.add(element, { ...place, text: [place.text, place.power].join('; ') }, place.name);
      return h('li', {}, element);
    }));
  }

  /** What the kinds and groups of cells mean. */
  #legend() {
    const { map } = this.scene;
    const owner = (g) => (g.holder >= 0 ? `held by ${this.names[g.holder]}` : '');
    return h('details', { class: 'legend-box', open: true }, h('summary', {}, 'What the map shows'),
      map.kinds && h('ul', { class: 'kinds' }, map.kinds.map((k) => h('li', {}, kindSign(k.kind), h('span', {}, h('strong', {}, k.kind), ` ${k.text}`)))),
      map.groups?.length > 0 && h('p', {}, `The letter behind a name is the ${map.group}: ${map.pays}.`),
      map.groups?.length > 0 && h('ul', { class: 'groups' }, map.groups.map((g) => h('li', {}, h('strong', {}, `${map.group} ${g.name}`), ` ${g.cells.map((i) => map.cells[i].name).join(', ')} ${owner(g)}`))));
  }

  #trackName(track) {
    const name = [kindSign(track.name), track.name];
    if (!track.actions || !this.onChoose) return name;
    const element = button(name, () => {}, { class: 'track-name', 'data-key': `track-${track.name}` });
    this.add(element, { text: this.scene.track, actions: track.actions }, track.name);
    return element;
  }

  #tracks() {
    const { tracks, seats } = this.scene;
    return h('section', { class: 'tracks' }, h('h2', {}, 'Tracks', h('small', {}, this.scene.track)),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Tracks' }, h('table', { class: 'track-table' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'level'), tracks[0].levels.map((_, i) => h('th', { scope: 'col' }, i)))),
        h('tbody', {}, tracks.map((t) => h('tr', {}, h('th', { scope: 'row' }, this.#trackName(t)),
          t.levels.map((pay, level) => h('td', {}, h('span', { class: 'pay' }, pay.split(', ').map((line) => h('span', {}, line))),
            h('span', { class: 'markers' }, seats.map((_, i) => t.at[i] === level && h('span', {}, swatch(i), h('span', { class: 'hidden' }, this.names[i]))))))))))));
  }
}

/** A score: what is sure, what the turn in progress would add, and how far it is to the target. */
function total({ value, gain = 0, target = 0 }) {
  const width = (n) => (100 * Math.min(n, target)) / target;
  return [h('strong', {}, value), gain > 0 && h('span', { class: 'gain' }, ` + ${gain}`), target > 0 && h('small', {}, ` of ${target}`),
    target > 0 && svg('svg', { class: 'bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      svg('rect', { class: 'bar-ground', width: 100, height: 6 }),
      svg('rect', { class: 'bar-gain', width: width(value + gain), height: 6 }),
      svg('rect', { class: 'bar-value', width: width(value), height: 6 }))];
}

/** The colour and the sign of a kind of cells. */
function kindSign(kind) {
  return h('span', { class: `kind kind-${kind}`, 'aria-hidden': 'true' }, svg('svg', { viewBox: '-12 -12 24 24' }, sign(kind, 16)));
}
