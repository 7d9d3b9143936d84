// Requests to the logic of the page: over HTTP or to a Web Worker, as shell.js says.
import { transport } from './shell.js';
import { connectWorker } from './client.js';
import { hideToken, tokenOf } from './address.js';
import { language, t } from './language.js';
import { isToken, keepToken, token } from './store.js';

/** An error that the logic has answered; its text is for people. */
export class AnswerError extends Error {
  /**
   * @param {string} text
   * @param {{move?: number, rest?: string, moreTime?: boolean, goesOn?: boolean}} [answer] with the move of the address
   *   that is wrong and the text without it, whether more time for estimates would help, and whether the computation
   *   goes on, so that the same request gets its result later
   */
  constructor(text, { move = NaN, rest = text, moreTime = false, goesOn = false } = {}) {
    super(text);
    this.move = move;
    this.rest = rest;
    this.moreTime = moreTime;
    this.goesOn = goesOn;
  }
}

/** @type {(request: object, signal?: AbortSignal) => Promise<any>} */
const send = transport === 'http' ? http : connectWorker();

/** The tokens to try: that of the address, and that of an earlier visit. */
let tokens = [...new Set([tokenOf(), token()])].filter(isToken);

async function http(request, signal) {
  let response;
  for (const t of tokens.length ? tokens : ['']) {
    response = await fetch('api', {
      method: 'POST', headers: { 'Content-Type': 'application/json', ...(t && { Authorization: `Bearer ${t}` }) }, body: JSON.stringify(request), signal,
    });
    if (response.status === 403) continue;
    if (tokenOf() && (!t || keepToken(t))) hideToken();
    if (t) tokens = [t];
    break;
  }
  if (response.status === 503) throw new AnswerError(t('Too many requests at once; try again.'));
  if (!response.ok) throw new AnswerError((await response.text()).trim());
  return response.json();
}

/**
 * Sends a request and returns the answer, in the language of the page.
 * @param {string} name of the request
 * @param {object} [fields] of the request
 * @param {AbortSignal} [signal] that cancels it
 */
export async function call(name, fields = {}, signal = undefined) {
  let answer;
  try {
    answer = await send({ do: name, language: language(), ...fields }, signal);
  } catch (error) {
    if (error.name === 'AbortError' || error instanceof AnswerError) throw error;
    throw new AnswerError(offline ? t('The program of this page does not run: {reason}. Check the connection and try again, or reload the page: there can be a new version.', { reason: error.message }) : t('The program does not answer. Is it still running?'));
  }
  if (answer?.error) throw new AnswerError(answer.error, answer);
  return answer;
}

/**
 * Is call for a request that needs a solved game: it asks again until the game is solved.
 * @param {string} name of the request
 * @param {object} fields of the request
 * @param {AbortSignal} signal that cancels it
 * @param {(message: string) => void} wait is told why there is no answer yet
 */
export async function callSolved(name, fields, signal, wait) {
  for (;;) {
    try {
      return await call(name, fields, signal);
    } catch (error) {
      if (!(error instanceof AnswerError) || !error.goesOn) throw error;
      wait(error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const kept = new Map();

/** Is call for an answer that never changes in one language. */
export function callOnce(name, fields = {}) {
  const key = JSON.stringify([language(), name, fields]);
  if (!kept.has(key)) {
    const answer = call(name, fields);
    kept.set(key, answer);
    answer.catch(() => kept.delete(key));
  }
  return kept.get(key);
}

/** Whether the page runs without a server. */
export const offline = transport !== 'http';
