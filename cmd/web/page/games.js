// The games of this browser: those that are played here and those that are read from text, with
// what their reviews say, the mistakes to practise and the daily exercise.
import { call, callOnce, callSolved } from './api.js';
import { lineChart } from './chart.js';
import { button, fill, h, save } from './dom.js';
import { goTo, link, parse, write } from './address.js';
import { due, openDaily, personOf, practise, rule, today } from './deck.js';
import { day, t } from './language.js';
import { reviewOf, usual } from './review.js';
import { days, deck, dropCard, everything, forgetGames, games as kept, keep, limit, merge } from './store.js';
import * as numbers from './numbers.js';

/** A result as it is kept, in the language of the page; before there were languages it was kept as a sentence. @param {string} result */
function said(result) {
  const [, did, what] = /^(?:You )?(won|lost|took) (.*?)(?: turns)?\.?$/.exec(result) ?? [];
  return did === 'won' ? t('You won {score}.', { score: what }) : did === 'lost' ? t('You lost {score}.', { score: what }) : did === 'took' ? t('You took {n} turns.', { n: what }) : result;
}

/** The names of agents as they are kept, in the language of the page. @param {string} names */
const levels = (names) => names.replace(/Level (\d+)/g, (_, n) => t('Level {n}', { n }));

/** The unit of a game in the language of the page. @param {string} [unit] */
const unitOf = (unit = '') => (unit === 'turns' ? t('turns') : unit);

/** Draws the page. */
export async function show(main, query, signal, _, done = '') {
  document.title = t('marsgym: my games');
  const all = await callOnce('games');
  signal.throwIfAborted(); // another page was opened meanwhile
  const list = kept();
  const title = (id) => all.find((g) => g.id === id)?.title ?? id;
  const groupOf = (g) => `${g.game} ${g.players}`;
  const called = (group) => {
    const [id, players] = group.split(' ');
    return players === '1' ? t('{game} for 1 player', { game: title(id) }) : t('{game} for {players} players', { game: title(id), players });
  };
  const text = h('textarea', { rows: 6, spellcheck: 'false', placeholder: 'marsgym game 1 …' });
  const error = h('p', { class: 'error', role: 'alert' });
  let asked = 0;
  const reports = h('div'), filed = h('p', { class: 'copied', role: 'status' }, done), wrong = h('p', { class: 'error', role: 'alert' });
  const open = list.filter((g) => g.open), over = list.filter((g) => !g.open);
  const forget = h('p', { class: 'row' });
  const ask = () => fill(forget, list.length === 1 ? t('Forget this game, the mistakes and the daily exercises for good?') : t('Forget all {n} games, the mistakes and the daily exercises for good?', { n: list.length }),
    button(t('Forget them'), () => { forgetGames(); show(main, query, signal); }), button(t('Keep them'), offer, { 'data-key': 'forget' })); // a key that is held down must not answer
  const offer = () => fill(forget, button(t('Forget all games'), ask, { 'data-key': 'forget' }));
  offer();
  const groups = [...new Set(over.map(groupOf))];
  fill(main,
    h('h1', {}, t('My games')),
    h('p', { class: 'lead' }, t('The latest {n} games that you play here stay in this browser only.', { n: limit })),
    h('div', { class: 'practise' }, daily(), mistakes()),
    list.length === 0 && h('p', {}, t('No game has been played here yet.')),
    open.length > 0 && [h('h2', {}, t('In progress')), h('ul', { class: 'game-list' }, open.map(line))],
    over.length > 0 && [h('h2', {}, t('Ended')), h('ul', { class: 'game-list' }, over.map(line)), missing(), curves()],
    groups.length > 0 && h('section', {}, h('h2', {}, t('Estimated rating')),
      h('p', { class: 'note' }, t('From the losses of each player, with best play at 0. One game gives no interval.')),
      h('p', { class: 'row' }, groups.map((group) => button(called(group), () => rate(group)))), reports),
    h('section', {}, h('h2', {}, t('All in one file')), h('p', { class: 'note' }, t('The file holds your games, mistakes and daily exercises. Reading one adds what is missing here.')),
      h('p', { class: 'row' }, button(t('Save to a file'), () => { save(`marsgym-${today()}.json`, new Blob([everything()], { type: 'application/json' })); fill(filed, t('Saved ✓')); }),
        h('label', { class: 'file' }, t('Read a file'), ' ', h('input', { type: 'file', accept: '.json,application/json', onchange: (e) => readFile(e.target) }))), filed, wrong),
    list.length + deck().length + days().length > 0 && forget,
    h('section', {}, h('h2', {}, t('Read games')), h('form', { class: 'edit', onsubmit: (e) => { e.preventDefault(); readText(); } },
      h('label', { class: 'block' }, t('Games as text, of this page or of go run ./cmd/play -record FILE'), text), error, h('p', {}, h('button', { class: 'primary' }, t('Read'))))));

  function line(g) {
    return h('li', {}, h('a', { href: link('play', g.key) }, g.against ? t('{game} against {players}', { game: title(g.game), players: levels(g.against) }) : called(groupOf(g))), ' ',
      h('small', {}, [said(g.result ?? '').replace(/[.。]$/, ''), skill(g), day(g.at)].filter(Boolean).join(' · ')));
  }

  /** The luck and the loss of a game that is reviewed. */
  function skill({ luck, loss, unit, exact }) {
    const part = (name, x) => x !== undefined && `${name} ${x > 0 ? '+' : ''}${numbers.part(x, unitOf(unit))}`;
    const text = [part(t('luck'), luck), part(t('mistakes'), loss && -loss)].filter(Boolean).join(', ');
    return text && !exact ? t('{text} by estimate', { text }) : text;
  }

  function daily() {
    const told = days(), now = told.find((d) => d.day === today()), error = h('span', { class: 'error', role: 'alert' });
    return h('section', {}, h('h2', {}, t('Exercise of the day')),
      h('p', {}, now ? (now.right ? t('Today’s exercise is solved.') : t('Today’s exercise is missed.')) : t('A choice with exact values, the same for everyone today.'), ' ', told.length > 0 && t('You have solved {right} of {n}.', { right: told.filter((d) => d.right).length, n: told.length })),
      h('p', { class: 'row' }, button(now ? t('See it again') : t('Open today’s exercise'), () => openDaily(signal, (message) => fill(error, message)).catch((e) => fill(error, e.message)), { class: now ? '' : 'primary', 'data-key': 'daily' }), error));
  }

  function mistakes() {
    const all = deck(), ready = due(), wrongCard = h('p', { class: 'row' });
    const drop = () => { dropCard(ready[0]); show(main, query, signal); };
    const open = () => practise(ready[0], signal).catch((e) => e.name !== 'AbortError' && fill(wrongCard, h('span', { class: 'error', role: 'alert' }, e.message), button(t('Take it out'), drop, { class: 'small' })));
    const next = all.length > 0 && day(Math.min(...all.map((c) => c.due)));
    return h('section', {}, h('h2', {}, t('Your mistakes')),
      h('p', {}, all.length === 0 ? t('The review of a game that you have played puts your mistakes here, to solve them later.') : ready.length ? t('{n} to practise, {due} due.', { n: all.length, due: ready.length }) : t('{n} to practise, 0 due; the next on {day}.', { n: all.length, day: next })),
      ready.length > 0 && h('p', { class: 'row' }, button(t('Practise'), open, { class: 'primary', 'data-key': 'practise' })), wrongCard, h('p', { class: 'note' }, rule()));
  }

  /** A button that reviews the games that are not reviewed. */
  function missing() {
    const left = over.filter((g) => g.decisions === undefined && personOf(parse(g.key)) >= 0), row = h('p', { class: 'row', role: 'status' });
    const review = async () => {
      try {
        for (const [i, g] of left.entries()) {
          fill(row, t('Reviewing game {i} of {n}… A game that is not solved takes about {seconds} s.', { i: i + 1, n: left.length, seconds: usual / 1000 }));
          const view = await call('view', { ...parse(g.key) }, signal);
          await reviewOf({ address: view.address, view }, usual, signal);
        }
        show(main, query, signal);
      } catch (e) {
        if (e.name !== 'AbortError') fill(row, h('span', { class: 'error', role: 'alert' }, e.message));
      }
    };
    if (left.length) fill(row, button(left.length === 1 ? t('Review one game for luck and mistakes') : t('Review {n} games for luck and mistakes', { n: left.length }), review, { 'data-key': 'review-all' }));
    return row;
  }

  /** The loss per decision over time, of each kind of game. */
  function curves() {
    const charts = groups.map((group) => {
      const list = over.filter((g) => groupOf(g) === group && g.decisions > 0 && g.loss !== undefined).sort((x, y) => x.at - y.at);
      if (list.length < 2) return null;
      const unit = unitOf(list[0].unit);
      return lineChart({
        title: t('{game}: loss per decision', { game: called(group) }), xLabel: t('game'), yLabel: unit || t('% of the win'), digits: 2, zero: true,
        series: [{ name: unit || t('% of the win'), x: list.map((_, i) => i + 1), y: list.map((g) => ((unit ? 1 : 100) * g.loss) / g.decisions), seat: 0 }],
        describe: (x) => day(list[x - 1].at),
      });
    }).filter(Boolean);
    return charts.length > 0 && [h('h2', {}, t('Loss per decision')), h('div', { class: 'charts' }, charts)];
  }

  async function readFile(input) {
    try {
      fill(wrong);
      fill(filed);
      if (input.files[0].size > 1 << 24) throw new Error(t('The file is too large to be one of this page.'));
      const { games, mistakes, days, left } = merge(await input.files[0].text());
      show(main, query, signal, true, [t('Added games: {games}, mistakes: {mistakes}, daily exercises: {days} ✓', { games, mistakes, days }), left && t('{left} had no room: at most {limit} of each are kept.', { left, limit })].filter(Boolean).join(' '));
    } catch (e) {
      fill(wrong, e.message);
    }
  }

  async function readText() {
    try {
      fill(error);
      const { games } = await call('read', { text: text.value }, signal);
      for (const a of games) keep(write(a), a, { open: a.open });
      if (games.length === 1) goTo(link('play', write(games[0])));
      else show(main, query, signal);
    } catch (e) {
      if (e.name !== 'AbortError') fill(error, e.message);
    }
  }

  async function rate(group) {
    const mine = ++asked; // a later one replaces it
    fill(reports, h('p', {}, t('Computing…')));
    try {
      const games = over.filter((g) => groupOf(g) === group).slice(0, 200).map((g) => parse(g.key)); // at most that many at once
      const r = await callSolved('report', { games }, signal, (message) => mine === asked && fill(reports, h('p', {}, message))), { unit } = r; // without a win there is no rating
      if (mine !== asked) return;
      fill(reports, h('h3', {}, called(group)), h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Ratings') }, h('table', {},
        h('thead', {}, h('tr', {}, [t('player'), t('games'), t('mistakes a game'), t('loss a decision'), !unit && t('rating')].filter(Boolean).map((x) => h('th', { scope: 'col' }, x)))),
        h('tbody', {}, r.summary.map((p) => h('tr', {}, h('th', { scope: 'row' }, p.name === 'human' ? t('You') : p.name), h('td', { class: 'number' }, p.games), h('td', { class: 'number' }, numbers.fixed(p.mistakes, 2)),
          h('td', { class: 'number' }, unit ? `${numbers.fixed(p.decision_loss.value, 4)} ${unit}` : numbers.percent(100 * p.decision_loss.value, 4)), !unit && h('td', { class: 'number' }, p.rating ? p.rating.text : t('none: nothing was decided'))))))),
      h('p', { class: 'note' }, `${numbers.method(r)} ${t('Intervals are of the level {percent} %.', { percent: 100 * r.confidence })}`));
    } catch (e) {
      if (mine === asked && e.name !== 'AbortError') fill(reports, h('p', { class: 'error' }, e.message));
    }
  }
}
