// What the browser remembers: settings, and the games begun. The server keeps nothing.

const MOST_GAMES = 60;

// What is not of the same kind as `otherwise` was not written by this page, or by an older one.
function load(key, otherwise) {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    return kept && typeof kept === 'object' && Array.isArray(kept) === Array.isArray(otherwise) ? kept : otherwise;
  } catch {
    return otherwise;
  }
}

function save(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows and full disks: the game goes on, the address still describes it.
  }
}

export const settings = {
  get: (name, otherwise = null) => load('damier.settings', {})[name] ?? otherwise,
  set(name, value) {
    const all = load('damier.settings', {});
    if (value === null) delete all[name];
    else all[name] = value;
    save('damier.settings', all);
  },
};

export const games = {
  all: () => load('damier.games', []).filter((g) => Array.isArray(g?.tree) && Array.isArray(g.turns)).sort((a, b) => b.updated - a.updated),
  get: (id) => games.all().find((g) => g.id === id) ?? null,
  put(kept) {
    const others = games.all().filter((g) => g.id !== kept.id);
    save('damier.games', [{ ...kept, updated: Date.now() }, ...others].slice(0, MOST_GAMES));
  },
  remove: (id) => save('damier.games', games.all().filter((g) => g.id !== id)),
};
