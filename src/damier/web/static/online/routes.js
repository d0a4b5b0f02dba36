// Routes of online play, loaded on first use.

import { loadStyleSheet } from '../core/dom.js';
import { lobbyPage, ownGamesPage, playerPage } from './game-lists.js';
import { onlineGamePage } from './game-page.js';
import { transferPage } from './identity.js';

/** @import { Address } from '../core/address.js' */
/** @import { Actions, Page } from '../main.js' */

/** @param {HTMLElement} element */
const staticPage = (element) => ({ element, leave() {} });

/** @type {Record<string, (route: Address, actions: Actions) => Promise<Page>>} */
const PAGES = {
  online: ({ game, options }, actions) => onlineGamePage(game, actions, options.watch === 'yes'),
  lobby: () => lobbyPage(),
  mine: () => ownGamesPage(),
  player: ({ game }) => playerPage(game),
  take: async ({ game }) => staticPage(await transferPage(game)),
};

/**
 * Open the online page that an address names.
 *
 * @param {Address} route
 * @param {Actions} actions
 */
export async function openOnlinePage(route, actions) {
  const [page] = await Promise.all([PAGES[route.page](route, actions), loadStyleSheet('online.css')]);
  const title = page.element.querySelector('h1:not(.visually-hidden)')?.textContent;
  if (title) document.title = `${title} · Damier`;
  return page;
}
