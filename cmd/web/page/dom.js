// Elements without a framework.
import { t } from './language.js';

/**
 * Makes an element. Attributes whose names begin with "on" are listeners; true is an empty
 * attribute, and false, null and undefined leave it out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|number|null|undefined|false|Array<any>)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...nodes(children));
  return element;
}

/**
 * Makes an SVG element.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(element, attributes);
  element.append(...nodes(children));
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.startsWith('aria-') && value != null) element.setAttribute(name, String(value));
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
}

function nodes(children) {
  return children.flat(9).filter((c) => c != null && c !== false).map((c) => (c instanceof Node ? c : String(c).replaceAll(' %', '\u00a0%')));
}

/**
 * Replaces the children of an element. It keeps the focus on the element with the same
 * data-key, if there is one.
 * @param {Element} element
 * @param {...any} children
 */
export function fill(element, ...children) {
  const key = element.contains(document.activeElement) && document.activeElement.getAttribute('data-key');
  element.replaceChildren(...nodes(children));
  const same = key && element.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (same instanceof HTMLElement || same instanceof SVGElement) same.focus();
}

/** A text with a capital at its beginning. @param {string} text */
export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What has gone wrong, with a button that tries again. @param {Error} error @param {() => void} again */
export function failure(error, again) {
  return [h('span', { class: 'error', role: 'alert' }, error.message, ' '), button(t('Retry'), again, { class: 'small', 'data-key': 'retry' })];
}

/** Copies the text of a field, and returns whether the browser allows that. @param {HTMLInputElement | HTMLTextAreaElement} field */
export async function copy(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value); // there is no clipboard without https
    return true;
  } catch {
    return document.execCommand('copy');
  }
}

/** Saves a file where the browser puts downloads. @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000); // the browser reads it a little later
}

/** Shows a line above all pages, perhaps with buttons, until it is closed. @param {string} text @param {...HTMLElement} buttons */
export function notice(text, ...buttons) {
  const line = document.getElementById('notice');
  fill(line, text, ' ', buttons, ' ', button(t('Close'), () => fill(line), { class: 'small' }));
}

/** Announces a line to screen readers. @param {string} text */
export function announce(text) {
  document.getElementById('live').textContent = text;
}

/** Lets an element that is no button be pressed, by a click or a key. @param {HTMLElement | SVGElement} element @param {() => void} action */
export function press(element, action) {
  element.addEventListener('click', action);
  element.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== 'Enter' && e.key !== ' ') return;
    e.preventDefault();
    action();
  });
}

/**
 * A button.
 * @param {string|number|Node|Array<any>} label
 * @param {() => void} action
 * @param {Record<string, any>} [attributes]
 */
export function button(label, action, attributes = {}) {
  return h('button', { type: 'button', onclick: action, ...attributes }, label);
}
