// Runs: as many puzzles as one can, each harder than the one before. A streak ends with the first
// mistake; a timed run with the third, or when the time is up.

import { training } from './train-progress.js';

/** @typedef {'streak' | 'timed'} Kind */
/** @typedef {{ game: string, id: string, right: boolean }} Done */

export const MINUTES = 3;
const STRIKES = { streak: 1, timed: 3 };

export class Run {
  /**
   * @param {Kind} kind
   * @param {string} game empty for all
   */
  constructor(kind, game) {
    this.kind = kind;
    this.game = game;
    this.began = Date.now();
    this.over = false;
    /** @type {Done[]} */
    this.done = [];
    this.best = training.all.best[this.key] ?? 0; // before this run
  }

  get key() {
    return `${this.kind}.${this.game || 'all'}`;
  }

  get score() {
    return this.done.filter(({ right }) => right).length;
  }

  get strikes() {
    return this.done.length - this.score;
  }

  get most() {
    return STRIKES[this.kind];
  }

  // What is left of the time, in seconds.
  get left() {
    return Math.max(0, Math.ceil(MINUTES * 60 - (Date.now() - this.began) / 1000));
  }

  get isNewBest() {
    return this.score > this.best;
  }

  /** @param {Done} done */
  record(done) {
    this.done.push(done);
    if (this.strikes >= this.most) this.end();
  }

  end() {
    if (this.over) return;
    this.over = true;
    if (!this.isNewBest) return;
    training.change(({ best }) => {
      best[this.key] = Math.max(this.score, best[this.key] ?? 0);
    });
  }

  // The clock as it is read.
  get clock() {
    const { left } = this;
    return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  }
}
