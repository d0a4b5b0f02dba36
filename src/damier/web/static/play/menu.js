// Menu of a game: flipping the board, restarting, resigning, settings and rules.

import { openAppearanceDialog } from '../board/appearance.js';
import { findGame } from '../core/api.js';
import { confirmAction } from '../core/confirm.js';
import { button, dialog, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { deleteMove, promoteLine, resign, restart } from './game-edits.js';

/** @import { Table } from './table.js' */
/** @typedef {[label: string, icon: string | null, action: () => void, cls?: string]} Item */

/**
 * @param {Item[]} items
 * @param {string} keys
 */
export function openMenu(items, keys) {
  const list = items.map(([label, icon, action, cls = '']) => {
    const choose = () => {
      box.close();
      action();
    };
    return button(label, icon, choose, { cls });
  });
  const keyList = h('p', { class: 'faint keys' }, keys);
  const box = dialog(t('menu.title'), t('action.close'), h('div', { class: 'menu-list' }, list), keyList);
}

/** @param {string} name */
const isOn = (name) => (settings.get(name, true) ? 'off' : 'on');

/**
 * Toggle a setting and redraw.
 *
 * @param {Table} table
 * @param {string} name
 */
function toggle(table, name) {
  settings.toggle(name);
  table.render();
}

/** @type {(table: Table) => Item} */
export const flipItem = (table) => [t('menu.flip'), 'flip', () => table.flip(), 'flip'];

/**
 * Return the menu items for the appearance of the board and the rules.
 *
 * @param {Table} table
 * @returns {Item[]}
 */
export function appearanceItems(table) {
  const { game } = table.tree;
  const appearance = async () => {
    const found = await findGame(game);
    if (found) openAppearanceDialog(found);
  };
  const openRules = () => {
    location.hash = `#/rules/${game}`;
  };
  return [
    [t(`menu.names.${isOn('coordinates')}`), 'grid', () => toggle(table, 'coordinates')],
    [t('look.title'), 'palette', appearance, 'appearance'],
    [t('menu.rules'), 'book', openRules, 'to-rules'],
  ];
}

/** @param {Table} table */
function confirmResignation(table) {
  const text = t(table.model.humans.length === 1 ? 'resign.confirm' : 'resign.confirm.two');
  confirmAction(t('menu.resign'), text, () => resign(table));
}

/** @param {Table} table */
export function openGameMenu(table) {
  const { tree, actions } = table;
  /** @type {Item[]} */
  const items = [
    [t('menu.choose'), 'gear', () => actions.chooseNewGame(tree.game), 'choose'],
    flipItem(table),
  ];
  items.push([t('friend.title'), 'people', () => actions.playFriend(tree.game), 'friend']);
  if (tree.friendSide && tree.mode === 'play') {
    openMenu([...items, ...appearanceItems(table)], t('menu.keys'));
    return;
  }
  if (tree.mode === 'play') {
    items.push([t('menu.restart'), 'restart', () => restart(table), 'restart']);
    if (!table.result() && table.model.humans.length)
      items.push([t('menu.resign'), 'flag', () => confirmResignation(table), 'resign']);
  } else {
    items.push([t(`menu.badges.${isOn('badges')}`), 'chart', () => toggle(table, 'badges')]);
    if (tree.current.parent) {
      items.push([t('menu.promote'), 'check', () => promoteLine(table)]);
      items.push([t('menu.cut'), 'bin', () => deleteMove(table)]);
    }
  }
  items.push(...(table.mode.menuItems?.() ?? []));
  items.push([t('menu.set-up'), 'edit', () => actions.editPosition(table), 'set-up']);
  openMenu([...items, ...appearanceItems(table)], t('menu.keys'));
}
