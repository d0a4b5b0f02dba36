// If this is played, I play that: lines of turns for a game without hurry, played out on the board.

import { button } from './dom.js';
import { t } from './i18n.js';
import { Tale } from './tale.js';

/** @import { OnlineTable } from './online-table.js' */

export class Planning {
  /** @param {OnlineTable} table */
  constructor(table) {
    this.table = table;
    this.home = table.tale;
    const { game, options, start, names, flipped } = this.home;
    this.plan = new Tale({ game, options, start, id: `${this.home.id}-plan` });
    this.plan.names = names;
    this.plan.flipped = flipped;
    this.plan.follow(table.following.turns, null);
    this.base = this.plan.at.ply;
    table.planning = this;
    table.tale = this.plan;
    table.show(this.plan.at, { moved: false });
  }

  // The turns from the position on the board, the other's first; it ends with one's own.
  get line() {
    const nodes = this.plan.at.line.slice(this.base + 1);
    const last = nodes.findLastIndex((node) => node.mover === this.table.you);
    return nodes.slice(0, last + 1).map((node) => node.turn);
  }

  said() {
    const { table } = this;
    const mine = table.state.side === table.you;
    return t(mine ? 'online.plan.mine' : 'online.plan.theirs', { name: table.nameOf(table.other) });
  }

  ways() {
    const list = [];
    if (this.line.length)
      list.push(button(t('online.plan.keep'), 'check', () => this.keep(), { cls: 'main keep' }));
    if (this.plan.at.ply > this.base)
      list.push(button(t('online.plan.back'), 'back', () => this.back(), { cls: 'undo' }));
    list.push(button(t('online.plan.stop'), 'cross', () => this.stop(), { cls: 'stop' }));
    return list;
  }

  back() {
    const { at } = this.plan;
    at.cut();
    if (at.up) this.table.show(at.up);
  }

  keep() {
    const { line } = this;
    const { match } = this.table.following;
    const longer = (/** @type {string[]} */ other) => other.every((turn, k) => turn === line[k]);
    const lines = [...match.lines.filter((other) => !longer(other)), line];
    this.stop();
    setLines(this.table, lines);
  }

  /** @param {string} [said] */
  async stop(said = '') {
    const { table } = this;
    table.planning = null;
    table.tale = this.home;
    await table.show(this.home.tip, { moved: false });
    if (said) table.say(said);
  }
}

/**
 * @param {OnlineTable} table
 * @param {string[][]} lines
 */
export function setLines(table, lines) {
  const { match } = table.following;
  const before = match.lines;
  match.lines = lines;
  if (!table.following.act({ kind: 'lines', lines })) match.lines = before;
  table.more.render();
}
