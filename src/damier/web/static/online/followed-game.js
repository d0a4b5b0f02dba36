// Game followed over the connection: the server's last view of it, updated by events, and the
// player's actions that the server has not stored yet.

import { connection, outbox } from './connection.js';

/** @import { PendingAction } from './connection.js' */

/**
 * @typedef {object} GameListener
 * @property {(kind: string, event: Online.GameEvent | null, state: Api.StateResponse | null) => void
 * } onChange
 *   called with the kind of an event or change of presence, or with `game`; with the event, and after a
 *   move with the board
 * @property {(message: string, act: Online.PlayerAction) => void} onRefused
 */

const RESYNC_DELAY_MS = 500; // after an event without the game, unless a later event has it
const RETAINED_KINDS = new Set(['turn', 'resign', 'accept', 'lines']); // sent later if there is no connection

/** Online game that is kept up to date. */
export class FollowedGame {
  /** @param {Online.GameView} onlineGame */
  constructor(onlineGame) {
    this.onlineGame = onlineGame;
    this.resyncTimer = 0;
    /** @type {Online.MovePlayed | null} */
    this.skippedMove = null; // the last move event that came without the game
    /** @type {GameListener | null} */
    this.listener = null;
    connection.addSubscriber(onlineGame.id, this);
    this.setGame(onlineGame);
  }

  leave() {
    this.listener = null;
    clearTimeout(this.resyncTimer);
    connection.removeSubscriber(this.onlineGame.id);
  }

  version() {
    return this.onlineGame.version;
  }

  /**
   * Tell whether the server has already stored a pending move.
   *
   * @param {PendingAction} sent
   */
  isStored({ act, ply }) {
    return act.kind === 'turn' && this.onlineGame.turns[ply] === act.turn;
  }

  // The moves played, including one that is being sent.
  get turns() {
    const { turns, id, status } = this.onlineGame;
    const unsent = outbox
      .of(id)
      .flatMap(({ act, ply }) => (act.kind === 'turn' && ply === turns.length ? [act.turn] : []));
    return status === 'playing' ? [...turns, ...unsent] : turns;
  }

  // Whether a move is being sent.
  get isSending() {
    return this.turns.length > this.onlineGame.turns.length;
  }

  /** @param {Online.Side} side */
  offersOf(side) {
    return this.onlineGame.offers.filter(({ by }) => by === side).map(({ what }) => what);
  }

  /**
   * Send an action. Return false if it needs a connection and there is none.
   *
   * @param {Online.PlayerAction} act
   */
  sendAction(act) {
    if (!connection.isReady && !RETAINED_KINDS.has(act.kind)) return false;
    connection.sendAction(this.onlineGame.id, this.onlineGame.version, act, this.onlineGame.turns.length);
    return true;
  }

  /**
   * Send the player's conditional lines; they are shown at once.
   *
   * @param {string[][]} lines
   */
  sendLines(lines) {
    if (this.sendAction({ kind: 'lines', lines })) this.onlineGame = { ...this.onlineGame, lines };
  }

  /** @param {GameListener} listener */
  listen(listener) {
    this.listener = listener;
  }

  /** @param {Online.GameView} view */
  setGame(view) {
    clearTimeout(this.resyncTimer);
    this.skippedMove = null;
    this.onlineGame = view;
    for (const sent of outbox.of(view.id)) {
      if (this.isStored(sent)) outbox.remove(sent.id);
      else if (sent.act.kind === 'lines' && sent.ply === view.turns.length)
        this.onlineGame = { ...this.onlineGame, lines: sent.act.lines };
    }
  }

  /** @param {Online.GameView} view */
  onGame(view) {
    this.setGame(view);
    this.listener?.onChange('game', null, null);
  }

  /** @param {Online.EventMessage} message */
  onEvent({ event, view, state }) {
    const { id, version } = this.onlineGame;
    if (event.version <= version) return;
    const move = event.kind === 'turn' ? event : this.skippedMove;
    if (!view) {
      clearTimeout(this.resyncTimer);
      this.resyncTimer = setTimeout(() => connection.subscribe(id, null), RESYNC_DELAY_MS);
      this.skippedMove = move;
      return;
    }
    const kind = event.version === version + 1 ? event.kind : 'game';
    this.setGame(view);
    this.listener?.onChange(kind, move ?? event, state);
  }

  /** @param {Online.GamePresence} presence */
  onPresence({ w, b, watchers }) {
    const { presence: before } = this.onlineGame;
    this.onlineGame = { ...this.onlineGame, presence: { w, b, watchers } };
    const side = this.onlineGame.you === 'w' ? 'b' : 'w';
    const now = this.onlineGame.presence[side];
    // The name of a player who comes back may have changed.
    if (this.onlineGame.you && now && !before[side]) connection.subscribe(this.onlineGame.id, null);
    this.listener?.onChange(before[side] === now ? 'watchers' : now ? 'came' : 'left', null, null);
  }

  /**
   * @param {PendingAction} sent
   * @param {Api.ErrorDescription} error
   */
  onRefused({ act }, error) {
    this.listener?.onRefused(error.message, act);
  }
}
