// Mode of a table on which a game is analysed and reviewed.

import { request } from '../core/api.js';
import { button } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { gameOverPrompt } from '../play/game-over.js';
import { commonShortcut } from '../play/keyboard.js';
import { storeGame } from '../play/table.js';
import { AnalysisPanel } from './analysis.js';

/** @import { View } from '../board/board.js' */
/** @import { GameNode } from '../core/game-tree.js' */
/** @import { AnalysisStart } from '../main.js' */
/** @import { Prompt } from '../play/prompt-text.js' */
/** @import { Table, TableMode } from '../play/table.js' */

/** @implements {TableMode} */
export class AnalysisMode {
  kind = 'study';

  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.panel = new AnalysisPanel(table);
    request('warm', { game: table.tree.game }).catch((error) => table.showError(error));
  }

  // The buttons that step through the moves are visible while the page is scrolled.
  layout() {
    const { list, graph, reviewed } = this.panel;
    const { moveList, stage } = this.table;
    moveList.element.prepend(list, graph, reviewed);
    stage.append(moveList.navigation.element);
    return this.table.parts();
  }

  /**
   * @param {AnalysisStart} then
   * @param {'w' | 'b' | null} loser
   */
  async begin(then, loser) {
    await this.panel[then](loser);
  }

  interrupt() {}

  leave() {
    this.panel.leave();
  }

  // The puzzles made of the player's mistakes, while they are shown.
  get mistakeReview() {
    return this.panel.mistakeReview;
  }

  outcome() {
    return null;
  }

  canAct() {
    return !this.table.model.isPending && !this.table.result() && !this.mistakeReview?.isShowingLine;
  }

  waitingReason() {
    if (this.table.model.isPending) return t('ask.busy');
    return t(this.mistakeReview ? 'mistakes.shown' : 'why.over');
  }

  /**
   * @param {string} turn
   * @param {boolean} played
   */
  onMove(turn, played) {
    this.table.show(this.table.tree.current.addMove(turn), { played });
  }

  onResult() {}

  onShown() {
    this.panel.positionChanged();
  }

  onRender() {
    this.panel.render();
  }

  save() {
    if (!this.mistakeReview) storeGame(this.table.tree); // moves tried there are not stored
  }

  /** @returns {Prompt | null} */
  prompt() {
    if (this.table.model.isPending) return { text: t('ask.busy') };
    const review = this.mistakeReview?.prompt();
    if (review) return review;
    const result = this.table.result();
    return result && gameOverPrompt(this.table, result);
  }

  ending() {
    const result = this.table.result();
    if (!result || this.table.model.isPending || this.mistakeReview) return '';
    return result.winner ? 'over' : 'drawn';
  }

  promptButtons() {
    return this.mistakeReview?.buttons() ?? [];
  }

  actionButtons() {
    const { table } = this;
    const { actions } = table;
    return [
      button(t('action.play-here'), 'play', () => actions.playFromPosition(table), { cls: 'new' }),
      button(t('action.review'), 'chart', () => this.panel.review(), { cls: 'review' }),
      button(t('action.set-up'), 'edit', () => actions.editPosition(table)),
      button(t('action.share'), 'share', () => actions.share(table), { cls: 'share' }),
      button(t('action.more'), 'more', () => actions.openMenu(table), { cls: 'menu' }),
    ];
  }

  /** @param {View} view */
  decorate(view) {
    const begun = !!this.table.moveInput?.begun;
    return {
      ...view,
      arrows: view.arrows ?? this.panel.arrows,
      values: view.values ?? (begun ? [] : this.panel.valuesOnBoard),
    };
  }

  /** @param {GameNode} node */
  mistakeAt(node) {
    return this.panel.mistakes?.find((fault) => fault.node === node);
  }

  cancel() {
    return false;
  }

  enterAction() {
    return this.table.moveInput?.end ? () => this.table.input.endMove() : null;
  }

  /** @param {string} key */
  shortcut(key) {
    const { table } = this;
    if (key === 'h') return () => (this.mistakeReview ?? table.hints).hint();
    if (key === 'n') return () => table.actions.playAgain(table);
    return commonShortcut(table, key);
  }
}
