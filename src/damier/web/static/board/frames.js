// Frames of a game: one for the start and one after each step.

import { applyChanges } from './board.js';

/** @import { Board, Marks } from './board.js' */

/**
 * @typedef {object} Frame
 * @property {number} ply number of moves played
 * @property {string} turn the last move
 * @property {boolean} whole whether that move is complete
 * @property {Marks} marks
 * @property {Api.StepDescription | null} step the last step
 * @property {Parameters<Board['mark']>[0]} view
 */

/**
 * Return the cells that a move changed, without captures.
 *
 * @param {Api.StepDescription[]} steps
 */
export const lastCells = (steps) => [
  ...new Set(steps.flatMap((step) => Object.keys(step.set).filter((cell) => !step.takes.includes(cell)))),
];

/**
 * @param {Api.LineResponse} line
 * @returns {Frame[]}
 */
export function framesOf({ cells, turns, result }) {
  /** @type {Marks} */
  let marks = cells;
  /** @type {Frame[]} */
  const found = [{ ply: 0, turn: '', whole: true, marks, step: null, view: {} }];
  for (const [k, { turn, steps }] of turns.entries()) {
    const seen = steps.filter((step) => Object.keys(step.set).length);
    const shown = seen.length ? seen : steps.slice(0, 1); // a pass has a frame of its own
    for (const [j, step] of shown.entries()) {
      marks = applyChanges(marks, step.set);
      const whole = j === shown.length - 1;
      const done = whole ? shown : [step];
      const taken = done.flatMap((one) => one.takes).filter((cell) => !(cell in marks));
      found.push({ ply: k + 1, turn, whole, marks, step, view: { last: lastCells(done), taken } });
    }
  }
  const end = /** @type {Frame} */ (found.at(-1));
  if (result) end.view.pattern = result.cells;
  return found;
}
