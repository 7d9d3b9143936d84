// The service worker of the exported page: it keeps all files that were used, so that the
// page works without a network. A new export has a new version.
importScripts('files.js');

const own = `marsgym ${self.registration.scope} `; // begins the names of its caches: other sites of this origin have theirs
const name = own + self.version;
const kept = self.files.filter((file) => !/^(values|networks)\/|^preview\./.test(file) || file === 'values/martian-dice-2.solution'); // which the daily exercise needs; others when they are needed

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(['./', 'files.js', ...kept])).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((n) => n.startsWith(own) && n !== name).map((n) => caches.delete(n)))).then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(name);
    const found = await cache.match(event.request, { ignoreSearch: true });
    if (found) return found;
    const response = await fetch(event.request);
    if (response.ok) await cache.put(event.request, response.clone()).catch(() => {}); // the storage can be full
    return response;
  })());
});
