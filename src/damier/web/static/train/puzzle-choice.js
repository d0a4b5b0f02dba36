// Choice of the next puzzle: one due for review, or one near the player's rating not seen recently.

/** @import { MissedPuzzle, GameProgress } from './progress.js' */

/**
 * @typedef {object} PuzzleFilter The player's choice of puzzles.
 * @property {string} game empty for all
 * @property {string[]} themes any of them; none for all
 * @property {string} difficulty a key of DIFFICULTY_OFFSETS, or `range`
 * @property {number} from of a range, in points
 * @property {number} to
 */

/** @type {Record<string, number>} */
export const DIFFICULTY_OFFSETS = { easiest: -400, easier: -200, mine: 0, harder: 200, hardest: 400 };
/** @type {PuzzleFilter} */
export const DEFAULT_FILTER = { game: '', themes: [], difficulty: 'mine', from: 1000, to: 2000 };
const MIN_SPREAD = 70; // in rating points, of the choice around the target rating
const MAX_SPREAD = 200;
const RUN_SPREAD = 30;
const RUN_GROWTH = 12; // puzzles of a run after which about two thirds of the rating range are passed
const MAX_REPEATED = 20; // if all were tried, choose among this many of the oldest

/**
 * Return the kind and themes of a puzzle.
 *
 * @param {Api.PuzzleSummary} puzzle
 */
export const tagsOf = ({ kind, themes }) => [kind, ...themes];

/**
 * @param {Api.PuzzleSummary} puzzle
 * @param {PuzzleFilter} filter
 */
const hasTheme = (puzzle, { themes }) => !themes.length || tagsOf(puzzle).some((tag) => themes.includes(tag));

/**
 * @param {Api.PuzzleSummary} puzzle
 * @param {PuzzleFilter} filter
 */
const inRange = ({ points }, { difficulty, from, to }) =>
  difficulty !== 'range' || (points >= Math.min(from, to) && points <= Math.max(from, to));

/**
 * Pick a random puzzle; those near the target rating are more likely.
 *
 * @param {Api.PuzzleSummary[]} pool
 * @param {number} targetPoints
 * @param {number} spread
 */
function pickNear(pool, targetPoints, spread) {
  const nearest = Math.min(...pool.map(({ points }) => Math.abs(points - targetPoints)));
  const weights = pool.map(({ points }) =>
    Math.exp(-((Math.abs(points - targetPoints) - nearest) ** 2) / spread ** 2),
  );
  let draw = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [k, weight] of weights.entries()) {
    draw -= weight;
    if (draw <= 0) return pool[k];
  }
  return pool[0];
}

/**
 * Return the puzzles never tried or, if there are none, those tried longest ago.
 *
 * @param {Api.PuzzleSummary[]} pool
 * @param {GameProgress} progress
 */
function leastRecent(pool, { tried }) {
  const attemptTimes = new Map(tried.map(({ id, at }) => [id, at]));
  const untried = pool.filter(({ id }) => !attemptTimes.has(id));
  if (untried.length) return untried;
  return [...pool]
    .sort((a, b) => (attemptTimes.get(a.id) ?? 0) - (attemptTimes.get(b.id) ?? 0))
    .slice(0, MAX_REPEATED);
}

/**
 * Choose a puzzle near the player's rating; null if none fits the filter.
 *
 * @param {Api.PuzzleSummary[]} list
 * @param {PuzzleFilter} filter
 * @param {GameProgress} progress
 */
export function chooseNext(list, filter, progress) {
  const pool = list.filter((puzzle) => hasTheme(puzzle, filter) && inRange(puzzle, filter));
  if (!pool.length) return null;
  const { points, deviation } = progress.rating;
  const spread = Math.min(MAX_SPREAD, Math.max(MIN_SPREAD, deviation));
  // A player with an uncertain rating starts with easier puzzles.
  const targetPoints = points - deviation / 2 + (DIFFICULTY_OFFSETS[filter.difficulty] ?? 0);
  const width = filter.difficulty === 'range' ? 4000 : spread; // a chosen range is used evenly
  return pickNear(leastRecent(pool, progress), targetPoints, width);
}

/**
 * Return the missed puzzles due for review, longest overdue first.
 *
 * @param {GameProgress} progress
 * @param {number} now
 * @param {string} [excludedId]
 * @returns {[string, MissedPuzzle][]} by the puzzles' ids
 */
export const dueReviews = ({ missed }, now, excludedId = '') =>
  Object.entries(missed)
    .filter(([id, { card }]) => id !== excludedId && (card.due ?? Infinity) <= now)
    .sort(([, a], [, b]) => (a.card.due ?? 0) - (b.card.due ?? 0));

/**
 * Tell whether a puzzle exists and has a chosen theme.
 *
 * @param {Api.PuzzleSummary[]} list
 * @param {PuzzleFilter} filter
 * @param {string} id
 */
export const matchesThemes = (list, filter, id) =>
  list.some((puzzle) => puzzle.id === id && hasTheme(puzzle, filter));

/**
 * Return another symmetric image of the puzzle than last time, if it has several.
 *
 * @param {MissedPuzzle} missed
 */
export const otherImage = ({ image, images }) =>
  images < 2 ? image : (image + 1 + Math.floor(Math.random() * (images - 1))) % images;

/**
 * Choose the next puzzle of a run, a little harder than the previous one.
 *
 * @param {Api.PuzzleSummary[]} list
 * @param {PuzzleFilter} filter
 * @param {GameProgress} progress
 * @param {string[]} used
 */
export function chooseForRun(list, filter, progress, used) {
  const all = list.filter((puzzle) => hasTheme(puzzle, filter)).sort((a, b) => a.points - b.points);
  const pool = all.filter(({ id }) => !used.includes(id));
  if (!pool.length) return null;
  const share = 1 - Math.exp(-used.length / RUN_GROWTH);
  const reached = all[0].points + share * (all[all.length - 1].points - all[0].points);
  const usedPoints = all.filter(({ id }) => used.includes(id)).map(({ points }) => points);
  const targetPoints = Math.max(reached, ...usedPoints); // never easier than before
  const later = pool.filter(({ points }) => points >= targetPoints);
  return pickNear(leastRecent(later.length ? later : pool, progress), targetPoints, RUN_SPREAD);
}
