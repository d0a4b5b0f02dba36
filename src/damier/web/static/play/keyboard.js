// Keyboard shortcuts that work wherever the focus is. The board handles its own keys.

import { getElement } from '../core/dom.js';
import { captureLetter } from '../core/i18n.js';

/** @import { Table } from './table.js' */

/**
 * @param {Table} table
 * @param {KeyboardEvent} event
 */
export function handleKey(table, event) {
  const { target, key } = event;
  const isHandledElsewhere =
    event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]');
  if (event.defaultPrevented || isHandledElsewhere || !(target instanceof HTMLElement)) return;
  const typing = target.closest('input, select, textarea');
  if (key === 'Escape') {
    if (typing instanceof HTMLElement) typing.blur();
    else if (table.input.cancel() || table.mode.cancel()) event.preventDefault();
    return;
  }
  if (typing) return;
  const action =
    key === 'Enter' ? enterAction(table, target) : (captureAction(table, key) ?? table.mode.shortcut(key));
  if (!action) return;
  event.preventDefault();
  action();
}

/**
 * Return the action of Enter, unless it activates the focused element.
 *
 * @param {Table} table
 * @param {HTMLElement} target
 */
function enterAction(table, target) {
  const { board, moveInput } = table;
  const { cell } = target.dataset;
  const used = cell
    ? board.view.targets?.includes(cell) || (moveInput?.choice && board.view.takes?.includes(cell))
    : target.closest('button, a, summary');
  return used ? null : table.mode.enterAction();
}

/**
 * Return the action that chooses the capture with the pressed letter, if there is a choice.
 *
 * @param {Table} table
 * @param {string} key
 */
function captureAction({ tree, moveInput }, key) {
  const pressed = key.toUpperCase();
  const found = moveInput?.choice?.find(
    ({ by }) => by === pressed || (by && captureLetter(tree.game, by) === pressed),
  );
  return found && (() => moveInput?.take(found));
}

/**
 * Return the action of any other key, in all modes.
 *
 * @param {Table} table
 * @param {string} key
 * @returns {(() => void) | undefined}
 */
export function commonShortcut(table, key) {
  const { tree, board } = table;
  const onBoard = () => board.focus(board.tabCell);
  const back = () => table.go(tree.current.parent);
  const forward = () => table.go(tree.current.children[0]);
  return new Map([
    ['ArrowLeft', back],
    ['PageUp', back],
    ['ArrowRight', forward],
    ['PageDown', forward],
    ['Home', () => table.go(tree.root)],
    ['End', () => table.go(tree.tip)],
    ['ArrowUp', onBoard],
    ['ArrowDown', onBoard],
    ['f', () => table.flip()],
    ['t', () => getElement('.typed input', table.element).focus()],
  ]).get(key);
}
