// A game as the page holds it: a tree of moves, the players, and the position that is shown.

import { newId } from './id.js';

/** @import { Address } from './address.js' */
/** @typedef {{ w: string, b: string }} Players Each `human`, `friend` or `level:N`; or names. */
/** @typedef {Api.AnalysisResponse & { seconds: number }} Values An analysis, and how long it took. */

/**
 * @typedef {object} GameSetup Arguments of a new game.
 * @property {string} game
 * @property {Record<string, string>} [options]
 * @property {string | null} [start]
 * @property {Players} [players]
 * @property {'play' | 'study'} [mode]
 * @property {'w' | 'b' | null} [resigned]
 * @property {string} [id]
 * @property {boolean} [flipped]
 * @property {boolean} [swapped]
 * @property {boolean} [finished]
 * @property {boolean} [counts]
 * @property {Players | null} [names]
 */

/**
 * @typedef {GameSetup & {
 *   id: string, mode: 'play' | 'study', tree: [string, number][], turns: string[], at: number,
 *   flipped: boolean, finished: boolean, updated: number,
 * }} SavedGame A game in the browser's storage.
 */

/**
 * Return the level of a computer player; 0 for any other.
 *
 * @param {string} player
 */
export const levelOf = (player) => (player.startsWith('level:') ? Number(player.slice(6)) : 0);

export class GameNode {
  /**
   * @param {string} turn
   * @param {GameNode | null} parent
   */
  constructor(turn, parent) {
    this.move = turn; // empty at the root
    this.parent = parent;
    /** @type {GameNode[]} */
    this.children = [];
    /** @type {Api.StateResponse | null} */
    this.state = null; // the server's description of the position
    /** @type {Values | null} */
    this.values = null; // its analysis
    /** @type {'w' | 'b' | null} */
    this.by = null; // the side that played the move, once it is known
  }

  // The nodes from the root to this one.
  get line() {
    /** @type {GameNode[]} */
    const nodes = [];
    for (let node = /** @type {GameNode | null} */ (this); node; node = node.parent) nodes.unshift(node);
    return nodes;
  }

  get path() {
    return this.line.slice(1).map((node) => node.move);
  }

  get ply() {
    let ply = 0;
    for (let node = this.parent; node; node = node.parent) ply++;
    return ply;
  }

  get tip() {
    let node = /** @type {GameNode} */ (this);
    while (node.children.length) node = node.children[0];
    return node;
  }

  /**
   * Set the description of the position, which also names the side of every move that led to it.
   *
   * @param {Api.StateResponse} state
   */
  setState(state) {
    this.state = state;
    for (const [k, node] of this.line.slice(1).entries()) node.setMover(state.movers[k]);
  }

  /** @param {'w' | 'b'} side */
  setMover(side) {
    this.by = side;
  }

  /**
   * The side that played the move. Until it is known, the sides are assumed to alternate.
   *
   * @returns {'w' | 'b'}
   */
  get mover() {
    return this.by ?? (!this.parent || this.parent.mover === 'w' ? 'b' : 'w');
  }

  /**
   * Return the node after a move; add it if there is none.
   *
   * @param {string} turn
   */
  addMove(turn) {
    let child = this.children.find((k) => k.move === turn);
    if (!child) {
      child = new GameNode(turn, this);
      this.children.push(child);
    }
    return child;
  }

  /** @param {Values} values */
  setValues(values) {
    this.values = values;
  }

  /** @param {GameNode} child */
  removeChild(child) {
    this.children = this.children.filter((k) => k !== child);
  }

  remove() {
    this.parent?.removeChild(this);
  }

  // Remove the moves after this one; return them.
  removeChildren() {
    return this.replaceChildren([]);
  }

  /**
   * Replace the moves after this one; return the old ones.
   *
   * @param {GameNode[]} children
   */
  replaceChildren(children) {
    const before = this.children;
    this.children = children;
    return before;
  }

  /** @param {GameNode} child */
  putFirst(child) {
    this.children = [child, ...this.children.filter((k) => k !== child)];
  }

  // Make the line to this node the main line.
  promote() {
    for (const node of this.line) node.parent?.putFirst(node);
  }

  // Return the tree as a list of moves, each with the index of its parent. Nested lists would be too deep.
  toJSON() {
    /** @type {GameNode[]} */
    const nodes = [this];
    /** @type {[string, number][]} */
    const list = [];
    for (const [number, node] of nodes.entries()) {
      for (const child of node.children) {
        nodes.push(child);
        list.push([child.move, number]);
      }
    }
    return list;
  }

  /** @param {[string, number][]} list */
  static from(list) {
    const nodes = [new GameNode('', null)];
    for (const [turn, number] of list) {
      const node = new GameNode(turn, nodes[number]);
      nodes[number].children.push(node);
      nodes.push(node);
    }
    return nodes[0];
  }
}

const PEOPLE = { w: 'human', b: 'human' };

export class GameTree {
  /**
   * @param {GameSetup} setup
   * @param {GameNode} [root]
   */
  constructor({ game, options = {}, start = null, id = newId(), ...setup }, root = new GameNode('', null)) {
    this.game = game;
    this.options = options;
    this.start = start;
    this.players = setup.players ?? PEOPLE;
    this.mode = setup.mode ?? 'play';
    this.resigned = setup.resigned ?? null;
    this.id = id;
    this.root = root;
    this.current = root;
    this.flipped = setup.flipped ?? false;
    this.swapped = setup.swapped ?? false; // the second of two people has White
    this.finished = setup.finished ?? false;
    this.countsForLevel = setup.counts ?? start === null; // until the player gets help or takes back a move
    /** @type {Players | null} */
    this.names = setup.names ?? null; // of a recorded or online game
  }

  /**
   * The sides that people at this device play.
   *
   * @returns {('w' | 'b')[]}
   */
  get humans() {
    return /** @type {const} */ (['w', 'b']).filter((side) => this.players[side] === 'human');
  }

  /**
   * The side of a friend who gets links, or null.
   *
   * @returns {'w' | 'b' | null}
   */
  get friendSide() {
    return this.players.w === 'friend' ? 'w' : this.players.b === 'friend' ? 'b' : null;
  }

  get request() {
    return this.requestAt(this.current);
  }

  /** @param {GameNode} node */
  requestAt(node) {
    return { game: this.game, options: this.options, start: this.start, turns: node.path };
  }

  get tip() {
    return this.current.tip;
  }

  // The line through the current node to its end.
  get line() {
    return this.tip.line;
  }

  /**
   * @param {string[]} turns
   * @param {number | null} at
   */
  addMoves(turns, at) {
    let node = this.root;
    this.current = node;
    for (const [k, turn] of turns.entries()) {
      node = node.addMove(turn);
      if (at === null || k < at) this.current = node;
    }
    return this;
  }

  toJSON() {
    const { game, options, start, players, mode, id, root, resigned, flipped, swapped, finished } = this;
    const { names, countsForLevel: counts } = this;
    const fields = { game, options, start, players, mode, id, resigned, flipped, swapped, finished };
    return { ...fields, names, counts, tree: root, turns: this.tip.path, at: this.current.ply };
  }

  /**
   * Show another position.
   *
   * @param {GameNode} node
   */
  goTo(node) {
    this.current = node;
  }

  // Do not count the game for the player's level.
  stopCounting() {
    this.countsForLevel = false;
  }

  finish() {
    this.finished = true;
  }

  /**
   * Continue a finished game, or restore a resignation.
   *
   * @param {'w' | 'b' | null} [resigned]
   */
  resume(resigned = null) {
    this.resigned = resigned;
    this.finished = false;
  }

  /** @param {'w' | 'b'} side */
  resign(side) {
    this.resigned = side;
    this.current = this.tip;
  }

  /** @param {boolean} [flipped] */
  flip(flipped = !this.flipped) {
    this.flipped = flipped;
  }

  /** @param {Players} names */
  setNames(names) {
    this.names = names;
  }

  /** @param {SavedGame} saved */
  static from(saved) {
    return new GameTree(saved, GameNode.from(saved.tree)).addMoves(saved.turns, saved.at);
  }
}

/**
 * Return the game of an address.
 *
 * @param {Address} found
 */
export function gameTreeFrom(found) {
  const counts = found.start === null && !found.turns.length;
  // Only games by message have an identifier in their link: others get one of their own.
  return new GameTree({ ...found, id: undefined, counts }).addMoves(found.turns, found.at);
}
