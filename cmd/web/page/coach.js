// The coach: it warns before a choice that is at least an inaccuracy, and gives hints in two
// steps: what matters, then the best choice.
import { button, failure, fill, h, announce, sentence } from './dom.js';
import { t } from './language.js';
import * as numbers from './numbers.js';
import { asGood, verdict } from './verdict.js';

const double = 500; // milliseconds between the clicks of a double click, at most. Chosen

/**
 * @param {() => Promise<any>} known the values of the choices
 * @param {any} view of the position
 * @param {(name: string) => string} words what a choice does, for people
 * @param {(name: string) => void} suggest marks a choice
 */
export function coach(known, view, words, suggest) {
  const told = h('div', { class: 'coach-told' });
  const tell = (...parts) => {
    fill(told, parts);
    told.scrollIntoView({ block: 'nearest' });
  };
  const hint = button(t('Hint'), () => help(false), { class: 'small', 'data-key': 'hint' });

  /** Tells what matters or, after that, the best choice. */
  async function help(best) {
    tell(h('p', {}, t('Computing a hint…')));
    try {
      const v = await known(), text = best ? [bestOf(v), asGood(v.options)].filter(Boolean).join(' ') : matters(v, view);
      tell(h('p', {}, text), !best && v.options.length > 1 && button(t('Show the best choice'), () => help(true), { class: 'small', 'data-key': 'best' }));
      announce(text);
      if (best) suggest(v.options[0].action);
    } catch (error) {
      if (error.name !== 'AbortError') tell(failure(error, () => help(best)));
    }
  }

  function bestOf({ exact, options, unit }) {
    const values = { choice: words(options[0].action), value: numbers.value(options[0].value, unit) };
    if (unit) return exact ? t('Best: {choice}, {value}.', values) : t('Best by estimate: {choice}, {value}.', values);
    return exact ? t('Best: {choice}; chance to win {value}.', values) : t('Best by estimate: {choice}; chance to win {value}.', values);
  }

  let warned = { name: '', at: 0 }; // the choice of the warning that is shown, and since when

  /** Whether a choice may be played: one with a verdict is, if the person insists, also by choosing it again. Without values the coach is silent. Others are 'fine'. */
  async function allows(name) {
    if (warned.name === name && performance.now() - warned.at > double) return true;
    warned = { name: '', at: 0 };
    let v;
    tell(h('p', {}, t('The coach looks at it…')));
    try {
      v = await known();
    } catch {
      return true;
    }
    const own = v.options.find((o) => o.action === name), judged = own && own !== v.options[0] && verdict(own.regret, v.unit);
    if (!judged) return 'fine';
    const lost = { choice: words(name), loss: numbers.loss(own.regret, v.unit) };
    return new Promise((resolve) => {
      const answer = (play) => {
        warned = { name: '', at: 0 };
        tell();
        resolve(play);
      };
      const back = button(t('Choose again'), () => answer(false), { class: 'primary', 'data-key': 'choose-again' });
      tell(h('p', { role: 'alert' }, h('abbr', { class: `loss ${judged.name}`, title: judged.text }, judged.sign), ' ', v.unit ? t('“{choice}” loses {loss}.', lost) : t('“{choice}” loses {loss} of the chance to win.', lost)),
        h('p', { class: 'row' }, back, button(t('Play it'), () => answer(true), { 'data-key': 'play-it' })));
      back.focus();
      warned = { name, at: performance.now() };
    });
  }

  return { hint, told, allows };
}

/** What matters in a position, in words that leave the choice open. */
function matters({ situation, options, unit }, view) {
  if (options.length === 1) return t('There is one choice only.');
  const costs = options.map((o) => verdict(o.regret, unit)), fine = costs.filter((c) => !c).length;
  const known = new Map(view.options.map((o) => [o.name, o])), own = options.map((o) => known.get(o.action));
  const begins = own.map((o) => /^[\u4e00-\u9fff]{2}|^\S+/.exec(o.about || o.name)[0]); // the first word, or two signs of Chinese
  const alike = own.map((o) => o.kind === own[0].kind); // of the kind of the best
  const [least, worst] = [options[1], options.at(-1)].map((o) => numbers.loss(o.regret, unit));
  return [situation && t('{text}.', { text: sentence(situation) }),
    !costs.some(Boolean) ? t('No choice costs much here: the worst loses {worst}.', { worst })
      : fine === 1 ? options.length === 2 ? t('One choice is clearly best: the other loses {least}.', { least }) : t('One choice is clearly best: the next loses {least}.', { least })
        : unit ? t('{fine} of {n} choices are fine. The worst loses {worst}.', { fine, n: options.length, worst }) : t('{fine} of {n} choices are fine. The worst would cost {worst} of the chance to win.', { fine, n: options.length, worst }),
    options.length > 2 && 2 * alike.filter(Boolean).length <= alike.length && begins.every((word, i) => (word === begins[0]) === alike[i]) && t('Look for one that begins with “{word}”.', { word: begins[0] })].filter(Boolean).join(' ');
}
