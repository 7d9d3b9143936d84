// Requests to the Web Worker of the exported page.
import { later, t } from './language.js';

/** What load.js and worker.js say of what is wrong, by the file before it. */
const failures = [later('{file} cannot be loaded'), later('{file} of this version of the page is not on its server'), later('the program has ended')];

/** What is wrong, in the language of the page. @param {string} text in English */
function failure(text) {
  for (const known of failures) {
    const rest = known.replace('{file}', '');
    if (text.endsWith(rest)) return t(known, { file: text.slice(0, -rest.length) });
  }
  return text;
}

/** Returns the function that sends a request, and starts the worker at the first one. */
export function connectWorker() {
  const pending = new Map();
  let worker = null, next = 0;

  function start() {
    worker = new Worker(new URL('worker.js', import.meta.url));
    worker.onerror = () => fail(t('{file} is not what it should be', { file: 'worker.js' }));
    worker.onmessage = ({ data }) => {
      if (data.failed) return fail(failure(data.failed));
      const request = pending.get(data.id);
      pending.delete(data.id);
      return request?.resolve(JSON.parse(data.response));
    };
  }

  /** Rejects all requests: the next one starts another worker. @param {string} text */
  function fail(text) {
    worker?.terminate();
    worker = null;
    for (const { reject } of pending.values()) reject(new Error(text));
    pending.clear();
  }

  /** Go cannot be interrupted while it computes: the worker starts again, with what is left. */
  function restart() {
    worker.terminate();
    start();
    for (const [id, { text }] of pending) worker.postMessage({ id, request: text });
  }

  return (request, signal) => new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new DOMException('Cancelled', 'AbortError'));
    const id = next++, text = JSON.stringify(request), slow = ['values', 'chance', 'review', 'play', 'report'].includes(request.do);
    pending.set(id, { resolve, reject, text });
    signal?.addEventListener('abort', () => {
      if (!pending.delete(id)) return;
      reject(new DOMException('Cancelled', 'AbortError'));
      if (slow) restart();
    }, { once: true });
    if (!worker) start();
    worker.postMessage({ id, request: text });
    return undefined;
  });
}
