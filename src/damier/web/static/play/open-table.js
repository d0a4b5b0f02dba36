// Opening of a table for a game or an analysis.

import { LocalGame } from './local-game.js';
import { loadGame, Table } from './table.js';

/** @import { GameTree } from '../core/game-tree.js' */
/** @import { Actions } from '../main.js' */

/**
 * Open a table on which a game is played or analysed.
 *
 * @param {GameTree} tree
 * @param {Actions} actions
 */
export async function openTable(tree, actions) {
  // Loaded on demand: most games need neither.
  const study = tree.mode === 'study' ? await import('../study/analysis-mode.js') : null;
  const message = tree.mode === 'play' && tree.friendSide ? await import('./message-game.js') : null;
  const loaded = await loadGame(tree);
  const table = new Table(loaded, actions, (table) => {
    if (study) return new study.AnalysisMode(table);
    return message ? new message.MessageGame(table) : new LocalGame(table);
  });
  await table.refresh();
  return table;
}
