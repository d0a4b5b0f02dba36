// Conditional moves of a correspondence game: lines of moves that are played automatically, entered on
// the board.

import { button } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { t } from '../core/i18n.js';

/** @import { OnlineMode } from './mode.js' */

/** Mode of the table in which the player enters a line of conditional moves. */
export class ConditionalMoves {
  /** @param {OnlineMode} mode */
  constructor(mode) {
    this.mode = mode;
    this.table = mode.table;
    this.gameTree = mode.table.tree;
    const { game, options, start, names, flipped } = this.gameTree;
    const id = `${this.gameTree.id}-plan`;
    this.planTree = new GameTree({ game, options, start, id, names, flipped, mode: 'study' });
    this.planTree.addMoves(mode.followedGame.turns, null);
    this.basePly = this.planTree.current.ply;
  }

  begin() {
    this.table.model.setTree(this.planTree);
    this.table.refresh();
  }

  // The line from the current position. It begins with the opponent's move and ends with the player's.
  get line() {
    const nodes = this.planTree.current.line.slice(this.basePly + 1);
    const last = nodes.findLastIndex((node) => node.mover === this.mode.you);
    return nodes.slice(0, last + 1).map((node) => node.move);
  }

  promptText() {
    const { mode, table } = this;
    const isYourTurn = table.state.side === mode.you;
    return t(isYourTurn ? 'online.plan.mine' : 'online.plan.theirs', { name: table.nameOf(mode.opponent) });
  }

  buttons() {
    const list = [];
    if (this.line.length)
      list.push(button(t('online.plan.keep'), 'check', () => this.save(), { cls: 'main keep' }));
    if (this.planTree.current.ply > this.basePly)
      list.push(button(t('online.plan.back'), 'back', () => this.undo(), { cls: 'undo' }));
    list.push(button(t('online.plan.stop'), 'cross', () => this.stop(), { cls: 'stop' }));
    return list;
  }

  undo() {
    const { current: at } = this.planTree;
    at.remove();
    if (at.parent) this.table.show(at.parent);
  }

  save() {
    const { line } = this;
    const { onlineGame } = this.mode;
    const isPrefix = (/** @type {string[]} */ other) => other.every((turn, k) => turn === line[k]);
    const lines = [...onlineGame.lines.filter((other) => !isPrefix(other)), line];
    this.stop();
    setConditionalMoves(this.mode, lines);
  }

  /** @param {string} [message] */
  async stop(message = '') {
    const { table } = this;
    this.mode.endConditionalMoves();
    table.model.setTree(this.gameTree);
    await table.show(this.gameTree.tip, { moved: false });
    if (message) table.showMessage(message);
  }
}

/**
 * Send the player's conditional lines; they are shown at once.
 *
 * @param {OnlineMode} mode
 * @param {string[][]} lines
 */
export function setConditionalMoves(mode, lines) {
  mode.followedGame.sendLines(lines);
  mode.sidePanel.render();
}
