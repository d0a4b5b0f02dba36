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
    else if (table.walker?.cancel()) event.preventDefault();
    return;
  }
  if (typing) return;
  const does = key === 'Enter' ? enter(table, target) : shortcut(table, key);
  if (!does) return;
  event.preventDefault();
  does();
}

/**
 * Enter ends a turn, unless it presses what has the focus.
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
  return !used && walker?.end ? () => table.endTurn() : null;
}

/**
 * @param {Table} table
 * @param {string} key
 * @returns {(() => void) | undefined}
 */
function shortcut(table, key) {
  const { tale, walker, board } = table;
  const pressed = key.toUpperCase();
  const way = walker?.choice?.find(({ by }) => by === pressed || (by && letter(tale.game, by) === pressed));
  if (way) return () => walker?.take(way);
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
    ['h', () => table.askHint()],
    ['u', () => tale.mode === 'play' && table.takeBack()],
    ['f', () => table.flip()],
    ['n', () => table.actions.again(table)],
    ['t', () => one('.typed input', table.element).focus()],
  ]).get(key);
}
