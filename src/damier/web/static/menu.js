// What else can be done with the game on the screen.

import { button, dialog, h } from './dom.js';
import { t } from './i18n.js';
import { settings } from './store.js';

/** @import { Table } from './play.js' */

/** @param {Table} table */
export function menu(table) {
  const { tale, actions } = table;
  /** @type {HTMLElement[]} */
  const list = [];
  /**
   * @param {string} label
   * @param {string | null} icon
   * @param {() => void} does
   * @param {string} [cls]
   */
  const add = (label, icon, does, cls = '') => {
    const choose = () => {
      box.close();
      does();
    };
    list.push(button(label, icon, choose, { cls }));
  };
  const toggle = (/** @type {string} */ name) => {
    settings.toggle(name);
    table.render();
  };
  const isOn = (/** @type {string} */ name) => (settings.get(name, true) ? 'off' : 'on');
  add(t('menu.choose'), 'gear', () => actions.choose(tale.game), 'choose');
  add(t('menu.flip'), 'flip', () => table.flip(), 'flip');
  if (tale.mode === 'play') {
    add(t('menu.restart'), 'restart', () => table.restart(), 'restart');
    if (!table.result() && table.humans.length) add(t('menu.resign'), 'flag', () => table.resign(), 'resign');
  } else {
    add(t(`menu.badges.${isOn('badges')}`), 'chart', () => toggle('badges'));
    if (tale.at.up) {
      add(t('menu.promote'), 'check', () => table.promote());
      add(t('menu.cut'), null, () => table.cut());
    }
  }
  add(t('action.set-up'), 'edit', () => actions.setUp(table), 'set-up');
  add(t(`menu.names.${isOn('coordinates')}`), null, () => toggle('coordinates'));
  const read = () => {
    location.hash = `#/rules/${tale.game}`;
  };
  add(t('menu.rules'), 'book', read, 'rules');
  const keys = h('p', { class: 'faint keys' }, t('menu.keys'));
  const box = dialog(t('menu.title'), t('action.close'), h('div', { class: 'menu-list' }, list), keys);
}
