// Service worker of a server's page. It caches the server's responses, so that the page opens and its rules
// can be read while the server is unavailable.

const serviceWorker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const pageScope = serviceWorker.registration.scope;
const CACHE_NAME = `damier page ${pageScope}`;
const CACHED_PATHS = /^(?:static\/[^?]+|api\/v1\/(?:games|(?:texts|rules)\/[^?/]+))?$/;

serviceWorker.addEventListener('install', () => serviceWorker.skipWaiting());
serviceWorker.addEventListener('activate', (event) => event.waitUntil(deleteOldCaches()));
serviceWorker.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const [address] = url.split('#');
  if (
    method === 'GET' &&
    address.startsWith(pageScope) &&
    CACHED_PATHS.test(address.slice(pageScope.length))
  ) {
    event.respondWith(fetchOrCached(event.request));
  }
});

// Cache the files that the page loaded before this worker started, and the rules.
serviceWorker.addEventListener('message', (event) => {
  const headers = { 'Accept-Language': event.data.language };
  const keep = (/** @type {string} */ url) =>
    fetchOrCached(new Request(new URL(url, pageScope), { headers }));
  event.waitUntil(Promise.allSettled(event.data.keep.map(keep)));
});

// Delete the caches of a site without a server that was at the same address before.
async function deleteOldCaches() {
  for (const name of await caches.keys()) {
    if (name.startsWith(`damier ${pageScope} `)) await caches.delete(name);
  }
  await serviceWorker.clients.claim();
}

/** @param {Request} request */
async function fetchOrCached(request) {
  const cache = await caches.open(CACHE_NAME);
  const [address] = request.url.split('#');
  // Rules are cached per language.
  const asked = address.includes('/rules/') ? request.headers.get('Accept-Language') : '';
  const key = `${address}?in=${asked}`;
  try {
    const fresh = await fetch(request);
    if (fresh.ok) cache.put(key, fresh.clone()).catch(console.warn); // storage may be full
    return fresh;
  } catch (error) {
    const cached = await cache.match(key);
    if (cached) return cached;
    throw error;
  }
}
