// The service worker of a server's page: whatever the server answers is shown, and kept. While it is
// away the page still opens and its rules can be read.

const waiter = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const below = waiter.registration.scope;
const SHELF = `damier page ${below}`;
const WANTED = /^(?:static\/[^?]+|api\/v1\/(?:games|(?:texts|rules)\/[^?/]+))?$/;

waiter.addEventListener('install', () => waiter.skipWaiting());
waiter.addEventListener('activate', (event) => event.waitUntil(takeOver()));
waiter.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const [place] = url.split('#');
  if (method === 'GET' && place.startsWith(below) && WANTED.test(place.slice(below.length))) {
    event.respondWith(freshOrKept(event.request));
  }
});

// What the page loaded before this was there, and the rules that it may want to show.
waiter.addEventListener('message', (event) => {
  const headers = { 'Accept-Language': event.data.language };
  const keep = (/** @type {string} */ url) => freshOrKept(new Request(new URL(url, below), { headers }));
  event.waitUntil(Promise.allSettled(event.data.keep.map(keep)));
});

// From whatever else was here before: a site of files at the same address keeps itself, for good.
async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(`damier ${below} `)) await caches.delete(name);
  }
  await waiter.clients.claim();
}

/** @param {Request} request */
async function freshOrKept(request) {
  const cache = await caches.open(SHELF);
  const [place] = request.url.split('#');
  const asked = place.includes('/rules/') ? request.headers.get('Accept-Language') : ''; // their language
  const key = `${place}?in=${asked}`;
  try {
    const fresh = await fetch(request);
    if (fresh.ok) cache.put(key, fresh.clone()).catch(console.warn); // a full disk
    return fresh;
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw error;
  }
}
