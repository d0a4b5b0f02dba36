// Mistakes of one's own that are to come back in the training.

import { load, save } from './store.js';

/** @import { Value } from './worth.js' */

const KEY = 'damier.training.mine';
const MOST_MINE = 200;

/**
 * @typedef {object} Own A mistake of one's own, to be mended in the training.
 * @property {string} game
 * @property {Record<string, string>} options
 * @property {string | null} start
 * @property {string[]} turns that led to the position
 * @property {'w' | 'b'} side to move there
 * @property {string} played
 * @property {string} best
 * @property {string[]} good all that is accepted, best first
 * @property {string[]} line the best turn and what follows
 * @property {string} kind of mistake
 * @property {Value} value of the best
 * @property {number} date
 */

/** @param {any} own */
const isOwn = (own) =>
  typeof own?.game === 'string' && typeof own.best === 'string' && [own.turns, own.good].every(Array.isArray);

/** @param {Own} own */
const placeOf = ({ game, options, start, turns }) => JSON.stringify([game, options, start, turns]);

export const mine = {
  /** @returns {Own[]} */
  all: () => load(KEY, []).filter(isOwn),

  /** @param {Own} own */
  has: (own) => mine.all().some((one) => placeOf(one) === placeOf(own)),

  /** @param {Own[]} added */
  add(added) {
    const places = new Set(added.map(placeOf));
    const others = mine.all().filter((one) => !places.has(placeOf(one)));
    save(KEY, [...others, ...added].slice(-MOST_MINE));
  },

  /** @param {Own} own */
  remove(own) {
    const others = mine.all().filter((one) => placeOf(one) !== placeOf(own));
    save(KEY, others);
  },
};
