// API client: sends requests to the server, or to a worker in the browser that gives the same responses.
// While the server is unavailable or busy, the page shows that and retries.

import { wait } from './dom.js';
import { identity } from './storage.js';

/**
 * @typedef {object} TransportResponse A response.
 * @property {number} status
 * @property {any} body the parsed JSON; null if it is no JSON
 * @property {number} [again] seconds after which to retry
 *
 * @typedef {(path: string, body: object | null, language: string, signal?: AbortSignal,
 *   secret?: string | null, method?: string) => Promise<TransportResponse>} Transport
 */

const { siteVersion } = document.documentElement.dataset;

/** @type {Promise<Transport>} */
const transport =
  siteVersion === undefined
    ? import('./http-transport.js').then(({ sendToServer }) => sendToServer)
    : import('./worker-transport.js').then(({ sendToWorker }) => sendToWorker);

export class RequestError extends Error {
  /**
   * @param {number} status
   * @param {Api.ErrorDescription | undefined} error
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
let isUnavailable = false;

/** @param {(away: boolean) => void} listener */
export const onServerUnavailable = (listener) => listeners.add(listener);

/** @param {boolean} now */
function setUnavailable(now) {
  if (now === isUnavailable) return;
  isUnavailable = now;
  for (const listener of listeners) listener(isUnavailable);
}

let waiting = 0;

// Count the pending requests in <body data-waiting>; tests wait for 0.
/** @param {number} change */
function count(change) {
  waiting += change;
  document.body.dataset.waiting = String(waiting);
}

/**
 * Send a request and return its response. Throws RequestError, or an AbortError when aborted.
 *
 * @template {keyof Api.Answers} P
 * @param {P} path
 * @param {Api.Questions[P]} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.Answers[P]>}
 */
export const request = (path, body, signal) => requestAs(identity.get()?.secret ?? null, path, body, signal);

/**
 * Send a request with the secret of an online player.
 *
 * @param {string | null} secret
 * @param {string} path
 * @param {object | null} [body]
 * @param {AbortSignal} [signal]
 * @param {string} [method] if neither GET nor POST
 * @returns {Promise<any>}
 */
export async function requestAs(secret, path, body, signal, method) {
  count(1);
  try {
    return await requestWithRetry(secret, path, body, signal, method);
  } finally {
    count(-1);
  }
}

/**
 * Send a request; retry while the server is unavailable or busy.
 *
 * @param {string | null} secret
 * @param {string} path
 * @param {object | null} [body]
 * @param {AbortSignal} [signal]
 * @param {string} [method]
 * @returns {Promise<any>}
 */
async function requestWithRetry(secret, path, body = null, signal, method) {
  const send = await transport;
  for (let tries = 0; ; tries++) {
    let answer;
    try {
      answer = await send(path, body, document.documentElement.lang, signal, secret, method);
    } catch (error) {
      if (signal?.aborted) throw error;
      setUnavailable(true);
      await wait(Math.min(500 * 2 ** tries, 5000), signal);
      signal?.throwIfAborted();
      continue;
    }
    setUnavailable(false);
    if (answer.status < 300) return answer.body;
    if (answer.status !== 503) throw new RequestError(answer.status, answer.body?.error);
    await wait(1000 * (answer.again ?? 2) * (0.5 + Math.random()), signal);
    signal?.throwIfAborted();
  }
}

/** @type {Promise<Api.GamesResponse> | null} */
let cachedGameList = null;

export const gameList = () => {
  cachedGameList ??= request('games');
  return cachedGameList;
};

/**
 * Return the server's description of a game, or undefined for an unknown one.
 *
 * @param {string} name
 */
export const findGame = async (name) => (await gameList()).games.find((game) => game.name === name);
