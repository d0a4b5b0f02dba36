// Browser storage: settings, saved games, and the identity for online play.

/** @import { SavedGame } from './game-tree.js' */

const MAX_GAMES = 60;

/**
 * Return a stored value, or `fallback` if it is missing, damaged or of another kind.
 *
 * @param {string} key
 * @param {any} fallback
 */
export function loadItem(key, fallback) {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null');
    const same = stored && typeof stored === 'object' && Array.isArray(stored) === Array.isArray(fallback);
    return same ? stored : fallback;
  } catch {
    return fallback;
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
export function saveItem(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage may be unavailable or full. The game continues; the address still describes it.
  }
}

/** @typedef {{ id: string, secret: string, name: string }} Identity The player's identity in online play. */

export const identity = {
  /** @returns {Identity | null} */
  get() {
    const stored = loadItem('damier.identity', {});
    return stored.id && stored.secret ? stored : null;
  },

  /** @param {Identity} now */
  set: (now) => saveItem('damier.identity', now),

  forget: () => saveItem('damier.identity', {}),
};

export const settings = {
  /**
   * @param {string} name
   * @param {any} [fallback]
   */
  get: (name, fallback = null) => loadItem('damier.settings', {})[name] ?? fallback,

  /**
   * @param {string} name
   * @param {unknown} value
   */
  set(name, value) {
    const all = loadItem('damier.settings', {});
    if (value === null) delete all[name];
    else all[name] = value;
    saveItem('damier.settings', all);
  },

  /** @param {string} name of a setting that is on or off, and on at first */
  toggle: (name) => settings.set(name, !settings.get(name, true)),
};

/** @param {Partial<SavedGame> | null} saved */
const isValid = (saved) => Array.isArray(saved?.tree) && Array.isArray(saved.turns);

export const savedGames = {
  /** @returns {SavedGame[]} */
  all: () =>
    loadItem('damier.games', [])
      .filter(isValid)
      .sort((/** @type {SavedGame} */ a, /** @type {SavedGame} */ b) => b.updated - a.updated),

  /** @param {string} id */
  get: (id) => savedGames.all().find((g) => g.id === id) ?? null,

  /** @param {SavedGame} saved */
  put(saved) {
    const others = savedGames.all().filter((g) => g.id !== saved.id);
    saveItem('damier.games', [{ ...saved, updated: Date.now() }, ...others].slice(0, MAX_GAMES));
  },

  /** @param {string} id */
  remove(id) {
    saveItem(
      'damier.games',
      savedGames.all().filter((g) => g.id !== id),
    );
  },
};
