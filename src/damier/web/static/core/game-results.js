// Results of finished games: one short row each, which remains when the game itself is deleted.

import { loadItem, saveItem } from './storage.js';

/**
 * @typedef {object} MistakeSummary A mistake, for statistics.
 * @property {number} ply
 * @property {'blunder' | 'mistake' | 'inaccuracy' | 'missed' | 'late'} kind
 * @property {'win' | 'draw' | 'chances' | 'missed' | 'late'} sort what it gave away
 * @property {boolean} capture more could have been captured
 * @property {boolean} threat the opponent could win at once
 */

/**
 * @typedef {object} GameResult The result of a game played on this page.
 * @property {string} id of the game
 * @property {string} game
 * @property {Record<string, string>} options
 * @property {number} level of the computer; 0 between people
 * @property {'w' | 'b'} side whose score it is: the player's; White's between two people
 * @property {number} score 1, 0.5 or 0
 * @property {number} turns
 * @property {string} reason
 * @property {boolean} counts whether it counts for the estimated level
 * @property {number} at when it ended
 * @property {MistakeSummary[]} [slips] mistakes found by the review, if there was one
 */

/** @typedef {{ version: number, adopted: boolean, rows: GameResult[] }} Log */

const STORAGE_KEY = 'damier.results';
const MAX_RESULTS = 2000;
const CONSIDERED_GAMES = 3; // last games at a level that count for the next level
const REQUIRED_WINS = 2; // of them

/** @param {any} row */
const isResult = (row) =>
  typeof row?.id === 'string' &&
  typeof row.game === 'string' &&
  Number.isInteger(row.level) &&
  row.level >= 0 &&
  ['w', 'b'].includes(row.side) &&
  [0, 0.5, 1].includes(row.score) &&
  Number.isFinite(row.at);

/** @param {any} slip */
const isMistake = (slip) =>
  Number.isInteger(slip?.ply) && typeof slip.kind === 'string' && typeof slip.sort === 'string';

/**
 * Add default values for fields that older versions did not store.
 *
 * @param {Partial<GameResult>} row
 */
function addDefaults({ slips, ...row }) {
  const filled = { options: {}, turns: 0, reason: '', counts: false, ...row };
  return /** @type {GameResult} */ (
    Array.isArray(slips) ? { ...filled, slips: slips.filter(isMistake) } : filled
  );
}

/**
 * Read the stored results and count the damaged rows.
 *
 * @returns {{ adopted: boolean, rows: GameResult[], damaged: number }}
 */
function read() {
  const { adopted, rows } = loadItem(STORAGE_KEY, {});
  const all = Array.isArray(rows) ? rows : [];
  const valid = all.filter(isResult).map(addDefaults);
  return {
    adopted: adopted === true,
    rows: valid.sort((a, b) => a.at - b.at),
    damaged: all.length - valid.length,
  };
}

/**
 * @param {GameResult[]} rows
 * @param {boolean} [adopted]
 */
const write = (rows, adopted = read().adopted) =>
  saveItem(STORAGE_KEY, { version: 1, adopted, rows: rows.slice(-MAX_RESULTS) });

export const gameResults = {
  /** Return the results, oldest first. */
  all: () => read().rows,

  /** Return the number of damaged rows. */
  damaged: () => read().damaged,

  /** @param {GameResult} row */
  put(row) {
    write([...gameResults.all().filter(({ id }) => id !== row.id), row]);
  },

  /** @param {string} id of a game that is continued */
  remove(id) {
    write(gameResults.all().filter((row) => row.id !== id));
  },

  /**
   * Store the mistakes that a review has found.
   *
   * @param {string} id of the game
   * @param {(row: GameResult) => MistakeSummary[]} slips
   */
  note(id, slips) {
    const rows = gameResults.all();
    const row = rows.find((one) => one.id === id);
    if (!row?.level) return;
    row.slips = slips(row);
    write(rows);
  },

  /** Tell whether games stored before results existed were added. */
  adopted: () => read().adopted,

  /** @param {GameResult[]} rows */
  adopt(rows) {
    const known = gameResults.all();
    const ids = new Set(known.map(({ id }) => id));
    write(
      [...rows.filter(({ id }) => !ids.has(id)), ...known].sort((a, b) => a.at - b.at),
      true,
    );
  },

  /** Erase all results; return a function that restores them. */
  clear() {
    const { rows, adopted } = read();
    write([], true);
    return () => write(rows, adopted);
  },
};

/**
 * Return the results in a game that count for the estimated level.
 *
 * @param {GameResult[]} rows
 * @param {string} game
 */
export const resultsForLevel = (rows, game) =>
  rows.filter((row) => row.game === game && row.counts && row.level > 0);

/**
 * Tell whether the player may try the next level: two of the last three games won.
 *
 * @param {GameResult[]} rows
 * @param {string} game
 * @param {number} level
 */
export function hasEarnedNextLevel(rows, game, level) {
  const last = resultsForLevel(rows, game).filter((row) => row.level === level);
  return last.slice(-CONSIDERED_GAMES).filter(({ score }) => score === 1).length >= REQUIRED_WINS;
}
