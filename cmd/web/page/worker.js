// The Web Worker of the exported page: it runs the logic as WebAssembly. files.js lists the
// files of the page, and wasm_exec.js is that of the Go release which compiled app.wasm.
importScripts('files.js', 'wasm_exec.js');

/** Called by the program: returns a file as bytes. */
self.fetchBytes = async (name) => {
  const response = await fetch(name).catch(() => null);
  if (!response?.ok) throw new Error(`${name} cannot be loaded`);
  return new Uint8Array(await response.arrayBuffer());
};

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
  const response = await fetch('app.wasm.gz');
  if (!response.ok) throw new Error('app.wasm.gz cannot be loaded');
  const plain = response.body.pipeThrough(new DecompressionStream('gzip'));
  const module = new Response(plain, { headers: { 'Content-Type': 'application/wasm' } });
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(module, go.importObject);
  await go.run(instance);
  throw new Error('the program has ended');
})().catch((error) => postMessage({ failed: error.message }));
