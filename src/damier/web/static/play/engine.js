// The computer opponent: compiling the engine, choosing its moves, and pausing it.

import { request } from '../core/api.js';
import { prefersReducedMotion, wait } from '../core/dom.js';
import { levelOf } from '../core/game-tree.js';
import { settings } from '../core/storage.js';

/** @import { Table } from './table.js' */

const COMPILATION_POLL_MS = 1500;

export class EngineOpponent {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.isPaused = false;
    this.isCompiling = false;
    this.hasMoved = false;
    /** @type {AbortController | null} */
    this.pendingMove = null; // cancels the request for the engine's move
  }

  get isThinking() {
    return this.pendingMove !== null;
  }

  // Cancel the request for a move.
  stop() {
    this.pendingMove?.abort();
    this.pendingMove = null;
  }

  // Ask the server to compile the engine, and show that in the prompt until it is ready.
  async prepare() {
    const { table } = this;
    for (;;) {
      const { ready } = await request('warm', { game: table.tree.game });
      if (this.hasMoved) return;
      this.isCompiling = !ready;
      if (this.isThinking) table.renderPrompt();
      if (ready) return;
      await wait(COMPILATION_POLL_MS);
      if (!table.element.isConnected) return;
    }
  }

  // Play a move, if it is the computer's turn.
  async play() {
    const { table } = this;
    const { tree, state, humans, isBehind } = table.model;
    const level = levelOf(tree.players[state.side]);
    if (tree.mode !== 'play' || table.result() || isBehind || !level || this.isPaused) return;
    const pending = new AbortController();
    this.pendingMove = pending;
    // Between two computers the player sets the speed.
    const pause = humans.length ? 450 : 100 + 2900 * (1 - settings.get('speed', 70) / 100) ** 2;
    try {
      const node = tree.current;
      const [response] = await Promise.all([
        request('move', { ...tree.request, level }, pending.signal),
        wait(prefersReducedMotion() && humans.length ? 60 : pause, pending.signal),
      ]);
      this.hasMoved = true;
      this.isCompiling = false;
      if (pending.signal.aborted || tree.current !== node) return;
      const next = node.addMove(response.turn);
      next.setState(response.state);
      this.pendingMove = null;
      await table.show(next);
    } catch (error) {
      if (!pending.signal.aborted) table.showError(error);
    }
  }

  togglePause() {
    this.isPaused = !this.isPaused;
    this.stop();
    this.table.render();
    this.play();
  }
}
