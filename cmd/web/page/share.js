// The address and the text of a game, to share.
import { call } from './api.js';
import { here, link } from './address.js';
import { card } from './card.js';
import { button, copy, fill, h } from './dom.js';
import { t } from './language.js';
import { shared, trust } from './turnlink.js';

/** Draws them in a panel. @param {HTMLElement} panel @param {any} context */
export function share(panel, context) {
  const a = context.address;
  const address = h('input', { readonly: true, value: here(), 'aria-label': t('The address of this page'), class: 'address' });
  const copied = h('span', { class: 'copied', role: 'status' });
  const text = h('textarea', { rows: 8, readonly: true, 'aria-label': t('The game as text'), spellcheck: 'false' });
  const result = h('div', { class: 'result-card' });
  fill(panel,
    context.view.ended && [h('h2', {}, t('Result')), result],
    h('h2', {}, t('Address')), h('p', {}, t('The address of this page holds the whole game: who opens it sees this position.')),
    h('p', { class: 'row' }, address, button(t('Copy the address'), async () => fill(copied, (await copy(address)) ? t('Copied ✓') : t('The address is selected: copy it by Ctrl-C or the menu.'))), copied),
    shared(a) && h('p', { class: 'trust' }, trust()),
    h('h2', {}, t('Position')), h('p', {}, h('code', { class: 'wrap' }, context.view.position)),
    h('p', {}, h('a', { href: link('editor', { game: a.game, players: a.players, position: context.view.position }) }, t('Edit this position'))),
    h('h2', {}, t('Game as text')), text);
  if (context.view.ended) card(result, context);
  call('write', { ...a }, context.signal).then((answer) => { text.value = answer.text; }, (e) => { text.value = e.message; });
}
