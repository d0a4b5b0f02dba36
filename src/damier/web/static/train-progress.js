// What training remembers of whoever trains: ratings, what was tried, what is to come back. It is
// the page's own, bounded, and can be taken elsewhere as a file.

/**
 * @typedef {{ points: number, deviation: number, volatility: number }} Rating
 * @typedef {Record<string, number | null>} Card what FSRS knows of a puzzle; `due` is a time
 * @typedef {{ image: number, images: number, card: Card }} Missed a puzzle that comes back
 *
 * @typedef {object} Tried A puzzle that was tried.
 * @property {number} at when, in milliseconds
 * @property {string} id
 * @property {boolean} right at the first attempt, without help
 * @property {number | null} points the rating after it; null where it did not count
 *
 * @typedef {object} Own What is remembered of a game.
 * @property {Rating} rating
 * @property {Tried[]} tried the latest last
 * @property {Record<string, Missed>} missed by the puzzle's id
 *
 * @typedef {object} Progress
 * @property {number} version
 * @property {Record<string, Own>} games
 * @property {Record<string, boolean>} days which puzzles of the day were solved, by date
 * @property {Record<string, number>} best scores of runs
 */

const KEY = 'damier.training';
const ASIDE = 'damier.training.unread'; // what could not be read, as it was
const VERSION = 1;
const MOST = { tried: 500, missed: 300, days: 60 };

/** @returns {Rating} */
export const newRating = () => ({ points: 1500, deviation: 350, volatility: 0.06 });

/** @returns {Own} */
const newOwn = () => ({ rating: newRating(), tried: [], missed: {} });

/** @returns {Progress} */
const nothing = () => ({ version: VERSION, games: {}, days: {}, best: {} });

// ---- reading ---------------------------------------------------------------------------------

/** @param {unknown} value */
const isObject = (value) => !!value && typeof value === 'object' && !Array.isArray(value);

/**
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 */
const isWithin = (value, least, most) => typeof value === 'number' && value >= least && value <= most;

/** @param {unknown} value */
const isTime = (value) => isWithin(value, 1, 8e12);

/** @param {any} found */
const isRating = (found) =>
  isObject(found) &&
  isWithin(found.points, 0, 4000) &&
  isWithin(found.deviation, 1, 350) &&
  isWithin(found.volatility, 1e-6, 1);

/** @param {any} found */
const isTried = (found) =>
  isObject(found) &&
  isTime(found.at) &&
  typeof found.id === 'string' &&
  typeof found.right === 'boolean' &&
  (found.points === null || isWithin(found.points, 0, 4000));

/** @param {any} found */
const isMissed = (found) =>
  isObject(found) &&
  isWithin(found.image, 0, 99) &&
  isWithin(found.images, 1, 99) &&
  isObject(found.card) &&
  isTime(found.card.due) &&
  Object.values(found.card).every((value) => value === null || isWithin(value, 0, 8e12));

// Keeps what is good, and counts the rest.
class Reader {
  constructor() {
    this.lost = 0;
  }

  /**
   * @param {unknown} found
   * @param {(one: any) => boolean} good
   * @returns {any[]}
   */
  list(found, good) {
    if (found === undefined) return [];
    if (!Array.isArray(found)) return this.lose([]);
    const kept = found.filter(good);
    this.lost += found.length - kept.length;
    return kept;
  }

  /**
   * @param {any} found
   * @param {(one: any) => boolean} good
   * @returns {Record<string, any>}
   */
  object(found, good) {
    if (found === undefined) return {};
    if (!isObject(found)) return this.lose({});
    const all = Object.entries(found);
    const kept = all.filter(([, one]) => good(one));
    this.lost += all.length - kept.length;
    return Object.fromEntries(kept);
  }

  /**
   * @template T
   * @param {T} instead
   */
  lose(instead) {
    this.lost++;
    return instead;
  }

  /**
   * @param {any} found
   * @returns {Own}
   */
  own(found) {
    const tried = this.list(found.tried, isTried);
    const last = tried.findLast((one) => one.points !== null);
    // A rating that is gone was written down with the last puzzle that counted, but for its deviation.
    const told = last ? { ...newRating(), points: last.points, deviation: 150 } : newRating();
    const lost = found.rating !== undefined && !isRating(found.rating);
    const rating = isRating(found.rating) ? found.rating : lost ? this.lose(told) : told;
    return { rating, tried, missed: this.object(found.missed, isMissed) };
  }

  /**
   * @param {string} text
   * @returns {Progress}
   */
  progress(text) {
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      return this.lose(nothing());
    }
    if (!isObject(found)) return this.lose(nothing());
    if (found.version > VERSION) this.lost++; // what it means is not known: kept aside as it was
    const games = this.object(found.games, isObject);
    return {
      version: VERSION,
      games: Object.fromEntries(Object.entries(games).map(([game, own]) => [game, this.own(own)])),
      days: this.object(found.days, (one) => typeof one === 'boolean'),
      best: this.object(found.best, (one) => isWithin(one, 0, 1e6)),
    };
  }
}

/**
 * What a text says, and how many entries of it cannot be read.
 *
 * @param {string} text
 */
export function read(text) {
  const reader = new Reader();
  return { progress: reader.progress(text), lost: reader.lost };
}

// ---- bounds, and two into one ----------------------------------------------------------------

/** @param {Progress} progress */
function bounded(progress) {
  for (const own of Object.values(progress.games)) {
    own.tried = own.tried.slice(-MOST.tried);
    // What is known best is forgotten first: it would come back last.
    const soon = Object.entries(own.missed).sort(([, a], [, b]) => (a.card.due ?? 0) - (b.card.due ?? 0));
    own.missed = Object.fromEntries(soon.slice(0, MOST.missed));
  }
  progress.days = Object.fromEntries(Object.entries(progress.days).sort().slice(-MOST.days));
  return progress;
}

/** @param {Own} own */
const last = ({ tried }) => tried.findLast(({ points }) => points !== null)?.at ?? 0;

/**
 * @param {Own} a
 * @param {Own} b
 * @returns {Own}
 */
function mergedOwn(a, b) {
  const tried = new Map([...a.tried, ...b.tried].map((one) => [`${one.at} ${one.id}`, one]));
  const missed = { ...a.missed };
  for (const [id, other] of Object.entries(b.missed)) {
    if ((missed[id]?.card.last ?? -1) < (other.card.last ?? 0)) missed[id] = other;
  }
  return {
    rating: last(b) > last(a) ? b.rating : a.rating,
    tried: [...tried.values()].sort((x, y) => x.at - y.at),
    missed,
  };
}

/**
 * All that either knows; where they differ, the later.
 *
 * @param {Progress} a
 * @param {Progress} b
 */
export function merged(a, b) {
  const both = nothing();
  for (const game of new Set([...Object.keys(a.games), ...Object.keys(b.games)])) {
    both.games[game] = mergedOwn(a.games[game] ?? newOwn(), b.games[game] ?? newOwn());
  }
  both.days = { ...a.days, ...b.days };
  for (const [date, solved] of Object.entries(a.days)) both.days[date] ||= solved;
  both.best = { ...a.best };
  for (const [run, score] of Object.entries(b.best)) both.best[run] = Math.max(score, both.best[run] ?? 0);
  return bounded(both);
}

// ---- the browser's own -----------------------------------------------------------------------

/** @param {string} key */
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} text
 */
function store(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // A private window or a full disk: training goes on, and is forgotten with the page.
  }
}

let memory = nothing(); // where nothing can be stored

export const training = {
  /** @returns {Progress} */
  get all() {
    const text = stored(KEY);
    return text === null ? memory : read(text).progress;
  },

  /** @param {string} game */
  of: (game) => training.all.games[game] ?? newOwn(),

  /** @param {(progress: Progress) => void} change */
  change(change) {
    const all = training.all; // anew: another window may have changed it
    change(all);
    memory = bounded(all);
    store(KEY, JSON.stringify(memory));
  },

  /**
   * @param {string} game
   * @param {(own: Own) => void} change
   */
  changeOf(game, change) {
    training.change((all) => {
      all.games[game] ??= newOwn();
      change(all.games[game]);
    });
  },

  /**
   * Look for damage: what cannot be read is put aside as it was, and told once.
   *
   * @returns {number} how many entries could not be read
   */
  check() {
    const text = stored(KEY);
    if (text === null) return 0;
    const { progress, lost } = read(text);
    if (!lost) return 0;
    store(ASIDE, text);
    store(KEY, JSON.stringify(progress));
    return lost;
  },

  // What was put aside, if anything was.
  get unread() {
    return stored(ASIDE);
  },

  /** @param {string} text of a file; returns what it held */
  take(text) {
    const found = read(text);
    training.change((all) => Object.assign(all, merged(all, found.progress)));
    return found;
  },
};
