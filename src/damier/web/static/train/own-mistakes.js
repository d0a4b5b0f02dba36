// Storage of the player's own mistakes, which come back in training.

import { loadItem, saveItem } from '../core/storage.js';

/** @import { Value } from '../study/value-text.js' */

const STORAGE_KEY = 'damier.training.mine';
const MAX_OWN_MISTAKES = 200;

/**
 * @typedef {object} OwnMistake A mistake of the player in a reviewed game.
 * @property {string} game
 * @property {Record<string, string>} options
 * @property {string | null} start
 * @property {string[]} turns moves that led to the position
 * @property {'w' | 'b'} side to move there
 * @property {string} played
 * @property {string} best
 * @property {string[]} good all accepted moves, best first
 * @property {string[]} line the best move and its continuation
 * @property {string} kind of mistake
 * @property {Value} value of the best
 * @property {number} [loss] of expected score by the move played
 * @property {number} date
 */

/** @param {any} mistake */
const isOwnMistake = (mistake) =>
  typeof mistake?.game === 'string' &&
  typeof mistake.best === 'string' &&
  [mistake.turns, mistake.good].every(Array.isArray);

/** @param {OwnMistake} mistake */
const positionKey = ({ game, options, start, turns }) => JSON.stringify([game, options, start, turns]);

export const ownMistakeStore = {
  /** @returns {OwnMistake[]} */
  all: () => loadItem(STORAGE_KEY, []).filter(isOwnMistake),

  /** @param {OwnMistake} mistake */
  has: (mistake) => ownMistakeStore.all().some((other) => positionKey(other) === positionKey(mistake)),

  /** @param {OwnMistake[]} added */
  add(added) {
    const keys = new Set(added.map(positionKey));
    const others = ownMistakeStore.all().filter((other) => !keys.has(positionKey(other)));
    saveItem(STORAGE_KEY, [...others, ...added].slice(-MAX_OWN_MISTAKES));
  },

  /** @param {OwnMistake} mistake */
  remove(mistake) {
    const others = ownMistakeStore.all().filter((other) => positionKey(other) !== positionKey(mistake));
    saveItem(STORAGE_KEY, others);
  },
};
