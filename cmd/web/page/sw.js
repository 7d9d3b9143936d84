// The service worker of the exported page: it keeps one version of the page, whose files are all what files.js says,
// and answers with them, so that no tab gets files of two versions and the page works without a network. The script
// that begins it, which browsers always ask the server for, names the version. The next version is installed beside
// it, and takes its place when no tab is left or a person wants that.

const own = `marsgym ${self.registration.scope} `; // begins the names of its caches: other sites of this origin have theirs
const folder = self.version, cacheName = own + folder;
const lazy = /^(values|networks)\//; // kept when they are needed, but for what the daily exercise needs
const kept = Object.keys(self.files).filter((name) => !lazy.test(name) || name === 'values/martian-dice-2.safetensors');

// A browser takes no module or style sheet of another type.
const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', json: 'application/json', svg: 'image/svg+xml', webmanifest: 'application/manifest+json', txt: 'text/html' };

self.addEventListener('install', (event) => event.waitUntil((async () => {
  const cache = await caches.open(cacheName);
  await Promise.all(kept.map(async (name) => cache.put(folder + name, await loaded(name))));
})()));

self.addEventListener('activate', (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith(own) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
})()));

self.addEventListener('message', () => self.skipWaiting());

self.addEventListener('fetch', (event) => {
  const name = nameOf(event.request);
  if (event.request.method === 'GET' && Object.hasOwn(self.files, name)) event.respondWith(answer(name));
});

/** The file of this version that is asked for; the page itself is index.txt. */
function nameOf({ url, mode }) {
  const path = url.replace(/[?#].*/s, ''), { scope } = self.registration;
  if (mode === 'navigate' && (path === scope || path === `${scope}index.html`)) return 'index.txt';
  return path.startsWith(scope + folder) ? path.slice((scope + folder).length) : '';
}

async function loaded(name) {
  return new Response(await self.load(name, folder), { headers: { 'Content-Type': types[name.split('.').pop()] ?? 'application/octet-stream' } });
}

/** What is kept; else, and where another program has deleted that, what the server has. */
async function answer(name) {
  const cache = await caches.open(cacheName).catch(() => null), found = await cache?.match(folder + name);
  if (found) return found;
  const response = await loaded(name).catch(() => Response.error());
  if (response.ok) await cache?.put(folder + name, response.clone()).catch(() => {}); // the storage can be full
  return response;
}
