// Puzzle runs: puzzles of increasing difficulty. A streak ends at the first mistake; a timed run at the
// third, or when time is up.

import { trainingStore } from './progress.js';

/** @typedef {'streak' | 'timed'} RunKind */
/** @typedef {{ game: string, id: string, right: boolean }} RunEntry */

export const RUN_MINUTES = 3;
const MAX_STRIKES = { streak: 1, timed: 3 };

/** A run with its score. */
export class PuzzleRun {
  /**
   * @param {RunKind} kind
   * @param {string} game empty for all
   */
  constructor(kind, game) {
    this.kind = kind;
    this.game = game;
    this.startedAt = Date.now();
    this.over = false;
    /** @type {RunEntry[]} */
    this.entries = [];
    this.previousBest = trainingStore.all.best[this.key] ?? 0; // before this run
  }

  get key() {
    return `${this.kind}.${this.game || 'all'}`;
  }

  get score() {
    return this.entries.filter(({ right }) => right).length;
  }

  get strikes() {
    return this.entries.length - this.score;
  }

  get maxStrikes() {
    return MAX_STRIKES[this.kind];
  }

  get secondsLeft() {
    return Math.max(0, Math.ceil(RUN_MINUTES * 60 - (Date.now() - this.startedAt) / 1000));
  }

  get isNewBest() {
    return this.score > this.previousBest;
  }

  /** @param {RunEntry} entry */
  record(entry) {
    this.entries.push(entry);
    if (this.strikes >= this.maxStrikes) this.end();
  }

  end() {
    if (this.over) return;
    this.over = true;
    if (!this.isNewBest) return;
    trainingStore.update(({ best }) => {
      best[this.key] = Math.max(this.score, best[this.key] ?? 0);
    });
  }

  get clockText() {
    const { secondsLeft } = this;
    return `${Math.floor(secondsLeft / 60)}:${String(secondsLeft % 60).padStart(2, '0')}`;
  }
}
