// Training progress: ratings, attempts and missed puzzles per game. It is stored in the browser with a
// limited size, and can be exported and imported as a file.

/**
 * @typedef {{ points: number, deviation: number, volatility: number }} Rating
 * @typedef {Record<string, number | null>} Card the FSRS state of a puzzle; `due` is a time
 * @typedef {{ image: number, images: number, card: Card }} MissedPuzzle a puzzle scheduled for review
 *
 * @typedef {object} PuzzleAttempt A first attempt at a puzzle.
 * @property {number} at when, in milliseconds
 * @property {string} id
 * @property {boolean} right at the first attempt, without help
 * @property {number | null} points the rating after it; null if it was not rated
 *
 * @typedef {object} GameProgress The progress in one game.
 * @property {Rating} rating
 * @property {PuzzleAttempt[]} tried the latest last
 * @property {Record<string, MissedPuzzle>} missed by the puzzle's id
 *
 * @typedef {object} Progress
 * @property {number} version
 * @property {Record<string, GameProgress>} games
 * @property {Record<string, boolean>} days which puzzles of the day were solved, by date
 * @property {Record<string, number>} best scores of runs
 */

const STORAGE_KEY = 'damier.training';
const UNREAD_KEY = 'damier.training.unread'; // the unmodified text of progress with damaged entries
const VERSION = 1;
const MAX_ENTRIES = { tried: 500, missed: 300, days: 60 };

/**
 * Return the rating of a new player.
 *
 * @returns {Rating}
 */
export const newRating = () => ({ points: 1500, deviation: 350, volatility: 0.06 });

/** @returns {GameProgress} */
const newGameProgress = () => ({ rating: newRating(), tried: [], missed: {} });

/** @returns {Progress} */
const emptyProgress = () => ({ version: VERSION, games: {}, days: {}, best: {} });

// ---- validation ------------------------------------------------------------------------------

/** @param {unknown} value */
const isObject = (value) => !!value && typeof value === 'object' && !Array.isArray(value);

/**
 * @param {unknown} value
 * @param {number} min
 * @param {number} max
 */
const isBetween = (value, min, max) => typeof value === 'number' && value >= min && value <= max;

/** @param {unknown} value */
const isTime = (value) => isBetween(value, 1, 8e12);

/** @param {any} value */
const isRating = (value) =>
  isObject(value) &&
  isBetween(value.points, 0, 4000) &&
  isBetween(value.deviation, 1, 350) &&
  isBetween(value.volatility, 1e-6, 1);

/** @param {any} value */
const isAttempt = (value) =>
  isObject(value) &&
  isTime(value.at) &&
  typeof value.id === 'string' &&
  typeof value.right === 'boolean' &&
  (value.points === null || isBetween(value.points, 0, 4000));

/** @param {any} value */
const isMissedPuzzle = (value) =>
  isObject(value) &&
  isBetween(value.image, 0, 99) &&
  isBetween(value.images, 1, 99) &&
  isObject(value.card) &&
  isTime(value.card.due) &&
  Object.values(value.card).every((value) => value === null || isBetween(value, 0, 8e12));

// Reader of stored progress that keeps valid entries and counts the others.
class ProgressReader {
  constructor() {
    this.lost = 0;
  }

  /**
   * @param {unknown} value
   * @param {(one: any) => boolean} isValid
   * @returns {any[]}
   */
  list(value, isValid) {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return this.skip([]);
    const valid = value.filter(isValid);
    this.lost += value.length - valid.length;
    return valid;
  }

  /**
   * @param {any} value
   * @param {(one: any) => boolean} isValid
   * @returns {Record<string, any>}
   */
  object(value, isValid) {
    if (value === undefined) return {};
    if (!isObject(value)) return this.skip({});
    const all = Object.entries(value);
    const valid = all.filter(([, entry]) => isValid(entry));
    this.lost += all.length - valid.length;
    return Object.fromEntries(valid);
  }

  /**
   * @template T
   * @param {T} replacement
   */
  skip(replacement) {
    this.lost++;
    return replacement;
  }

  /**
   * @param {any} value
   * @returns {GameProgress}
   */
  gameProgress(value) {
    const tried = this.list(value.tried, isAttempt);
    const last = tried.findLast((entry) => entry.points !== null);
    // A damaged rating is restored from the last rated attempt; its deviation is unknown.
    const restored = last ? { ...newRating(), points: last.points, deviation: 150 } : newRating();
    const lost = value.rating !== undefined && !isRating(value.rating);
    const rating = isRating(value.rating) ? value.rating : lost ? this.skip(restored) : restored;
    return { rating, tried, missed: this.object(value.missed, isMissedPuzzle) };
  }

  /**
   * @param {string} text
   * @returns {Progress}
   */
  progress(text) {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return this.skip(emptyProgress());
    }
    if (!isObject(value)) return this.skip(emptyProgress());
    if (value.version > VERSION) this.lost++; // a newer format: the original text is kept, too
    const games = this.object(value.games, isObject);
    return {
      version: VERSION,
      games: Object.fromEntries(
        Object.entries(games).map(([game, gameProgress]) => [game, this.gameProgress(gameProgress)]),
      ),
      days: this.object(value.days, (entry) => typeof entry === 'boolean'),
      best: this.object(value.best, (entry) => isBetween(entry, 0, 1e6)),
    };
  }
}

/**
 * Read progress from JSON text; `lost` is the number of invalid entries.
 *
 * @param {string} text
 */
export function readProgress(text) {
  const reader = new ProgressReader();
  return { progress: reader.progress(text), lost: reader.lost };
}

// ---- limits and merging ----------------------------------------------------------------------

/**
 * Drop the entries beyond the limits.
 *
 * @param {Progress} progress
 */
function truncate(progress) {
  for (const gameProgress of Object.values(progress.games)) {
    gameProgress.tried = gameProgress.tried.slice(-MAX_ENTRIES.tried);
    // The puzzles due last are dropped first: the player knows them best.
    const bySchedule = Object.entries(gameProgress.missed).sort(
      ([, a], [, b]) => (a.card.due ?? 0) - (b.card.due ?? 0),
    );
    gameProgress.missed = Object.fromEntries(bySchedule.slice(0, MAX_ENTRIES.missed));
  }
  progress.days = Object.fromEntries(Object.entries(progress.days).sort().slice(-MAX_ENTRIES.days));
  return progress;
}

/** @param {GameProgress} gameProgress */
const lastRatedAt = ({ tried }) => tried.findLast(({ points }) => points !== null)?.at ?? 0;

/**
 * Merge the progress in one game.
 *
 * @param {GameProgress} a
 * @param {GameProgress} b
 * @returns {GameProgress}
 */
function mergeGameProgress(a, b) {
  const tried = new Map([...a.tried, ...b.tried].map((entry) => [`${entry.at} ${entry.id}`, entry]));
  const missed = { ...a.missed };
  for (const [id, other] of Object.entries(b.missed)) {
    if ((missed[id]?.card.last ?? -1) < (other.card.last ?? 0)) missed[id] = other;
  }
  return {
    rating: lastRatedAt(b) > lastRatedAt(a) ? b.rating : a.rating,
    tried: [...tried.values()].sort((x, y) => x.at - y.at),
    missed,
  };
}

/**
 * Merge two progress records; where they differ, the later entry wins.
 *
 * @param {Progress} a
 * @param {Progress} b
 */
export function mergeProgress(a, b) {
  const result = emptyProgress();
  for (const game of new Set([...Object.keys(a.games), ...Object.keys(b.games)])) {
    result.games[game] = mergeGameProgress(
      a.games[game] ?? newGameProgress(),
      b.games[game] ?? newGameProgress(),
    );
  }
  result.days = { ...a.days, ...b.days };
  for (const [date, solved] of Object.entries(a.days)) result.days[date] ||= solved;
  result.best = { ...a.best };
  for (const [run, score] of Object.entries(b.best))
    result.best[run] = Math.max(score, result.best[run] ?? 0);
  return truncate(result);
}

// ---- storage ---------------------------------------------------------------------------------

/**
 * Return a stored text, or null if there is none or storage is unavailable.
 *
 * @param {string} key
 */
function readStorage(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * Store a text, if storage is available.
 *
 * @param {string} key
 * @param {string} text
 */
function writeStorage(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Private window or full disk: progress is kept in memory until the page is closed.
  }
}

let memory = emptyProgress(); // used if storage is unavailable

export const trainingStore = {
  /** @returns {Progress} */
  get all() {
    const text = readStorage(STORAGE_KEY);
    return text === null ? memory : readProgress(text).progress;
  },

  /** @param {string} game */
  forGame: (game) => trainingStore.all.games[game] ?? newGameProgress(),

  /** @param {(progress: Progress) => void} change */
  update(change) {
    const all = trainingStore.all; // read again: another tab may have changed it
    change(all);
    memory = truncate(all);
    writeStorage(STORAGE_KEY, JSON.stringify(memory));
  },

  /**
   * @param {string} game
   * @param {(own: GameProgress) => void} change
   */
  updateGame(game, change) {
    trainingStore.update((all) => {
      all.games[game] ??= newGameProgress();
      change(all.games[game]);
    });
  },

  /**
   * Remove damaged entries; the original text is kept under another key.
   *
   * @returns {number} the number of removed entries
   */
  repair() {
    const text = readStorage(STORAGE_KEY);
    if (text === null) return 0;
    const { progress, lost } = readProgress(text);
    if (!lost) return 0;
    writeStorage(UNREAD_KEY, text);
    writeStorage(STORAGE_KEY, JSON.stringify(progress));
    return lost;
  },

  // The original text of damaged progress, or null.
  get unread() {
    return readStorage(UNREAD_KEY);
  },

  /** @param {string} text of an exported file; returns its progress */
  importText(text) {
    const value = readProgress(text);
    trainingStore.update((all) => Object.assign(all, mergeProgress(all, value.progress)));
    return value;
  },
};
