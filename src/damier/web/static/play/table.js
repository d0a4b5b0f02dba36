// Game table: it puts together the model of a game, the input of moves, and the views, and shows one
// position after the other. Its mode says what a local game, an analysis, an online game or a puzzle do
// differently.

import { Board } from '../board/board.js';
import { addressOf } from '../core/address.js';
import { findGame, gameList, RequestError, request } from '../core/api.js';
import { h } from '../core/dom.js';
import { gameName, t } from '../core/i18n.js';
import { dismissNotice } from '../core/notice.js';
import { savedGames, settings } from '../core/storage.js';
import { ActionButtons } from './action-buttons.js';
import { BoardInput, positionView } from './board-input.js';
import { GameModel, loadPosition, stateOf } from './game-model.js';
import { Hints } from './hints.js';
import { handleKey } from './keyboard.js';
import { animateMove, moveAnnouncement } from './move-animation.js';
import { MoveList } from './move-list.js';
import { PlayerBars } from './player-bars.js';
import { PlayerNames } from './player-names.js';
import { moveInputButtons, PromptBox } from './prompt-box.js';
import { movePrompt } from './prompt-text.js';
import { movesIn, standardNotation, typedMoveLabel } from './typed-moves.js';

/** @import { Marks, View } from '../board/board.js' */
/** @import { Actions, AnalysisStart } from '../main.js' */
/** @import { Item } from './menu.js' */
/** @import { Prompt } from './prompt-text.js' */
/** @import { IdleInput } from './board-input.js' */
/** @import { Position, Side } from './game-model.js' */
/** @import { PlayerBarParts } from './player-bars.js' */
/** @import { Person } from './player-names.js' */
/** @import { GameNode, GameTree } from '../core/game-tree.js' */
/** @import { Mistake } from '../study/mistake-finder.js' */

/**
 * @typedef {object} TableMode What a kind of game does differently on a table.
 * @property {string} kind CSS classes of the table
 * @property {() => HTMLElement[]} layout returns the parts of the table, in order
 * @property {() => void} interrupt stops what happens without the player, because something else is shown
 * @property {() => void} leave
 * @property {() => Api.ResultDescription | null} outcome returns a result that the position does not show
 * @property {() => boolean} canAct returns whether the player can enter a move
 * @property {() => string} waitingReason returns why no move can be entered
 * @property {(turn: string, played: boolean) => void} onMove called with the move that the player has
 *   entered, and whether the board already shows it
 * @property {(result: Api.ResultDescription, forward: boolean) => void} onResult called when the position
 *   shown, or the game, has a result; and whether the last move led to it
 * @property {() => void} onShown called when a position is shown
 * @property {() => void} onRender
 * @property {() => void} save
 * @property {() => Prompt | null} prompt returns the prompt; null leaves the last one
 * @property {() => '' | 'over' | 'drawn'} ending returns how the prompt looks at the end of a game
 * @property {() => HTMLElement[]} promptButtons returns buttons shown besides those of the move input
 * @property {() => HTMLElement[] | null} actionButtons null leaves the last ones
 * @property {(view: View) => View} decorate adds marks to the board
 * @property {() => boolean} cancel handles Escape; returns whether there was something to cancel
 * @property {() => (() => void) | null} enterAction returns the action of Enter wherever the focus is
 * @property {(key: string) => (() => void) | undefined} shortcut returns the action of another key
 * @property {IdleInput} [idle] without it, the reason for waiting is shown
 * @property {() => boolean} [isThinking] returns whether the computer is choosing a move
 * @property {(then: AnalysisStart, loser: Side | null) => Promise<void>} [begin] begins an action at once
 * @property {(node: GameNode) => Mistake | undefined} [mistakeAt]
 * @property {() => Item[]} [menuItems] returns more items of the menu
 * @property {(side: Side) => Person} [personOf]
 * @property {PlayerBarParts} [bars]
 * @property {{ above?: HTMLElement[], below?: HTMLElement[] }} [promptParts]
 */

/** @typedef {Position & { game: Api.GameDescription, levels: number }} LoadedGame */

/**
 * Load all that a table shows first.
 *
 * @param {GameTree} tree
 * @returns {Promise<LoadedGame>}
 */
export async function loadGame(tree) {
  const position = await loadPosition(tree);
  const { levels } = await gameList();
  const game = await findGame(tree.game);
  if (!game) throw new Error(tree.game);
  return { ...position, game, levels };
}

/** @template {TableMode} [M=TableMode] */
export class Table {
  /**
   * @param {LoadedGame} loaded
   * @param {Actions} actions that open other pages
   * @param {(table: Table) => M} modeFor
   */
  constructor(loaded, actions, modeFor) {
    this.actions = actions;
    this.levels = loaded.levels; // number of the computer's levels
    this.game = loaded.game;
    this.model = new GameModel(loaded);
    /** @type {{ stop: AbortController, queuedCell: string | null } | null} */
    this.animation = null; // of the last move, and the cell clicked meanwhile
    this.element = h('div', { class: 'play' });
    this.field = h('div', { class: 'field' });
    this.hints = new Hints(this);
    this.input = new BoardInput({
      position: () => this.tree.request,
      onMove: (turn) => this.onMoveEntered(turn, true),
      onChange: () => this.onInputChange(),
      onSelect: () => this.render(),
      onRefused: (text) => this.showMessage(text),
      onError: (error) => this.showError(error),
      idle: {
        click: (cell) => this.onIdleClick(cell),
        canDrag: (cell) => this.mode.idle?.canDrag(cell) ?? false,
        drag: (cell) => this.mode.idle?.drag(cell),
        drop: (from, to) => this.mode.idle?.drop(from, to),
      },
    });
    this.board = this.newBoard(loaded.state, loaded.game);
    this.actionButtons = new ActionButtons();
    this.announcer = h('p', { class: 'visually-hidden', 'aria-live': 'polite' });
    this.moveList = new MoveList(this.model, {
      onGo: (node) => this.go(node),
      onTyped: (text) => this.playTypedMove(text),
      mistakeAt: (node) => this.mode.mistakeAt?.(node),
    });
    this.mode = modeFor(this);
    this.names = new PlayerNames(this.model, this.mode.personOf);
    this.promptBox = new PromptBox(this.mode.promptParts);
    this.playerBars = new PlayerBars(
      this.model,
      this.names,
      {
        result: () => this.result(),
        isThinking: () => !!this.mode.isThinking?.(),
        onRename: () => {
          this.save();
          this.render();
        },
      },
      this.mode.bars,
    );
    this.stage = h('div', { class: 'stage' }, this.playerBars.b, this.field, this.playerBars.w);
    this.element.classList.add(...this.mode.kind.split(' '));
    this.element.append(...this.mode.layout());
    this.element.style.setProperty('--shape', String(this.board.shape));
    this.onKeyDown = (/** @type {KeyboardEvent} */ event) => handleKey(this, event);
    document.addEventListener('keydown', this.onKeyDown);
  }

  leave() {
    document.removeEventListener('keydown', this.onKeyDown);
    this.mode.leave();
    this.model.outdate();
  }

  // ---- what other modules read -------------------------------------------------------------

  get tree() {
    return this.model.tree;
  }

  get state() {
    return this.model.state;
  }

  get moveInput() {
    return this.input.move;
  }

  // Whether something else is shown than what the player could act on: a request or an animation.
  get isBusy() {
    return this.model.isPending || this.animation !== null;
  }

  /** @returns {Api.ResultDescription | null} */
  result() {
    return this.state.result ?? this.mode.outcome();
  }

  /** @param {Side} side */
  nameOf(side) {
    return this.names.nameOf(side);
  }

  // The title for screen readers, and the parts of a usual game.
  /** @param {HTMLElement | null} [header] above the prompt */
  parts(header = null) {
    const { stage, promptBox, actionButtons, moveList, announcer } = this;
    const title = h('h1', { class: 'visually-hidden' }, gameName(this.tree.game));
    const all = [title, stage, header, promptBox.element, actionButtons.element, moveList.element, announcer];
    return all.filter((part) => part !== null);
  }

  // ---- showing positions -------------------------------------------------------------------

  /**
   * @param {Api.StateResponse} state
   * @param {Api.GameDescription} game
   */
  newBoard(state, game) {
    const label = t('board.label', { game: gameName(state.game) });
    const board = new Board(state.board, game, { label });
    board.flip(this.tree.flipped);
    this.input.attach(board);
    this.field.append(board.element);
    return board;
  }

  /**
   * Show another game, which may have another board.
   *
   * @param {LoadedGame} loaded
   */
  setGame(loaded) {
    this.interrupt();
    this.model.setGame(loaded);
    const { description, game } = this.board;
    const { ranks, files, cells } = loaded.state.board;
    const same = description.ranks === ranks && description.files === files && game.name === loaded.game.name;
    if (!same || description.cells.length !== cells.length) {
      this.board.element.remove();
      this.game = loaded.game;
      this.board = this.newBoard(loaded.state, loaded.game);
      this.element.style.setProperty('--shape', String(this.board.shape));
    }
    this.board.flip(this.tree.flipped);
  }

  // Stop the computer and what is being shown; return the number of the next display.
  interrupt() {
    this.mode.interrupt();
    return this.model.outdate();
  }

  /**
   * @param {GameNode} node
   * @param {{ moved?: boolean, played?: boolean }} [how]
   */
  async show(node, { moved = true, played = false } = {}) {
    const { model } = this;
    this.mode.interrupt();
    this.input.stop();
    const forward = node.parent === this.tree.current;
    const shown = model.beginShowing(node);
    this.save();
    const waitingTimer = setTimeout(() => !model.isOutdated(shown) && this.renderWaiting(), 400);
    const state = await stateOf(model.tree, node).finally(() => clearTimeout(waitingTimer));
    if (model.isOutdated(shown)) return;
    model.finishShowing(state);
    this.hints.clear();
    this.showMessage('');
    const animation = { stop: new AbortController(), queuedCell: null };
    this.animation = animation;
    this.moveList.render(); // before the animation
    if (moved && forward && !played)
      await animateMove(this.board, state, () => model.isOutdated(shown), animation.stop.signal);
    if (model.isOutdated(shown)) return;
    this.animation = null;
    model.setMarks(state.cells);
    this.board.show(model.marks, moved);
    if (forward && node.move) this.announcer.textContent = moveAnnouncement(state, node.move);
    if (this.mode.canAct()) this.input.begin(state);
    const result = this.result();
    if (result) this.mode.onResult(result, forward);
    this.render();
    this.mode.onShown();
    if (animation.queuedCell) this.input.click(animation.queuedCell);
  }

  // Show the position of the game, without animation.
  async refresh() {
    await this.show(this.tree.current, { moved: false });
  }

  // ---- input -------------------------------------------------------------------------------

  /**
   * @param {string} turn
   * @param {boolean} played whether the board already shows it
   */
  onMoveEntered(turn, played) {
    dismissNotice();
    this.mode.onMove(turn, played);
  }

  onInputChange() {
    const { moveInput } = this;
    if (!moveInput) return;
    this.showMarks(moveInput.marks, moveInput.last);
    this.showMessage('');
    this.hints.followInput();
    this.render();
  }

  /** @param {string} cell */
  onIdleClick(cell) {
    if (this.animation) {
      this.animation.queuedCell = cell;
      this.animation.stop.abort();
    } else if (this.mode.idle) this.mode.idle.click(cell);
    else this.showMessage(this.mode.waitingReason());
  }

  // Let the player enter no move at this position.
  disableInput() {
    this.input.stop();
    this.render();
  }

  // Undo the steps of the move being entered.
  resetInput() {
    this.moveInput?.reset();
    this.showMarks(this.state.cells);
  }

  /**
   * Play a typed move; return whether it is legal. If it is only the beginning of some moves, the player
   * can choose one of them.
   *
   * @param {string} text
   */
  async playTypedMove(text) {
    const turn = standardNotation(this.tree.game, text.trim());
    if (!turn) return false;
    if (!this.mode.canAct()) {
      this.showMessage(this.mode.waitingReason());
      return false;
    }
    try {
      const node = this.tree.current;
      const state = await request('play', { ...this.tree.request, turn });
      if (node !== this.tree.current) return false;
      this.showMarks(state.cells, null, false);
      node.addMove(turn).setState(state);
      this.onMoveEntered(turn, false);
      return true;
    } catch (error) {
      this.showError(error);
      if (error instanceof RequestError && ['turn-unfinished', 'turn-ambiguous'].includes(error.key))
        this.promptBox.showChoices(
          movesIn(error.details.turns),
          (move) => this.playTypedMove(move),
          (move) => typedMoveLabel(this.tree.game, move),
        );
      return false;
    }
  }

  /** @param {GameNode | null | undefined} node */
  go(node) {
    const { current: at } = this.tree;
    if (node && node !== at) this.show(node, { moved: node.parent === at || at.parent === node });
  }

  flip() {
    this.tree.flip();
    this.board.flip(this.tree.flipped);
    this.save();
    this.render();
  }

  save() {
    this.mode.save();
  }

  // ---- messages ----------------------------------------------------------------------------

  /** @param {unknown} error */
  showError(error) {
    if (error instanceof Error && error.name !== 'AbortError') this.showMessage(error.message);
  }

  /** @param {string} text */
  showMessage(text) {
    this.promptBox.showMessage(text);
  }

  /** @param {string} text for screen readers */
  announce(text) {
    this.announcer.textContent = text;
  }

  // ---- drawing -----------------------------------------------------------------------------

  // Show that a response is pending.
  renderWaiting() {
    this.renderPrompt();
    this.moveList.render();
  }

  render() {
    this.renderBoard();
    this.playerBars.render();
    this.renderPrompt();
    const buttons = this.mode.actionButtons();
    if (buttons) this.actionButtons.show(buttons);
    this.moveList.render();
    this.mode.onRender();
  }

  renderPrompt() {
    const { mode, moveInput, board, state } = this;
    const question = moveInput?.nodes.length && movePrompt(this.model, this.names, moveInput, this.hints);
    const buttons = moveInput ? moveInputButtons(state.game, moveInput, board) : [];
    this.promptBox.render(
      {
        prompt: mode.prompt() ?? (question || null),
        ending: mode.ending(),
        buttons: [...buttons, ...mode.promptButtons()],
        moveInput,
      },
      board,
    );
  }

  /**
   * @param {Marks} marks
   * @param {Api.StepDescription | null} [step] the step that led to them
   * @param {boolean} [moved]
   */
  showMarks(marks, step = null, moved = true) {
    this.model.setMarks(marks);
    this.board.show(marks, moved, step);
  }

  renderBoard() {
    const view = positionView(this.state, this.moveInput, this.result() !== null);
    const { arrows } = this.hints;
    if (arrows) view.arrows = arrows;
    this.board.mark(this.mode.decorate(view));
    this.board.element.classList.toggle('coordinates', settings.get('coordinates', true));
  }
}

/**
 * Store a game in the browser, and show it in the address.
 *
 * @param {GameTree} tree
 */
export function storeGame(tree) {
  if (tree.current !== tree.root || tree.root.children.length || savedGames.get(tree.id)) {
    savedGames.put(JSON.parse(JSON.stringify(tree)));
  }
  history.replaceState({ id: tree.id }, '', addressOf(tree));
}
