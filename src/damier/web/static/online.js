// Online play: one socket to the server for the whole page. It comes back by itself, names what it
// has seen last, and sends again what was not acknowledged: an act has a number and acts once.

import { root } from './address.js';
import { askAs } from './api.js';
import { language } from './i18n.js';
import { identity, load, save } from './store.js';

/** @typedef {'w' | 'b'} Side */
/** @typedef {{ kind: 'none' | 'live' | 'days', minutes?: number, seconds?: number, days?: number }} Pace */

/**
 * @typedef {Pace & {
 *   w: number | null, b: number | null, running: Side | null, at: number, deadline: number | null,
 * }} Clock What is left to each side, in milliseconds, when the server's clock stood at `at`.
 *
 * @typedef {{ id: string, name: string, bot: boolean, points: number | null, provisional: boolean }} Seat
 * @typedef {{ w: Seat | null, b: Seat | null }} Seats
 * @typedef {'draw' | 'takeback' | 'rematch'} What
 * @typedef {{ w: boolean, b: boolean, watchers: number }} Presence
 * @typedef {{ by: Side, phrase: string, at: number }} Said
 * @typedef {{ winner: Side | null, reason: string, text: string }} Ended
 * @typedef {{ points: number, deviation: number }} Strength
 * @typedef {{ before: Strength, after: Strength }} Change
 *
 * @typedef {object} Match A game as the server tells it.
 * @property {string} id
 * @property {number} version
 * @property {string} game
 * @property {Record<string, string>} options
 * @property {string | null} start
 * @property {string[]} turns
 * @property {'waiting' | 'playing' | 'over' | 'aborted'} status
 * @property {Seats} seats
 * @property {Seat} creator
 * @property {Side | 'lot'} colour the creator's
 * @property {Side | null} you
 * @property {Side | null} to_move
 * @property {Clock} clock
 * @property {boolean} rated
 * @property {boolean} solved
 * @property {{ what: What, by: Side }[]} offers
 * @property {Ended | null} result
 * @property {string | null} rematch
 * @property {Said[]} phrases
 * @property {string[][]} lines
 * @property {Presence} presence
 * @property {Record<Side, Change> | null} rating_changes
 *
 * @typedef {object} Brief A game in a list.
 * @property {string} id
 * @property {string} game
 * @property {Record<string, string>} options
 * @property {Pace} clock
 * @property {Side | 'lot'} colour
 * @property {boolean} rated
 * @property {boolean} solved
 * @property {Seats} seats
 * @property {Seat} creator
 * @property {Match['status']} status
 * @property {Side | null} to_move
 * @property {Side | null} your
 * @property {number | null} deadline
 * @property {number} turns
 * @property {Ended | null} result
 * @property {number} updated
 * @property {string} position
 *
 * @typedef {object} Rated
 * @property {string} game
 * @property {'live' | 'days'} pace
 * @property {number} points
 * @property {number} deviation
 * @property {boolean} provisional
 * @property {number} games
 *
 * @typedef {object} Player
 * @property {string} id
 * @property {string} name
 * @property {boolean} bot
 * @property {number} created
 * @property {Rated[]} ratings
 * @property {{ game: string, won: number, drawn: number, lost: number }[]} results
 *
 * @typedef {{ kind: string, [more: string]: any }} Act
 * @typedef {{ version: number, at: number, by: Side | null, kind: string, [more: string]: any }} Told
 * @typedef {{ game: string, id: string, version: number, act: Act, ply: number, as: string }} Sent
 */

/**
 * @typedef {object} Follower Who follows a game.
 * @property {() => number | null} version the last one seen
 * @property {(match: Match) => void} whole
 * @property {(event: Told, clock: Clock, to_move: Side | null) => void} event
 * @property {(presence: Presence) => void} presence
 * @property {(act: Sent, error: Api.ErrorBody) => void} refused
 */

const PING = 6000; // between two, which measure how far away the server is
const SILENCE = 15_000; // after which a connection that says nothing is given up
const LONGEST = 5000; // between two tries to come back
const PASSING = new Set(['database-away', 'busy', 'too-fast']); // refused for now: asked again
const PATIENCE = 1200; // before a lost connection is spoken of

/**
 * Ask the server of online play something in one's own name.
 *
 * @param {string} path
 * @param {object | null} [body]
 * @param {AbortSignal} [signal]
 */
export const call = (path, body, signal) =>
  askAs(identity.get()?.secret ?? null, `online/${path}`, body, signal);

// Where an address is neither local nor secret there is no `randomUUID`.
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

// What was done and not yet acknowledged; kept by the browser, so that a dead battery loses nothing.
export const outbox = {
  /** @returns {Sent[]} */
  all: () => load('damier.outbox', []).filter((/** @type {Sent} */ { as }) => as === identity.get()?.id),

  /** @param {string} game */
  of: (game) => outbox.all().filter((sent) => sent.game === game),

  /** @param {Sent} sent */
  put: (sent) => save('damier.outbox', [...load('damier.outbox', []), sent]),

  /** @param {string} id */
  remove(id) {
    const all = load('damier.outbox', []);
    const found = all.find((/** @type {Sent} */ sent) => sent.id === id);
    if (found)
      save(
        'damier.outbox',
        all.filter((/** @type {Sent} */ sent) => sent !== found),
      );
    return found;
  },
};

class Line extends EventTarget {
  constructor() {
    super();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.welcomed = false;
    this.tries = 0;
    this.timer = 0;
    this.pulse = 0;
    this.asked = 0; // since when an answer is waited for
    this.ahead = 0; // the server's clock less this one's
    this.nearest = Infinity; // the shortest way to the server and back so far
    this.cut = false; // lost for long enough to speak of it
    this.spoken = ''; // the language that the server was told
    this.late = 0;
    /** @type {Map<string, Follower>} */
    this.followers = new Map();
    /** @type {Set<(entries: Brief[]) => void>} */
    this.lobby = new Set();
    addEventListener('online', () => this.hurry());
    addEventListener('offline', () => this.lost());
    addEventListener('storage', ({ key }) => key === 'damier.identity' && this.again()); // in another tab
    document.addEventListener('visibilitychange', () => document.hidden || this.hurry());
  }

  // The server's time.
  now() {
    return Date.now() + this.ahead;
  }

  open() {
    if (this.socket) return;
    clearTimeout(this.timer);
    const address = new URL(`${root}api/v1/online/socket`, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address);
    this.socket = socket;
    this.asked = Date.now();
    socket.onopen = () => this.hello();
    socket.onmessage = ({ data }) => socket === this.socket && this.hear(JSON.parse(data));
    socket.onclose = () => socket === this.socket && this.lost();
    clearInterval(this.pulse);
    this.pulse = setInterval(() => this.beat(), PING);
    this.expect();
  }

  hello() {
    this.spoken = language;
    this.say({ type: 'hello', secret: identity.get()?.secret ?? null, language });
  }

  // Say that the connection is lost, if it is not soon back.
  expect() {
    this.late ||= setTimeout(() => this.tell(true), PATIENCE);
  }

  /** @param {boolean} cut */
  tell(cut) {
    clearTimeout(this.late);
    this.late = 0;
    if (cut === this.cut) return;
    this.cut = cut;
    this.dispatchEvent(new Event('line'));
  }

  beat() {
    const now = Date.now();
    if (this.asked && now - this.asked > SILENCE) this.lost();
    else if (this.welcomed) {
      this.asked ||= now; // a page that is not looked at wakes up seldom: what counts is the answer
      this.say({ type: 'ping', sent: now });
    }
  }

  lost() {
    const { socket } = this;
    if (!socket) return;
    this.socket = null;
    this.welcomed = false;
    this.nearest = Infinity;
    clearInterval(this.pulse);
    socket.close();
    const soon = Math.min(250 * 2 ** this.tries, LONGEST);
    this.tries++;
    this.timer = setTimeout(() => this.open(), soon * (0.6 + 0.6 * Math.random()));
    this.expect();
  }

  // There may be a network again, or somebody looks at the page again.
  hurry() {
    if (!this.timer && !this.socket) return; // never opened
    this.tries = 0;
    if (!this.socket) this.open();
    else this.beat();
  }

  // With another identity: who one is is said when the line is opened.
  again() {
    this.tries = 0;
    if (!this.socket || this.socket.readyState === WebSocket.CONNECTING) return;
    this.lost();
    this.open();
  }

  /** @param {object} message */
  say(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {any} message */
  hear(message) {
    this.asked = 0;
    const follower = this.followers.get(message.game?.id ?? message.game);
    if (message.type === 'welcome') this.welcome(message);
    else if (message.type === 'pong') this.measure(message);
    else if (message.type === 'game') follower?.whole(message.game);
    else if (message.type === 'event') follower?.event(message.event, message.clock, message.to_move);
    else if (message.type === 'presence') follower?.presence(message);
    else if (message.type === 'done') outbox.remove(message.id);
    else if (message.type === 'refused') this.refused(message);
    else if (message.type === 'lobby') for (const listener of this.lobby) listener(message.entries);
    else if (message.type === 'mine') this.dispatchEvent(new CustomEvent('mine', { detail: message.game }));
  }

  /** @param {{ now: number }} message */
  welcome({ now }) {
    this.welcomed = true;
    this.tries = 0;
    this.ahead = now - Date.now();
    this.say({ type: 'ping', sent: Date.now() });
    for (const [game, follower] of this.followers) this.ask(game, follower.version());
    if (this.lobby.size) this.say({ type: 'lobby', on: true });
    for (const sent of outbox.all()) this.post(sent);
    this.tell(false);
    this.dispatchEvent(new Event('welcome'));
  }

  // The clock is best read by the message that was under way for the shortest time.
  /** @param {{ sent: number, now: number }} message */
  measure({ sent, now }) {
    const round = Date.now() - sent;
    if (round > this.nearest * 1.5 + 10) return;
    this.nearest = Math.min(round, this.nearest);
    this.ahead = now + round / 2 - Date.now();
  }

  /** @param {{ id: string | null, error: Api.ErrorBody }} message */
  refused({ id, error }) {
    if (error.key.startsWith('identity') && !id) {
      identity.forget(); // its link was renewed elsewhere, or it was closed
      this.dispatchEvent(new CustomEvent('forgotten', { detail: error.message }));
      return;
    }
    if (PASSING.has(error.key)) {
      const again = outbox.all().find((sent) => sent.id === id);
      setTimeout(() => again && this.welcomed && this.post(again), 1500);
      return;
    }
    const sent = id && outbox.remove(id);
    if (sent) this.followers.get(sent.game)?.refused(sent, error);
    else console.info(error.message);
  }

  /**
   * @param {string} game
   * @param {Follower} follower
   */
  follow(game, follower) {
    this.followers.set(game, follower);
    if (this.welcomed) this.ask(game, follower.version());
    else this.open();
  }

  /** @param {string} game */
  leave(game) {
    this.followers.delete(game);
    if (this.welcomed) this.say({ type: 'leave', game });
  }

  /**
   * @param {string} game
   * @param {number | null} version
   */
  ask(game, version) {
    this.say({ type: 'follow', game, version });
  }

  /** @param {(entries: Brief[]) => void} listener */
  watchLobby(listener) {
    this.lobby.add(listener);
    if (this.welcomed) this.say({ type: 'lobby', on: true });
    else this.open();
    return () => {
      this.lobby.delete(listener);
      if (!this.lobby.size && this.welcomed) this.say({ type: 'lobby', on: false });
    };
  }

  /**
   * Do something in a game: kept until the server has written it down.
   *
   * @param {string} game
   * @param {number} version
   * @param {Act} act
   * @param {number} ply
   */
  act(game, version, act, ply) {
    const sent = { game, id: newId(), version, act, ply, as: identity.get()?.id ?? '' };
    outbox.put(sent);
    if (this.welcomed) this.post(sent);
    return sent;
  }

  /** @param {Sent} sent */
  post({ game, id, version, act }) {
    this.say({ type: 'act', game, id, version, act });
  }
}

export const line = new Line();
