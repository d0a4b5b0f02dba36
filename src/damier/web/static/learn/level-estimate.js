// Estimate of the player's strength, as a level, from results against levels.

/** @import { GameResult } from '../core/game-results.js' */

/** @typedef {{ level: number, low: number, high: number }} LevelEstimate */

export const MIN_GAMES = 5; // below which no estimate is given

const LEVEL_LOG_ODDS = Math.log(3); // each level scores 75 % against the one below
const WEIGHT_DECAY = 0.97; // weight of a game, for each later game
const [MIN_LEVEL, MAX_LEVEL, GRID_STEP] = [0, 9, 0.05];
const [PRIOR_MEAN, PRIOR_DEVIATION] = [3, 3]; // of the prior distribution of levels
const TAIL_PROBABILITY = 0.1; // on either side of the interval

/**
 * Estimate the level against which the player scores one half, with an interval of 80 %. Newer games
 * weigh more. Bayes' rule on a grid of levels.
 *
 * @param {Pick<GameResult, 'level' | 'score'>[]} rows oldest first
 * @returns {LevelEstimate}
 */
export function estimateLevel(rows) {
  const grid = Array.from(
    { length: Math.round((MAX_LEVEL - MIN_LEVEL) / GRID_STEP) + 1 },
    (_, k) => MIN_LEVEL + k * GRID_STEP,
  );
  const logs = grid.map((strength) => {
    let sum = -((strength - PRIOR_MEAN) ** 2) / (2 * PRIOR_DEVIATION ** 2);
    for (const [k, { level, score }] of rows.entries()) {
      const logOdds = LEVEL_LOG_ODDS * (strength - level);
      const logLikelihood =
        score * -Math.log1p(Math.exp(-logOdds)) + (1 - score) * -Math.log1p(Math.exp(logOdds));
      sum += WEIGHT_DECAY ** (rows.length - 1 - k) * logLikelihood;
    }
    return sum;
  });
  const maxLog = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - maxLog));
  const total = weights.reduce((a, b) => a + b);
  const quantile = (/** @type {number} */ part) => {
    let [sum, k] = [weights[0], 0];
    while (sum < part * total) {
      k++;
      sum += weights[k];
    }
    return grid[k];
  };
  return { level: quantile(0.5), low: quantile(TAIL_PROBABILITY), high: quantile(1 - TAIL_PROBABILITY) };
}
