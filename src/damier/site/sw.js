// Service worker: caches all files of one version of the site and serves them, so that it works
// offline and never mixes two versions. The site builder puts VERSION and FILES (digests by name) above.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const { scope } = worker.registration;
const CACHE_PREFIX = `damier ${scope} `; // other sites on this host have their own
const CACHE = CACHE_PREFIX + VERSION;
const BIG = /pyodide\.asm|\.zip$/; // files that take long to verify
const VERIFY_DELAY_MS = 3000; // big files are verified after the page has loaded

worker.addEventListener('install', (event) => event.waitUntil(cacheFiles()));
worker.addEventListener('activate', (event) => event.waitUntil(deleteOtherVersions()));
worker.addEventListener('message', ({ data }) => data === 'update' && worker.skipWaiting());
worker.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const [address] = url.split(/[?#]/);
  if (method !== 'GET' || !address.startsWith(scope)) return;
  const name = address.slice(scope.length) || 'index.html';
  if (!Object.hasOwn(FILES, name)) return;
  event.respondWith(BIG.test(name) ? serveUnverified(event, name) : serveCached(name));
});

async function cacheFiles() {
  const cache = await caches.open(CACHE);
  for (const [name, digest] of Object.entries(FILES)) {
    const cached = await cache.match(name);
    if (cached && (await isIntact(cached.clone(), digest))) continue;
    // A file with the version in its name cannot have changed since the page loaded it.
    const fresh = await fetch(name, { cache: name.startsWith(VERSION) ? 'default' : 'no-cache' });
    if (!fresh.ok || !(await isIntact(fresh.clone(), digest)))
      throw new Error(`not of this version: ${name}`);
    await cache.put(name, fresh);
  }
}

/**
 * @param {Response} response
 * @param {string} digest
 */
async function isIntact(response, digest) {
  const actual = await crypto.subtle.digest('SHA-256', await response.arrayBuffer());
  return digest === [...new Uint8Array(actual)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Serves a file from the cache. A file that is missing or damaged is fetched again.
/** @param {string} name */
async function serveCached(name) {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(name);
  if (cached && (await isIntact(cached.clone(), FILES[name]))) return cached;
  const fresh = await fetch(name, { cache: 'no-cache' });
  if (fresh.ok && (await isIntact(fresh.clone(), FILES[name]))) await cache.put(name, fresh.clone());
  return fresh;
}

// Serves a big file from the cache without delay and verifies it later. If it is damaged, the worker
// does not start and the page tries again.
/**
 * @param {FetchEvent} event
 * @param {string} name
 */
async function serveUnverified(event, name) {
  const cached = await caches.match(name, { cacheName: CACHE });
  const delay = new Promise((resolve) => setTimeout(resolve, VERIFY_DELAY_MS));
  event.waitUntil(delay.then(() => serveCached(name)).catch(console.warn));
  return cached ?? serveCached(name);
}

async function deleteOtherVersions() {
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHE_PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await worker.clients.claim();
}
