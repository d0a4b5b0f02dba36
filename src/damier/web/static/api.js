// Asking the server. When it is away or busy the page says so, waits and asks again.

import { wait } from './dom.js';
import { language } from './i18n.js';

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
export async function ask(path, body, signal) {
  count(1);
  try {
    return await insist(path, body, signal);
  } finally {
    count(-1);
  }
}

/**
 * @param {string} path
 * @param {object | null} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function insist(path, body, signal) {
  for (let tries = 0; ; tries++) {
    let answer;
    try {
      answer = await fetch(`/api/v1/${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'Accept-Language': language, ...(body && { 'Content-Type': 'application/json' }) },
        body: body ? JSON.stringify(body) : undefined,
        signal,
      });
      if (answer.ok) {
        const found = await answer.json();
        setAway(false);
        return found;
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      setAway(true);
      await wait(Math.min(500 * 2 ** tries, 5000), signal);
      signal?.throwIfAborted();
      continue;
    }
    setAway(false);
    if (answer.status === 503) {
      await wait(1000 * Number(answer.headers.get('Retry-After') ?? 2) * (0.5 + Math.random()), signal);
      signal?.throwIfAborted();
      continue;
    }
    const found = await answer.json().catch(() => null);
    throw new Refused(answer.status, found?.error);
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
