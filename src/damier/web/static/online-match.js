// A game that is followed: what the server last said of it, brought up to date event by event, and
// what was done here that it has not yet written down.

import { line, outbox } from './online.js';

/** @import { Act, Clock, Match, Presence, Sent, Side, Told, What } from './online.js' */

/**
 * @typedef {object} Listener
 * @property {(kind: string, event: Told | null) => void} change
 * @property {(message: string, act: Act) => void} refused
 */

const LASTING = new Set(['turn', 'resign', 'accept', 'lines']); // kept for a connection to come

export class Following {
  /** @param {Match} match */
  constructor(match) {
    /** @type {Match} */
    this.match = match;
    /** @type {Listener | null} */
    this.listener = null;
    line.follow(match.id, this);
    for (const sent of outbox.of(match.id)) if (this.isWritten(sent)) outbox.remove(sent.id);
  }

  leave() {
    this.listener = null;
    line.leave(this.match.id);
  }

  version() {
    return this.match.version;
  }

  /**
   * Whether the server has the turn, although nobody here has heard so.
   *
   * @param {Sent} sent
   */
  isWritten({ act, ply }) {
    return act.kind === 'turn' && this.match.turns[ply] === act.turn;
  }

  // The turns as they are here: also the one that is on its way.
  get turns() {
    const { turns, id, status } = this.match;
    const waiting = outbox.of(id).filter(({ act, ply }) => act.kind === 'turn' && ply === turns.length);
    return status === 'playing' ? [...turns, ...waiting.map(({ act }) => String(act.turn))] : turns;
  }

  // Whether a turn is on its way.
  get sending() {
    return this.turns.length > this.match.turns.length;
  }

  /** @param {Side} side */
  offersOf(side) {
    return this.match.offers.filter(({ by }) => by === side).map(({ what }) => what);
  }

  /**
   * Do something; whether it could be done.
   *
   * @param {Act} act
   */
  act(act) {
    if (!line.welcomed && !LASTING.has(act.kind)) return false;
    line.act(this.match.id, this.match.version, act, this.match.turns.length);
    return true;
  }

  /** @param {Match} match */
  whole(match) {
    this.match = match;
    for (const sent of outbox.of(match.id)) if (this.isWritten(sent)) outbox.remove(sent.id);
    this.listener?.change('game', null);
  }

  /** @param {Presence} presence */
  presence({ w, b, watchers }) {
    const { presence: before } = this.match;
    this.match.presence = { w, b, watchers };
    const side = this.match.you === 'w' ? 'b' : 'w';
    const now = this.match.presence[side];
    if (this.match.you && now && !before[side]) line.ask(this.match.id, null); // perhaps under another name
    this.listener?.change(before[side] === now ? 'watchers' : now ? 'came' : 'left', null);
  }

  /**
   * @param {Sent} sent
   * @param {Api.ErrorBody} error
   */
  refused({ act }, error) {
    this.listener?.refused(error.message, act);
  }

  /**
   * @param {Told} event
   * @param {Clock} clock
   * @param {Side | null} toMove
   */
  event(event, clock, toMove) {
    const { match } = this;
    if (event.version <= match.version) return;
    const known = event.version === match.version + 1 && this.apply(event);
    if (!known) {
      line.ask(match.id, null);
      return;
    }
    match.version = event.version;
    match.clock = clock;
    match.to_move = toMove;
    this.listener?.change(event.kind, event);
  }

  /**
   * What happens often is worked out here; after anything else the whole game is asked for.
   *
   * @param {Told} event
   */
  apply({ kind, by, ...told }) {
    const { match } = this;
    const without = (/** @type {What} */ what) => match.offers.filter((offer) => offer.what !== what);
    if (kind === 'turn') {
      for (const { id, act, ply } of outbox.of(match.id)) {
        if (act.kind === 'turn' && ply === match.turns.length && act.turn === told.turn) outbox.remove(id);
      }
      match.turns.push(told.turn);
      // A turn says no to what the other has offered; what was to be taken back is another turn now.
      match.offers = without('takeback').filter((offer) => offer.by === by);
      match.lines = match.lines.filter(([first]) => first === told.turn).map((one) => one.slice(1));
      match.lines = match.lines.filter((one) => one.length > 0);
    } else if (kind === 'phrase' && by) match.phrases.push({ by, phrase: told.phrase, at: told.at });
    else if (kind === 'offered' && by) match.offers.push({ what: told.what, by });
    else if (kind === 'declined') match.offers = without(told.what);
    else return false;
    return true;
  }
}
