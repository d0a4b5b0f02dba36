// A game as the page holds it: a tree of turns, who plays, and where one is looking.

// The level of a player that is the computer, else 0.
export const level = (player) => (player.startsWith('level:') ? Number(player.slice(6)) : 0);

export class Node {
  constructor(turn, up) {
    this.turn = turn;
    this.up = up;
    this.kids = [];
    this.state = null; // what the server said of it
    this.values = null; // its analysis
  }

  get path() {
    const turns = [];
    for (let node = this; node.up; node = node.up) turns.unshift(node.turn);
    return turns;
  }

  get ply() {
    let ply = 0;
    for (let node = this; node.up; node = node.up) ply++;
    return ply;
  }

  get tip() {
    let node = this;
    while (node.kids.length) node = node.kids[0];
    return node;
  }

  // The node after a turn, made if there is none.
  then(turn) {
    let kid = this.kids.find((k) => k.turn === turn);
    if (!kid) this.kids.push((kid = new Node(turn, this)));
    return kid;
  }

  cut() {
    this.up.kids = this.up.kids.filter((k) => k !== this);
  }

  // Make the line to this node the first one everywhere.
  promote() {
    for (let node = this; node.up; node = node.up) {
      node.up.kids = [node, ...node.up.kids.filter((k) => k !== node)];
    }
  }

  // The tree as a list, each turn with the number of what it follows: games are too deep to nest.
  toJSON() {
    const nodes = [this];
    const numbers = new Map([[this, 0]]);
    for (const node of nodes) {
      for (const kid of node.kids) {
        numbers.set(kid, nodes.length);
        nodes.push(kid);
      }
    }
    return nodes.slice(1).map((node) => [node.turn, numbers.get(node.up)]);
  }

  static from(list) {
    const nodes = [new Node(null, null)];
    for (const [turn, number] of list) {
      const up = nodes[number];
      const node = new Node(turn, up);
      up.kids.push(node);
      nodes.push(node);
    }
    return nodes[0];
  }
}

const newId = () => Math.random().toString(36).slice(2, 10) + Date.now().toString(36);

export class Tale {
  constructor({ game, options = {}, start = null, players = { w: 'human', b: 'human' }, mode = 'play', resigned = null, id = newId() }) {
    Object.assign(this, { game, options, start, players, mode, resigned, id });
    this.root = new Node(null, null);
    this.at = this.root;
    this.flipped = false;
    this.swapped = false; // of two people the second has White
    this.finished = false;
    this.names = null; // of a game that came with names
  }

  get request() {
    return this.requestAt(this.at);
  }

  requestAt(node) {
    return { game: this.game, options: this.options, start: this.start, turns: node.path };
  }

  get tip() {
    return this.at.tip;
  }

  // The line that is shown: to the place looked at and on from there.
  get line() {
    const nodes = [];
    for (let node = this.tip; node; node = node.up) nodes.unshift(node);
    return nodes;
  }

  follow(turns, at) {
    let node = this.root;
    this.at = node;
    for (const [k, turn] of turns.entries()) {
      node = node.then(turn);
      if (at === null || k < at) this.at = node;
    }
    return this;
  }

  toJSON() {
    const { game, options, start, players, mode, id, root, resigned, flipped, swapped, finished, names } = this;
    return { game, options, start, players, mode, id, tree: root, resigned, flipped, swapped, finished, names, turns: this.tip.path, at: this.at.ply };
  }

  static from(kept) {
    const tale = new Tale(kept);
    tale.root = Node.from(kept.tree);
    Object.assign(tale, { flipped: kept.flipped, swapped: kept.swapped ?? false, finished: kept.finished, names: kept.names ?? null });
    return tale.follow(kept.turns, kept.at);
  }
}
