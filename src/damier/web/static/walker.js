// Walking through the steps of a turn. What may follow what is data from the server: no rule here.

import { applied } from './board.js';

export class Walker {
  // `more(begun)` resolves to the steps after some; `done(turn, steps)` gets a finished turn.
  constructor(state, marks, { more, done, change }) {
    Object.assign(this, { state, start: marks, more, done, change });
    this.reset();
  }

  reset() {
    this.path = [];
    this.nodes = this.state.steps;
    this.marks = this.start;
    this.origin = null;
    this.choice = null; // two ways for one displacement
    this.busy = false;
    this.early = null;
  }

  get begun() {
    return this.path.length > 0;
  }

  get last() {
    return this.path.at(-1) ?? null;
  }

  get stop() {
    return this.nodes.find((n) => n.kind === 'stop') ?? null;
  }

  get pass() {
    return this.nodes.find((n) => n.kind === 'pass') ?? null;
  }

  get kinds() {
    return new Set(this.nodes.map((n) => n.kind));
  }

  get origins() {
    return new Set(this.nodes.filter((n) => n.origin).map((n) => n.origin));
  }

  // The pawn in play: the one that goes on, or whose arrival is being dealt with.
  get active() {
    if (!this.begun) return null;
    return this.path.findLast((n) => n.kind === 'move')?.target ?? null;
  }

  // What the next click starts from, if that needs no choosing.
  get from() {
    if (this.origin) return this.origin;
    return this.begun && this.origins.size === 1 ? [...this.origins][0] : null;
  }

  waysTo(target) {
    return this.nodes.filter((n) => n.target === target && (n.origin === null || n.origin === this.from));
  }

  get view() {
    const from = this.from;
    const view = { selected: null, active: this.active, closed: this.last?.closed ?? [], sources: [], targets: [], takes: [], lifted: [], drags: [...this.origins] };
    if (this.choice) {
      view.active = this.choice[0].origin;
      view.takes = this.choice.flatMap((n) => n.takes);
      view.values = this.choice.flatMap((n) => n.takes.map((cell) => [cell, 'even', n.by]));
      return view;
    }
    if (from && !this.begun) view.selected = view.active = from;
    if (this.kinds.has('put') && from) view.lifted = [from];
    if (!from) view.sources = [...this.origins];
    else if (!this.begun) view.sources = [...this.origins].filter((c) => c !== from);
    view.targets = [...new Set(this.nodes.filter((n) => n.target && (n.origin === null || n.origin === from)).map((n) => n.target))];
    if (this.kinds.has('put') && this.origins.size > 1) view.sources = [...this.origins].filter((c) => c !== from);
    return view;
  }

  // Returns whether the click meant something.
  click(cell) {
    if (this.busy) {
      this.early = cell; // clicked before its turn: not lost
      return true;
    }
    if (this.choice) {
      const chosen = this.choice.filter((n) => n.takes.includes(cell));
      if (chosen.length === 1) this.take(chosen[0]);
      return chosen.length > 0;
    }
    if (this.kinds.has('place') && cell === this.last?.target) return this.cancel(); // not there
    const from = this.from;
    const ways = this.waysTo(cell);
    if (ways.length) return this.choose(ways);
    if (this.origins.has(cell) && !(this.begun && !this.kinds.has('put'))) {
      if (cell === from) {
        if (this.begun && this.origins.size === 1) return false;
        this.origin = null;
        this.change();
        return true;
      }
      const own = this.nodes.filter((n) => n.origin === cell);
      // One possible displacement: it goes by itself.
      if (new Set(own.map((n) => n.target)).size === 1) {
        this.origin = cell;
        return this.choose(own);
      }
      this.origin = cell;
      this.change();
      return true;
    }
    return false;
  }

  drop(from, to) {
    if (this.busy || this.choice) return false;
    const ways = this.nodes.filter((n) => n.origin === from && n.target === to);
    if (!ways.length) return false;
    this.origin = from;
    return this.choose(ways);
  }

  choose(ways) {
    if (ways.length === 1) this.take(ways[0]);
    else {
      this.choice = ways;
      this.change();
    }
    return true;
  }

  async take(node) {
    this.path.push(node);
    this.marks = applied(this.marks, node.set);
    this.origin = this.choice = null;
    if (node.turn !== null) {
      this.nodes = [];
      this.change();
      this.done(node.turn, this.path);
      return;
    }
    if (node.then === null) {
      this.busy = true;
      this.nodes = [];
      this.change();
      node.then = await this.more(this.path.map((n) => n.step));
      if (this.last !== node) return; // given up meanwhile
      this.busy = false;
    }
    this.nodes = node.then;
    this.change();
    const { early } = this;
    this.early = null;
    if (early) this.click(early);
  }

  // Escape: undo the choice, the selection, or the whole turn begun.
  cancel() {
    if (this.choice) this.choice = null;
    else if (this.origin) this.origin = null;
    else if (this.begun) this.reset();
    else return false;
    if (!this.begun) this.origin = null;
    this.change();
    return true;
  }
}
