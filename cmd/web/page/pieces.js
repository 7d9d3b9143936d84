// What is drawn on boards: robots, armies, towers, the signs of terrain, and the faces of
// dice. Seats differ by colour (the class seat-N) and by number or pattern, kinds by shape.
import { h, svg } from './dom.js';

/** The class of a seat. @param {number} seat */
export const seatClass = (seat) => `seat-${seat}`;

const round = (x) => Math.round(x * 1000) / 1000;

/**
 * A robot with the number of its seat, from 1 on, about the origin.
 * @param {{seat: number, lying?: boolean}} piece
 * @param {number} size of the square in which it stands
 */
export function robot(piece, size) {
  const body = svg('g', { transform: `scale(${round(size / 24)})${piece.lying ? ' rotate(90)' : ''}` },
    svg('path', { class: 'robot-line', d: 'M0-9.5V-7M-7.5-1V5M7.5-1V5M-3 7v4M3 7v4' }),
    svg('circle', { class: 'robot-line robot-fill', cx: 0, cy: -10, r: 1.2 }),
    svg('rect', { class: 'robot-fill', x: -4, y: -7.5, width: 8, height: 5, rx: 1.6 }),
    svg('path', { class: 'robot-eye', d: 'M-1.9-5h.1M1.9-5h.1' }),
    svg('rect', { class: 'robot-fill', x: -6, y: -2, width: 12, height: 9.5, rx: 2 }));
  return svg('g', { class: `robot ${seatClass(piece.seat)}${piece.lying ? ' lying' : ''}` }, body,
    svg('text', { class: 'robot-seat', x: piece.lying ? round(-size * 0.115) : 0, y: piece.lying ? round(size * 0.12) : round(size * 0.235), 'font-size': round(size * 0.34) }, piece.seat + 1));
}

const pieces = { large: [10, 7.5], medium: [7, 5], small: [4, 3] }; // widths at the foot and the head, of 24
const floors = { large: 0, medium: 5.2, small: 10.4 }; // of 24, above the foot

/**
 * A number of armies and the tower of their region, about the origin.
 * @param {Array<{kind: string, seat: number, count: number}>} list
 * @param {number} size of the square in which they stand
 */
export function garrison(list, size) {
  const army = list.find((p) => p.kind === 'army');
  const tower = list.filter((p) => p.kind in pieces);
  const seat = list[0].seat, k = size / 24, left = tower.length ? -5.5 : 0;
  return svg('g', { class: seatClass(seat), transform: `scale(${round(k)})` },
    svg('circle', { class: 'army', cx: left, cy: 0, r: 8 }),
    svg('text', { class: 'army-count', x: left, y: 3.7, 'font-size': 10.5 }, army?.count ?? 0),
    tower.map((p) => {
      const [foot, head] = pieces[p.kind], y = 8 - floors[p.kind];
      return svg('path', { class: 'tower', d: `M${9 - foot / 2} ${y}h${foot}l${(head - foot) / 2}-5h${-head}z` });
    }));
}

/** Paths of the signs in a square of 24. */
const signs = {
  gem: ['M6 4h12l4 6-10 11L2 10zM2 10h20M8.5 10 12 21l3.5-11L12 4z'],
  soda: ['M12 2C9 8 5 11 5 15.5a7 7 0 0 0 14 0C19 11 15 8 12 2z', 'M9 16a3 3 0 0 0 3 3'],
  metal: ['M12 2l8.7 5v10L12 22 3.3 17V7z', 'M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0'],
  turf: ['M12 21C12 13 11 8 7 4M12 21c0-7 2-11 6-15M12 21C10 16 7 13 2 12M12 21c2-5 5-7 10-8'],
  stone: ['M2 20 7 9l5-4 6 5 4 10zM7 9l4 4 7-3M11 13l-2 7'],
  station: ['M2 19h20M4 19a8 8 0 0 1 16 0M10 19v-4h4v4', 'M12 11V4', 'M9.5 5.5a3.5 3.5 0 0 1 5 0M7.5 3.5a6.4 6.4 0 0 1 9 0'],
};

/**
 * The sign of a kind of cell, or null if it has none.
 * @param {string} kind
 * @param {number} size
 */
export function sign(kind, size) {
  return signs[kind] && svg('g', { class: 'sign', transform: `scale(${round(size / 24)}) translate(-12 -12)` }, signs[kind].map((d) => svg('path', { d })));
}

/** Drawings of faces in a square of 24: filled paths, then lines. */
const faces = {
  tank: [['M2 13h20l-2.5 6.5h-15z', 'M7 8h7v4H7z', 'M14 9h8v1.8h-8z'], []],
  ray: [['M14 1.5 4.5 13.5h6L9 22.5l10.5-13h-6.2z'], []],
  human: [['M12 2a3.6 3.6 0 1 0 .01 0z', 'M5.5 22c0-9 2-12 6.5-12s6.5 3 6.5 12z'], []],
  cow: [['M7 8h10l-1 9q-.5 4.5-4 4.5T8 17z', 'M7 9 1.5 8 3 12l4.3.5zM17 9l5.5-1L21 12l-4.3.5z'], ['M7.5 8Q4.5 6.5 5 2.5M16.5 8q3-1.5 2.5-5.5']],
  chicken: [['M9 9c0-3 1.2-5 3.5-5S16 6 16 8.5c3 2 4.5 4 4.5 6.5 0 4-3.5 5.5-8 5.5S4 18.5 3 11.5c2 1.5 4 1.5 6-2.5z', 'M16 7.5l4 1.2-4 1.5z', 'M10 4.5 10.5 1.5l1.5 1.7L13.5 1l.8 3.2z'], ['M10.5 20v3M14 20v3']],
};

const pips = { 1: [[12, 12]], 2: [[7, 7], [17, 17]], 3: [[6, 6], [12, 12], [18, 18]], 4: [[7, 7], [17, 7], [7, 17], [17, 17]], 5: [[6, 6], [18, 6], [12, 12], [6, 18], [18, 18]], 6: [[7, 5.5], [17, 5.5], [7, 12], [17, 12], [7, 18.5], [17, 18.5]] };

/**
 * A die with a face: a number, one of the drawings, or another word as its initial; "" is a
 * die that is not rolled yet.
 * @param {string} face
 */
export function die(face) {
  let inside = svg('text', { x: 18, y: 24.5, class: 'die-text' }, /^\d/.test(face) ? face : face.slice(0, 1).toUpperCase());
  if (face === '') inside = svg('text', { x: 18, y: 24.5, class: 'die-text die-open' }, '?');
  else if (pips[face]) inside = svg('g', { transform: 'translate(6 6)' }, pips[face].map(([cx, cy]) => svg('circle', { cx, cy, r: 2.6, class: 'pip' })));
  else if (faces[face]) {
    const [areas, lines] = faces[face];
    inside = svg('g', { transform: 'translate(6 6)', class: 'face' }, areas.map((d) => svg('path', { d })), lines.map((d) => svg('path', { d, class: 'face-line' })));
  }
  return svg('svg', { viewBox: '0 0 36 36', class: `die ${face === '' ? 'open' : `face-${face}`}`, 'aria-hidden': 'true' },
    svg('rect', { x: 1.5, y: 1.5, width: 33, height: 33, rx: 7, class: 'die-body' }), inside);
}

const lines = ['', 'M-2 8 8-2M-2 18 18-2M8 18l10-10', '', 'M0 4h16M0 12h16', 'M0 8h16M8 0v16', 'M4 0v16M12 0v16', 'M-2 8 8 18M-2-2l20 20M8-2l10 10', '', 'M0 8q4-6 8 0t8 0', 'M0 0l8 8 8-8M0 12l8 8 8-8'];

/**
 * The pattern of a seat, with an id for url(#...). The first seat has none.
 * @param {number} seat
 * @param {string} id
 * @param {number} size of its square
 */
export function pattern(seat, id, size) {
  const k = size / 16;
  return svg('pattern', { id, class: `weave ${seatClass(seat)}`, width: 16, height: 16, patternUnits: 'userSpaceOnUse', patternTransform: `scale(${round(k)})` },
    svg('rect', { width: 16, height: 16, class: 'weave-ground' }),
    lines[seat] && svg('path', { d: lines[seat], class: 'weave-line' }),
    seat === 2 && svg('path', { d: 'M4 4h.01M12 12h.01', class: 'weave-dot' }),
    seat === 7 && svg('path', { d: 'M4 4h.01M12 4h.01M4 12h.01M12 12h.01', class: 'weave-dot' }));
}

let next = 0;

/** A number that is new on the page, for ids. */
export const serial = () => ++next;

/** The colour and the pattern of a seat, with its number from 1 on. @param {number} seat */
export function swatch(seat) {
  const id = `swatch-${serial()}`;
  return h('span', { class: 'swatch', 'aria-hidden': 'true' }, svg('svg', { viewBox: '0 0 24 24', class: seatClass(seat) },
    svg('defs', {}, pattern(seat, id, 12)),
    svg('rect', { x: 1, y: 1, width: 22, height: 22, rx: 6, fill: `url(#${id})`, class: 'swatch-edge' }),
    svg('circle', { cx: 12, cy: 12, r: 7.5, class: 'army' }),
    svg('text', { x: 12, y: 16, class: 'army-count', 'font-size': 11 }, seat + 1)));
}
