// Requests to the Web Worker of the exported page.

/** Starts the worker and returns the function that sends a request. */
export function connectWorker() {
  const pending = new Map();
  let worker, next = 0;

  function start() {
    worker = new Worker('worker.js');
    worker.onmessage = ({ data }) => {
      if (data.failed) {
        for (const { reject } of pending.values()) reject(new Error(data.failed));
        pending.clear();
        return;
      }
      const request = pending.get(data.id);
      pending.delete(data.id);
      request?.resolve(JSON.parse(data.response));
    };
  }

  /** Go cannot be interrupted while it computes: the worker starts again, with what is left. */
  function restart() {
    worker.terminate();
    start();
    for (const [id, { text }] of pending) worker.postMessage({ id, request: text });
  }

  start();
  return (request, signal) => new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new DOMException('Cancelled', 'AbortError'));
    const id = next++, text = JSON.stringify(request), slow = ['values', 'chance', 'review', 'play', 'report'].includes(request.do);
    pending.set(id, { resolve, reject, text });
    signal?.addEventListener('abort', () => {
      if (!pending.delete(id)) return;
      reject(new DOMException('Cancelled', 'AbortError'));
      if (slow) restart();
    }, { once: true });
    worker.postMessage({ id, request: text });
    return undefined;
  });
}
