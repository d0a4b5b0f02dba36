// A game as the page holds it: a tree of turns, who plays, and where one is looking.

/** @typedef {{ w: string, b: string }} Players Each `human` or `level:N`; or names. */
/** @typedef {Api.AnalysisOut & { seconds: number }} Values An analysis, and how long it took. */

/**
 * @typedef {object} Given What a game is made from.
 * @property {string} game
 * @property {Record<string, string>} [options]
 * @property {string | null} [start]
 * @property {Players} [players]
 * @property {'play' | 'study'} [mode]
 * @property {'w' | 'b' | null} [resigned]
 * @property {string} [id]
 */

/**
 * @typedef {Given & {
 *   id: string, mode: 'play' | 'study', tree: [string, number][], turns: string[], at: number,
 *   flipped: boolean, swapped?: boolean, finished: boolean, names?: Players | null, updated: number,
 *   counts?: boolean,
 * }} Kept A game as the browser keeps it.
 */

/**
 * The level of a player that is the computer, else 0.
 *
 * @param {string} player
 */
export const level = (player) => (player.startsWith('level:') ? Number(player.slice(6)) : 0);

export class Node {
  /**
   * @param {string} turn
   * @param {Node | null} up
   */
  constructor(turn, up) {
    this.turn = turn; // empty at the root
    this.up = up;
    /** @type {Node[]} */
    this.kids = [];
    /** @type {Api.StateOut | null} */
    this.state = null; // what the server said of it
    /** @type {Values | null} */
    this.values = null; // its analysis
    /** @type {'w' | 'b' | null} */
    this.by = null; // who played the turn, once that is known
  }

  // From the root to here.
  get line() {
    /** @type {Node[]} */
    const nodes = [];
    for (let node = /** @type {Node | null} */ (this); node; node = node.up) nodes.unshift(node);
    return nodes;
  }

  get path() {
    return this.line.slice(1).map((node) => node.turn);
  }

  get ply() {
    let ply = 0;
    for (let node = this.up; node; node = node.up) ply++;
    return ply;
  }

  get tip() {
    let node = /** @type {Node} */ (this);
    while (node.kids.length) node = node.kids[0];
    return node;
  }

  /**
   * What the server says of the position tells also who played every turn that led to it.
   *
   * @param {Api.StateOut} state
   */
  learn(state) {
    this.state = state;
    for (const [k, node] of this.line.slice(1).entries()) node.by = state.movers[k];
  }

  /**
   * Who played the turn; as long as that is not known, the other side than before.
   *
   * @returns {'w' | 'b'}
   */
  get mover() {
    return this.by ?? (!this.up || this.up.mover === 'w' ? 'b' : 'w');
  }

  /**
   * The node after a turn, made if there is none.
   *
   * @param {string} turn
   */
  after(turn) {
    let kid = this.kids.find((k) => k.turn === turn);
    if (!kid) {
      kid = new Node(turn, this);
      this.kids.push(kid);
    }
    return kid;
  }

  cut() {
    if (this.up) this.up.kids = this.up.kids.filter((k) => k !== this);
  }

  // Make the line to this node the first one everywhere.
  promote() {
    for (const node of this.line) {
      if (node.up) node.up.kids = [node, ...node.up.kids.filter((k) => k !== node)];
    }
  }

  // The tree as a list, each turn with the number of what it follows: games are too deep to nest.
  toJSON() {
    /** @type {Node[]} */
    const nodes = [this];
    /** @type {[string, number][]} */
    const list = [];
    for (const [number, node] of nodes.entries()) {
      for (const kid of node.kids) {
        nodes.push(kid);
        list.push([kid.turn, number]);
      }
    }
    return list;
  }

  /** @param {[string, number][]} list */
  static from(list) {
    const nodes = [new Node('', null)];
    for (const [turn, number] of list) {
      const node = new Node(turn, nodes[number]);
      nodes[number].kids.push(node);
      nodes.push(node);
    }
    return nodes[0];
  }
}

const newId = () => Math.random().toString(36).slice(2, 10) + Date.now().toString(36);
const PEOPLE = { w: 'human', b: 'human' };

export class Tale {
  /** @param {Given} given */
  constructor({ game, options = {}, start = null, players = PEOPLE, mode, resigned = null, id = newId() }) {
    this.game = game;
    this.options = options;
    this.start = start;
    this.players = players;
    this.mode = mode ?? 'play';
    this.resigned = resigned;
    this.id = id;
    this.root = new Node('', null);
    this.at = this.root;
    this.flipped = false;
    this.swapped = false; // of two people the second has White
    this.finished = false;
    this.counts = start === null; // it shows how strong a player is: no help, and from the first turn
    /** @type {Players | null} */
    this.names = null; // of a game that came with names
  }

  get request() {
    return this.requestAt(this.at);
  }

  /** @param {Node} node */
  requestAt(node) {
    return { game: this.game, options: this.options, start: this.start, turns: node.path };
  }

  get tip() {
    return this.at.tip;
  }

  // The line that is shown: to the place looked at and on from there.
  get line() {
    return this.tip.line;
  }

  /**
   * @param {string[]} turns
   * @param {number | null} at
   */
  follow(turns, at) {
    let node = this.root;
    this.at = node;
    for (const [k, turn] of turns.entries()) {
      node = node.after(turn);
      if (at === null || k < at) this.at = node;
    }
    return this;
  }

  toJSON() {
    const { game, options, start, players, mode, id, root, resigned, flipped, swapped, finished } = this;
    const { names, counts } = this;
    const kept = { game, options, start, players, mode, id, resigned, flipped, swapped, finished };
    return { ...kept, names, counts, tree: root, turns: this.tip.path, at: this.at.ply };
  }

  /** @param {Kept} kept */
  static from(kept) {
    const tale = new Tale(kept);
    tale.root = Node.from(kept.tree);
    tale.flipped = kept.flipped;
    tale.swapped = kept.swapped ?? false;
    tale.finished = kept.finished;
    tale.names = kept.names ?? null;
    tale.counts = kept.counts ?? tale.counts;
    return tale.follow(kept.turns, kept.at);
  }
}
