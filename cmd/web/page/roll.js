// Typed dice: what was rolled on the table of the people.
import { button, fill, h } from './dom.js';
import { chanceMap } from './chance.js';

/** The input of a roll. @param {any} context */
export function rollInput(context) {
  const { view } = context;
  const send = (roll) => context.choose(roll);
  const input = h('input', { name: 'roll', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'data-key': 'roll', 'aria-describedby': 'roll-help' });
  const map = h('div');
  return h('div', {},
    h('h2', {}, 'What was rolled?'),
    view.rolls ? h('div', { class: 'pad' }, view.rolls.map((r) => button(r, () => send(r), { 'data-key': `roll-${r}` }))) : facePad(view.ask, send) ?? keyPad(view.ask, input),
    h('form', { class: 'row', onsubmit: (e) => { e.preventDefault(); if (input.value.trim()) send(input.value.trim()); } },
      h('label', {}, view.rolls ? 'or type it ' : 'or type ', input), h('button', {}, 'Enter')),
    h('p', { id: 'roll-help', class: 'note' }, `Rolled is ${view.ask}.`),
    context.values && button('What each result is worth', async () => fill(map, await chanceMap(context)), { class: 'small' }), map);
}

/**
 * Buttons for dice with faces, where the game names them as in "such as t1 r2 (tanks,
 * rays)": a tap adds a die.
 * @param {string} ask
 * @param {(roll: string) => void} send
 */
function facePad(ask, send) {
  const found = /such as ((?:[a-z]\d+ ?)+)\(([^)]*)\)/.exec(ask);
  const letters = found?.[1].trim().split(' ').map((x) => x[0]) ?? [];
  const names = found?.[2].split(', ') ?? [];
  if (!letters.length || letters.length !== names.length) return null;
  const total = Number(/^\d+/.exec(ask)?.[0]) || 0;
  const counts = letters.map(() => 0);
  const pad = h('div', { class: 'pad faces' });
  const draw = () => {
    const sum = counts.reduce((x, y) => x + y, 0);
    fill(pad, letters.map((letter, i) => h('span', { class: 'face' },
      button('−', () => { counts[i]--; draw(); }, { disabled: counts[i] === 0, 'aria-label': `One of the ${names[i]} less`, 'data-key': `less-${letter}` }),
      button(h('span', {}, h('strong', {}, counts[i]), ` ${names[i]}`), () => { counts[i]++; draw(); }, { disabled: total > 0 && sum >= total, 'aria-label': `${counts[i]} ${names[i]}: one more`, 'data-key': `more-${letter}` }))),
    h('p', { class: 'row' }, button(total ? `Enter ${sum} of ${total} dice` : 'Enter', () => send(letters.map((l, i) => (counts[i] ? l + counts[i] : '')).join('')), { class: 'primary', disabled: total > 0 && sum !== total, 'data-key': 'enter-roll' })));
  };
  draw();
  return pad;
}

/**
 * Buttons that write into the input: numbers for dice, or the letters that the game
 * explains as in "(g gems, s soda)".
 * @param {string} ask
 * @param {HTMLInputElement} input
 */
function keyPad(ask, input) {
  const letters = /\(((?:[a-z] \w+(?:, )?)+)\)/.exec(ask)?.[1].split(', ') ?? [];
  const numbers = /\b(die|dice)\b/.test(ask) ? Array.from({ length: 6 }, (_, i) => String(i + 1)) : [];
  const labels = letters.length ? letters : numbers;
  if (!labels.length) return null;
  return h('div', { class: 'pad' },
    labels.map((label) => button(label, () => { input.value += letters.length ? label[0] : `${input.value ? ' ' : ''}${label}`; })),
    button('⌫', () => { input.value = input.value.trimEnd().slice(0, -1).trimEnd(); }, { 'aria-label': 'Delete the last' }));
}
