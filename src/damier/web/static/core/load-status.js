// Progress of loading the program of the site without a server.

/** @typedef {(part: string, done: number) => void} LoadListener `done` is from 0 to 1, which is all. */

/** @type {Set<LoadListener>} */
const listeners = new Set();

/** @param {LoadListener} listener */
export const onLoading = (listener) => listeners.add(listener);

/** @type {LoadListener} */
export function reportLoading(part, done) {
  for (const listener of listeners) listener(part, done);
}
