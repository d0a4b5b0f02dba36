// Keeps a version of the site whole, and answers from it: no network is needed after that, and files
// of two versions never meet. VERSION and FILES, with a digest of each, stand above.

const keeper = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const { scope } = keeper.registration;
const PLACE = `damier ${scope} `; // other sites of this host have their own
const CACHE = PLACE + VERSION;
const BIG = /pyodide\.asm|\.zip$/; // what takes a moment to look through
const LATER = 3000; // milliseconds, when nobody waits for it any more

keeper.addEventListener('install', (event) => event.waitUntil(keep()));
keeper.addEventListener('activate', (event) => event.waitUntil(dropOthers()));
keeper.addEventListener('message', ({ data }) => data === 'update' && keeper.skipWaiting());
keeper.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const [place] = url.split(/[?#]/);
  if (method !== 'GET' || !place.startsWith(scope)) return;
  const name = place.slice(scope.length) || 'index.html';
  if (!Object.hasOwn(FILES, name)) return;
  event.respondWith(BIG.test(name) ? hasty(event, name) : kept(name));
});

async function keep() {
  const cache = await caches.open(CACHE);
  for (const [name, digest] of Object.entries(FILES)) {
    const have = await cache.match(name);
    if (have && (await isWhole(have.clone(), digest))) continue;
    // What has the version in its name cannot have changed since the page loaded it.
    const fresh = await fetch(name, { cache: name.startsWith(VERSION) ? 'default' : 'no-cache' });
    if (!fresh.ok || !(await isWhole(fresh.clone(), digest))) throw new Error(`not of this version: ${name}`);
    await cache.put(name, fresh);
  }
}

/**
 * @param {Response} answer
 * @param {string} digest
 */
async function isWhole(answer, digest) {
  const found = await crypto.subtle.digest('SHA-256', await answer.arrayBuffer());
  return digest === [...new Uint8Array(found)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// A file that was thrown away or damaged comes from the network once more, if it still is the same.
/** @param {string} name */
async function kept(name) {
  const cache = await caches.open(CACHE);
  const have = await cache.match(name);
  if (have && (await isWhole(have.clone(), FILES[name]))) return have;
  const fresh = await fetch(name, { cache: 'no-cache' });
  if (fresh.ok && (await isWhole(fresh.clone(), FILES[name]))) await cache.put(name, fresh.clone());
  return fresh;
}

// What is big is given as it is, and looked through later. A program that is broken does not start:
// the page asks for it again until it does.
/**
 * @param {FetchEvent} event
 * @param {string} name
 */
async function hasty(event, name) {
  const have = await caches.match(name, { cacheName: CACHE });
  const later = new Promise((resolve) => setTimeout(resolve, LATER));
  event.waitUntil(later.then(() => kept(name)).catch(console.warn));
  return have ?? kept(name);
}

async function dropOthers() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PLACE) && name !== CACHE) await caches.delete(name);
  }
  await keeper.clients.claim();
}
