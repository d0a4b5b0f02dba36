// Web worker that answers requests where there is no server: runs damier in Pyodide.

import { loadPyodide } from './pyodide.mjs';

/**
 * @typedef {object} Contents The parts of contents.json that this script uses.
 * @property {number} size bytes to load before the first answer
 * @property {object} lock information about this version of Pyodide
 *
 * @typedef {object} WorkerRequest
 * @property {number} id
 * @property {string} path
 * @property {string | null} text the JSON of the body; null for a GET request
 * @property {string} language
 * @property {boolean} isEngine whether others may be answered during this one
 */

const HERE = new URL('.', import.meta.url);
const HOME = '/damier'; // folder of the package in Pyodide's file system
// Whether Python can be suspended (JSPI), so that messages are read during a search.
const INTERRUPTIBLE = 'Suspending' in WebAssembly;

// ---- loading ---------------------------------------------------------------------------------

const plainFetch = self.fetch.bind(self);
let loaded = 0;
let size = Infinity;

// Counts the bytes of every fetch, also of Pyodide's. It reads a copy, because browsers cache compiled
// code only for the original response.
self.fetch = async (...request) => {
  const response = await plainFetch(...request);
  if (!response.ok || !response.body) throw new Error(`${response.status} ${response.url}`);
  countBytes(response.clone().body).catch(console.warn);
  return response;
};

/** @param {ReadableStream<Uint8Array<ArrayBuffer>> | null} stream */
async function countBytes(stream) {
  const reader = stream?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    loaded += part.value.length;
    postMessage({ loading: Math.min(0.99, loaded / size) });
  }
}

/** @param {string} name */
const fetchFile = (name) => fetch(new URL(name, HERE));

// Lets messages in while Python is suspended. Faster than a timer, which browsers slow down.
const { port1, port2 } = new MessageChannel();
const pause = () =>
  new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

async function load() {
  const contents = fetchFile('contents.json').then((response) => response.text());
  const parsed = contents.then((text) => /** @type {Contents} */ (JSON.parse(text)));
  const loading = loadPyodide({
    indexURL: HERE.href,
    stdLibURL: new URL('python.zip', HERE).href,
    lockFileContents: parsed.then(({ lock }) => ({ info: lock, packages: {} })), // no other packages
    packageBaseUrl: HERE.href,
    env: { HOME, DAMIER_DATA_DIR: `${HOME}/data` },
  });
  const sources = fetchFile('damier.zip').then((response) => response.arrayBuffer());
  size = (await parsed).size;
  const python = await loading;
  python.unpackArchive(await sources, 'zip', { extractDir: HOME });
  python.runPython(`import sys; sys.path.insert(0, '${HOME}')`);
  const { PyodideWorker } = python.pyimport('damier.site.pyodide_worker');
  const worker = PyodideWorker(HOME, await contents, pause);
  postMessage({ ready: true, interruptible: INTERRUPTIBLE });
  return worker;
}

const workerLoaded = load().catch((error) => {
  console.info(error);
  postMessage({ crashed: String(error) });
  throw error;
});
workerLoaded.catch(() => {}); // already reported to the page

// ---- answering -------------------------------------------------------------------------------

/** @param {WorkerRequest} request */
async function answer({ id, path, text, language, isEngine }) {
  const worker = await workerLoaded;
  const names = /** @type {string[]} */ (worker.missing_files(path, text ?? undefined).toJs());
  const fetched = Promise.all(names.map(async (name) => (await fetchFile(name)).arrayBuffer()));
  const contents = await fetched.catch((error) => postMessage({ id, unavailable: String(error) }));
  if (!contents) return;
  for (const [k, name] of names.entries()) worker.add_file(name, new Uint8Array(contents[k]));
  const request = [path, text ?? undefined, language];
  const search = worker.answer_stoppable;
  const answerStoppable = () =>
    INTERRUPTIBLE ? search.callPromising(id, ...request) : search(id, ...request);
  const result = isEngine ? await answerStoppable() : worker.answer(...request);
  const [status, body] = result.toJs();
  result.destroy();
  postMessage({ id, status, text: body });
}

/** @param {unknown} error that this worker cannot recover from */
function crash(error) {
  console.warn(error);
  postMessage({ crashed: String(error) });
}

self.onmessage = async ({ data }) => {
  if ('lock' in data) navigator.locks?.request(data.lock, () => new Promise(() => {}));
  else if ('stop' in data) (await workerLoaded).stop(data.stop);
  else answer(data).catch(crash);
};
