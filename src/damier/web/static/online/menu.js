// Menu of an online game.

import { t } from '../core/i18n.js';
import { appearanceItems, flipItem, openMenu } from '../play/menu.js';
import { notifyItem } from './turn-alerts.js';

/** @import { OnlineMode } from './mode.js' */
/** @import { Item } from '../play/menu.js' */

/**
 * Open the menu of an online game.
 *
 * @param {OnlineMode} mode
 */
export function onlineMenu(mode) {
  const { onlineGame, table } = mode;
  const { tree, actions } = table;
  const go = (/** @type {string} */ hash) => () => {
    location.hash = hash;
  };
  /** @type {Item[]} */
  const items = [flipItem(table)];
  const playing = mode.isPlaying && mode.you;
  if (playing && !onlineGame.rated) {
    items.push([t('online.menu.hint'), 'hint', () => table.hints.hint(), 'hint']);
    items.push(mode.colours.menuItem);
    items.push([t('action.analyse'), 'chart', () => actions.analyse(table), 'analyse']);
  }
  if (playing && onlineGame.turns.length < 2)
    items.push([t('menu.resign'), 'flag', () => mode.resign(), 'resign']);
  items.push([t('online.mine'), 'people', go('#/mine'), 'mine']);
  items.push([t('online.friend'), 'plus', go(`#/friend/${tree.game}`), 'friend']);
  const notify = notifyItem();
  if (mode.you && notify) items.push(notify);
  openMenu([...items, ...appearanceItems(table)], t('online.menu.keys'));
}
