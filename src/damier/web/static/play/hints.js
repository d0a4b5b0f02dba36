// Hints: a move is shown part by part, until it is complete. The player's table shows the engine's best
// move and, when asked again, the moves expected after it.

import { request } from '../core/api.js';
import { t } from '../core/i18n.js';
import { explanationText, requestExplanation } from '../study/explanation.js';
import { arrowsOf, lineArrows } from '../study/value-text.js';

/** @import { Arrow } from '../board/board.js' */
/** @import { MoveInput } from './move-input.js' */
/** @import { Table } from './table.js' */
/** @typedef {{ best: Api.MoveAnalysis, whole: boolean, hasty: boolean, why?: string }} Hint */

/**
 * Return the steps of a move that are still to be entered; null if the player entered others.
 *
 * @param {Api.ActionDescription[]} steps of the move
 * @param {MoveInput} input
 */
export function remainingSteps(steps, { path }) {
  const isSame = path.every(
    ({ kind, origin, target, by }, k) =>
      kind === steps[k]?.kind &&
      origin === steps[k].origin &&
      target === steps[k].target &&
      by === steps[k].by,
  );
  return isSame ? steps.slice(path.length) : null;
}

/**
 * Return the text of the next step of a move that has begun; empty if there is none.
 *
 * @param {Api.ActionDescription[]} remaining
 */
export function nextStepText([next]) {
  if (!next) return '';
  const { origin, target } = next;
  if (!target) return t('hint.next.stop');
  return origin && origin !== target
    ? t('hint.next.move', { origin, target })
    : t('hint.next.place', { target });
}

/**
 * Return the cells of a step as text: from where to where, or the only cell.
 *
 * @param {Api.ActionDescription} step
 */
export const stepCells = ({ origin, target }) =>
  [...new Set([origin ?? target, target ?? origin])].filter(Boolean).join(' → ');

export class Hints {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    /** @type {Hint | null} */
    this.shown = null;
  }

  clear() {
    this.shown = null;
  }

  // The steps of the hint still to be entered; null without a hint.
  get remaining() {
    const { moveInput } = this.table;
    return this.shown && moveInput && remainingSteps(this.shown.best.steps, moveInput);
  }

  // Forget the hint if the player enters another move.
  followInput() {
    if (!this.remaining?.length) this.clear();
  }

  /** @returns {Arrow[] | null} */
  get arrows() {
    const { shown, remaining } = this;
    if (!shown || !remaining) return null;
    if (this.table.moveInput?.begun) return arrowsOf(remaining.slice(0, 1), 'best');
    return lineArrows(shown.best, shown.whole ? 4 : 1);
  }

  // The text for the next part of the move; empty before its first.
  get nextText() {
    return this.table.moveInput?.begun && this.remaining ? nextStepText(this.remaining) : '';
  }

  async hint() {
    const { table } = this;
    const { moveInput } = table;
    if (!moveInput) {
      table.showMessage(table.mode.waitingReason());
      return;
    }
    if (this.shown) {
      await this.explain(this.shown);
      return;
    }
    await this.search(moveInput);
  }

  /**
   * Show the whole line of a hint, and why it is good.
   *
   * @param {Hint} hint
   */
  async explain(hint) {
    const { table } = this;
    this.shown = { ...hint, whole: true };
    table.render();
    if (hint.why) return;
    const { shown } = this;
    try {
      const found = await requestExplanation(table.tree.request, hint.best.turn);
      if (this.shown !== shown) return;
      this.shown = { ...shown, why: explanationText(found) };
      table.render();
    } catch (error) {
      table.showError(error);
    }
  }

  /** @param {NonNullable<Table['moveInput']>} moveInput */
  async search(moveInput) {
    const { table } = this;
    table.showMessage(t('hint.thinking'));
    try {
      const response = await request('analysis', { ...table.tree.request, seconds: 1 });
      if (moveInput !== table.moveInput) return;
      table.showMessage('');
      table.tree.stopCounting();
      const [best] = response.turns;
      // A move that begins otherwise is undone, so that the hint can be followed.
      if (remainingSteps(best.steps, moveInput)) moveInput.deselect();
      else table.resetInput();
      this.shown = { best, whole: false, hasty: response.hasty };
      table.render();
    } catch (error) {
      table.showError(error);
    }
  }
}
