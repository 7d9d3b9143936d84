// The address and the text of a game, to share.
import { call } from './api.js';
import { here, link } from './address.js';
import { card } from './card.js';
import { button, copy, fill, h } from './dom.js';
import { shared, trust } from './turnlink.js';

/** Draws them in a panel. @param {HTMLElement} panel @param {any} context */
export function share(panel, context) {
  const a = context.address;
  const address = h('input', { readonly: true, value: here(), 'aria-label': 'The address of this page', class: 'address' });
  const copied = h('span', { class: 'copied', role: 'status' });
  const text = h('textarea', { rows: 8, readonly: true, 'aria-label': 'The game as text', spellcheck: 'false' });
  const result = h('div', { class: 'result-card' });
  fill(panel,
    context.view.ended && [h('h2', {}, 'Result'), result],
    h('h2', {}, 'Address'), h('p', {}, 'The address of this page holds the whole game: who opens it sees this position.'),
    h('p', { class: 'row' }, address, button('Copy the address', async () => fill(copied, (await copy(address)) ? 'Copied ✓' : 'The address is selected: copy it by Ctrl-C or the menu.')), copied),
    shared(a) && h('p', { class: 'trust' }, trust),
    h('h2', {}, 'Position'), h('p', {}, h('code', { class: 'wrap' }, context.view.position)),
    h('p', {}, h('a', { href: link('editor', { game: a.game, players: a.players, position: context.view.position }) }, 'Edit this position')),
    h('h2', {}, 'Game as text'), text);
  if (context.view.ended) card(result, context);
  call('write', { ...a }, context.signal).then((answer) => { text.value = answer.text; }, (e) => { text.value = e.message; });
}
