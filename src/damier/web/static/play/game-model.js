// Model of the game on a table: its tree, and what is known about the position shown.

import { sideOf } from '../board/board.js';
import { request } from '../core/api.js';

/** @import { Marks } from '../board/board.js' */
/** @import { GameNode, GameTree } from '../core/game-tree.js' */
/** @typedef {'w' | 'b'} Side */

/**
 * Return the description of a position of a game; it is requested once.
 *
 * @param {GameTree} tree
 * @param {GameNode} node
 */
export async function stateOf(tree, node) {
  const state = node.state ?? (await request('state', tree.requestAt(node)));
  if (!node.state) node.setState(state);
  return state;
}

const UNLIMITED = 64; // pawns of each side where the rules set no limit

/**
 * Return how many pawns each side started with, on the board and in hand.
 *
 * @param {GameTree} tree
 * @param {Api.StateResponse} state
 */
async function countStartingPawns(tree, { captures, pawns }) {
  if (!captures || (!tree.start && pawns < UNLIMITED)) return { w: pawns, b: pawns };
  const { cells, hands } = await stateOf(tree, tree.root);
  const count = (/** @type {Side} */ side) =>
    Object.values(cells).filter((mark) => sideOf(mark) === side).length + (hands?.[side] ?? 0);
  return { w: count('w'), b: count('b') };
}

/**
 * @typedef {object} Position What is known about the position shown.
 * @property {GameTree} tree
 * @property {Api.StateResponse} state
 * @property {{ w: number, b: number }} startingPawns
 */

/**
 * Load the position that a game shows.
 *
 * @param {GameTree} tree
 * @returns {Promise<Position>}
 */
export async function loadPosition(tree) {
  const state = await stateOf(tree, tree.current);
  return { tree, state, startingPawns: await countStartingPawns(tree, state) };
}

/** Game on a table, and the position shown. Views read it; the table changes it. */
export class GameModel {
  /** @param {Position} position */
  constructor({ tree, state, startingPawns }) {
    this.tree = tree;
    this.state = state;
    this.startingPawns = startingPawns;
    /** @type {Marks} */
    this.marks = state.cells; // the pawns on the board, also in the middle of a move
    this.isPending = false; // whether the description of the position is being requested
    this.showCount = 0; // number of positions shown: an outdated response is ignored
  }

  /** @returns {Side[]} */
  get humans() {
    return this.tree.humans;
  }

  // Whether an earlier position of a game in progress is shown.
  get isBehind() {
    return this.tree.mode === 'play' && this.tree.current !== this.tree.tip;
  }

  /** @param {Position} position of another game */
  setGame({ tree, state, startingPawns }) {
    this.tree = tree;
    this.state = state;
    this.startingPawns = startingPawns;
  }

  /**
   * Show another variation of the same game.
   *
   * @param {GameTree} tree
   */
  setTree(tree) {
    this.tree = tree;
  }

  /** @param {Marks} marks */
  setMarks(marks) {
    this.marks = marks;
  }

  /**
   * Move to a node whose description is being loaded; return the number of this display.
   *
   * @param {GameNode} node
   */
  beginShowing(node) {
    this.tree.goTo(node);
    this.isPending = true;
    return this.outdate();
  }

  /** @param {Api.StateResponse} state */
  finishShowing(state) {
    this.isPending = false;
    this.state = state;
  }

  // Make pending displays outdated; return the number of the next.
  outdate() {
    this.showCount++;
    return this.showCount;
  }

  /** @param {number} shown */
  isOutdated(shown) {
    return shown !== this.showCount;
  }

  /** @param {Side} side */
  pawnsOnBoard(side) {
    return Object.values(this.marks).filter((mark) => sideOf(mark) === side).length;
  }

  /**
   * Return how many pawns a side has captured: the other side's pawns at the start minus those left
   * and those that it took off itself.
   *
   * @param {Side} side
   */
  capturedBy(side) {
    const other = side === 'w' ? 'b' : 'w';
    const { hands, removed } = this.state;
    return this.startingPawns[other] - this.pawnsOnBoard(other) - (hands?.[other] ?? 0) - removed[other];
  }
}
