// Connection to the online server: one WebSocket for the whole page. It reconnects by itself, resumes
// each game from the last version it has seen, and resends actions that were not acknowledged. An
// action has an id, so the server executes it only once.

import { root } from '../core/address.js';
import { requestAs } from '../core/api.js';
import { language } from '../core/i18n.js';
import { newId } from '../core/id.js';
import { identity, loadItem, saveItem } from '../core/storage.js';

/**
 * @typedef {object} PendingAction An action in the outbox.
 * @property {string} game the game's id
 * @property {string} id
 * @property {number} version of the game when the action was sent
 * @property {Online.PlayerAction} act
 * @property {number} ply how many moves were played
 * @property {string} as the player's id
 */

/**
 * @typedef {object} GameSubscriber A listener for the messages about one game.
 * @property {() => number | null} version the last version seen
 * @property {(view: Online.GameView) => void} onGame
 * @property {(message: Online.EventMessage) => void} onEvent
 * @property {(presence: Online.GamePresence) => void} onPresence
 * @property {(sent: PendingAction, error: Api.ErrorDescription) => void} onRefused
 */

const PING_INTERVAL_MS = 6000; // pings also measure the round trip
const MAX_SILENCE_MS = 15_000; // without a message, after which the connection is closed
const MAX_RECONNECT_DELAY_MS = 5000;
const TEMPORARY_ERRORS = new Set(['database-away', 'busy', 'too-fast']); // the request is repeated
const LOST_NOTICE_DELAY_MS = 1200; // before the page reports a lost connection

/**
 * Send a request to the online API with the player's identity.
 *
 * @param {string} path
 * @param {object | null} [body]
 * @param {AbortSignal} [signal]
 */
export const requestOnline = (path, body, signal) =>
  requestAs(identity.get()?.secret ?? null, `online/${path}`, body, signal);

// Actions that the server has not acknowledged yet. They are stored, so that closing the page loses none.
export const outbox = {
  /** @returns {PendingAction[]} */
  all: () =>
    loadItem('damier.outbox', []).filter((/** @type {PendingAction} */ { as }) => as === identity.get()?.id),

  /** @param {string} game */
  of: (game) => outbox.all().filter((sent) => sent.game === game),

  /** @param {PendingAction} sent */
  put: (sent) => saveItem('damier.outbox', [...loadItem('damier.outbox', []), sent]),

  /** @param {string} id */
  remove(id) {
    const all = loadItem('damier.outbox', []);
    const removed = all.find((/** @type {PendingAction} */ sent) => sent.id === id);
    if (removed)
      saveItem(
        'damier.outbox',
        all.filter((/** @type {PendingAction} */ sent) => sent !== removed),
      );
    return removed;
  },

  // Remove the actions of this browser's player.
  clear: () => {
    for (const { id } of outbox.all()) outbox.remove(id);
  },
};

/** WebSocket that reconnects. It dispatches `statuschange`, `welcome`, `mine` and `forgotten`. */
class ServerConnection extends EventTarget {
  constructor() {
    super();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.isReady = false;
    this.attempts = 0;
    this.reconnectTimer = 0;
    this.pingTimer = 0;
    this.awaitingReplySince = 0; // when the oldest unanswered message was sent; 0 if none
    this.clockOffset = 0; // server time minus local time, in milliseconds
    this.shortestRoundTrip = Infinity; // in milliseconds
    this.isLost = false; // disconnected for long enough to tell the player
    this.sentLanguage = ''; // the language in the last `hello` message
    this.lostTimer = 0;
    /** @type {Map<string, GameSubscriber>} */
    this.subscribers = new Map();
    /** @type {Set<(entries: Online.GameSummary[]) => void>} */
    this.lobbyListeners = new Set();
    addEventListener('online', () => this.reconnectSoon());
    addEventListener('offline', () => this.disconnect());
    // Another tab may change the identity.
    addEventListener('storage', ({ key }) => key === 'damier.identity' && this.reconnect());
    document.addEventListener('visibilitychange', () => document.hidden || this.reconnectSoon());
  }

  // Return the server's time in milliseconds.
  serverTime() {
    return Date.now() + this.clockOffset;
  }

  connect() {
    if (this.socket) return;
    clearTimeout(this.reconnectTimer);
    const address = new URL(`${root}api/v1/online/socket`, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address);
    this.socket = socket;
    this.awaitingReplySince = Date.now();
    socket.onopen = () => this.sendHello();
    socket.onmessage = ({ data }) => socket === this.socket && this.receive(JSON.parse(data));
    socket.onclose = () => socket === this.socket && this.disconnect();
    clearInterval(this.pingTimer);
    this.pingTimer = setInterval(() => this.ping(), PING_INTERVAL_MS);
    this.startLostTimer();
  }

  sendHello() {
    this.sentLanguage = language;
    this.send({ type: 'hello', secret: identity.get()?.secret ?? null, language });
  }

  // Report a lost connection, unless it is back soon.
  startLostTimer() {
    this.lostTimer ||= setTimeout(() => this.setLost(true), LOST_NOTICE_DELAY_MS);
  }

  /** @param {boolean} cut */
  setLost(cut) {
    clearTimeout(this.lostTimer);
    this.lostTimer = 0;
    if (cut === this.isLost) return;
    this.isLost = cut;
    this.dispatchEvent(new Event('statuschange'));
  }

  ping() {
    const now = Date.now();
    if (this.awaitingReplySince && now - this.awaitingReplySince > MAX_SILENCE_MS) this.disconnect();
    else if (this.isReady) {
      this.awaitingReplySince ||= now; // a hidden page runs timers rarely: the reply counts
      this.send({ type: 'ping', sent: now });
    }
  }

  disconnect() {
    const { socket } = this;
    if (!socket) return;
    this.socket = null;
    this.isReady = false;
    this.shortestRoundTrip = Infinity;
    clearInterval(this.pingTimer);
    socket.close();
    const delay = Math.min(250 * 2 ** this.attempts, MAX_RECONNECT_DELAY_MS);
    this.attempts++;
    this.reconnectTimer = setTimeout(() => this.connect(), delay * (0.6 + 0.6 * Math.random()));
    this.startLostTimer();
  }

  // Try again at once: the network may be back, or the page is visible again.
  reconnectSoon() {
    if (!this.reconnectTimer && !this.socket) return; // never connected
    this.attempts = 0;
    if (!this.socket) this.connect();
    else this.ping();
  }

  // Reconnect with the current identity, which is sent in `hello`.
  reconnect() {
    this.attempts = 0;
    if (!this.socket || this.socket.readyState === WebSocket.CONNECTING) return;
    this.disconnect();
    this.connect();
  }

  /** @param {Online.ClientMessage} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {Online.ServerMessage} message */
  receive(message) {
    this.awaitingReplySince = 0;
    if (message.type === 'welcome') this.onWelcome(message);
    else if (message.type === 'pong') this.updateClockOffset(message);
    else if (message.type === 'game') this.subscribers.get(message.game.id)?.onGame(message.game);
    else if (message.type === 'event') this.subscribers.get(message.game)?.onEvent(message);
    else if (message.type === 'presence') this.subscribers.get(message.game)?.onPresence(message);
    else if (message.type === 'done') outbox.remove(message.id);
    else if (message.type === 'refused') this.onRefused(message);
    else if (message.type === 'lobby') for (const listener of this.lobbyListeners) listener(message.entries);
    else if (message.type === 'mine') this.dispatchEvent(new CustomEvent('mine', { detail: message.game }));
  }

  /** @param {{ now: number }} message */
  onWelcome({ now }) {
    this.isReady = true;
    this.attempts = 0;
    this.clockOffset = now - Date.now();
    this.send({ type: 'ping', sent: Date.now() });
    for (const [game, subscriber] of this.subscribers) this.subscribe(game, subscriber.version());
    if (this.lobbyListeners.size) this.send({ type: 'lobby', on: true });
    for (const sent of outbox.all()) this.postAction(sent);
    this.setLost(false);
    this.dispatchEvent(new Event('welcome'));
  }

  // Estimate the clock offset. The reply with the shortest round trip is the most accurate.
  /** @param {{ sent: number, now: number }} message */
  updateClockOffset({ sent, now }) {
    const roundTrip = Date.now() - sent;
    if (roundTrip > this.shortestRoundTrip * 1.5 + 10) return;
    this.shortestRoundTrip = Math.min(roundTrip, this.shortestRoundTrip);
    this.clockOffset = now + roundTrip / 2 - Date.now();
  }

  /** @param {{ id: string | null, error: Api.ErrorDescription }} message */
  onRefused({ id, error }) {
    if (error.key.startsWith('identity') && !id) {
      identity.forget(); // its secret was renewed elsewhere, or it was deleted
      this.dispatchEvent(new CustomEvent('forgotten', { detail: error.message }));
      return;
    }
    if (TEMPORARY_ERRORS.has(error.key)) {
      const again = outbox.all().find((sent) => sent.id === id);
      setTimeout(() => again && this.isReady && this.postAction(again), 1500);
      return;
    }
    const sent = id && outbox.remove(id);
    if (sent) this.subscribers.get(sent.game)?.onRefused(sent, error);
    else console.info(error.message);
  }

  /**
   * @param {string} game
   * @param {GameSubscriber} subscriber
   */
  addSubscriber(game, subscriber) {
    this.subscribers.set(game, subscriber);
    if (this.isReady) this.subscribe(game, subscriber.version());
    else this.connect();
  }

  /** @param {string} game */
  removeSubscriber(game) {
    this.subscribers.delete(game);
    if (this.isReady) this.send({ type: 'leave', game });
  }

  /**
   * @param {string} game
   * @param {number | null} version
   */
  subscribe(game, version) {
    this.send({ type: 'follow', game, version });
  }

  /** @param {(entries: Online.GameSummary[]) => void} listener */
  watchLobby(listener) {
    this.lobbyListeners.add(listener);
    if (this.isReady) this.send({ type: 'lobby', on: true });
    else this.connect();
    return () => {
      this.lobbyListeners.delete(listener);
      if (!this.lobbyListeners.size && this.isReady) this.send({ type: 'lobby', on: false });
    };
  }

  /**
   * Send an action; it stays in the outbox until the server has stored it.
   *
   * @param {string} game
   * @param {number} version
   * @param {Online.PlayerAction} act
   * @param {number} ply
   */
  sendAction(game, version, act, ply) {
    const sent = { game, id: newId(), version, act, ply, as: identity.get()?.id ?? '' };
    outbox.put(sent);
    if (this.isReady) this.postAction(sent);
    return sent;
  }

  /** @param {PendingAction} sent */
  postAction({ game, id, version, act }) {
    this.send({ type: 'act', game, id, version, act });
  }
}

export const connection = new ServerConnection();
