// Puzzles made of the player's own mistakes, which the review of a game has found and judged.

import { request } from '../core/api.js';
import { t } from '../core/i18n.js';
import { ownMistakeStore } from './own-mistakes.js';
import { trainingStore } from './progress.js';

/** @import { OwnMistake } from './own-mistakes.js' */
/** @import { Puzzle, Verdict } from './solver.js' */

export const OWN_MISTAKES = 'mine'; // takes the place of a game's name in addresses and storage
const PUNISHMENT_NODES = 20_000; // searched for the reply to a wrong move
const MAX_PUNISHMENT_MOVES = 6;

/**
 * Return an id that depends only on the position (FNV-1a hash).
 *
 * @param {OwnMistake} mistake
 */
function idOf({ game, options, start, turns }) {
  let hash = 0x811c9dc5;
  for (const char of JSON.stringify([game, options, start, turns])) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

/**
 * Count the own mistakes that are due, and return the next one to train.
 *
 * @param {string} [excludedId] the puzzle just shown
 */
export function dueMistakes(excludedId = '') {
  const { missed } = trainingStore.forGame(OWN_MISTAKES);
  const dueTime = (/** @type {OwnMistake} */ mistake) => missed[idOf(mistake)]?.card.due ?? 0;
  const now = Date.now();
  // Among those that are due, the largest loss of value comes first, whatever its game.
  const order = (/** @type {OwnMistake} */ mistake) => Math.max(dueTime(mistake), now);
  const all = ownMistakeStore
    .all()
    .sort((a, b) => order(a) - order(b) || (b.loss ?? 0) - (a.loss ?? 0) || dueTime(a) - dueTime(b));
  const others = all.filter((mistake) => idOf(mistake) !== excludedId);
  return {
    due: all.filter((mistake) => dueTime(mistake) <= now).length,
    next: others[0] ?? all[0] ?? null,
  };
}

/**
 * Make a puzzle of a mistake.
 *
 * @param {OwnMistake} mistake
 * @returns {Puzzle}
 */
export function mistakePuzzle(mistake) {
  const { game, options, start, turns, side, played, best, good, line } = mistake;
  const at = { game, options, start };
  return {
    ...at,
    id: idOf(mistake),
    turns,
    side,
    task: t('train.mine.task', { side: t(`side.${side}`), turn: played }),
    image: 0,
    images: 1,
    points: null,
    tags: [],
    attempt: ([turn]) => judge(mistake, turn),
    hint: async () => {
      const gameLine = await request('line', { ...at, turns: [...turns, best] });
      return gameLine.turns[turns.length].steps;
    },
    solution: async () => (line.length ? line : [good[0] ?? best]),
  };
}

/**
 * Judge a move by the accepted moves of the mistake.
 *
 * @param {OwnMistake} mistake
 * @param {string} turn
 * @returns {Promise<Verdict>}
 */
async function judge({ game, options, start, turns, played, good }, turn) {
  const right = good.includes(turn);
  const comment = t(`train.mine.${right ? 'right' : turn === played ? 'same' : 'wrong'}`, { turn });
  const verdict = {
    right,
    solved: right,
    reply: null,
    punishment: /** @type {string[]} */ ([]),
    said: comment,
  };
  if (right) return verdict;
  const after = { game, options, start, turns: [...turns, turn], nodes: PUNISHMENT_NODES };
  // There is no analysis of a position where the game is over.
  const analysis = await request('analysis', after).catch(() => null);
  return { ...verdict, punishment: analysis?.turns[0]?.line.slice(0, MAX_PUNISHMENT_MOVES) ?? [] };
}
