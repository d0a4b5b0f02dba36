// Registration of the service worker. The site without a server is cached as a whole: the page offers a
// new version when there is one, and all tabs change to it at once. Of a server's page, the rules are
// cached.

import { root } from './address.js';
import { gameList } from './api.js';
import { button, h } from './dom.js';
import { language, t } from './i18n.js';

export async function registerServiceWorker() {
  const { serviceWorker } = navigator; // undefined outside a secure context
  if (!serviceWorker) return;
  if (document.documentElement.dataset.siteVersion === undefined) return cacheRules(serviceWorker);
  let controlled = !!serviceWorker.controller;
  serviceWorker.addEventListener('controllerchange', () => {
    if (controlled) location.reload();
    controlled = true;
  });
  const registration = await serviceWorker.register(`${root}sw.js`, { updateViaCache: 'none' });
  const offerIfWaiting = () => registration.waiting && controlled && offerUpdate(registration.waiting);
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', offerIfWaiting);
  });
  offerIfWaiting();
  // A page that stays open for days also learns of new versions.
  addEventListener('online', () => registration.update());
  document.addEventListener('visibilitychange', () => document.hidden || registration.update());
}

/**
 * Cache the rules of a server's page, so that they can be read while the server is unavailable.
 *
 * @param {ServiceWorkerContainer} serviceWorker
 */
async function cacheRules(serviceWorker) {
  await serviceWorker.register(`${root}sw.js`, { updateViaCache: 'none' });
  const { active } = await serviceWorker.ready;
  const { games } = await gameList();
  await import('../learn/rules-page.js'); // loads all scripts that show the rules
  const rules = games.map(({ name }) => `api/v1/rules/${name}`);
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name.split('?')[0]);
  const files = loaded.filter((name) => name.includes('/static/'));
  const keep = ['', ...files, 'api/v1/games', `api/v1/texts/${language}`, ...rules];
  active?.postMessage({ keep, language });
}

/** @param {ServiceWorker} next */
function offerUpdate(next) {
  document.querySelector('.newer')?.remove();
  const update = button(t('update.now'), null, () => next.postMessage('update'), { cls: 'main' });
  const later = button(t('update.later'), 'cross', () => line.remove(), { quiet: true });
  const line = h('div', { class: 'newer', role: 'status' }, h('span', {}, t('update.ready')), update, later);
  document.body.prepend(line);
}
