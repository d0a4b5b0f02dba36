// Asking: a server, or a worker inside the browser that answers the same. When a server is away or
// busy the page says so, waits and asks again.

import { wait } from './dom.js';
import { language } from './i18n.js';
import { identity } from './store.js';

/**
 * @typedef {object} Carried An answer as it came.
 * @property {number} status
 * @property {any} body what its JSON says; null if it is none
 * @property {number} [again] the seconds after which to ask again
 *
 * @typedef {(path: string, body: object | null, language: string, signal?: AbortSignal,
 *   secret?: string | null) => Promise<Carried>} Carry
 */

const { inside } = document.documentElement.dataset;

/** @type {Promise<{ carry: Carry }>} */
const carrier = inside === undefined ? import('./http.js') : import('./inside.js');

export class Refused extends Error {
  /**
   * @param {number} status
   * @param {Api.ErrorBody | undefined} error
   */
  constructor(status, error) {
    super(error?.message ?? `HTTP ${status}`);
    this.status = status;
    this.key = error?.key ?? 'http';
    this.details = error?.details ?? {};
  }
}

/** @type {Set<(away: boolean) => void>} */
const listeners = new Set();
let away = false;

/** @param {(away: boolean) => void} listener */
export const onAway = (listener) => listeners.add(listener);

/** @param {boolean} now */
function setAway(now) {
  if (now === away) return;
  away = now;
  for (const listener of listeners) listener(away);
}

let waiting = 0;

// How many answers are being waited for, in <body data-waiting>: 0 means that the page is settled.
/** @param {number} change */
function count(change) {
  waiting += change;
  document.body.dataset.waiting = String(waiting);
}

/**
 * Resolves to the answer; rejects with Refused, or with an AbortError when given up.
 *
 * @template {keyof Api.Answers} P
 * @param {P} path
 * @param {Api.Questions[P]} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.Answers[P]>}
 */
export const ask = (path, body, signal) => askAs(identity.get()?.secret ?? null, path, body, signal);

/**
 * The same in the name of somebody, of a server of online play.
 *
 * @param {string | null} secret
 * @param {string} path
 * @param {object | null} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function askAs(secret, path, body, signal) {
  count(1);
  try {
    return await insist(secret, path, body, signal);
  } finally {
    count(-1);
  }
}

/**
 * @param {string | null} secret
 * @param {string} path
 * @param {object | null} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function insist(secret, path, body = null, signal) {
  const { carry } = await carrier;
  for (let tries = 0; ; tries++) {
    let answer;
    try {
      answer = await carry(path, body, language, signal, secret);
    } catch (error) {
      if (signal?.aborted) throw error;
      setAway(true);
      await wait(Math.min(500 * 2 ** tries, 5000), signal);
      signal?.throwIfAborted();
      continue;
    }
    setAway(false);
    if (answer.status < 300) return answer.body;
    if (answer.status !== 503) throw new Refused(answer.status, answer.body?.error);
    await wait(1000 * (answer.again ?? 2) * (0.5 + Math.random()), signal);
    signal?.throwIfAborted();
  }
}

/** @type {Promise<Api.GamesOut> | null} */
let known = null;

export const gameList = () => {
  known ??= ask('games');
  return known;
};

/**
 * What the server says of a game; of one that it does not know, nothing.
 *
 * @param {string} name
 */
export const gameNamed = async (name) => (await gameList()).games.find((game) => game.name === name);
