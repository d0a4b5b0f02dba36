// How strong somebody is, in levels: from what came of games against them.

/** @import { Outcome } from './results.js' */

/** @typedef {{ level: number, low: number, high: number }} Standing */

export const FEWEST = 5; // games, before anything is said

const STEP = Math.log(3); // a level scores three points in four against the one below
const FADES = 0.97; // of the weight of a game, with each one after it
const [FIRST, LAST, GRAIN] = [0, 9, 0.05];
const [MEAN, SPREAD] = [3, 3]; // of players nothing is known of
const DOUBT = 0.1; // outside the interval, on either side

/**
 * The level against which one half can be expected, with an interval that holds it four times in
 * five; newer games weigh more. Bayes' rule on a grid: the games are few.
 *
 * @param {Pick<Outcome, 'level' | 'score'>[]} rows oldest first
 * @returns {Standing}
 */
export function standing(rows) {
  const grid = Array.from({ length: Math.round((LAST - FIRST) / GRAIN) + 1 }, (_, k) => FIRST + k * GRAIN);
  const logs = grid.map((strength) => {
    let sum = -((strength - MEAN) ** 2) / (2 * SPREAD ** 2);
    for (const [k, { level, score }] of rows.entries()) {
      const even = STEP * (strength - level);
      const chances = score * -Math.log1p(Math.exp(-even)) + (1 - score) * -Math.log1p(Math.exp(even));
      sum += FADES ** (rows.length - 1 - k) * chances;
    }
    return sum;
  });
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const total = weights.reduce((a, b) => a + b);
  const below = (/** @type {number} */ part) => {
    let [sum, k] = [weights[0], 0];
    while (sum < part * total) {
      k++;
      sum += weights[k];
    }
    return grid[k];
  };
  return { level: below(0.5), low: below(DOUBT), high: below(1 - DOUBT) };
}
