// Going back on what was played: taking back, starting over, resigning, and cutting a line. What is
// lost by it can be brought back at once.

import { t } from './i18n.js';
import { offerUndo } from './notice.js';
import { results } from './results.js';

/** @import { Side, Table } from './play.js' */
/** @import { Node } from './tale.js' */

/**
 * Take back to where a person was last asked; in a game of two people one turn.
 *
 * @param {Table} table
 */
export async function takeBack(table) {
  const { tale } = table;
  if (table.walker?.begun) {
    table.walker.reset();
    table.walker.change();
    return;
  }
  table.thinking?.abort();
  const shown = ++table.shown; // an answer under way comes too late
  /** @param {Node} node */
  const mine = async (node) =>
    table.humans.length !== 1 || tale.players[(await table.stateOf(node)).side] === 'human';
  /** @type {Node | null} */
  let node = tale.tip;
  if (!tale.resigned) {
    do node = node.up;
    while (node && !(await mine(node)));
  }
  if (shown !== table.shown) return;
  if (node) {
    if (node.kids.length) tale.counts = false;
    node.kids = [];
    reopen(table, node);
  } else {
    await table.show(tale.tip, { moved: false });
    table.say(t('why.no-back'));
  }
}

/**
 * The game goes on from there.
 *
 * @param {Table} table
 * @param {Node} node
 * @param {Side | null} [resigned]
 */
function reopen(table, node, resigned = null) {
  if (table.tale.resigned && !resigned) results.remove(table.tale.id);
  table.tale.resigned = resigned;
  table.tale.finished = false;
  return table.show(node);
}

/**
 * The game goes on from there without what came after.
 *
 * @param {Table} table
 * @param {Node} node
 * @param {string} said
 */
function goOnFrom(table, node, said) {
  const { tip, resigned } = table.tale;
  const { kids } = node;
  node.kids = [];
  reopen(table, node);
  if (!kids.length) return;
  offerUndo(t(said), () => {
    node.kids = kids;
    reopen(table, tip, resigned);
  });
}

/** @param {Table} table */
export function playOn(table) {
  table.tale.counts = false;
  goOnFrom(table, table.tale.at, 'undo.cut');
}

/** @param {Table} table */
export const restart = (table) => goOnFrom(table, table.tale.root, 'undo.restart');

/** @param {Table} table */
export function resign(table) {
  const { tale, humans } = table;
  if (table.result()) return;
  tale.resigned = humans.length === 1 ? humans[0] : table.state.side;
  tale.at = tale.tip;
  table.show(tale.at, { moved: false });
  offerUndo(t('undo.resign'), () => reopen(table, tale.tip));
}

/**
 * Make the line to here the first one.
 *
 * @param {Table} table
 */
export function promote(table) {
  table.tale.at.promote();
  table.save();
  table.render();
}

/**
 * Remove this turn and what follows.
 *
 * @param {Table} table
 */
export function cut(table) {
  const { at } = table.tale;
  const { up } = at;
  if (!up) return;
  const { kids } = up;
  at.cut();
  table.show(up);
  offerUndo(t('undo.cut'), () => {
    up.kids = kids;
    table.show(at);
  });
}
