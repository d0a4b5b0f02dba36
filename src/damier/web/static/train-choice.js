// Which puzzle comes next: what is due, else one at the player's strength that he has not had lately.

/** @import { Missed, Own } from './train-progress.js' */

/**
 * @typedef {object} Wanted What the player wants to train.
 * @property {string} game empty for all
 * @property {string[]} themes any of them; none for all
 * @property {string} difficulty one of LEANS, or `range`
 * @property {number} from of a range, in points
 * @property {number} to
 */

/** @type {Record<string, number>} */
export const LEANS = { easiest: -400, easier: -200, mine: 0, harder: 200, hardest: 400 };
/** @type {Wanted} */
export const ANYTHING = { game: '', themes: [], difficulty: 'mine', from: 1000, to: 2000 };
const LEAST_SPREAD = 70; // of the points around those aimed at
const MOST_SPREAD = 200;
const RUN_SPREAD = 30; // in a run
const GROWTH = 12; // puzzles of a run, until it is two thirds of the way to the hardest
const RESTED = 20; // where all were had: so many of those that were had longest ago

/** @param {Api.PuzzleOut} puzzle */
export const tagsOf = ({ kind, themes }) => [kind, ...themes];

/**
 * @param {Api.PuzzleOut} puzzle
 * @param {Wanted} wanted
 */
const fits = (puzzle, { themes }) => !themes.length || tagsOf(puzzle).some((tag) => themes.includes(tag));

/**
 * @param {Api.PuzzleOut} puzzle
 * @param {Wanted} wanted
 */
const inRange = ({ points }, { difficulty, from, to }) =>
  difficulty !== 'range' || (points >= Math.min(from, to) && points <= Math.max(from, to));

/**
 * One of some, the likelier the nearer its points are to those aimed at.
 *
 * @param {Api.PuzzleOut[]} pool
 * @param {number} aim
 * @param {number} spread
 */
function near(pool, aim, spread) {
  const nearest = Math.min(...pool.map(({ points }) => Math.abs(points - aim)));
  const weights = pool.map(({ points }) =>
    Math.exp(-((Math.abs(points - aim) - nearest) ** 2) / spread ** 2),
  );
  let lot = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [k, weight] of weights.entries()) {
    lot -= weight;
    if (lot <= 0) return pool[k];
  }
  return pool[0];
}

/**
 * Those that were not had, or where there is none, those that were had longest ago.
 *
 * @param {Api.PuzzleOut[]} pool
 * @param {Own} own
 */
function rested(pool, { tried }) {
  const when = new Map(tried.map(({ id, at }) => [id, at]));
  const fresh = pool.filter(({ id }) => !when.has(id));
  if (fresh.length) return fresh;
  return [...pool].sort((a, b) => (when.get(a.id) ?? 0) - (when.get(b.id) ?? 0)).slice(0, RESTED);
}

/**
 * @param {Api.PuzzleOut[]} list
 * @param {Wanted} wanted
 * @param {Own} own
 */
export function choose(list, wanted, own) {
  const pool = list.filter((puzzle) => fits(puzzle, wanted) && inRange(puzzle, wanted));
  if (!pool.length) return null;
  const { points, deviation } = own.rating;
  const spread = Math.min(MOST_SPREAD, Math.max(LEAST_SPREAD, deviation));
  // Whose strength is not known yet begins with what is rather easy.
  const aim = points - deviation / 2 + (LEANS[wanted.difficulty] ?? 0);
  const calm = wanted.difficulty === 'range' ? 4000 : spread; // a range is wanted as a whole
  return near(rested(pool, own), aim, calm);
}

/**
 * What was missed and is due, the longest first; not the one just had.
 *
 * @param {Own} own
 * @param {number} now
 * @param {string} [not]
 * @returns {[string, Missed][]} by the puzzles' ids
 */
export const due = ({ missed }, now, not = '') =>
  Object.entries(missed)
    .filter(([id, { card }]) => id !== not && (card.due ?? Infinity) <= now)
    .sort(([, a], [, b]) => (a.card.due ?? 0) - (b.card.due ?? 0));

/**
 * @param {Api.PuzzleOut[]} list
 * @param {Wanted} wanted
 * @param {string} id
 */
export const isWanted = (list, wanted, id) => list.some((one) => one.id === id && fits(one, wanted));

/**
 * Another image than last time, where there are several.
 *
 * @param {Missed} missed
 */
export const another = ({ image, images }) =>
  images < 2 ? image : (image + 1 + Math.floor(Math.random() * (images - 1))) % images;

/**
 * The next of a run: each a little harder than the one before.
 *
 * @param {Api.PuzzleOut[]} list
 * @param {Wanted} wanted
 * @param {Own} own
 * @param {string[]} used
 */
export function grown(list, wanted, own, used) {
  const all = list.filter((puzzle) => fits(puzzle, wanted)).sort((a, b) => a.points - b.points);
  const pool = all.filter(({ id }) => !used.includes(id));
  if (!pool.length) return null;
  const far = 1 - Math.exp(-used.length / GROWTH);
  const steady = all[0].points + far * (all[all.length - 1].points - all[0].points);
  const had = all.filter(({ id }) => used.includes(id)).map(({ points }) => points);
  const aim = Math.max(steady, ...had); // never easier than before
  const later = pool.filter(({ points }) => points >= aim);
  return near(rested(later.length ? later : pool, own), aim, RUN_SPREAD);
}
