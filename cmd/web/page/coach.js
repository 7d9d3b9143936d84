// The coach: it warns before a choice that is at least an inaccuracy, and gives hints in two
// steps: what matters, then the best choice.
import { button, failure, fill, h, announce, sentence } from './dom.js';
import * as numbers from './numbers.js';
import { verdict } from './verdict.js';

/**
 * @param {() => Promise<any>} known the values of the choices
 * @param {Map<string, string>} about what the choices do
 * @param {(name: string) => string} words the beginning of that, for people
 */
export function coach(known, about, words) {
  const told = h('div', { class: 'coach-told' });
  const tell = (...parts) => {
    fill(told, parts);
    told.scrollIntoView({ block: 'nearest' });
  };
  const hint = button('Hint', () => help(false), { class: 'small', 'data-key': 'hint' });

  /** Tells what matters or, after that, the best choice. */
  async function help(best) {
    tell(h('p', {}, 'Computing a hint…'));
    try {
      const v = await known(), text = best ? `Best${v.exact ? '' : ' by estimate'}: ${words(v.options[0].action)}, ${numbers.value(v.options[0].value, v.unit)}.` : matters(v, about);
      tell(h('p', {}, text), !best && v.options.length > 1 && button('Show the best choice', () => help(true), { class: 'small', 'data-key': 'best' }));
      announce(text);
    } catch (error) {
      if (error.name !== 'AbortError') tell(failure(error, () => help(best)));
    }
  }

  /** Whether a choice may be played: one with a verdict is, if the person insists. Without values the coach is silent. */
  async function allows(name) {
    let v;
    tell(h('p', {}, 'The coach looks at it…'));
    try {
      v = await known();
    } catch {
      return true;
    }
    const own = v.options.find((o) => o.action === name), judged = own && own !== v.options[0] && verdict(own.regret, v.unit);
    if (!judged) return true;
    return new Promise((resolve) => {
      const answer = (play) => {
        tell();
        resolve(play);
      };
      const back = button('Choose again', () => answer(false), { class: 'primary', 'data-key': 'choose-again' });
      tell(h('p', { role: 'alert' }, h('abbr', { class: `loss ${judged.name}`, title: judged.name }, judged.sign), ` “${words(name)}” loses ${numbers.loss(own.regret, v.unit)}${v.unit ? '' : ' of the chance to win'}.`),
        h('p', { class: 'row' }, back, button('Play it', () => answer(true), { 'data-key': 'play-it' })));
      back.focus();
    });
  }

  return { hint, told, allows };
}

/** What matters in a position, in words that leave the choice open. */
function matters({ situation, options, unit }, about) {
  if (options.length === 1) return 'There is one choice only.';
  const costs = options.map((o) => verdict(o.regret, unit)), fine = costs.filter((c) => !c).length;
  const kinds = options.map((o) => about.get(o.action).split(' ')[0]);
  const [least, worst] = [options[1], options.at(-1)].map((o) => numbers.loss(o.regret, unit));
  return [situation && `${sentence(situation)}.`,
    !costs.some(Boolean) ? `No choice costs much here: the worst loses ${worst}.`
      : fine === 1 ? `One choice is clearly best: ${options.length === 2 ? 'the other' : 'the next'} loses ${least}.`
        : `${fine} of ${options.length} choices are fine. The worst loses ${worst}.`,
    options.length > 2 && kinds.some((k) => k !== kinds[0]) && `Look for one that begins with “${kinds[0]}”.`].filter(Boolean).join(' ');
}
