// Premoves: a move chosen during the opponent's turn, which is played at once if it is legal.

import { sideOf } from '../board/board.js';
import { t } from '../core/i18n.js';
import { stateOf } from '../play/game-model.js';

/** @import { View } from '../board/board.js' */
/** @import { GameNode } from '../core/game-tree.js' */
/** @import { Prompt } from '../play/prompt-text.js' */
/** @import { OnlineMode } from './mode.js' */

export class Premoves {
  /** @param {OnlineMode} mode */
  constructor(mode) {
    this.mode = mode;
    /** @type {{ from: string | null, to: string } | null} */
    this.chosen = null;
    /** @type {string | null} */
    this.origin = null; // the pawn chosen for a premove
  }

  get areAllowed() {
    const { mode } = this;
    const { model } = mode.table;
    const isOpen =
      mode.isPlaying && !mode.table.result() && !model.isBehind && !model.isPending && !mode.conditional;
    const { kind } = mode.onlineGame.clock;
    return isOpen && !!mode.you && model.state.side !== mode.you && kind !== 'days';
  }

  // Forget the premove; return whether there was one.
  clear() {
    const hadPremove = !!this.chosen || !!this.origin;
    this.chosen = this.origin = null;
    return hadPremove;
  }

  cancel() {
    const hadPremove = this.clear();
    if (hadPremove) this.mode.table.render();
    return hadPremove;
  }

  /**
   * Choose a premove by two cells, or by one where a pawn is placed; any other cell cancels it.
   *
   * @param {string} cell
   */
  choose(cell) {
    const { origin, chosen } = this;
    const { table, you } = this.mode;
    const { marks, state } = table.model;
    table.showMessage('');
    this.clear();
    if (sideOf(marks[cell]) === you) {
      if (cell !== origin && cell !== chosen?.from) this.origin = cell;
    } else if (origin) this.chosen = { from: origin, to: cell };
    else if (you && (state.hands?.[you] ?? 0) > 0 && !marks[cell]) {
      if (cell !== chosen?.to) this.chosen = { from: null, to: cell };
    } else if (!chosen) table.showMessage(t('online.premove.how'));
    table.render();
  }

  /** @param {string} cell */
  canDrag(cell) {
    return this.areAllowed && sideOf(this.mode.table.model.marks[cell]) === this.mode.you;
  }

  /** @param {string} cell */
  drag(cell) {
    this.chosen = null;
    this.origin = cell;
    this.mode.table.render();
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  drop(from, to) {
    if (!this.areAllowed) return;
    this.origin = from;
    this.choose(to);
  }

  /**
   * Play the premove after the opponent's move, if it is legal.
   *
   * @param {GameNode} node
   */
  async play(node) {
    const { chosen } = this;
    const { table, you } = this.mode;
    if (!chosen) return;
    this.clear();
    const state = await stateOf(table.tree, node);
    if (!node.line.includes(table.tree.tip)) return; // another move was shown meanwhile
    const steps = state.steps.filter(({ origin, target }) => origin === chosen.from && target === chosen.to);
    if (!steps.length || state.side !== you || state.result) {
      await table.show(node);
      if (!state.result) table.showMessage(t('online.premove.dropped'));
      return;
    }
    const [{ turn }] = steps;
    if (steps.length > 1 || turn === null) {
      await table.show(node);
      table.moveInput?.choose(steps); // the player chooses between the possible ways
      return;
    }
    this.mode.sendMove(turn, true); // before anything is drawn: a premove costs no time
    await table.show(node, { moved: false });
    await table.show(node.addMove(turn));
  }

  /** @returns {Prompt | null} */
  prompt() {
    if (this.chosen) {
      const { from, to } = this.chosen;
      return { text: t('online.premove.set', { turn: from ? `${from} → ${to}` : to }) };
    }
    return this.origin ? { text: t('online.premove.target', { cell: this.origin }) } : null;
  }

  /**
   * @param {View} view
   * @returns {View}
   */
  decorate(view) {
    const { chosen, origin } = this;
    const selected = origin ?? view.selected;
    if (!chosen) return { ...view, selected };
    const { from, to } = chosen;
    return { ...view, selected, arrows: [...(view.arrows ?? []), { from: from ?? to, to, kind: 'premove' }] };
  }
}
