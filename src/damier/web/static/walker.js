// Walking through the steps of a turn. What may follow what is data from the server: no rule here.

import { applied } from './board.js';
import { effectsOf } from './effects.js';
import { letter } from './i18n.js';

/** @import { Marks, View } from './board.js' */

/**
 * @typedef {object} Listeners
 * @property {(begun: number[]) => Promise<Api.StepOut[]>} more the steps after some
 * @property {(turn: string) => void} done a turn is finished
 * @property {() => void} change something else is to be shown
 */

/**
 * A pawn with one possible displacement needs no second click.
 *
 * @param {Api.StepOut[]} own its steps
 */
const goesByItself = (own) => new Set(own.map((n) => n.target)).size === 1;

export class Walker {
  /**
   * @param {Api.StateOut} state
   * @param {Listeners} listeners
   */
  constructor(state, { more, done, change }) {
    this.state = state;
    this.more = more;
    this.done = done;
    this.change = change;
    /** @type {Api.StepOut[]} */
    this.path = [];
    this.nodes = state.steps;
    /** @type {Marks} */
    this.marks = state.cells;
    /** @type {string | null} */
    this.origin = null;
    /** @type {Api.StepOut[] | null} */
    this.choice = null; // two ways for one displacement
    this.busy = false;
    /** @type {string | null} */
    this.early = null;
  }

  reset() {
    this.path = [];
    this.nodes = this.state.steps;
    this.marks = this.state.cells;
    this.origin = this.choice = this.early = null;
    this.busy = false;
  }

  get begun() {
    return this.path.length > 0;
  }

  // The numbers of the steps taken so far.
  get steps() {
    return this.path.map((node) => node.step);
  }

  get last() {
    return this.path.at(-1) ?? null;
  }

  // What ends the turn without another cell: stopping, or passing.
  get end() {
    return this.nodes.find((n) => n.kind === 'stop' || n.kind === 'pass') ?? null;
  }

  get kinds() {
    return new Set(this.nodes.map((n) => n.kind));
  }

  get origins() {
    return new Set(this.nodes.flatMap((n) => n.origin ?? []));
  }

  // The pawn in play: the one that goes on, or whose arrival is being dealt with.
  get active() {
    return this.path.findLast((n) => n.kind === 'move')?.target ?? null;
  }

  // What the next click starts from, if that needs no choosing.
  get from() {
    if (this.origin) return this.origin;
    return this.begun && this.origins.size === 1 ? [...this.origins][0] : null;
  }

  /** @param {string | null} target */
  waysTo(target) {
    const { from } = this;
    return this.nodes.filter((n) => n.target === target && (n.origin === null || n.origin === from));
  }

  /** @returns {View} */
  get view() {
    const { from, origins } = this;
    /** @type {View} */
    const view = { active: this.active, closed: this.last?.closed ?? [], drags: [...origins] };
    if (this.choice) {
      view.active = this.choice[0].origin;
      view.takes = this.choice.flatMap((n) => n.takes);
      view.values = this.choice.flatMap((n) =>
        n.takes.map((cell) => ({ cell, kind: 'even', text: letter(this.state.game, n.by ?? '') })),
      );
      return view;
    }
    if (from && !this.begun) view.selected = view.active = from;
    const puts = this.kinds.has('put');
    if (puts && from) view.lifted = [from];
    if (!from || !this.begun || (puts && origins.size > 1))
      view.sources = [...origins].filter((c) => c !== from);
    const targets = this.nodes
      .filter((n) => n.origin === null || n.origin === from)
      .flatMap((n) => n.target ?? []);
    view.targets = [...new Set(targets)];
    const own = (/** @type {string} */ cell) => this.nodes.filter((n) => n.origin === cell);
    const known = [
      ...[...(view.sources ?? []), ...(from ? [from] : [])].map((cell) => ({ cell, steps: own(cell) })),
      ...view.targets.map((cell) => ({ cell, steps: this.waysTo(cell) })),
    ];
    view.direct = known.filter(({ steps }) => goesByItself(steps)).map(({ cell }) => cell);
    view.does = Object.fromEntries(known.map(({ cell, steps }) => [cell, effectsOf(steps, this.marks)]));
    return view;
  }

  /**
   * Returns whether the click meant something.
   *
   * @param {string} cell
   */
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
    const ways = this.waysTo(cell);
    if (ways.length) return this.choose(ways);
    if (!this.origins.has(cell) || (this.begun && !this.kinds.has('put'))) return false;
    if (cell === this.from) {
      if (this.begun && this.origins.size === 1) return false;
      this.origin = null;
      this.change();
      return true;
    }
    this.origin = cell;
    const own = this.nodes.filter((n) => n.origin === cell);
    if (goesByItself(own)) return this.choose(own);
    this.change();
    return true;
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  drop(from, to) {
    if (this.busy || this.choice) return false;
    const ways = this.nodes.filter((n) => n.origin === from && n.target === to);
    if (!ways.length) return false;
    this.origin = from;
    return this.choose(ways);
  }

  /** @param {Api.StepOut[]} ways */
  choose(ways) {
    if (ways.length === 1) this.take(ways[0]);
    else {
      this.choice = ways;
      this.change();
    }
    return true;
  }

  /** @param {Api.StepOut} node */
  async take(node) {
    this.path.push(node);
    this.marks = applied(this.marks, node.set);
    this.origin = this.choice = null;
    if (node.turn !== null) {
      this.nodes = [];
      this.change();
      this.done(node.turn);
      return;
    }
    if (node.then === null) {
      this.busy = true;
      this.nodes = [];
      this.change();
      const steps = await this.more(this.steps);
      if (this.last !== node) return; // given up meanwhile
      this.busy = false;
      this.nodes = steps;
    } else this.nodes = node.then;
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
