// Changes to the moves played: taking back, restarting, resigning, promoting and deleting lines. A notice
// offers to undo what would be lost.

import { gameResults } from '../core/game-results.js';
import { t } from '../core/i18n.js';
import { offerUndo } from '../core/notice.js';
import { stateOf } from './game-model.js';

/** @import { Side } from './game-model.js' */
/** @import { Table } from './table.js' */
/** @import { GameNode } from '../core/game-tree.js' */

/**
 * Take back to the player's last turn; between two people, take back one move.
 *
 * @param {Table} table
 */
export async function takeBack(table) {
  const { tree } = table;
  const { model } = table;
  if (table.moveInput?.begun) {
    table.moveInput.undoAll();
    return;
  }
  const shown = table.interrupt();
  /** @param {GameNode} node */
  const isOwnMove = async (node) =>
    model.humans.length !== 1 || tree.players[(await stateOf(tree, node)).side] === 'human';
  /** @type {GameNode | null} */
  let node = tree.tip;
  if (!tree.resigned) {
    do node = node.parent;
    while (node && !(await isOwnMove(node)));
  }
  if (model.isOutdated(shown)) return;
  if (node) {
    if (node.removeChildren().length) tree.stopCounting();
    resumeAt(table, node);
  } else {
    await table.show(tree.tip, { moved: false });
    table.showMessage(t('why.no-back'));
  }
}

/**
 * Continue the game at a node.
 *
 * @param {Table} table
 * @param {GameNode} node
 * @param {Side | null} [resigned]
 */
function resumeAt(table, node, resigned = null) {
  if (table.tree.resigned && !resigned) gameResults.remove(table.tree.id);
  table.tree.resume(resigned);
  return table.show(node);
}

/**
 * Continue the game at a node and remove the moves after it.
 *
 * @param {Table} table
 * @param {GameNode} node
 * @param {string} key of the notice's text
 */
function truncateAt(table, node, key) {
  const { tip, resigned } = table.tree;
  const children = node.removeChildren();
  resumeAt(table, node);
  if (!children.length) return;
  offerUndo(t(key), () => {
    node.replaceChildren(children);
    resumeAt(table, tip, resigned);
  });
}

/** @param {Table} table */
export function continueFromHere(table) {
  table.tree.stopCounting();
  truncateAt(table, table.tree.current, 'undo.cut');
}

/** @param {Table} table */
export const restart = (table) => truncateAt(table, table.tree.root, 'undo.restart');

/** @param {Table} table */
export function resign(table) {
  const { tree, humans } = table.model;
  if (table.result()) return;
  tree.resign(humans.length === 1 ? humans[0] : table.state.side);
  table.show(tree.current, { moved: false });
  offerUndo(t('undo.resign'), () => resumeAt(table, tree.tip));
}

/**
 * Make the current line the main line.
 *
 * @param {Table} table
 */
export function promoteLine(table) {
  table.tree.current.promote();
  table.save();
  table.render();
}

/**
 * Delete the current move and all that follow.
 *
 * @param {Table} table
 */
export function deleteMove(table) {
  const { current: at } = table.tree;
  const { parent } = at;
  if (!parent) return;
  const { children } = parent;
  at.remove();
  table.show(parent);
  offerUndo(t('undo.cut'), () => {
    parent.replaceChildren(children);
    table.show(at);
  });
}
