// Input on a board: its clicks and drags enter a move; what is no legal step is explained.

import { lastCells } from '../board/frames.js';
import { request } from '../core/api.js';
import { t } from '../core/i18n.js';
import { playSound } from '../core/sound.js';
import { playStepSound } from './move-animation.js';
import { MoveInput } from './move-input.js';

/** @import { Board, View } from '../board/board.js' */

/**
 * @typedef {object} IdleInput What clicks and drags do while no move can be entered.
 * @property {(cell: string) => void} click
 * @property {(cell: string) => boolean} canDrag
 * @property {(cell: string) => void} drag
 * @property {(from: string, to: string) => void} drop
 */

/**
 * @typedef {object} BoardInputListeners
 * @property {() => Api.GameRequest} position returns the request for the position shown
 * @property {(turn: string) => void} onMove called with a complete move
 * @property {() => void} onChange called when the move being entered has changed
 * @property {() => void} onSelect called when a pawn was selected or rejected: only marks change
 * @property {(text: string) => void} onRefused called with the reason why a step is illegal
 * @property {(error: unknown) => void} onError
 * @property {(target: string, origin: string | null) => string | undefined} [ownReason] returns a reason
 *   that replaces the server's
 * @property {IdleInput} idle
 */

/** Input of a move on a board. Tables and lessons use it. */
export class BoardInput {
  /** @param {BoardInputListeners} listeners */
  constructor(listeners) {
    this.listeners = listeners;
    /** @type {MoveInput | null} */
    this.move = null; // null while no move can be entered
    /** @type {Api.StepDescription | null} */
    this.lastSoundStep = null;
  }

  /** @param {Board} board */
  attach(board) {
    board.listen({
      click: (cell) => this.click(cell),
      canDrag: (cell) => (this.move ?? this.listeners.idle).canDrag(cell),
      drag: (cell) => this.drag(cell),
      drop: (from, to) => (this.move ?? this.listeners.idle).drop(from, to),
    });
  }

  /**
   * Let the player enter a move.
   *
   * @param {Api.StateResponse} state
   */
  begin(state) {
    this.lastSoundStep = null;
    const { position, onMove, onChange, onSelect } = this.listeners;
    this.move = new MoveInput(state, {
      more: async (begun) => (await request('state', { ...position(), begun })).steps,
      done: (turn) => onMove(turn),
      reject: (target, origin) => {
        playSound('no');
        this.explainRefusal(target, origin);
        onSelect();
      },
      change: () => {
        const last = this.move?.last ?? null;
        if (last && last !== this.lastSoundStep) playStepSound(last);
        this.lastSoundStep = last;
        onChange();
      },
    });
  }

  stop() {
    this.move = null;
  }

  /** @param {string} cell */
  click(cell) {
    (this.move ?? this.listeners.idle).click(cell);
  }

  /** @param {string} cell */
  drag(cell) {
    if (!this.move) this.listeners.idle.drag(cell);
    else if (this.move.drag(cell)) this.listeners.onSelect();
  }

  // Take the step that ends the move without another cell.
  endMove() {
    const end = this.move?.end;
    if (end) this.move?.take(end);
  }

  cancel() {
    return !!this.move?.cancel();
  }

  /**
   * @param {string} target
   * @param {string | null} origin
   */
  async explainRefusal(target, origin) {
    const { move } = this;
    const { position, onRefused, onError, ownReason } = this.listeners;
    if (!move) return;
    const own = move.choice ? t('why.choice') : move.begun ? undefined : ownReason?.(target, origin);
    if (own !== undefined) {
      onRefused(own);
      return;
    }
    try {
      const { message } = await request('why', { ...position(), begun: move.steps, origin, target });
      if (move === this.move) onRefused(message);
    } catch (error) {
      onError(error);
    }
  }
}

/**
 * Return the marks of a position on the board, with those of the move being entered.
 *
 * @param {Api.StateResponse} state
 * @param {MoveInput | null} move
 * @param {boolean} isOver
 * @returns {View}
 */
export function positionView(state, move, isOver) {
  const begun = !!move?.begun;
  /** @type {View} */
  const view = move ? { ...move.view } : {};
  const marks = move?.marks ?? state.cells;
  view.taken = begun ? [] : state.last.flatMap((step) => step.takes).filter((cell) => !marks[cell]);
  view.last = begun ? [] : lastCells(state.last);
  view.pattern = state.result ? state.result.cells : [];
  if (!isOver) {
    view.resting = begun ? [] : state.resting;
    view.barred = state.barred;
  }
  return view;
}
