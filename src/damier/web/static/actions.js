// The row of buttons under what is asked.

import { button, h, typedIn } from './dom.js';
import { askHint, togglePause } from './engine.js';
import { t } from './i18n.js';
import { takeBack } from './revise.js';
import { settings } from './store.js';

/** @import { Table } from './play.js' */

/** @param {Table} table */
function playing(table) {
  const { actions, hint } = table;
  const list = [button(t('action.new'), 'plus', () => actions.again(table), { cls: 'new' })];
  if (table.result()) return list;
  if (table.humans.length) {
    const wanted = t(hint && !hint.whole ? 'action.hint-line' : 'action.hint');
    list.push(button(t('action.back'), 'back', () => takeBack(table), { cls: 'take-back' }));
    list.push(button(wanted, 'hint', () => askHint(table), { cls: 'hint' }));
  } else {
    const label = t(table.paused ? 'action.go-on' : 'action.pause');
    list.push(button(label, table.paused ? 'play' : 'pause', () => togglePause(table)));
  }
  return list;
}

function speed() {
  const value = settings.get('speed', 70);
  const set = (/** @type {Event} */ event) => settings.set('speed', Number(typedIn(event)));
  const slide = h('input', { type: 'range', min: '0', max: '100', value, oninput: set });
  return h('label', { class: 'speed' }, h('span', {}, t('action.speed')), slide);
}

/** @param {Table} table */
function studying(table) {
  const { actions, study } = table;
  return [
    button(t('action.play-here'), 'play', () => actions.playHere(table), { cls: 'new' }),
    button(t('action.review'), 'chart', () => study?.review(), { cls: 'review' }),
    button(t('action.set-up'), 'edit', () => actions.setUp(table)),
  ];
}

/**
 * @param {Table} table
 * @param {HTMLElement} box
 */
export function renderActions(table, box) {
  const { tale, actions } = table;
  /** @type {HTMLElement[]} */
  const list = tale.mode === 'play' ? playing(table) : studying(table);
  if (tale.mode === 'play') {
    if (!table.humans.length && !table.result()) list.push(speed());
    list.push(button(t('action.analyse'), 'chart', () => actions.study(table), { cls: 'analyse' }));
  }
  list.push(button(t('action.share'), 'share', () => actions.share(table), { cls: 'share' }));
  list.push(button(t('action.more'), 'more', () => actions.menu(table), { cls: 'menu' }));
  fillActions(box, list);
}

/**
 * Other buttons, if they are others, and the focus where it was.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement[]} list
 */
export function fillActions(box, list) {
  const kind = list.map((b) => b.textContent).join();
  if (box.dataset.kind === kind) return;
  const focused = [...box.children].indexOf(/** @type {Element} */ (document.activeElement));
  box.dataset.kind = kind;
  box.replaceChildren(...list);
  if (focused >= 0) list[focused]?.focus();
}
