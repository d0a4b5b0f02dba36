// The keys that do something at the table, wherever the focus is; the board has its own.

import { one } from './dom.js';
import { letter } from './i18n.js';

/** @import { Table } from './play.js' */

/**
 * @param {Table} table
 * @param {KeyboardEvent} event
 */
export function pressed(table, event) {
  const { target, key } = event;
  const other = event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]');
  if (event.defaultPrevented || other || !(target instanceof HTMLElement)) return;
  const typing = target.closest('input, select, textarea');
  if (key === 'Escape') {
    if (typing instanceof HTMLElement) typing.blur();
    else if (table.cancel()) event.preventDefault();
    return;
  }
  if (typing) return;
  const does = key === 'Enter' ? enter(table, target) : (way(table, key) ?? table.shortcut(key));
  if (!does) return;
  event.preventDefault();
  does();
}

/**
 * Enter does what comes next, unless it presses what has the focus.
 *
 * @param {Table} table
 * @param {HTMLElement} target
 */
function enter(table, target) {
  const { board, walker } = table;
  const { cell } = target.dataset;
  const used = cell
    ? board.view.targets?.includes(cell) || (walker?.choice && board.view.takes?.includes(cell))
    : target.closest('button, a, summary');
  return used ? null : table.entered();
}

/**
 * Of two ways to capture, the one whose letter is pressed.
 *
 * @param {Table} table
 * @param {string} key
 */
function way({ tale, walker }, key) {
  const pressed = key.toUpperCase();
  const found = walker?.choice?.find(({ by }) => by === pressed || (by && letter(tale.game, by) === pressed));
  return found && (() => walker?.take(found));
}

/**
 * What else a key does where a game is played or analysed.
 *
 * @param {Table} table
 * @param {string} key
 * @returns {(() => void) | undefined}
 */
export function shortcut(table, key) {
  const { tale, board } = table;
  const onBoard = () => board.focus(board.stop);
  const back = () => table.go(tale.at.up);
  const on = () => table.go(tale.at.kids[0]);
  return new Map([
    ['ArrowLeft', back],
    ['PageUp', back],
    ['ArrowRight', on],
    ['PageDown', on],
    ['Home', () => table.go(tale.root)],
    ['End', () => table.go(tale.tip)],
    ['ArrowUp', onBoard],
    ['ArrowDown', onBoard],
    ['f', () => table.flip()],
    ['t', () => one('.typed input', table.element).focus()],
    ...table.shortcuts,
  ]).get(key);
}
