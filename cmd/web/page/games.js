// The games of this browser: those that are played here and those that are read from text, with
// what their reviews say, the mistakes to practise and the daily exercise.
import { call, callOnce } from './api.js';
import { lineChart } from './chart.js';
import { button, fill, h, save } from './dom.js';
import { goTo, link, parse, write } from './address.js';
import { due, openDaily, personOf, practise, rule, today } from './deck.js';
import { reviewOf, usual } from './review.js';
import { days, deck, dropCard, everything, forgetGames, games as kept, keep, limit, merge } from './store.js';
import * as numbers from './numbers.js';

/** Draws the page. */
export async function show(main, query, signal, _, done = '') {
  document.title = 'marsgym: my games';
  const all = await callOnce('games');
  signal.throwIfAborted(); // another page was opened meanwhile
  const list = kept();
  const title = (id) => all.find((g) => g.id === id)?.title ?? id;
  const groupOf = (g) => `${g.game} ${g.players}`;
  const called = (group) => {
    const [id, players] = group.split(' ');
    return `${title(id)} for ${players}`;
  };
  const text = h('textarea', { rows: 6, spellcheck: 'false', placeholder: 'marsgym game 1 …' });
  const error = h('p', { class: 'error', role: 'alert' });
  const reports = h('div'), filed = h('p', { class: 'copied', role: 'status' }, done), wrong = h('p', { class: 'error', role: 'alert' });
  const open = list.filter((g) => g.open), over = list.filter((g) => !g.open);
  const forget = h('p', { class: 'row' });
  const ask = () => fill(forget, `Forget ${list.length === 1 ? 'this game' : `all ${list.length} games`}, the mistakes and the daily exercises for good?`,
    button('Forget them', () => { forgetGames(); show(main, query, signal); }, { 'data-key': 'forget' }), button('Keep them', offer));
  const offer = () => fill(forget, button('Forget all games', ask, { 'data-key': 'forget' }));
  offer();
  const groups = [...new Set(over.map(groupOf))];
  fill(main,
    h('h1', {}, 'My games'),
    h('p', { class: 'lead' }, `The latest ${limit} games that you play here stay in this browser only.`),
    h('div', { class: 'practise' }, daily(), mistakes()),
    list.length === 0 && h('p', {}, 'No game has been played here yet.'),
    open.length > 0 && [h('h2', {}, 'In progress'), h('ul', { class: 'game-list' }, open.map(line))],
    over.length > 0 && [h('h2', {}, 'Ended'), h('ul', { class: 'game-list' }, over.map(line)), missing(), curves()],
    groups.length > 0 && h('section', {}, h('h2', {}, 'Estimated rating'),
      h('p', { class: 'note' }, 'From the losses of each player, with best play at 0. One game gives no interval.'),
      h('p', { class: 'row' }, groups.map((group) => button(called(group), () => rate(group)))), reports),
    h('section', {}, h('h2', {}, 'All in one file'), h('p', { class: 'note' }, 'The file holds your games, mistakes and daily exercises. Reading one adds what is missing here.'),
      h('p', { class: 'row' }, button('Save to a file', () => { save(`marsgym-${today()}.json`, new Blob([everything()], { type: 'application/json' })); fill(filed, 'Saved ✓'); }),
        h('label', { class: 'file' }, 'Read a file ', h('input', { type: 'file', accept: '.json,application/json', onchange: (e) => readFile(e.target) }))), filed, wrong),
    list.length + deck().length + days().length > 0 && forget,
    h('section', {}, h('h2', {}, 'Read games'), h('form', { class: 'edit', onsubmit: (e) => { e.preventDefault(); readText(); } },
      h('label', { class: 'block' }, 'Games as text, of this page or of go run ./cmd/play -record FILE', text), error, h('p', {}, h('button', { class: 'primary' }, 'Read')))));

  function line(g) {
    return h('li', {}, h('a', { href: link('play', g.key) }, `${title(g.game)}${g.against ? ` against ${g.against}` : ` for ${g.players}`}`), ' ',
      h('small', {}, [g.result?.replace(/\.$/, ''), skill(g), new Date(g.at).toLocaleDateString()].filter(Boolean).join(' · ')));
  }

  /** The luck and the loss of a game that is reviewed. */
  function skill({ luck, loss, unit, exact }) {
    const part = (name, x) => x !== undefined && `${name} ${x > 0 ? '+' : ''}${numbers.part(x, unit)}`;
    const text = [part('luck', luck), part('mistakes', loss && -loss)].filter(Boolean).join(', ');
    return text && !exact ? `${text} by estimate` : text;
  }

  function daily() {
    const told = days(), now = told.find((d) => d.day === today()), error = h('span', { class: 'error', role: 'alert' });
    return h('section', {}, h('h2', {}, 'Exercise of the day'),
      h('p', {}, now ? `Today’s exercise is ${now.right ? 'solved' : 'missed'}. ` : 'A choice with exact values, the same for everyone today. ', told.length > 0 && `You have solved ${told.filter((d) => d.right).length} of ${told.length}.`),
      h('p', { class: 'row' }, button(now ? 'See it again' : 'Open today’s exercise', () => openDaily(signal).catch((e) => fill(error, e.message)), { class: now ? '' : 'primary', 'data-key': 'daily' }), error));
  }

  function mistakes() {
    const all = deck(), ready = due(), wrongCard = h('p', { class: 'row' });
    const drop = () => { dropCard(ready[0]); show(main, query, signal); };
    const open = () => practise(ready[0], signal).catch((e) => e.name !== 'AbortError' && fill(wrongCard, h('span', { class: 'error', role: 'alert' }, e.message), button('Take it out', drop, { class: 'small' })));
    const next = all.length > 0 && new Date(Math.min(...all.map((c) => c.due))).toLocaleDateString();
    return h('section', {}, h('h2', {}, 'Your mistakes'),
      h('p', {}, all.length === 0 ? 'The review of a game that you have played puts your mistakes here, to solve them later.' : `${all.length} to practise, ${ready.length} due${ready.length ? '' : `; the next on ${next}`}.`),
      ready.length > 0 && h('p', { class: 'row' }, button('Practise', open, { class: 'primary', 'data-key': 'practise' })), wrongCard, h('p', { class: 'note' }, rule));
  }

  /** A button that reviews the games that are not reviewed. */
  function missing() {
    const left = over.filter((g) => g.decisions === undefined && personOf(parse(g.key)) >= 0), row = h('p', { class: 'row', role: 'status' });
    const review = async () => {
      try {
        for (const [i, g] of left.entries()) {
          fill(row, `Reviewing game ${i + 1} of ${left.length}… A game that is not solved takes about ${usual / 1000} s.`);
          const { address, unit } = await call('view', { ...parse(g.key) }, signal);
          await reviewOf({ address, view: { unit } }, usual, signal);
        }
        show(main, query, signal);
      } catch (e) {
        if (e.name !== 'AbortError') fill(row, h('span', { class: 'error', role: 'alert' }, e.message));
      }
    };
    if (left.length) fill(row, button(`Review ${left.length === 1 ? 'one game' : `${left.length} games`} for luck and mistakes`, review, { 'data-key': 'review-all' }));
    return row;
  }

  /** The loss per decision over time, of each kind of game. */
  function curves() {
    const charts = groups.map((group) => {
      const list = over.filter((g) => groupOf(g) === group && g.decisions > 0 && g.loss !== undefined).sort((x, y) => x.at - y.at);
      if (list.length < 2) return null;
      const { unit } = list[0];
      return lineChart({
        title: `${called(group)}: loss per decision`, xLabel: 'game', yLabel: unit || '% of the win', digits: 2, zero: true,
        series: [{ name: unit || '% of the win', x: list.map((_, i) => i + 1), y: list.map((g) => ((unit ? 1 : 100) * g.loss) / g.decisions), seat: 0 }],
        describe: (x) => new Date(list[x - 1].at).toLocaleDateString(),
      });
    }).filter(Boolean);
    return charts.length > 0 && [h('h2', {}, 'Loss per decision'), h('div', { class: 'charts' }, charts)];
  }

  async function readFile(input) {
    try {
      fill(wrong);
      fill(filed);
      if (input.files[0].size > 1 << 24) throw new Error('The file is too large to be one of this page.');
      const { games, mistakes, days, left } = merge(await input.files[0].text());
      show(main, query, signal, true, `Added ${games} games, ${mistakes} mistakes and ${days} daily exercises ✓${left ? ` ${left} had no room: at most ${limit} of each are kept.` : ''}`);
    } catch (e) {
      fill(wrong, e.message);
    }
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
      const games = over.filter((g) => groupOf(g) === group).slice(0, 200).map((g) => parse(g.key)); // at most that many at once
      const r = await call('report', { games }, signal);
      fill(reports, h('h3', {}, called(group)), h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Ratings' }, h('table', {},
        h('thead', {}, h('tr', {}, ['player', 'games', 'mistakes a game', 'loss a decision', 'rating'].map((x) => h('th', { scope: 'col' }, x)))),
        h('tbody', {}, r.summary.map((p) => h('tr', {}, h('th', { scope: 'row' }, p.name === 'human' ? 'you' : p.name), h('td', { class: 'number' }, p.games), h('td', { class: 'number' }, p.mistakes.toFixed(2)),
          h('td', { class: 'number' }, `${(100 * p.decision_loss.value).toFixed(4)} %`), h('td', { class: 'number' }, p.rating ? p.rating.text : 'none: nothing was decided')))))),
      h('p', { class: 'note' }, `${numbers.method(r)} Intervals are of the level ${100 * r.confidence} %.`));
    } catch (e) {
      if (e.name !== 'AbortError') fill(reports, h('p', { class: 'error' }, e.message));
    }
  }
}
