// How games ended: one short row each, kept when the games themselves are gone.

import { load, save } from './store.js';

/**
 * @typedef {object} Slip A mistake, as it is counted.
 * @property {number} ply
 * @property {'blunder' | 'mistake' | 'inaccuracy' | 'missed' | 'late'} kind
 * @property {'win' | 'draw' | 'chances' | 'missed' | 'late'} sort what it gave away
 * @property {boolean} capture more could have been captured
 * @property {boolean} threat the opponent could win at once
 */

/**
 * @typedef {object} Outcome A game that was played here to its end.
 * @property {string} id of the game
 * @property {string} game
 * @property {Record<string, string>} options
 * @property {number} level of the computer; 0 between people
 * @property {'w' | 'b'} side whose score it is: the person's; between two people here, White's
 * @property {number} score 1, 0.5 or 0
 * @property {number} turns
 * @property {string} reason
 * @property {boolean} counts whether it shows how strong the player is
 * @property {number} at when it ended
 * @property {Slip[]} [slips] what the review found, once there was one
 */

/** @typedef {{ version: number, adopted: boolean, rows: Outcome[] }} Log */

const KEY = 'damier.results';
const MOST = 2000;
const LAST = 3; // so many games at a level are looked at
const WINS = 2; // and so many of them are to be won

/** @param {any} row */
const isRow = (row) =>
  typeof row?.id === 'string' &&
  typeof row.game === 'string' &&
  Number.isInteger(row.level) &&
  row.level >= 0 &&
  ['w', 'b'].includes(row.side) &&
  [0, 0.5, 1].includes(row.score) &&
  Number.isFinite(row.at);

/** @param {any} slip */
const isSlip = (slip) =>
  Number.isInteger(slip?.ply) && typeof slip.kind === 'string' && typeof slip.sort === 'string';

/**
 * What an older page did not write is filled in.
 *
 * @param {Partial<Outcome>} row
 */
function whole({ slips, ...row }) {
  const filled = { options: {}, turns: 0, reason: '', counts: false, ...row };
  return /** @type {Outcome} */ (Array.isArray(slips) ? { ...filled, slips: slips.filter(isSlip) } : filled);
}

/** @returns {{ adopted: boolean, rows: Outcome[], damaged: number }} */
function read() {
  const { adopted, rows } = load(KEY, {});
  const all = Array.isArray(rows) ? rows : [];
  const good = all.filter(isRow).map(whole);
  return {
    adopted: adopted === true,
    rows: good.sort((a, b) => a.at - b.at),
    damaged: all.length - good.length,
  };
}

/**
 * @param {Outcome[]} rows
 * @param {boolean} [adopted]
 */
const write = (rows, adopted = read().adopted) => save(KEY, { version: 1, adopted, rows: rows.slice(-MOST) });

export const results = {
  /** The games, oldest first. */
  all: () => read().rows,

  /** How many rows cannot be read. */
  damaged: () => read().damaged,

  /** @param {Outcome} row */
  put(row) {
    write([...results.all().filter(({ id }) => id !== row.id), row]);
  },

  /** @param {string} id of a game that goes on after all */
  remove(id) {
    write(results.all().filter((row) => row.id !== id));
  },

  /**
   * Keep what a review has found.
   *
   * @param {string} id of the game
   * @param {(row: Outcome) => Slip[]} slips
   */
  note(id, slips) {
    const rows = results.all();
    const row = rows.find((one) => one.id === id);
    if (!row?.level) return;
    row.slips = slips(row);
    write(rows);
  },

  /** Whether games that were kept before there was this log have been looked for. */
  adopted: () => read().adopted,

  /** @param {Outcome[]} rows */
  adopt(rows) {
    const known = results.all();
    const ids = new Set(known.map(({ id }) => id));
    write(
      [...rows.filter(({ id }) => !ids.has(id)), ...known].sort((a, b) => a.at - b.at),
      true,
    );
  },

  /** Erase all; the answer brings it back. */
  clear() {
    const { rows, adopted } = read();
    write([], true);
    return () => write(rows, adopted);
  },
};

/**
 * The games of a player's that show how strong he is.
 *
 * @param {Outcome[]} rows
 * @param {string} game
 */
export const counted = (rows, game) => rows.filter((row) => row.game === game && row.counts && row.level > 0);

/**
 * Whether somebody has done well enough at a level to try the next: two of the last three games won.
 *
 * @param {Outcome[]} rows
 * @param {string} game
 * @param {number} level
 */
export function earned(rows, game, level) {
  const last = counted(rows, game).filter((row) => row.level === level);
  return last.slice(-LAST).filter(({ score }) => score === 1).length >= WINS;
}
