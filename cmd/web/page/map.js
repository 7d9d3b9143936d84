// The map of a scene as SVG. Each cell is a button; one of them can be reached by Tab, and
// the arrow keys move between them.
import { h, svg } from './dom.js';
import { t } from './language.js';
import { garrison, pattern, robot, seatClass, serial, sign } from './pieces.js';

/** @typedef {import('./board.js').Cell} Cell */
/** @typedef {import('./board.js').Board} Board */

const path = (outline) => outline.map((ring) => `M${ring.map((p) => p.join(' ')).join('L')}z`).join('');

/**
 * Draws a map.
 * @param {Board} board
 * @returns {HTMLElement}
 */
export function drawMap(board) {
  const { map, seats } = board.scene, id = serial();
  const named = map.cells.every((c) => /^[a-z]\d+$/.test(c.name)); // by column and row
  const margin = named ? 0.45 * map.unit : 0;
  const weave = (seat) => `weave-${id}-${seat}`;
  const root = svg('svg', {
    class: 'map', role: 'group', 'aria-label': named ? t('Map of {n} cells. Arrow keys move on it.', { n: map.cells.length }) : t('Map of {n} regions. Arrow keys move on it.', { n: map.cells.length }),
    viewBox: `${-margin} ${-margin} ${map.width + margin} ${map.height + margin}`,
  }, svg('defs', {}, seats.map((_, seat) => pattern(seat, weave(seat), map.unit * 0.24))));
  root.style.setProperty('--units', String((map.width + margin) / map.unit));
  root.style.setProperty('--ratio', String((map.width + margin) / (map.height + margin)));
  if (named) root.append(rulers(map));
  if (map.lines) root.append(svg('g', { class: 'border-lines' }, map.borders.map(([i, k]) => line(map.cells[i].at, map.cells[k].at))));
  const cells = map.cells.map((cell) => drawCell(board, cell, weave));
  const order = ['edge', 'open', 'changed']; // the last on top
  root.append(...cells, svg('g', { class: 'edges' }, order.map((name) => [...board.edges.values()].filter((edge) => edge.classList.contains(name)))));
  const box = h('div', { class: 'map-box' }, root);
  moveByArrows(board, box, cells);
  return box;
}

const line = (a, b) => svg('path', { d: `M${a.join(' ')}L${b.join(' ')}` });

/** The letters of the columns and the numbers of the rows. */
function rulers(map) {
  const size = map.unit * (map.width > 6 * map.unit ? 0.3 : 0.22), columns = new Map(), rows = new Map();
  for (const cell of map.cells) {
    columns.set(cell.name[0], cell.at[0]);
    rows.set(cell.name.slice(1), cell.at[1]);
  }
  return svg('g', { class: 'rulers', 'font-size': size, 'aria-hidden': 'true' },
    [...columns].map(([text, x]) => svg('text', { x, y: -size * 0.45 }, text)),
    [...rows].map(([text, y]) => svg('text', { x: -size * 0.75, y: y + size * 0.35 }, text)));
}

/** Draws a cell with what stands on it. */
function drawCell(board, cell, weave) {
  const { unit } = board.scene.map;
  const region = !cell.kind, owner = cell.pieces?.[0]?.seat ?? -1;
  const [x, y] = cell.at, move = (dx, dy) => `translate(${x + dx * unit} ${y + dy * unit})`;
  const parts = [region && owner >= 0 ? svg('path', { class: 'woven', d: path(cell.outline), fill: `url(#${weave(owner)})` }) : svg('path', { class: 'ground', d: path(cell.outline) })];
  if (cell.anchor) parts.push(svg('g', { class: 'leader' }, line(cell.anchor, cell.at)), svg('circle', { class: 'callout', cx: x, cy: y, r: unit * 0.47 }));
  if (region) {
    parts.push(svg('text', { class: 'cell-name', x, y: y - unit * 0.2, 'font-size': unit * 0.36 }, cell.name, cell.group && svg('tspan', { class: 'cell-group', dx: unit * 0.04, 'font-size': unit * 0.31 }, cell.group)));
    if (cell.pieces?.length) parts.push(svg('g', { transform: move(0, 0.18) }, garrison(cell.pieces, unit * 0.78)));
  } else {
    const icon = sign(cell.kind, cell.kind === 'station' ? unit * 0.66 : unit * 0.29);
    if (icon) parts.push(svg('g', { transform: cell.kind === 'station' ? move(0, 0) : move(-0.32, -0.32) }, icon));
    for (const piece of cell.pieces ?? []) parts.push(svg('g', { transform: move(0, 0.04) }, robot(piece, unit * 0.8)));
  }
  if (cell.mark) parts.push(svg('circle', { class: `aim aim-${cell.mark}`, cx: x, cy: y, r: unit * 0.47 }));
  if (!region && board.onChoose && cell.actions) parts.push(svg('circle', { class: cell.pieces ? 'legal-piece' : 'legal', cx: x, cy: y, r: unit * (cell.pieces ? 0.46 : 0.11) }));
  const element = svg('g', {
    class: `cell ${region ? 'region' : `kind-${cell.kind}`} ${owner >= 0 ? seatClass(owner) : ''}`, tabindex: -1, role: 'button',
    'data-key': `cell-${cell.name}`,
  }, parts);
  board.edges.set(element, svg('path', { class: `edge ${region ? 'border' : ''}`, d: path(cell.outline) })); // above all cells
  board.add(element, cell, cell.name);
  return element;
}

/**
 * Moves the focus to the nearest cell in the direction of an arrow key. The box listens, since
 * an SVG element that listens to the focus takes it.
 */
function moveByArrows(board, box, elements) {
  const { cells } = board.scene.map;
  const first = Math.max(0, cells.findIndex((c) => c.actions));
  elements[first].setAttribute('tabindex', '0');
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  box.addEventListener('focusin', (event) => {
    const at = elements.indexOf(event.target);
    if (at >= 0) elements.forEach((e, i) => e.setAttribute('tabindex', i === at ? '0' : '-1'));
    if (at >= 0) board.mark(elements[at], 'focused', elements[at].matches(':focus-visible'));
  });
  box.addEventListener('focusout', (event) => board.mark(event.target, 'focused', false));
  box.addEventListener('keydown', (event) => {
    const at = elements.indexOf(event.target), arrow = arrows[event.key];
    if (at < 0 || !arrow) return;
    event.preventDefault();
    const [x, y] = cells[at].at;
    let best = -1, least = Infinity;
    cells.forEach((cell, i) => {
      const dx = cell.at[0] - x, dy = cell.at[1] - y;
      const along = dx * arrow[0] + dy * arrow[1], aside = Math.abs(dx * arrow[1]) + Math.abs(dy * arrow[0]);
      if (along > 0 && aside <= 1.5 * along && along + 2 * aside < least) [best, least] = [i, along + 2 * aside];
    });
    if (best >= 0) elements[best].focus();
  });
}
