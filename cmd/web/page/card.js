// The result card of an ended game: why it ended so, in one sentence and one picture.
import { callOnce } from './api.js';
import { absolute, isLocal, link, write } from './address.js';
import { personOf } from './deck.js';
import { button, copy, failure, fill, h, save, sentence } from './dom.js';
import { t } from './language.js';
import * as numbers from './numbers.js';
import { reviewOf, usual } from './review.js';
import { verdict } from './verdict.js';

/** @typedef {import('./numbers.js').Num} Num */

/** The seat that the card is about: that of the only person, else the first. */
function seatOf(view) {
  return Math.max(0, personOf(view.address));
}

/** The parts of the result of a seat whose signs are known, with names for a picture and a sentence. @returns {{name: string, by: string, n: Num}[]} */
function parts(view, r) {
  const seat = seatOf(view), { luck, losses, others } = r.seats[seat], you = personOf(view.address) >= 0;
  const rivals = view.names.filter((_, i) => i !== seat), of = (player) => t('{player}’s choices', { player });
  const theirs = rivals.length > 1 ? t('the opponents’ choices') : of(sentence(rivals[0] ?? ''));
  return [
    { name: t('Luck'), by: t('the dice'), n: luck },
    r.priced.includes(seat) && { name: you ? t('Your choices') : of(numbers.nameOf(view, seat)), by: you ? t('your choices') : t('its choices'), n: { ...losses, value: -losses.value, low: -losses.high, high: -losses.low } },
    r.exact && rivals.length > 0 && { name: sentence(theirs), by: theirs, n: others },
  ].filter((part) => part && numbers.sure(part.n));
}

/** Why the game has ended so, in a sentence. */
export function why(view, r) {
  const { unit } = view, you = personOf(view.address) >= 0;
  const text = ({ by, n }, i) => {
    const whom = you ? t('you') : i ? t('it') : numbers.nameOf(view, seatOf(view));
    const values = { by, whom, amount: `${numbers.loss({ ...n, value: Math.abs(n.value) }, unit)}${unit && ` ${unit}`}` };
    if (n.exact && Math.abs(n.value) < 1e-9) return t('{by} cost {whom} nothing', values);
    return n.value < 0 ? t('{by} cost {whom} {amount}', values) : unit ? t('{by} saved {whom} {amount}', values) : t('{by} gave {whom} {amount}', values);
  };
  const list = parts(view, r).map(text), last = list.pop();
  if (!last) return t('The estimates are too uncertain to tell luck from mistakes.');
  const all = list.length ? t('{list} and {last}', { list: list.join(t(', ')), last }) : last;
  return unit ? t('{text}.', { text: sentence(all) }) : t('Counted in chance of winning, {text}.', { text: all });
}

/** The most expensive step: the position before the costliest choice of the seat or, without a mistake, before its worst luck. */
function dearest(view, r) {
  const seat = seatOf(view), mistake = r.mistakes.find((m) => m.seat === seat);
  if (mistake) return mistake.step;
  const falls = r.points.slice(1).map((p, k) => r.points[k].values[seat].value - p.values[seat].value);
  return falls.indexOf(Math.max(...falls));
}

const width = 1200, height = 630; // of pictures in link previews
const colours = { paper: '#fffdfb', ink: '#2a2420', soft: '#655a52', edge: '#ddd3c9', line: '#a33f22', good: '#2c6b35', bad: '#a12424' }; // the light ones of page.css
const font = 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif'; // as in page.css

/** The picture: the result, the sentence, the curve of the values of the seat, and the parts as bars. */
function picture(view, r) {
  const reason = why(view, r), canvas = h('canvas', { width, height, class: 'picture', role: 'img', 'aria-label': `${view.result[0]} ${reason}` });
  const c = canvas.getContext('2d');
  const write = (text, x, y, size, colour = colours.ink, weight = 400, align = 'start') => {
    Object.assign(c, { font: `${weight} ${size}px ${font}`, fillStyle: colour, textAlign: align });
    c.fillText(text, x, y);
  };
  c.fillStyle = colours.paper;
  c.fillRect(0, 0, width, height);
  c.fillStyle = colours.line;
  c.fillRect(0, 0, width, 12);
  write(view.title, 60, 70, 32, colours.soft);
  write(view.result[0], 60, 138, 60, colours.ink, 700);
  let y = 196, row = '';
  for (const word of [...reason.replaceAll(' %', '\u00a0%').match(/[^ \u3000-\uffef]+|[\u3000-\uffef][，。]?| /g), '']) {
    c.font = `400 34px ${font}`;
    if (word && c.measureText(`${row}${word}`).width < width - 130) {
      row += word;
      continue;
    }
    write(row.trim(), 60, y, 34);
    [row, y] = [word, y + 44];
  }
  curve(c, write, view, r);
  bars(c, write, view, r);
  write(`marsgym · ${r.exact ? t('exact values') : t('estimated values')}`, width - 60, height - 20, 26, colours.soft, 400, 'end');
  return canvas;
}

/** The value of the seat after each step, and where it made mistakes. */
function curve(c, write, view, r) {
  const seat = seatOf(view), { unit } = view, at = { x: 140, y: 370, w: 560, h: 210 };
  const values = r.points.map((p) => numbers.amount(p.values[seat], unit));
  const low = unit ? Math.min(...values) : 0, high = unit ? Math.max(...values, low + 1) : 100;
  const px = (k) => at.x + (at.w * k) / Math.max(1, values.length - 1), py = (v) => at.y + at.h * (1 - (v - low) / (high - low));
  write(unit ? t('Expected {unit}', { unit }) : t('Chance of winning'), 60, at.y - 24, 28, colours.soft);
  for (const v of [low, (low + high) / 2, high]) {
    c.fillStyle = colours.edge;
    c.fillRect(at.x, py(v), at.w, 2);
    write(unit ? numbers.fixed(v, 1) : `${v} %`, at.x - 12, py(v) + 9, 26, colours.soft, 400, 'end');
  }
  Object.assign(c, { strokeStyle: colours.line, lineWidth: 5, lineJoin: 'round' });
  c.beginPath();
  values.forEach((v, k) => c.lineTo(px(k), py(v)));
  c.stroke();
  for (const m of r.mistakes.filter((d) => d.seat === seat)) {
    const judged = verdict(m.loss, unit);
    if (judged) write(judged.sign, px(m.step), Math.min(at.y + at.h - 8, Math.max(at.y + 28, py(values[m.step]) - 12)), 34, colours.bad, 700, 'center');
  }
}

/** The parts of the result, to both sides of nothing. */
function bars(c, write, view, r) {
  const list = parts(view, r), most = Math.max(...list.map(({ n }) => Math.abs(n.value)), 1e-9), middle = 945, half = 195;
  list.forEach(({ name, n }, i) => {
    const y = 346 + 84 * i, w = (half * Math.abs(n.value)) / most;
    const amount = n.exact ? numbers.part(n.value, view.unit) : `${numbers.signed(n, view.unit)}${view.unit ? '' : ' %'}`;
    write(name, middle - half, y, 26, colours.soft);
    write(`${n.value > 0 ? '+' : ''}${amount}`, middle + half, y, 26, colours.ink, 700, 'end');
    c.fillStyle = n.value < 0 ? colours.bad : colours.good;
    c.fillRect(n.value < 0 ? middle - w : middle, y + 12, w, 20);
    c.fillStyle = colours.ink;
    c.fillRect(middle - 1, y + 8, 2, 28);
  });
}

/** Whether the values of a game are exact, so that its review takes a moment. */
async function solved({ game, players }) {
  return (await callOnce('agents', { game, players })).some((a) => a.name === 'exact');
}

/** Fills an element with what a review of the game makes: at once if the game is solved, else when asked. */
async function reviewed(element, context, draw, ask) {
  const load = async () => {
    fill(element, t('Computing…'));
    try {
      const { result } = await reviewOf(context, usual, context.signal);
      fill(element, result.points.length > 1 && draw(result));
    } catch (error) {
      if (error.name !== 'AbortError') fill(element, failure(error, load));
    }
  };
  try {
    if (await solved(context.address)) await load();
    else fill(element, ask && button(t('Compute the result card, in about {n} s', { n: usual / 1000 }), load));
  } catch (error) {
    context.error(error);
  }
}

/** Fills a line with the sentence, if the game is solved. @param {HTMLElement} line @param {any} context */
export function tellWhy(line, context) {
  reviewed(line, context, (r) => why(context.view, r), false);
}

/** Draws the card with what shares it. @param {HTMLElement} element @param {any} context */
export function card(element, context) {
  const { view } = context, a = view.address;
  reviewed(element, context, (r) => {
    const drawn = picture(view, r), told = h('span', { class: 'copied', role: 'status' });
    const text = h('textarea', { rows: 4, readonly: true, 'aria-label': t('The result as text'), value: '' });
    text.value = `${view.title}: ${view.result[0]} ${why(view, r)}\n${absolute(link('play', write(a, { step: dearest(view, r) })))}`;
    const name = `marsgym-${a.game}-${a.seed}.png`;
    return [drawn, text, h('p', { class: 'row' },
      button(t('Copy the text'), async () => fill(told, (await copy(text)) ? t('Copied ✓') : t('The text is selected: copy it by Ctrl-C or the menu.')), { class: 'primary' }),
      button(t('Save the picture'), () => drawn.toBlob((blob) => { save(name, blob); fill(told, t('Saved as {name} ✓', { name })); })), told),
    h('p', { class: 'note' }, t('The link opens the game at its most expensive moment.'), isLocal() && [' ', t('This page runs on your computer, and so the link works only here.')])];
  }, true);
}
