// What the browser remembers: settings, the games begun, and who one is where people play far apart.

/** @import { Kept } from './tale.js' */

const MOST_GAMES = 60;

/**
 * What is not of the same kind as `otherwise` was not written by this page, or by an older one.
 *
 * @param {string} key
 * @param {any} otherwise
 */
export function load(key, otherwise) {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null');
    const same = kept && typeof kept === 'object' && Array.isArray(kept) === Array.isArray(otherwise);
    return same ? kept : otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
export function save(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows and full disks: the game goes on, the address still describes it.
  }
}

/** @typedef {{ id: string, secret: string, name: string }} Identity Who one is in online play. */

export const identity = {
  /** @returns {Identity | null} */
  get() {
    const kept = load('damier.identity', {});
    return kept.id && kept.secret ? kept : null;
  },

  /** @param {Identity} now */
  set: (now) => save('damier.identity', now),

  forget: () => save('damier.identity', {}),
};

export const settings = {
  /**
   * @param {string} name
   * @param {any} [otherwise]
   */
  get: (name, otherwise = null) => load('damier.settings', {})[name] ?? otherwise,

  /**
   * @param {string} name
   * @param {unknown} value
   */
  set(name, value) {
    const all = load('damier.settings', {});
    if (value === null) delete all[name];
    else all[name] = value;
    save('damier.settings', all);
  },

  /** @param {string} name of a setting that is on or off, and on at first */
  toggle: (name) => settings.set(name, !settings.get(name, true)),
};

/** @param {Partial<Kept> | null} kept */
const good = (kept) => Array.isArray(kept?.tree) && Array.isArray(kept.turns);

export const games = {
  /** @returns {Kept[]} */
  all: () =>
    load('damier.games', [])
      .filter(good)
      .sort((/** @type {Kept} */ a, /** @type {Kept} */ b) => b.updated - a.updated),

  /** @param {string} id */
  get: (id) => games.all().find((g) => g.id === id) ?? null,

  /** @param {Kept} kept */
  put(kept) {
    const others = games.all().filter((g) => g.id !== kept.id);
    save('damier.games', [{ ...kept, updated: Date.now() }, ...others].slice(0, MOST_GAMES));
  },

  /** @param {string} id */
  remove(id) {
    save(
      'damier.games',
      games.all().filter((g) => g.id !== id),
    );
  },
};
