// Entering a move step by step, by clicks and drags on a board. The server lists the legal steps; this
// module knows no rules.

import { applyChanges, sideOf } from '../board/board.js';
import { lastCells } from '../board/frames.js';
import { effectsOf } from '../board/step-effects.js';
import { captureLetter } from '../core/i18n.js';

/** @import { Marks, View } from '../board/board.js' */

/**
 * @typedef {object} MoveInputListeners
 * @property {(begun: number[]) => Promise<Api.StepDescription[]>} more returns the steps after some
 * @property {(move: string) => void} done is called with a complete move
 * @property {() => void} change is called when the board must be redrawn
 * @property {(target: string, origin: string | null) => void} [reject] is called for a click or drop
 *   that is no legal step
 */

// Kinds of steps that put a pawn on a cell without moving it there.
const PLACEMENTS = new Set(['place', 'drop', 'put']);

/**
 * Return whether a pawn has one target only: it moves on the first click.
 *
 * @param {Api.StepDescription[]} own the pawn's steps
 */
const hasOneTarget = (own) => new Set(own.map((n) => n.target)).size === 1;

export class MoveInput {
  /**
   * @param {Api.StateResponse} state
   * @param {MoveInputListeners} listeners
   */
  constructor(state, { more, done, change, reject = () => {} }) {
    this.state = state;
    this.more = more;
    this.done = done;
    this.change = change;
    this.reject = reject;
    /** @type {Api.StepDescription[]} */
    this.path = [];
    this.nodes = state.steps;
    /** @type {Marks} */
    this.marks = state.cells;
    /** @type {string | null} */
    this.origin = null;
    /** @type {Api.StepDescription[] | null} */
    this.choice = null; // several captures by the same displacement: the player must choose
    this.busy = false; // the next steps are being requested
    /** @type {string | null} */
    this.queuedCell = null; // the cell that was clicked meanwhile
  }

  reset() {
    this.path = [];
    this.nodes = this.state.steps;
    this.marks = this.state.cells;
    this.origin = this.choice = this.queuedCell = null;
    this.busy = false;
  }

  get begun() {
    return this.path.length > 0;
  }

  // The numbers of the steps entered so far.
  get steps() {
    return this.path.map((node) => node.step);
  }

  get last() {
    return this.path.at(-1) ?? null;
  }

  // The step that ends the move without another cell: stopping or passing.
  get end() {
    return this.nodes.find((n) => n.kind === 'stop' || n.kind === 'pass') ?? null;
  }

  get kinds() {
    return new Set(this.nodes.map((n) => n.kind));
  }

  get origins() {
    return new Set(this.nodes.flatMap((n) => n.origin ?? []));
  }

  // The cell of the pawn that moved in the last displacement of this move.
  get active() {
    return this.path.findLast((n) => n.kind === 'move')?.target ?? null;
  }

  // Pawns that are off the board until they are placed by the next step: each with the cell it left.
  get floatingPawns() {
    const found = this.nodes.flatMap(({ kind, origin, target, set }) => {
      const cell = origin ?? this.last?.target ?? lastCells(this.state.last).at(-1);
      const isOff = kind === 'drop' || (kind === 'put' && origin !== null && set[origin] === undefined);
      return isOff && target && cell ? [{ cell, mark: set[target] }] : [];
    });
    return [...new Map(found.map((pawn) => [pawn.cell, pawn])).values()];
  }

  // The cell of the pawn that the next click moves: the chosen one, or the only one that can continue.
  get from() {
    if (this.origin) return this.origin;
    return this.begun && this.origins.size === 1 ? [...this.origins][0] : null;
  }

  /**
   * Return the legal steps to a cell.
   *
   * @param {string | null} target
   */
  stepsTo(target) {
    const { from } = this;
    return this.nodes.filter((n) => n.target === target && (n.origin === null || n.origin === from));
  }

  /**
   * The marks on the board: the chosen pawn, its targets, and the effects of each step.
   *
   * @returns {View}
   */
  get view() {
    const { from, origins } = this;
    /** @type {View} */
    const view = { active: this.active, closed: this.last?.closed ?? [], drags: [...origins] };
    if (this.choice) {
      view.active = this.choice[0].origin;
      view.takes = this.choice.flatMap((n) => n.takes);
      view.values = this.choice.flatMap((n) =>
        n.takes.map((cell) => ({ cell, kind: 'even', text: captureLetter(this.state.game, n.by ?? '') })),
      );
      return view;
    }
    if (from && !this.begun) view.selected = view.active = from;
    const puts = this.kinds.has('put');
    view.floating = this.floatingPawns;
    if (puts && from) view.lifted = [from];
    if (!from || !this.begun || (puts && origins.size > 1))
      view.sources = [...origins].filter((c) => c !== from);
    const next = this.nodes.filter((n) => n.origin === null || n.origin === from);
    const targetsOf = (/** @type {Api.StepDescription[]} */ nodes) => [
      ...new Set(nodes.flatMap((n) => n.target ?? [])),
    ];
    view.targets = targetsOf(next);
    view.placements = targetsOf(next.filter((n) => PLACEMENTS.has(n.kind)));
    const own = (/** @type {string} */ cell) => this.nodes.filter((n) => n.origin === cell);
    const known = [
      ...[...(view.sources ?? []), ...(from ? [from] : [])].map((cell) => ({ cell, steps: own(cell) })),
      ...view.targets.map((cell) => ({ cell, steps: this.stepsTo(cell) })),
    ];
    view.direct = known.filter(({ steps }) => hasOneTarget(steps)).map(({ cell }) => cell);
    view.effects = Object.fromEntries(known.map(({ cell, steps }) => [cell, effectsOf(steps, this.marks)]));
    return view;
  }

  /**
   * Handle a click on a cell. One that is no legal step is rejected; a click on another own pawn is
   * rejected as a step of that pawn.
   *
   * @param {string} cell
   */
  click(cell) {
    if (this.enter(cell)) return;
    this.reject(cell, this.isOwn(cell) && !this.begun ? null : this.from);
  }

  /** @param {string} cell */
  isOwn(cell) {
    return sideOf(this.marks[cell]) === this.state.side;
  }

  /**
   * Enter a clicked cell; return whether it is part of a legal step.
   *
   * @param {string} cell
   */
  enter(cell) {
    if (this.busy) {
      this.queuedCell = cell; // handled when the next steps are known
      return true;
    }
    if (this.choice) {
      const chosen = this.choice.filter((n) => n.takes.includes(cell));
      if (chosen.length === 1) this.take(chosen[0]);
      return chosen.length > 0;
    }
    if (this.kinds.has('place') && cell === this.last?.target) return this.cancel(); // take it back
    const candidates = this.stepsTo(cell);
    if (candidates.length) return this.choose(candidates);
    if (!this.origins.has(cell) || (this.begun && !this.kinds.has('put'))) return false;
    if (cell === this.from) {
      if (this.begun && this.origins.size === 1) return false;
      this.origin = null;
      this.change();
      return true;
    }
    this.origin = cell;
    const own = this.nodes.filter((n) => n.origin === cell);
    if (hasOneTarget(own)) return this.choose(own);
    this.change();
    return true;
  }

  // Undo all steps of the move.
  undoAll() {
    this.reset();
    this.change();
  }

  // Undo the choice and the selection.
  deselect() {
    this.origin = this.choice = null;
  }

  /** @param {string} cell */
  canDrag(cell) {
    return this.origins.has(cell) || this.isOwn(cell);
  }

  /**
   * Choose the pawn that is being dragged; return whether it can move.
   *
   * @param {string} cell
   */
  drag(cell) {
    if (!this.origins.has(cell) || this.begun) return false;
    this.origin = cell;
    return true;
  }

  /**
   * Handle a pawn dropped on a cell. A drop that is no legal step is rejected.
   *
   * @param {string} from
   * @param {string} to
   */
  drop(from, to) {
    const candidates = this.nodes.filter((n) => n.origin === from && n.target === to);
    if (candidates.length && !this.busy && !this.choice) {
      this.origin = from;
      this.choose(candidates);
      return;
    }
    if (!this.begun && this.isOwn(from)) this.origin = this.origins.has(from) ? from : null;
    this.reject(to, from);
  }

  /**
   * Take the only step, or let the player choose one of several.
   *
   * @param {Api.StepDescription[]} candidates
   */
  choose(candidates) {
    if (candidates.length === 1) this.take(candidates[0]);
    else {
      this.choice = candidates;
      this.change();
    }
    return true;
  }

  /**
   * Take a step; request the steps after it if the server has not listed them.
   *
   * @param {Api.StepDescription} node
   */
  async take(node) {
    this.path.push(node);
    this.marks = applyChanges(this.marks, node.set);
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
      if (this.last !== node) return; // cancelled meanwhile
      this.busy = false;
      this.nodes = steps;
    } else this.nodes = node.then;
    this.change();
    const { queuedCell } = this;
    this.queuedCell = null;
    if (queuedCell) this.enter(queuedCell);
  }

  // Undo the choice, the selection, or all steps of the move. Return whether there was one to undo.
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
