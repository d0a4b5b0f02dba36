// Requests carried to a worker inside the browser: it runs the same program as a server, and answers
// the same. What is known beforehand lies in files, so that the page is there before the program is.
// Where a browser cannot let the worker hear anything while it thinks, another thinks in its place.

import { root } from './address.js';
import { onProgress } from './progress.js';

/** @import { Carried, Carry } from './api.js' */

const PLACE = `${root}${document.documentElement.dataset.inside}`; // of all files of this version
const THOUGHT = new Set(['move', 'analysis']);
const MOST_SECONDS = 20; // for an answer, as on a server
const MOST_SILENCE = 60; // seconds without a sign of life while the program is loaded
const TRIES = 3; // that a request is put to workers that die of it

/**
 * @typedef {object} Asked A request under way.
 * @property {string} path
 * @property {string | null} text its body
 * @property {string} language
 * @property {boolean} thinks
 * @property {number} seconds in which it must be answered
 * @property {number} clock that runs since the worker has it; 0 before
 * @property {number} tries
 * @property {(answer: Carried | Promise<Carried>) => void} resolve
 * @property {(why: unknown) => void} reject
 */

// The program in a worker, and whoever waits for it. One that dies is replaced, and asked again what
// it has not answered: no request changes anything.
class Program {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.count = 0;
    /** @type {Map<number, Asked>} */
    this.asked = new Map();
    /** @type {Worker | null} */
    this.worker = null;
    this.ready = false;
    this.hears = false; // also while it thinks
    this.clock = 0;
  }

  /** Start the worker, unless there is one. */
  start() {
    if (this.worker) return;
    const worker = new Worker(`${PLACE}engine/worker.js`, { type: 'module', name: this.name });
    this.worker = worker;
    worker.onmessage = ({ data }) => this.worker === worker && this.hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.worker === worker) this.replace();
    };
    this.watch(worker);
    this.expectSign();
  }

  /**
   * Notice that a worker has died: it holds a lock as long as it lives.
   *
   * @param {Worker} worker
   */
  watch(worker) {
    const lock = `damier-${crypto.randomUUID?.() ?? Math.random()}`;
    worker.postMessage({ lock });
    this.alive = () => {
      navigator.locks?.request(lock, () => this.worker === worker && this.replace());
    };
  }

  // A slow network is no reason to give up, one that has stopped is.
  expectSign() {
    clearTimeout(this.clock);
    this.clock = setTimeout(() => this.replace(), 1000 * MOST_SILENCE);
  }

  /** @param {any} told */
  hear(told) {
    if ('loading' in told) {
      if (this.ready) return; // what more it needs is small
      onProgress(this.name, told.loading);
      this.expectSign();
    } else if ('ready' in told) {
      clearTimeout(this.clock);
      this.ready = true;
      this.hears = told.hears;
      this.alive?.();
      onProgress(this.name, 1);
      this.next();
    } else if ('dead' in told) this.replace();
    else if ('away' in told) this.take(told.id)?.reject(new Error(told.away));
    else this.take(told.id)?.resolve({ status: told.status, body: JSON.parse(told.text) });
  }

  /**
   * A request that is done with, one way or another.
   *
   * @param {number} id
   */
  take(id) {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    clearTimeout(asked?.clock);
    this.next();
    return asked;
  }

  /** Give the worker what it can do: one thing at a time, and one more beside what it thinks about. */
  next() {
    if (!this.ready) return;
    for (const [id, asked] of this.asked) {
      const given = [...this.asked.values()].filter(({ clock }) => clock);
      if (asked.clock || given.some(({ thinks }) => !this.hears || thinks === asked.thinks)) continue;
      const { path, text, language, thinks, seconds } = asked;
      asked.clock = setTimeout(() => this.replace(id), 1000 * seconds);
      this.worker?.postMessage({ id, path, text, language, thinks });
    }
  }

  /**
   * End a worker that is dead or stuck, and go on with another. If it never began, its files cannot be
   * had now: whoever waits for it is told.
   *
   * @param {number} [stuck] the request that takes it too long
   */
  replace(stuck) {
    const begun = this.ready;
    clearTimeout(this.clock);
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    for (const [id, asked] of this.asked) {
      clearTimeout(asked.clock);
      const had = asked.clock && ++asked.tries;
      asked.clock = 0;
      if (begun && id !== stuck && had < TRIES) continue;
      this.asked.delete(id);
      if (begun) asked.resolve(refusal(id === stuck ? 'too-much' : 'fault', asked.language));
      else asked.reject(new Error('the program cannot be loaded'));
    }
    if (begun) this.start();
    else onProgress(this.name, 1);
  }

  /**
   * @param {string} path
   * @param {object | null} body
   * @param {string} language
   * @param {AbortSignal} [signal]
   * @returns {Promise<Carried>}
   */
  ask(path, body, language, signal) {
    this.start();
    const id = ++this.count;
    const seconds = MOST_SECONDS + (body && 'seconds' in body ? Number(body.seconds) : 0);
    const text = body && JSON.stringify(body);
    const thinks = THOUGHT.has(path);
    return new Promise((resolve, reject) => {
      this.asked.set(id, { path, text, language, thinks, seconds, clock: 0, tries: 0, resolve, reject });
      signal?.addEventListener('abort', () => {
        reject(signal.reason);
        this.giveUp(id);
      });
      this.next();
    });
  }

  /** @param {number} id of a request whose answer nobody wants any more */
  giveUp(id) {
    const asked = this.asked.get(id);
    if (!asked?.clock) this.asked.delete(id);
    else if (this.hears || !asked.thinks) {
      asked.tries = TRIES; // no other need answer it
      this.worker?.postMessage({ stop: id });
    } else {
      clearTimeout(asked.clock);
      this.asked.delete(id);
      this.replace();
    }
  }
}

const program = new Program('program');
const thinker = new Program('thinker');
if (navigator.serviceWorker?.controller) program.start(); // at once: nothing has to be transferred

/**
 * What was answered when this version was made, if it is that: the page's first questions.
 *
 * @param {string} path
 * @param {any} body
 * @param {string} language
 */
async function known(path, body, language) {
  const name = body ? (path === 'state' && isStart(body) ? `state/${body.game}` : null) : path;
  if (!name || !/^[\w/-]+$/.test(name)) return null;
  const answer = await fetch(`${PLACE}answers/${language}/${name}.json`);
  return answer.ok ? { status: 200, body: await answer.json() } : null;
}

/**
 * What is said of a request that no worker survives.
 *
 * @param {'too-much' | 'fault'} key
 * @param {string} language
 */
async function refusal(key, language) {
  const body = await (await fetch(`${PLACE}answers/${language}/refusals/${key}.json`)).json();
  return { status: key === 'fault' ? 500 : 422, body };
}

/** @param {any} body */
const isStart = ({ game, options = {}, start = null, turns = [], begun = [], ...more }) =>
  game && !start && !turns.length && !begun.length && ![...Object.keys(options), ...Object.keys(more)].length;

/** @type {Carry} */
export async function carry(path, body, language, signal) {
  const found = await known(path, body, language);
  signal?.throwIfAborted();
  program.start();
  const apart = program.ready && !program.hears;
  if (apart) thinker.start();
  return found ?? (apart && THOUGHT.has(path) ? thinker : program).ask(path, body, language, signal);
}
