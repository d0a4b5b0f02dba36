// Transport of requests to a worker in the browser, which runs the server's Python code. The first
// responses are precomputed files, so that the page appears before the program is loaded. In a browser
// where a thinking worker cannot receive messages, a second worker does the thinking.

import { root } from './address.js';
import { newId } from './id.js';
import { reportLoading } from './load-status.js';

/** @import { TransportResponse, Transport } from './api.js' */

// Folder of this version's files.
const VERSION_ROOT = `${root}${document.documentElement.dataset.siteVersion}`;
// The endpoints whose answers may take long, and the seconds for an answer: the site builder writes
// both into the page, from the server's registry.
const ENGINE_ENDPOINTS = new Set(document.documentElement.dataset.engineEndpoints?.split(' '));
const MAX_SECONDS = Number(document.documentElement.dataset.timeoutSeconds);
const MAX_SILENCE_SECONDS = 60; // without a message while the program is loading
const MAX_ATTEMPTS = 3; // of a request whose worker crashed

/**
 * @typedef {object} PendingRequest A pending request.
 * @property {string} path
 * @property {string | null} text its body
 * @property {string} language
 * @property {boolean} isEngine
 * @property {number} seconds timeout
 * @property {number} clock timer of the timeout, set when the worker got the request; 0 before
 * @property {number} tries
 * @property {(answer: TransportResponse | Promise<TransportResponse>) => void} resolve
 * @property {(why: unknown) => void} reject
 */

// A worker with the program, and its pending requests. A crashed worker is replaced and its requests are
// sent again, which is safe because no request changes anything.
class EngineWorker {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.count = 0;
    /** @type {Map<number, PendingRequest>} */
    this.requests = new Map();
    /** @type {Worker | null} */
    this.worker = null;
    this.ready = false;
    this.isInterruptible = false; // it receives messages during a search
    this.loadTimer = 0;
  }

  /** Start the worker, unless there is one. */
  start() {
    if (this.worker) return;
    const worker = new Worker(`${VERSION_ROOT}engine/worker.js`, { type: 'module', name: this.name });
    this.worker = worker;
    worker.onmessage = ({ data }) => this.worker === worker && this.onMessage(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.worker === worker) this.replace();
    };
    this.detectCrash(worker);
    this.restartLoadTimer();
  }

  /**
   * Detect a crash of the worker: it holds a lock as long as it lives.
   *
   * @param {Worker} worker
   */
  detectCrash(worker) {
    const lock = `damier-${newId()}`;
    worker.postMessage({ lock });
    this.alive = () => {
      navigator.locks?.request(lock, () => this.worker === worker && this.replace());
    };
  }

  // Restart the timeout of loading: a slow network is tolerated, a stalled one is not.
  restartLoadTimer() {
    clearTimeout(this.loadTimer);
    this.loadTimer = setTimeout(() => this.replace(), 1000 * MAX_SILENCE_SECONDS);
  }

  /** @param {any} message */
  onMessage(message) {
    if ('loading' in message) {
      if (this.ready) return; // later files are small
      reportLoading(this.name, message.loading);
      this.restartLoadTimer();
    } else if ('ready' in message) {
      clearTimeout(this.loadTimer);
      this.ready = true;
      this.isInterruptible = message.interruptible;
      this.alive?.();
      reportLoading(this.name, 1);
      this.sendPending();
    } else if ('crashed' in message) this.replace();
    else if ('unavailable' in message) this.removeRequest(message.id)?.reject(new Error(message.unavailable));
    else this.removeRequest(message.id)?.resolve({ status: message.status, body: JSON.parse(message.text) });
  }

  /**
   * Remove and return a finished request.
   *
   * @param {number} id
   */
  removeRequest(id) {
    const pending = this.requests.get(id);
    this.requests.delete(id);
    clearTimeout(pending?.clock);
    this.sendPending();
    return pending;
  }

  /** Send pending requests to the worker: one at a time, and one more during an engine request. */
  sendPending() {
    if (!this.ready) return;
    for (const [id, pending] of this.requests) {
      const sent = [...this.requests.values()].filter(({ clock }) => clock);
      if (
        pending.clock ||
        sent.some(({ isEngine }) => !this.isInterruptible || isEngine === pending.isEngine)
      )
        continue;
      const { path, text, language, isEngine, seconds } = pending;
      pending.clock = setTimeout(() => this.replace(id), 1000 * seconds);
      this.worker?.postMessage({ id, path, text, language, isEngine });
    }
  }

  /**
   * Replace a worker that crashed or is stuck. If it never started, its files cannot be loaded: reject
   * its requests.
   *
   * @param {number} [stuck] the request that takes it too long
   */
  replace(stuck) {
    const begun = this.ready;
    clearTimeout(this.loadTimer);
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    for (const [id, pending] of this.requests) {
      clearTimeout(pending.clock);
      const attempts = pending.clock && ++pending.tries;
      pending.clock = 0;
      if (begun && id !== stuck && attempts < MAX_ATTEMPTS) continue;
      this.requests.delete(id);
      if (begun) pending.resolve(errorResponse(id === stuck ? 'too-much' : 'fault', pending.language));
      else pending.reject(new Error('the program cannot be loaded'));
    }
    if (begun) this.start();
    else reportLoading(this.name, 1);
  }

  /**
   * @param {string} path
   * @param {object | null} body
   * @param {string} language
   * @param {AbortSignal} [signal]
   * @returns {Promise<TransportResponse>}
   */
  request(path, body, language, signal) {
    this.start();
    const id = ++this.count;
    const seconds = MAX_SECONDS + (body && 'seconds' in body ? Number(body.seconds) : 0);
    const text = body && JSON.stringify(body);
    const isEngine = ENGINE_ENDPOINTS.has(path);
    return new Promise((resolve, reject) => {
      this.requests.set(id, { path, text, language, isEngine, seconds, clock: 0, tries: 0, resolve, reject });
      signal?.addEventListener('abort', () => {
        reject(signal.reason);
        this.abort(id);
      });
      this.sendPending();
    });
  }

  /** @param {number} id of a request whose answer nobody wants any more */
  abort(id) {
    const pending = this.requests.get(id);
    if (!pending?.clock) this.requests.delete(id);
    else if (this.isInterruptible || !pending.isEngine) {
      pending.tries = MAX_ATTEMPTS; // it is not sent again
      this.worker?.postMessage({ stop: id });
    } else {
      clearTimeout(pending.clock);
      this.requests.delete(id);
      this.replace();
    }
  }
}

const mainWorker = new EngineWorker('program');
const searchWorker = new EngineWorker('thinker');
if (navigator.serviceWorker?.controller) mainWorker.start(); // its files are cached

/**
 * Return the precomputed response of one of the page's first requests, or null.
 *
 * @param {string} path
 * @param {any} body
 * @param {string} language
 */
async function precomputedResponse(path, body, language) {
  const name = body ? (path === 'state' && isStartPosition(body) ? `state/${body.game}` : null) : path;
  if (!name || !/^[\w/-]+$/.test(name)) return null;
  const answer = await fetch(`${VERSION_ROOT}answers/${language}/${name}.json`);
  return answer.ok ? { status: 200, body: await answer.json() } : null;
}

/**
 * Return the error response for a request that crashed or blocked the worker.
 *
 * @param {'too-much' | 'fault'} key
 * @param {string} language
 * @returns {Promise<TransportResponse>}
 */
async function errorResponse(key, language) {
  return await (await fetch(`${VERSION_ROOT}answers/${language}/refusals/${key}.json`)).json();
}

/** @param {any} body */
const isStartPosition = ({ game, options = {}, start = null, turns = [], begun = [], ...more }) =>
  game && !start && !turns.length && !begun.length && ![...Object.keys(options), ...Object.keys(more)].length;

/** @type {Transport} */
export async function sendToWorker(path, body, language, signal) {
  const found = await precomputedResponse(path, body, language);
  signal?.throwIfAborted();
  mainWorker.start();
  const apart = mainWorker.ready && !mainWorker.isInterruptible;
  if (apart) searchWorker.start();
  return (
    found ??
    (apart && ENGINE_ENDPOINTS.has(path) ? searchWorker : mainWorker).request(path, body, language, signal)
  );
}
