// The service worker of the exported page: it keeps all files that were used, so that the
// page works without a network. A new export has a new version.
importScripts('files.js');

const kept = self.files.filter((name) => !/^(values|networks)\//.test(name)); // others when needed

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(self.version).then((cache) => cache.addAll(['./', 'files.js', ...kept])).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((n) => n !== self.version).map((n) => caches.delete(n)))).then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(self.version);
    const found = await cache.match(event.request, { ignoreSearch: true });
    if (found) return found;
    const response = await fetch(event.request);
    if (response.ok) await cache.put(event.request, response.clone());
    return response;
  })());
});
