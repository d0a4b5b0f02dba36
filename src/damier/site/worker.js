// The worker that answers where there is no server: Python, and damier in it.

import { loadPyodide } from './pyodide.mjs';

/**
 * @typedef {object} Contents What lies beside this file: the rest of it is for Python.
 * @property {number} size of all that is loaded before the first answer, in bytes
 * @property {object} lock which Pyodide this is
 *
 * @typedef {object} Asked A request.
 * @property {number} id
 * @property {string} path
 * @property {string | null} text
 * @property {string} language
 * @property {boolean} thinks whether others may be answered meanwhile
 */

const HERE = new URL('.', import.meta.url);
const HOME = '/damier'; // of the package, in the worker's own files
const HEARS = 'Suspending' in WebAssembly; // whether Python can be held, to hear what the page says

// ---- loading ---------------------------------------------------------------------------------

const plainFetch = self.fetch.bind(self);
let loaded = 0;
let size = Infinity;

// Whoever fetches something, Pyodide too, has its bytes counted: those of a copy, because browsers
// keep the compiled code of what they have fetched themselves.
self.fetch = async (...asked) => {
  const answer = await plainFetch(...asked);
  if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${answer.url}`);
  count(answer.clone().body).catch(console.warn);
  return answer;
};

/** @param {ReadableStream<Uint8Array<ArrayBuffer>> | null} stream */
async function count(stream) {
  const reader = stream?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    loaded += part.value.length;
    postMessage({ loading: Math.min(0.99, loaded / size) });
  }
}

/** @param {string} name */
const file = (name) => fetch(new URL(name, HERE));

// Lets messages in while Python waits, where the browser can hold it that long. A timer would take
// longer each time.
const { port1, port2 } = new MessageChannel();
const pause = () =>
  new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

async function load() {
  const asked = file('contents.json').then((answer) => answer.text());
  const parsed = asked.then((text) => /** @type {Contents} */ (JSON.parse(text)));
  const begun = loadPyodide({
    indexURL: HERE.href,
    stdLibURL: new URL('python.zip', HERE).href,
    lockFileContents: parsed.then(({ lock }) => ({ info: lock, packages: {} })), // no others
    packageBaseUrl: HERE.href,
    env: { HOME, DAMIER_DATA_DIR: `${HOME}/data` },
  });
  const sources = file('damier.zip').then((answer) => answer.arrayBuffer());
  size = (await parsed).size;
  const python = await begun;
  python.unpackArchive(await sources, 'zip', { extractDir: HOME });
  python.runPython(`import sys; sys.path.insert(0, '${HOME}')`);
  const answers = python.pyimport('damier.site.browser').Answers(HOME, await asked, pause);
  postMessage({ ready: true, hears: HEARS });
  return answers;
}

const begun = load().catch((error) => {
  console.info(error);
  postMessage({ dead: String(error) });
  throw error;
});
begun.catch(() => {}); // the page has been told

// ---- answering -------------------------------------------------------------------------------

/** @param {Asked} asked */
async function answer({ id, path, text, language, thinks }) {
  const answers = await begun;
  const names = /** @type {string[]} */ (answers.missing(path, text ?? undefined).toJs());
  const fetched = Promise.all(names.map(async (name) => (await file(name)).arrayBuffer()));
  const contents = await fetched.catch((error) => postMessage({ id, away: String(error) }));
  if (!contents) return;
  for (const [k, name] of names.entries()) answers.give(name, new Uint8Array(contents[k]));
  const asked = [path, text ?? undefined, language];
  const think = () => (HEARS ? answers.think.callPromising(id, ...asked) : answers.think(id, ...asked));
  const found = thinks ? await think() : answers.answer(...asked);
  const [status, said] = found.toJs();
  found.destroy();
  postMessage({ id, status, text: said });
}

/** @param {unknown} error that this worker cannot go on after */
function die(error) {
  console.warn(error);
  postMessage({ dead: String(error) });
}

self.onmessage = async ({ data }) => {
  if ('lock' in data) navigator.locks?.request(data.lock, () => new Promise(() => {}));
  else if ('stop' in data) (await begun).stop(data.stop);
  else answer(data).catch(die);
};
