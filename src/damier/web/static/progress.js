// A quiet bar that says how much of the program has been loaded, as long as something is missing.

import { h } from './dom.js';
import { t } from './i18n.js';

/** @type {Map<string, number>} */
const parts = new Map();
const bar = h('progress', { max: '1', value: '0' });
const words = h('span', {});
export const progress = h('p', { class: 'progress', role: 'status', hidden: true }, words, bar);

/**
 * @param {string} part
 * @param {number} done from 0 to 1, which is all
 */
export function onProgress(part, done) {
  if (done >= 1) parts.delete(part);
  else parts.set(part, done);
  progress.hidden = !parts.size;
  if (!parts.size) return;
  words.textContent = t('loading.program');
  bar.value = Math.min(...parts.values());
}
