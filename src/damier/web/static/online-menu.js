// What else can be done with a game against somebody far away.

import { button, dialog, h } from './dom.js';
import { askHint } from './engine.js';
import { t } from './i18n.js';
import { flipItem, lookItems, openMenu } from './menu.js';
import { notifyItem } from './online-alert.js';

/** @import { OnlineTable } from './online-table.js' */
/** @import { Item } from './menu.js' */

/**
 * Ask whether something is meant that cannot be undone.
 *
 * @param {string} title
 * @param {string} text
 * @param {() => void} does
 */
export function confirmed(title, text, does) {
  const yes = () => {
    box.close();
    does();
  };
  const row = h(
    'div',
    { class: 'row end' },
    button(t('action.cancel'), null, () => box.close(), { cls: 'no' }),
    button(title, null, yes, { cls: 'main yes' }),
  );
  const box = dialog(title, t('action.close'), h('p', {}, text), row);
}

/** @param {OnlineTable} table */
export function onlineMenu(table) {
  const { match } = table.following;
  const { tale, actions } = table;
  const go = (/** @type {string} */ hash) => () => {
    location.hash = hash;
  };
  /** @type {Item[]} */
  const items = [flipItem(table)];
  const playing = table.isOn && table.you;
  if (playing && !match.rated) {
    items.push([t('online.menu.hint'), 'hint', () => askHint(table), 'hint']);
    items.push([t('action.analyse'), 'chart', () => actions.study(table), 'analyse']);
  }
  if (playing && match.turns.length < 2)
    items.push([t('menu.resign'), 'flag', () => table.resign(), 'resign']);
  items.push([t('online.mine'), 'people', go('#/mine'), 'mine']);
  items.push([t('online.friend'), 'plus', go(`#/friend/${tale.game}`), 'friend']);
  const notify = notifyItem();
  if (table.you && notify) items.push(notify);
  openMenu([...items, ...lookItems(table)], t('online.menu.keys'));
}
