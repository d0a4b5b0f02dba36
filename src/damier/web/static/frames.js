// A game as a row of pictures: one for every step, and what it is that each shows.

import { applied } from './board.js';

/** @import { Board, Marks } from './board.js' */

/**
 * @typedef {object} Frame
 * @property {number} ply how many turns were played
 * @property {string} turn the last of them
 * @property {boolean} whole whether that turn is at its end
 * @property {Marks} marks
 * @property {Api.StepOut | null} step that has just been taken
 * @property {Parameters<Board['mark']>[0]} view
 */

/**
 * The cells that a turn changed, other than by capturing.
 *
 * @param {Api.StepOut[]} steps
 */
export const lastCells = (steps) => [
  ...new Set(steps.flatMap((step) => Object.keys(step.set).filter((cell) => !step.takes.includes(cell)))),
];

/**
 * @param {Api.LineOut} line
 * @returns {Frame[]}
 */
export function framesOf({ cells, turns, result }) {
  /** @type {Marks} */
  let marks = cells;
  /** @type {Frame[]} */
  const found = [{ ply: 0, turn: '', whole: true, marks, step: null, view: {} }];
  for (const [k, { turn, steps }] of turns.entries()) {
    const seen = steps.filter((step) => Object.keys(step.set).length);
    const shown = seen.length ? seen : steps.slice(0, 1); // who passes is seen to
    for (const [j, step] of shown.entries()) {
      marks = applied(marks, step.set);
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
