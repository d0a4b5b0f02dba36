// What else can be done with the game on the screen.

import { gameNamed } from './api.js';
import { askAppearance } from './appearance.js';
import { button, dialog, h } from './dom.js';
import { t } from './i18n.js';
import { cut, promote, resign, restart } from './revise.js';
import { settings } from './store.js';

/** @import { Table } from './play.js' */
/** @typedef {[label: string, icon: string | null, does: () => void, cls?: string]} Item */

/**
 * @param {Item[]} items
 * @param {string} keys
 */
export function openMenu(items, keys) {
  const list = items.map(([label, icon, does, cls = '']) => {
    const choose = () => {
      box.close();
      does();
    };
    return button(label, icon, choose, { cls });
  });
  const said = h('p', { class: 'faint keys' }, keys);
  const box = dialog(t('menu.title'), t('action.close'), h('div', { class: 'menu-list' }, list), said);
}

/** @param {string} name */
const isOn = (name) => (settings.get(name, true) ? 'off' : 'on');

/**
 * A setting that is on or off.
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
 * How the board is shown, and the rules.
 *
 * @param {Table} table
 * @returns {Item[]}
 */
export function lookItems(table) {
  const { game } = table.tale;
  const appearance = async () => {
    const found = await gameNamed(game);
    if (found) askAppearance(found);
  };
  const read = () => {
    location.hash = `#/rules/${game}`;
  };
  return [
    [t(`menu.names.${isOn('coordinates')}`), null, () => toggle(table, 'coordinates')],
    [t('look.title'), 'palette', appearance, 'appearance'],
    [t('menu.rules'), 'book', read, 'rules'],
  ];
}

/** @param {Table} table */
export function menu(table) {
  const { tale, actions } = table;
  /** @type {Item[]} */
  const items = [[t('menu.choose'), 'gear', () => actions.choose(tale.game), 'choose'], flipItem(table)];
  if (tale.mode === 'play') {
    items.push([t('menu.restart'), 'restart', () => restart(table), 'restart']);
    if (!table.result() && table.humans.length)
      items.push([t('menu.resign'), 'flag', () => resign(table), 'resign']);
  } else {
    items.push([t(`menu.badges.${isOn('badges')}`), 'chart', () => toggle(table, 'badges')]);
    if (tale.at.up) {
      items.push([t('menu.promote'), 'check', () => promote(table)]);
      items.push([t('menu.cut'), null, () => cut(table)]);
    }
  }
  items.push([t('action.set-up'), 'edit', () => actions.setUp(table), 'set-up']);
  openMenu([...items, ...lookItems(table)], t('menu.keys'));
}
