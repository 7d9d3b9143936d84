// The games of this browser: those that are played here and those that are read from text, with the rating that follows from their losses.
import { call } from './api.js';
import { button, fill, h } from './dom.js';
import { goTo, link, parse, write } from './address.js';
import { forgetGames, games as kept, keep, limit } from './store.js';
import * as numbers from './numbers.js';

/** Draws the page. */
export async function show(main, query, signal) {
  document.title = 'marsgym: my games';
  const all = await call('games', {}, signal);
  const list = kept();
  const title = (id) => all.find((g) => g.id === id)?.title ?? id;
  const text = h('textarea', { rows: 6, spellcheck: 'false', placeholder: 'marsgym game 1 …' });
  const error = h('p', { class: 'error', role: 'alert' });
  const reports = h('div');
  const open = list.filter((g) => g.open), over = list.filter((g) => !g.open);
  const forget = h('p', { class: 'row' });
  const ask = () => fill(forget, `Forget ${list.length === 1 ? 'this game' : `all ${list.length} games`} for good?`,
    button('Forget them', () => { forgetGames(); show(main, query, signal); }, { 'data-key': 'forget' }), button('Keep them', offer));
  const offer = () => fill(forget, button('Forget all games', ask, { 'data-key': 'forget' }));
  offer();
  const groups = [...new Set(over.map((g) => `${g.game} ${g.players}`))];
  fill(main,
    h('h1', {}, 'My games'),
    h('p', { class: 'lead' }, `The latest ${limit} games that you play here stay in this browser only.`),
    list.length === 0 && h('p', {}, 'No game has been played here yet.'),
    open.length > 0 && [h('h2', {}, 'In progress'), h('ul', { class: 'game-list' }, open.map(line))],
    over.length > 0 && [h('h2', {}, 'Ended'), h('ul', { class: 'game-list' }, over.map(line))],
    groups.length > 0 && h('section', {}, h('h2', {}, 'Estimated rating'),
      h('p', { class: 'note' }, 'From the losses of each player, with best play at 0. One game gives no interval.'),
      h('p', { class: 'row' }, groups.map((group) => button(`${title(group.split(' ')[0])} for ${group.split(' ')[1]}`, () => rate(group)))), reports),
    list.length > 0 && forget,
    h('section', {}, h('h2', {}, 'Read games'), h('form', { class: 'edit', onsubmit: (e) => { e.preventDefault(); readText(); } },
      h('label', { class: 'block' }, 'Games as text, of this page or of go run ./cmd/play -record FILE', text), error, h('p', {}, h('button', { class: 'primary' }, 'Read')))));

  function line(g) {
    return h('li', {}, h('a', { href: link('play', g.key) }, `${title(g.game)}${g.against ? ` against ${g.against}` : ` for ${g.players}`}`), ' ',
      h('small', {}, [g.result?.replace(/\.$/, ''), new Date(g.at).toLocaleString()].filter(Boolean).join(' · ')));
  }

  async function readText() {
    try {
      fill(error);
      const { games } = await call('read', { text: text.value }, signal);
      for (const a of games) keep(write(a), a);
      if (games.length === 1) goTo(link('play', write(games[0])));
      else show(main, query, signal);
    } catch (e) {
      if (e.name !== 'AbortError') fill(error, e.message);
    }
  }

  async function rate(group) {
    fill(reports, h('p', {}, 'Computing…'));
    try {
      const games = over.filter((g) => `${g.game} ${g.players}` === group).map((g) => parse(g.key));
      const r = await call('report', { games }, signal);
      fill(reports, h('h3', {}, group), h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Ratings' }, h('table', {},
        h('thead', {}, h('tr', {}, ['player', 'games', 'mistakes a game', 'loss a decision', 'rating'].map((x) => h('th', { scope: 'col' }, x)))),
        h('tbody', {}, r.summary.map((p) => h('tr', {}, h('th', { scope: 'row' }, p.name === 'human' ? 'you' : p.name), h('td', { class: 'number' }, p.games), h('td', { class: 'number' }, p.mistakes.toFixed(2)),
          h('td', { class: 'number' }, `${(100 * p.decision_loss.value).toFixed(4)} %`), h('td', { class: 'number' }, p.rating ? p.rating.text : 'none: nothing was decided')))))),
      h('p', { class: 'note' }, `${numbers.method(r.method)} Intervals are of the level ${100 * r.confidence} %.`));
    } catch (e) {
      if (e.name !== 'AbortError') fill(reports, h('p', { class: 'error' }, e.message));
    }
  }
}
