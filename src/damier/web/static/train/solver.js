// Mode of a table on which the player solves puzzles: the computer replies, shows why a wrong move fails,
// and shows the solution.

import { lastCells } from '../board/frames.js';
import { button, h, wait } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { gameName, t } from '../core/i18n.js';
import { playSound } from '../core/sound.js';
import { nextStepText, remainingSteps, stepCells } from '../play/hints.js';
import { commonShortcut } from '../play/keyboard.js';
import { navigationButtons } from '../play/move-list.js';
import { loadGame, Table } from '../play/table.js';
import { arrowsOf } from '../study/value-text.js';

/** @import { View } from '../board/board.js' */
/** @import { Actions } from '../main.js' */
/** @import { GameNode } from '../core/game-tree.js' */
/** @import { Prompt } from '../play/prompt-text.js' */
/** @import { TableMode } from '../play/table.js' */

/**
 * @typedef {object} Verdict The judgement of the moves so far.
 * @property {boolean} right
 * @property {boolean} solved
 * @property {string | null} reply
 * @property {string[]} punishment the best replies to a wrong move
 * @property {string} said
 */

/**
 * @typedef {object} Puzzle A puzzle with the functions that judge it.
 * @property {string} game
 * @property {string} id
 * @property {Record<string, string>} options
 * @property {string | null} start
 * @property {string[]} turns moves played before the puzzle begins
 * @property {'w' | 'b'} side
 * @property {string} task
 * @property {number} image
 * @property {number} images
 * @property {number | null} points
 * @property {string[]} tags its kind and themes
 * @property {(turns: string[]) => Promise<Verdict>} attempt
 * @property {(turns: string[]) => Promise<Api.ActionDescription[]>} hint the steps of the right move
 * @property {() => Promise<string[]>} solution
 */

/**
 * @typedef {object} SolverListeners
 * @property {(right: boolean, usedHint: boolean) => void} onAttempt called once per puzzle
 * @property {() => void} onOver called when the board has come to rest
 * @property {() => void} onNext called when the player asks for another puzzle
 * @property {() => HTMLElement[] | null} extraButtons buttons that replace the usual ones
 * @property {() => void} onShare
 */

/** @typedef {'solving' | 'judging' | 'punishing' | 'wrong' | 'showing' | 'done'} Phase */

const PACE_MS = 650; // between two moves of a line played on the board

/**
 * Return the game tree of a puzzle.
 *
 * @param {Puzzle} puzzle
 */
const puzzleTree = ({ game, options, start, turns, side }) =>
  new GameTree({ game, options, start, mode: 'study', flipped: side === 'b' }).addMoves(turns, null);

/** @implements {TableMode} */
export class PuzzleSolver {
  kind = 'train';

  /**
   * @param {Table} table
   * @param {Puzzle} puzzle
   * @param {SolverListeners} listeners
   */
  constructor(table, puzzle, listeners) {
    this.table = table;
    this.puzzle = puzzle;
    this.listeners = listeners;
    /** @type {Phase} */
    this.phase = 'solving';
    /** @type {{ kind: 'right' | 'wrong' | 'shown', head: string, text: string } | null} */
    this.feedback = null;
    /** @type {{ cell: string, right: boolean } | null} */
    this.badge = null; // on the pawn that was moved
    /** @type {{ steps: Api.ActionDescription[], isWhole: boolean } | null} */
    this.hint = null; // first the pawn, then also where it goes
    this.usedHint = false;
    this.isReported = false; // whether the result was passed to the listener
    this.hasOneAttempt = false; // a wrong move ends the puzzle
    this.skipsPunishment = false; // a wrong move is not answered on the board
    /** @type {GameNode | null} */
    this.retryNode = null; // the position before a wrong move
    this.playback = new AbortController(); // stops the line being played on the board
    this.title = h('h1', { class: 'visually-hidden' });
    this.info = h('section', { class: 'info', 'aria-label': t('train.title') });
    this.runBox = h('div', { class: 'run', hidden: true });
    this.task = h('h2', { class: 'task' });
    this.about = h('p', { class: 'about' });
    this.verdict = h('div', { class: 'verdict', role: 'status' });
    this.promptParts = { above: [this.runBox, this.task, this.about], below: [this.verdict] };
    const next = (/** @type {string} */ cls) =>
      button(t('train.next'), 'next', () => listeners.onNext(), { cls });
    const retry = button(t('action.try-again'), 'restart', () => this.retry(), { cls: 'main retry' });
    this.after = { done: [next('main next')], wrong: [retry, next('next')] };
    const analyse = () => table.actions.analyse(table);
    this.tools = {
      hint: button(t('action.hint'), 'hint', () => this.showHint(), { cls: 'hint' }),
      solution: button(t('train.solution'), 'check', () => this.showSolution(), { cls: 'solution' }),
      analyse: button(t('action.analyse'), 'chart', analyse, { cls: 'analyse' }),
      share: button(t('action.share'), 'share', () => listeners.onShare(), { cls: 'share' }),
    };
    // Shown after the puzzle.
    this.navigation = navigationButtons(
      table.model,
      (node) => table.go(node),
      (node) => node.children.at(-1),
    );
  }

  layout() {
    const { title, info, navigation, table } = this;
    const { stage, promptBox, actionButtons, announcer } = table;
    return [title, stage, promptBox.element, actionButtons.element, navigation.element, info, announcer];
  }

  get element() {
    return this.table.element;
  }

  /**
   * Choose how puzzles are solved in a run.
   *
   * @param {{ hasOneAttempt: boolean, skipsPunishment: boolean }} how
   */
  configure({ hasOneAttempt, skipsPunishment }) {
    this.hasOneAttempt = hasOneAttempt;
    this.skipsPunishment = skipsPunishment;
  }

  /** @param {Puzzle} puzzle */
  async showPuzzle(puzzle) {
    this.playback.abort();
    this.puzzle = puzzle;
    this.table.input.stop();
    const loaded = await loadGame(puzzleTree(puzzle));
    if (puzzle !== this.puzzle) return;
    this.table.setGame(loaded);
    await this.start();
  }

  // Show the position of the puzzle and let the player move.
  async start() {
    const { puzzle, table } = this;
    this.phase = 'solving';
    this.feedback = this.badge = this.retryNode = this.hint = null;
    this.usedHint = this.isReported = false;
    this.title.textContent = `${t('train.title')} · ${gameName(puzzle.game)}`;
    const { element, board } = table;
    const hadFocus =
      !!element.querySelector('.prompt-box :focus') || document.activeElement === document.body;
    await table.refresh();
    table.announce(puzzle.task);
    if (hadFocus && element.isConnected) board.button(board.tabCell).focus({ preventScroll: true });
  }

  interrupt() {}

  leave() {
    this.playback.abort();
  }

  save() {} // only the result of a puzzle is stored

  outcome() {
    return null;
  }

  canAct() {
    return this.phase === 'solving' && !this.table.model.isPending && !this.table.result();
  }

  // The moves played since the puzzle began.
  get path() {
    return this.table.tree.current.path.slice(this.puzzle.turns.length);
  }

  waitingReason() {
    return this.phase === 'done' || this.phase === 'wrong' ? t('train.over') : t('ask.busy');
  }

  // ---- judging -----------------------------------------------------------------------------

  /** @param {string} turn */
  async onMove(turn) {
    const { puzzle, table } = this;
    const from = table.tree.current;
    this.phase = 'judging';
    this.feedback = null;
    const node = from.addMove(turn);
    const path = [...this.path, turn];
    try {
      const [verdict] = await Promise.all([puzzle.attempt(path), table.show(node, { played: true })]);
      if (puzzle !== this.puzzle || this.phase !== 'judging') return;
      const { last } = table.state;
      const pawns = lastCells(last).filter((cell) => table.model.marks[cell]);
      const { right } = verdict;
      this.badge = { cell: last.findLast(({ target }) => target)?.target ?? pawns[0], right };
      if (!right) await this.showPunishment(verdict, node, from);
      else if (verdict.solved || !verdict.reply) this.onSolved(verdict.said);
      else await this.playReply(verdict.said, node.addMove(verdict.reply));
    } catch (error) {
      if (puzzle !== this.puzzle) return;
      table.showError(error);
      this.phase = 'solving';
      await table.show(from, { moved: false });
    }
  }

  /**
   * @param {string} text
   * @param {GameNode} reply
   */
  async playReply(text, reply) {
    const { puzzle } = this;
    this.feedback = { kind: 'right', head: text, text: t('train.continue') };
    this.table.render();
    await wait(PACE_MS / 2);
    if (puzzle !== this.puzzle || this.phase !== 'judging') return;
    this.phase = 'solving';
    this.badge = this.hint = null;
    await this.table.show(reply);
  }

  /** @param {string} text */
  onSolved(text) {
    this.phase = 'done';
    this.feedback = { kind: 'right', head: text, text: this.isReported ? t('train.not-rated') : '' };
    playSound('end');
    this.report(true);
    this.table.render();
    this.listeners.onOver();
  }

  /**
   * @param {Verdict} verdict
   * @param {GameNode} node
   * @param {GameNode} from
   */
  async showPunishment({ punishment, said }, node, from) {
    this.phase = 'punishing';
    this.retryNode = from;
    this.feedback = { kind: 'wrong', head: said, text: punishment.length ? t('train.punished') : '' };
    playSound('no');
    this.report(false);
    this.table.render();
    if (!this.skipsPunishment && !(await this.playOut(node, punishment))) return;
    this.phase = 'wrong';
    this.feedback.text = this.hasOneAttempt ? '' : t('train.retry');
    this.table.render();
    this.listeners.onOver();
  }

  /** @param {boolean} right */
  report(right) {
    if (this.isReported) return;
    this.isReported = true;
    this.listeners.onAttempt(right, this.usedHint);
  }

  /**
   * Play moves on the board; return false if interrupted.
   *
   * @param {GameNode} from
   * @param {string[]} turns
   */
  async playOut(from, turns) {
    this.playback.abort();
    this.playback = new AbortController();
    const { signal } = this.playback;
    let node = from;
    for (const turn of turns) {
      await wait(PACE_MS, signal);
      if (signal.aborted) return false;
      node = node.addMove(turn);
      this.badge = null;
      await this.table.show(node);
    }
    return !signal.aborted;
  }

  // End the puzzle when time is up.
  finish() {
    this.playback.abort();
    this.phase = 'done';
    this.feedback = null;
    this.table.showMarks(this.table.state.cells, null, false);
    this.table.disableInput();
  }

  // ---- player actions ----------------------------------------------------------------------

  async retry() {
    if (!this.retryNode) return;
    this.playback.abort();
    this.phase = 'solving';
    this.feedback = this.badge = this.hint = null;
    await this.table.show(this.retryNode, { moved: false });
  }

  async showHint() {
    if (this.phase !== 'solving' || this.hasOneAttempt) return;
    const { puzzle } = this;
    this.usedHint = true;
    try {
      const steps = this.hint?.steps ?? (await puzzle.hint(this.path));
      if (puzzle !== this.puzzle || this.phase !== 'solving') return;
      this.hint = { steps, isWhole: this.hint !== null };
      this.table.resetInput();
      this.table.render();
    } catch (error) {
      this.table.showError(error);
    }
  }

  async showSolution() {
    const { puzzle } = this;
    const { tree } = this.table;
    if (this.phase === 'judging' || this.phase === 'showing') return;
    this.report(false);
    try {
      const line = await puzzle.solution();
      if (puzzle !== this.puzzle) return;
      this.playback.abort();
      this.phase = 'showing';
      this.badge = this.hint = null;
      this.feedback = { kind: 'shown', head: t('train.solution.head'), text: line.join('  ') };
      const begin = tree.root.line.concat(tree.current.line).find(({ ply }) => ply === puzzle.turns.length);
      await this.table.show(begin ?? tree.root, { moved: false });
      if (!(await this.playOut(tree.current, line))) return;
      this.phase = 'done';
      this.table.render();
      this.listeners.onOver();
    } catch (error) {
      this.table.showError(error);
    }
  }

  onResult() {}

  onShown() {}

  // ---- keyboard and rendering --------------------------------------------------------------

  cancel() {
    return false;
  }

  enterAction() {
    const { mainButton } = this.table.promptBox;
    if (mainButton) return () => mainButton.click();
    return this.table.moveInput?.end ? () => this.table.input.endMove() : null;
  }

  /** @param {string} key */
  shortcut(key) {
    const own = new Map([
      ['h', () => this.showHint()],
      ['s', () => this.showSolution()],
      ['n', () => (this.isReported ? this.listeners.onNext() : this.showSolution())],
    ]);
    const looking = this.phase === 'done' || this.phase === 'wrong';
    const moves = looking || key === 'ArrowUp' || key === 'ArrowDown' || key === 'f';
    return own.get(key) ?? (moves && !'hunt'.includes(key) ? commonShortcut(this.table, key) : undefined);
  }

  /** @returns {Prompt | null} */
  prompt() {
    const { remaining } = this;
    const [next] = remaining;
    if (!this.hint || !next) return null;
    if (this.table.moveInput?.begun) return { text: nextStepText(remaining) };
    if (this.hint.isWhole) return { text: t('train.hint.move', { move: stepCells(next) }) };
    return { text: t('train.hint.pawn', { cell: next.origin ?? next.target }) };
  }

  // The steps of the hint still to be entered.
  get remaining() {
    const { moveInput } = this.table;
    return (this.hint && moveInput && remainingSteps(this.hint.steps, moveInput)) || [];
  }

  ending() {
    return /** @type {const} */ ('');
  }

  // The buttons are reused, so that they keep the focus.
  promptButtons() {
    const extra = this.listeners.extraButtons();
    if (extra) return extra;
    const { phase } = this;
    if (phase === 'showing' || phase === 'done') return this.after.done;
    return phase === 'punishing' || phase === 'wrong' ? this.after.wrong : [];
  }

  actionButtons() {
    return Object.values(this.tools);
  }

  onRender() {
    const { phase, hint, tools, navigation } = this;
    this.renderTask();
    tools.hint.toggleAttribute('disabled', phase !== 'solving' || !!hint?.isWhole);
    tools.solution.toggleAttribute('disabled', phase === 'showing' || phase === 'done');
    tools.analyse.toggleAttribute('disabled', !this.isReported); // analysis would give the solution away
    navigation.element.hidden = phase !== 'done';
    navigation.render();
  }

  // Render the prompt box after a change in a run.
  renderPrompt() {
    this.table.renderPrompt();
    this.renderTask();
  }

  // Show the task and the feedback on the last move.
  renderTask() {
    const { phase, puzzle, feedback, verdict } = this;
    const { prompt, element } = this.table.promptBox;
    prompt.hidden = phase !== 'solving' || !!feedback;
    this.task.replaceChildren(h('span', { class: `dot ${puzzle.side}` }), puzzle.task);
    element.dataset.kind = feedback?.kind ?? '';
    const words = feedback ? `${feedback.head} ${feedback.text}` : '';
    if (verdict.textContent === words) return;
    verdict.replaceChildren(...(feedback ? [h('strong', {}, feedback.head), ` ${feedback.text}`] : []));
  }

  /**
   * @param {View} view
   * @returns {View}
   */
  decorate(view) {
    const { badge, hint, remaining } = this;
    const [next] = remaining;
    const shown = { ...view };
    if (badge) {
      const { cell, right } = badge;
      shown.values = [{ cell, kind: right ? 'win' : 'loss', text: right ? '✓' : '✗', rank: 'best' }];
    }
    const cell = next?.origin ?? next?.target;
    if (hint?.isWhole || this.table.moveInput?.begun) shown.arrows = arrowsOf(remaining.slice(0, 1), 'best');
    else if (cell) shown.arrows = [{ from: cell, to: cell, kind: 'best' }];
    return shown;
  }
}

/**
 * Open a table that poses a puzzle.
 *
 * @param {Puzzle} puzzle
 * @param {Actions} actions
 * @param {SolverListeners} listeners
 */
export async function openPuzzleSolver(puzzle, actions, listeners) {
  const loaded = await loadGame(puzzleTree(puzzle));
  const table = new Table(loaded, actions, (table) => new PuzzleSolver(table, puzzle, listeners));
  return table.mode;
}
