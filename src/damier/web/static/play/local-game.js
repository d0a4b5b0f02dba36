// Mode of a table on which people and the computer play in this browser.

import { root } from '../core/address.js';
import { button, h, icon, inputValue } from '../core/dom.js';
import { gameResults, hasEarnedNextLevel } from '../core/game-results.js';
import { levelOf } from '../core/game-tree.js';
import { rawText, t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { EngineOpponent } from './engine.js';
import { continueFromHere, takeBack } from './game-edits.js';
import { GameEnd } from './game-over.js';
import { gameSummary } from './game-summary.js';
import { commonShortcut } from './keyboard.js';
import { MoveColours } from './move-colours.js';
import { storeGame } from './table.js';

/** @import { View } from '../board/board.js' */
/** @import { Table, TableMode } from './table.js' */

/**
 * Return the result of a game that a player has resigned.
 *
 * @param {'w' | 'b'} resigned
 * @returns {Api.ResultDescription}
 */
export function resignation(resigned) {
  const winner = resigned === 'w' ? 'b' : 'w';
  const text = rawText(`result.${winner}`, { reason: rawText('reason.resigned') });
  return { winner, reason: 'resigned', cells: [], text };
}

function speedSlider() {
  const value = settings.get('speed', 70);
  const set = (/** @type {Event} */ event) => settings.set('speed', Number(inputValue(event)));
  const slider = h('input', { type: 'range', min: '0', max: '100', value, oninput: set });
  return h('label', { class: 'speed' }, h('span', {}, t('action.speed')), slider);
}

/** @implements {TableMode} */
export class LocalGame {
  kind = 'play';

  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.engine = new EngineOpponent(table);
    this.end = new GameEnd(table);
    this.colours = new MoveColours(table);
    this.promptParts = { below: [this.end.reason.element, this.colours.legend] };
    this.engine.prepare().catch((error) => table.showError(error));
  }

  layout() {
    return this.table.parts(gameSummary(this.table.game, this.table.tree));
  }

  interrupt() {
    this.engine.stop();
    this.colours.stop();
  }

  leave() {
    this.interrupt();
  }

  isThinking() {
    return this.engine.isThinking;
  }

  // ---- state of the game -------------------------------------------------------------------

  outcome() {
    const { resigned } = this.table.tree;
    return resigned ? resignation(resigned) : null;
  }

  canAct() {
    const { model } = this.table;
    if (model.isPending || this.table.result() || model.isBehind) return false;
    return model.tree.players[model.state.side] === 'human';
  }

  waitingReason() {
    const { model, names } = this.table;
    if (model.isPending) return t('ask.busy');
    if (this.table.result()) return t('why.over');
    if (model.isBehind) return t('why.behind');
    return names.sentence('why.wait', model.state.side);
  }

  /**
   * @param {string} turn
   * @param {boolean} played
   */
  onMove(turn, played) {
    this.table.show(this.table.tree.current.addMove(turn), { played });
  }

  /**
   * @param {Api.ResultDescription} result
   * @param {boolean} forward
   */
  onResult(result, forward) {
    this.end.onResult(result, forward);
  }

  onShown() {
    this.engine.play();
    this.colours.load();
  }

  onRender() {
    this.end.renderReason();
    this.colours.renderLegend();
  }

  menuItems() {
    return this.table.model.humans.length ? [this.colours.menuItem] : [];
  }

  save() {
    storeGame(this.table.tree);
  }

  // ---- prompt and buttons ------------------------------------------------------------------

  prompt() {
    const { model, names } = this.table;
    const { tree } = model;
    if (model.isPending) return { text: t('ask.busy') };
    const result = this.table.result();
    if (result) return this.end.prompt(result);
    if (model.isBehind) return { text: t('ask.behind', { ply: tree.current.ply, of: tree.tip.ply }) };
    if (this.table.moveInput) return null;
    if (this.engine.isPaused) return { text: t('ask.paused') };
    const key = this.engine.isCompiling ? 'ask.preparing' : 'ask.thinking';
    return { text: names.sentence(key, model.state.side) };
  }

  ending() {
    return this.end.ending();
  }

  promptButtons() {
    const { table } = this;
    const result = table.result();
    if (result) return this.gameOverButtons(result);
    if (!table.model.isBehind) return [];
    const back = button(t('action.to-game'), 'last', () => table.go(table.tree.tip), { cls: 'main' });
    if (!table.model.humans.length) return [back];
    return [back, button(t('action.play-on'), 'play', () => continueFromHere(table))];
  }

  /**
   * Return the buttons after the end of a game. A player who beats a level is offered the next one.
   *
   * @param {Api.ResultDescription} result
   * @returns {HTMLElement[]}
   */
  gameOverButtons({ winner }) {
    const { table } = this;
    const { actions } = table;
    const { tree, humans } = table.model;
    const isDecisive = humans.length === 1 && winner !== null;
    const won = isDecisive && winner === humans[0];
    const strength = levelOf(tree.players[humans[0] === 'w' ? 'b' : 'w']);
    const list = [];
    if (won && strength < table.levels && hasEarnedNextLevel(gameResults.all(), tree.game, strength)) {
      const label = t('action.next-level', { level: strength + 1 });
      list.push(button(label, 'play', () => actions.playAgain(table, strength + 1), { cls: 'main' }));
    }
    const label = t(won ? 'action.rematch' : isDecisive ? 'action.try-again' : 'action.new');
    list.push(button(label, 'plus', () => actions.playAgain(table), { cls: list.length ? '' : 'main' }));
    if (tree.tip.parent) {
      const lost = isDecisive && !won ? humans[0] : null;
      const review = t(lost ? 'action.show-me' : 'action.review');
      list.push(button(review, 'chart', () => actions.analyse(table, 'review', lost)));
      const learn = () => actions.analyse(table, 'practise', lost);
      if (humans.length) list.push(button(t('mistakes.learn'), 'hint', learn, { cls: 'learn' }));
    }
    if (isDecisive && !won) {
      const href = `${root}#/${table.game.lessons ? 'learn' : 'rules'}/${tree.game}`;
      list.push(h('a', { class: 'button', href }, icon('book'), t('action.learn')));
    }
    if (tree.resigned) list.push(button(t('action.play-on'), 'play', () => takeBack(table)));
    return list;
  }

  actionButtons() {
    const { table } = this;
    const { actions } = table;
    const isOver = !!table.result();
    const watches = !table.model.humans.length;
    /** @type {HTMLElement[]} */
    const list = [button(t('action.new'), 'plus', () => actions.playAgain(table), { cls: 'new' })];
    if (!isOver) list.push(...(watches ? this.pauseButtons() : this.helpButtons()));
    list.push(button(t('action.analyse'), 'chart', () => actions.analyse(table), { cls: 'analyse' }));
    list.push(button(t('action.share'), 'share', () => actions.share(table), { cls: 'share' }));
    list.push(button(t('action.more'), 'more', () => actions.openMenu(table), { cls: 'menu' }));
    return list;
  }

  pauseButtons() {
    const { isPaused } = this.engine;
    const label = t(isPaused ? 'action.go-on' : 'action.pause');
    return [button(label, isPaused ? 'play' : 'pause', () => this.engine.togglePause()), speedSlider()];
  }

  helpButtons() {
    const { table } = this;
    const { shown } = table.hints;
    const label = t(shown && !shown.whole ? 'action.hint-line' : 'action.hint');
    return [
      button(t('action.back'), 'back', () => takeBack(table), { cls: 'take-back' }),
      button(label, 'hint', () => table.hints.hint(), { cls: 'hint' }),
    ];
  }

  // ---- board and keyboard ------------------------------------------------------------------

  /** @param {View} view */
  decorate(view) {
    return { ...view, values: view.values ?? this.colours.badges };
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
    if (key === 'h') return () => table.hints.hint();
    if (key === 'u') return () => takeBack(table);
    if (key === 'n') return () => table.actions.playAgain(table);
    return commonShortcut(table, key);
  }
}
