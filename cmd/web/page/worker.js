// The Web Worker of the exported page: it runs the logic as WebAssembly. files.js lists the
// files of the page, and wasm_exec.js is that of the Go release which compiled app.wasm.
importScripts('files.js', 'load.js', 'wasm_exec.js');

const waiting = [];
let running = false;

/** Called by the program when it can answer. */
self.ready = () => {
  running = true;
  for (const message of waiting.splice(0)) answer(message);
};

function answer({ id, request }) {
  self.handle(request, (response) => postMessage({ id, response }));
}

onmessage = ({ data }) => (running ? answer(data) : waiting.push(data));

(async () => {
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(await self.load('app.wasm.gz'), go.importObject);
  await go.run(instance);
  throw new Error('the program has ended');
})().catch((error) => postMessage({ failed: error.message }));
