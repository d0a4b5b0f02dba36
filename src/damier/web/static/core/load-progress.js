// Progress bar that is shown while the program of the site without a server is being loaded.

import { h } from './dom.js';
import { t } from './i18n.js';
import { onLoading } from './load-status.js';

/** @type {Map<string, number>} */
const parts = new Map();
const bar = h('progress', { max: '1', value: '0' });
const label = h('span', {});
export const loadProgress = h('p', { class: 'progress', role: 'status', hidden: true }, label, bar);

onLoading((part, done) => {
  if (done >= 1) parts.delete(part);
  else parts.set(part, done);
  loadProgress.hidden = !parts.size;
  if (!parts.size) return;
  bar.value = Math.min(...parts.values());
});

/** Set the label in the current language. Loading may begin before the texts have arrived. */
export function labelLoadProgress() {
  label.textContent = t('loading.program');
}
