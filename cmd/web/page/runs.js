// Run folders of training, with their curves and their networks as opponents.
import { call } from './api.js';
import { button, fill, h } from './dom.js';
import { lineChart } from './chart.js';
import { mix, moment, t } from './language.js';
import { goTo, link, newSeed, write } from './address.js';

/** Draws the page. */
export async function show(main, query, signal) {
  document.title = t('marsgym: runs');
  const { runs, folder } = await call('runs', {}, signal);
  const chosen = query.get('run');
  const detail = h('section', { class: 'curves', 'aria-live': 'polite' });
  fill(main,
    h('h1', {}, t('Training runs')),
    !folder && h('p', {}, t('Start the program with -runs FOLDER to see the run folders of go run ./cmd/train here.')),
    folder && runs.length === 0 && h('p', {}, mix('The folder holds no runs yet. {command} makes one.', { command: h('code', {}, 'go run ./cmd/train') })),
    h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Runs') }, runs.length > 0 && h('table', { class: 'wide' },
      h('thead', {}, h('tr', {}, [t('run'), t('game'), t('changed'), t('play against')].map((x) => h('th', { scope: 'col' }, x)))),
      h('tbody', {}, runs.map((r) => h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: link('runs', { run: r.name }), 'aria-current': r.name === chosen ? 'true' : null }, r.name)),
        h('td', {}, r.game ? `${r.game}, ${r.players}` : ''), h('td', {}, moment(r.changed)),
        h('td', {}, r.agents.map((agent) => button(agent.endsWith('/checkpoint') ? t('Checkpoint') : t('Network'), () => {
          goTo(link('play', write({ game: r.game, players: r.players, seed: newSeed(), seats: ['human', ...Array(r.players - 1).fill(agent)] })));
        }, { class: 'small', 'aria-label': agent.endsWith('/checkpoint') ? t('Play against the checkpoint of {run}', { run: r.name }) : t('Play against the network of {run}', { run: r.name }) })))))))),
    detail);
  if (!chosen) return;
  try {
    const c = await call('run', { run: chosen }, signal);
    fill(detail, h('h2', {}, c.title), h('p', { class: 'note' }, c.caption),
      h('div', { class: 'charts' }, c.panels.map((p) => lineChart({ title: `${p.title} ${p.y.match(/\(.*\)/) ?? ''}`, xLabel: p.x, yLabel: p.y, log: p.log, series: p.lines.map((l, i) => ({ ...l, seat: i })), digits: 5 }))));
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    fill(detail, h('p', { class: 'error' }, e.message));
  }
}
