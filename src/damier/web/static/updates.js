// What is kept for times without a network. Of the site without a server, all: say when there is a
// newer version of it, and change to it in all tabs at once. Games are remembered by the page, so that
// none is lost.

import { root } from './address.js';
import { gameList } from './api.js';
import { button, h } from './dom.js';
import { language, t } from './i18n.js';

export async function keepUpdated() {
  const { serviceWorker } = navigator; // there is none on an address that is neither local nor secret
  if (!serviceWorker) return;
  if (document.documentElement.dataset.inside === undefined) return keepRules(serviceWorker);
  let controlled = !!serviceWorker.controller;
  serviceWorker.addEventListener('controllerchange', () => {
    if (controlled) location.reload();
    controlled = true;
  });
  const registration = await serviceWorker.register(`${root}sw.js`, { updateViaCache: 'none' });
  const look = () => registration.waiting && controlled && offer(registration.waiting);
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', look);
  });
  look();
  // A page that stays open for days hears of it too.
  addEventListener('online', () => registration.update());
  document.addEventListener('visibilitychange', () => document.hidden || registration.update());
}

/**
 * A server's page: its rules can be read while the server is away.
 *
 * @param {ServiceWorkerContainer} serviceWorker
 */
async function keepRules(serviceWorker) {
  await serviceWorker.register(`${root}sw.js`, { updateViaCache: 'none' });
  const { active } = await serviceWorker.ready;
  const { games } = await gameList();
  await import('./rules.js'); // with all that shows them
  const rules = games.map(({ name }) => `api/v1/rules/${name}`);
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name.split('?')[0]);
  const files = loaded.filter((name) => name.includes('/static/'));
  const keep = ['', ...files, 'api/v1/games', `api/v1/texts/${language}`, ...rules];
  active?.postMessage({ keep, language });
}

/** @param {ServiceWorker} next */
function offer(next) {
  document.querySelector('.newer')?.remove();
  const update = button(t('update.now'), null, () => next.postMessage('update'), { cls: 'main' });
  const later = button(t('update.later'), 'cross', () => line.remove(), { quiet: true });
  const line = h('div', { class: 'newer', role: 'status' }, h('span', {}, t('update.ready')), update, later);
  document.body.prepend(line);
}
