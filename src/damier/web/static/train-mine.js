// The player's own mistakes as puzzles: sent here from the review of a game, judged by what the
// review had found.

import { ask } from './api.js';
import { t } from './i18n.js';
import { mine } from './mine.js';
import { training } from './train-progress.js';

/** @import { Own } from './mine.js' */
/** @import { Posed, Verdict } from './train-solve.js' */

export const MINE = 'mine'; // where a game is named: those of all games
const NODES = 20_000; // to see what a wrong turn runs into
const SHOWN = 6; // turns of that

/**
 * A name that the same mistake always has.
 *
 * @param {Own} own
 */
function idOf({ game, options, start, turns }) {
  let hash = 0x811c9dc5;
  for (const char of JSON.stringify([game, options, start, turns])) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

/**
 * Those to be mended, what is due first.
 *
 * @param {string} [not] the one just had
 */
export function ownMistakes(not = '') {
  const { missed } = training.of(MINE);
  const when = (/** @type {Own} */ own) => missed[idOf(own)]?.card.due ?? 0;
  const all = mine.all().sort((a, b) => when(a) - when(b));
  const others = all.filter((own) => idOf(own) !== not);
  return { due: all.filter((own) => when(own) <= Date.now()).length, next: others[0] ?? all[0] ?? null };
}

/**
 * @param {Own} own
 * @returns {Posed}
 */
export function mistakePuzzle(own) {
  const { game, options, start, turns, side, played, best, good, line } = own;
  const at = { game, options, start };
  return {
    ...at,
    id: idOf(own),
    turns,
    side,
    task: t('train.mine.task', { side: t(`side.${side}`), turn: played }),
    image: 0,
    images: 1,
    points: null,
    tags: [],
    attempt: ([turn]) => judge(own, turn),
    hint: async () => {
      const whole = await ask('line', { ...at, turns: [...turns, best] });
      const [first] = whole.turns[turns.length].steps;
      return [first.origin ?? first.target ?? ''].filter(Boolean);
    },
    solution: async () => (line.length ? line : [good[0] ?? best]),
  };
}

/**
 * @param {Own} own
 * @param {string} turn
 * @returns {Promise<Verdict>}
 */
async function judge({ game, options, start, turns, played, good }, turn) {
  const right = good.includes(turn);
  const said = t(`train.mine.${right ? 'right' : turn === played ? 'same' : 'wrong'}`, { turn });
  const verdict = { right, solved: right, reply: null, punishment: /** @type {string[]} */ ([]), said };
  if (right) return verdict;
  const after = { game, options, start, turns: [...turns, turn], nodes: NODES };
  // Where the turn ends the game there is nothing to be seen.
  const found = await ask('analysis', after).catch(() => null);
  return { ...verdict, punishment: found?.turns[0]?.line.slice(0, SHOWN) ?? [] };
}
