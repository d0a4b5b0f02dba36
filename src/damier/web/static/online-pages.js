// Online play, loaded when it is first asked for: which page an address leads to.

import { styled } from './dom.js';
import { gamePage } from './online-game.js';
import { takePage } from './online-identity.js';
import { lobbyPage, minePage, playerPage } from './online-lists.js';
import { newPage } from './online-new.js';

/** @import { Place } from './address.js' */
/** @import { Actions, Page } from './main.js' */

/** @param {HTMLElement} element */
const still = (element) => ({ element, leave() {} });

/** @type {Record<string, (found: Place, actions: Actions) => Promise<Page>>} */
const PAGES = {
  online: ({ game, options }, actions) => gamePage(game, actions, options.watch === 'yes'),
  friend: async (found) => still(await newPage(found)),
  lobby: () => lobbyPage(),
  mine: () => minePage(),
  player: ({ game }) => playerPage(game),
  take: async ({ game }) => still(await takePage(game)),
};

/**
 * @param {Place} found
 * @param {Actions} actions
 */
export async function open(found, actions) {
  const [page] = await Promise.all([PAGES[found.page](found, actions), styled('online.css')]);
  const title = page.element.querySelector('h1:not(.unseen)')?.textContent;
  if (title) document.title = `${title} · Damier`;
  return page;
}
