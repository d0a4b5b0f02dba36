// Animation of a move, its sounds, and its text for screen readers.

import { applyChanges, STEP_MS } from '../board/board.js';
import { lastCells } from '../board/frames.js';
import { prefersReducedMotion, wait } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { playSound } from '../core/sound.js';

/** @import { Board, Marks } from '../board/board.js' */

/** @param {Api.StepDescription} step */
export const playStepSound = ({ kind, takes }) =>
  playSound(takes.length ? 'take' : kind === 'place' || kind === 'remove' ? kind : 'step');

/**
 * Animate the last move step by step. A click ends the animation.
 *
 * @param {Board} board
 * @param {Api.StateResponse} state
 * @param {() => boolean} isLate whether something else is shown by now
 * @param {AbortSignal} [hurry]
 */
export async function animateMove(board, { cells_before, last }, isLate, hurry) {
  /** @type {Marks} */
  let marks = cells_before ?? {};
  const steps = last.filter((step) => step.kind !== 'stop');
  for (const [k, step] of steps.entries()) {
    marks = applyChanges(marks, step.set);
    board.show(marks, true, step);
    board.mark({ last: lastCells([step]), taken: step.takes });
    playStepSound(step);
    if (!prefersReducedMotion() && k < steps.length - 1) await wait(STEP_MS + 160, hurry);
    if (isLate()) return;
  }
  if (!prefersReducedMotion()) await wait(STEP_MS, hurry);
}

/**
 * Return the screen-reader text of a move.
 *
 * @param {Api.StateResponse} state after it
 * @param {string} turn
 */
export function moveAnnouncement({ mover, last, result }, turn) {
  const side = t(`side.${mover}`);
  const count = last.reduce((n, step) => n + step.takes.length, 0);
  const text = count ? t('announce.turn-taking', { side, turn, count }) : t('announce.turn', { side, turn });
  return result ? `${text} ${result.text}` : text;
}
