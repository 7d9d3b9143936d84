// Typed dice: what was rolled on the table of the people.
import { button, fill, h, sentence } from './dom.js';
import { chanceMap } from './chance.js';
import { t } from './language.js';
import { die } from './pieces.js';

/** The input of a roll. @param {any} context */
export function rollInput(context) {
  const { view } = context;
  const input = h('input', { name: 'roll', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'data-key': 'roll', 'aria-describedby': 'roll-error roll-help' });
  const wrong = h('p', { id: 'roll-error', class: 'error', role: 'alert' });
  const map = h('div');
  const send = (roll) => context.roll(roll).catch((error) => {
    if (error.name === 'AbortError') return;
    fill(wrong, t('{text}.', { text: sentence(error.rest ?? error.message) }));
    input.setAttribute('aria-invalid', 'true');
  });
  return h('div', {},
    h('h2', {}, t('What was rolled?')),
    view.scene?.roll && facePad(view.scene.roll, send),
    h('form', { class: 'row', onsubmit: (e) => { e.preventDefault(); if (input.value.trim()) send(input.value.trim().toLowerCase()); } },
      h('label', {}, t('or type it'), ' ', input), h('button', {}, t('Enter'))),
    wrong,
    h('p', { id: 'roll-help', class: 'note' }, t('Rolled is {what}.', { what: view.ask })),
    context.values && button(t('What each result is worth'), async () => fill(map, await chanceMap(context)), { class: 'small' }), map);
}

/**
 * Buttons of the faces: a tap adds a die. One die alone is sent at once.
 * @param {import('./board.js').Roll} roll
 * @param {(roll: string) => void} send
 */
function facePad(roll, send) {
  const { faces, count = 0, separator = '' } = roll;
  const drawn = (face) => [die(face.name), /\d/.test(face.name) ? null : h('span', {}, face.label)];
  /** @type {typeof faces} */
  const entered = [];
  const enter = () => send(entered.map((face) => face.text).join(separator));
  const add = (face) => {
    if (count === 1) return send(face.text);
    entered.push(face);
    return draw();
  };
  const pad = h('div', { class: 'roll-pad' });
  const draw = () => {
    const here = pad.contains(document.activeElement);
    fill(pad,
      h('div', { class: 'pad' }, faces.map((face) => button(drawn(face), () => add(face), { class: 'pad-face', disabled: count > 0 && entered.length >= count, 'aria-label': face.label, 'data-key': `face-${face.text}` }))),
      count !== 1 && [
        h('p', { class: 'dice-set', role: 'status', 'aria-label': t('Entered: {dice}', { dice: entered.map((face) => face.label).join(', ') || t('nothing') }) }, entered.map((face) => die(face.name))),
        h('p', { class: 'row' },
          button(count ? t('Enter {n} of {count}', { n: entered.length, count }) : t('Enter'), enter, { class: 'primary', disabled: entered.length === 0 || (count > 0 && entered.length < count), 'data-key': 'enter-roll' }),
          button('⌫', () => { entered.pop(); draw(); }, { disabled: entered.length === 0, 'aria-label': t('Take the last back'), 'data-key': 'take-back' }))]);
    if (here && document.activeElement === document.body) [...pad.querySelectorAll('button')].find((b) => !b.disabled)?.focus(); // that of the last die is disabled
  };
  draw();
  return pad;
}
