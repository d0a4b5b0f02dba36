// Review of the player's mistakes: each becomes a puzzle at the position where it was made. The table
// or search that found the mistake judges the player's move, and replies to a worse one on the board.

import { request } from '../core/api.js';
import { button, h, loadStyleSheet, prefersReducedMotion, wait } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { remainingSteps } from '../play/hints.js';
import { ownMistakeStore } from '../train/own-mistakes.js';
import { explanationText, requestExplanation } from './explanation.js';
import { expectedScore, scoreLoss } from './mistake-finder.js';
import { mistakePrompt } from './mistake-prompts.js';
import { arrowsOf } from './value-text.js';

/** @import { Arrow } from '../board/board.js' */
/** @import { Mistake } from './mistake-finder.js' */
/** @import { Prompt } from '../play/prompt-text.js' */
/** @import { OwnMistake } from '../train/own-mistakes.js' */
/** @import { AnalysisPanel } from './analysis.js' */
/** @import { GameNode, Values } from '../core/game-tree.js' */

/** @typedef {'open' | 'found' | 'hinted' | 'shown' | 'skipped'} PuzzleOutcome How a puzzle ended. */
/** @typedef {'find' | 'judging' | 'found' | 'near' | 'wrong' | 'solution' | 'why' | 'end'} ReviewStage */

const MOVE_INTERVAL_MS = 850; // between two moves of a line
const MAX_DECIDED_MOVES = 8; // shown of a line that wins or loses
const MAX_REPLY_MOVES = 3; // shown of other lines
const RECHECK_SECONDS = 2; // of a second search, before an estimate rejects a move
const MAX_ACCEPTED_MOVES = 50;
const REPLY_SECONDS = 0.5; // of search for the reply to a move

/**
 * Tell whether a move solves the puzzle: it is not a mistake itself or, in a lost position, it holds
 * out longer.
 *
 * @param {Mistake} fault
 * @param {Api.MoveAnalysis} value
 */
export const isRight = ({ kind, played }, value) =>
  kind === 'late'
    ? value.outcome !== 'loss' || (value.distance ?? Infinity) > (played.distance ?? 0)
    : !value.fault;

/** Puzzles made of the player's mistakes in one game. */
export class MistakeReview {
  /**
   * @param {AnalysisPanel} panel
   * @param {Mistake[]} faults the player's, in the order in which they are practised
   */
  constructor(panel, faults) {
    this.analysis = panel;
    this.table = panel.table;
    this.puzzles = faults.map((fault) => ({ fault, done: /** @type {PuzzleOutcome} */ ('open'), hints: 0 }));
    this.at = 0;
    /** @type {ReviewStage} */
    this.stage = 'find';
    /** @type {GameNode | null} */
    this.shownNode = null; // a position shown without asking for a move
    /** @type {Api.MoveAnalysis | null} */
    this.tried = null;
    /** @type {{ turn: string, text: string } | null} */
    this.explanation = null;
    /** @type {AbortController | null} */
    this.playback = null; // stops the line being played on the board
    this.gameNodes = new Set(allNodes(this.table.tree.root)); // other nodes are tried moves and are removed
    this.list = h('ol', { 'aria-label': t('mistakes.list') });
    const stop = button(t('mistakes.stop'), 'cross', () => this.end(), { cls: 'quiet stop' });
    const head = h('div', { class: 'row' }, h('h3', {}, t('mistakes.learn')), stop);
    this.element = h('section', { class: 'puzzles' }, head, this.list);
  }

  get puzzle() {
    return this.puzzles[this.at];
  }

  get hints() {
    return this.puzzle.hints;
  }

  get mistake() {
    return this.puzzle.fault;
  }

  get values() {
    return /** @type {Values} */ (this.mistake.before.values);
  }

  get best() {
    return this.values.turns[0];
  }

  // Whether a line is shown, in which the player does not move.
  get isShowingLine() {
    return this.table.tree.current === this.shownNode;
  }

  // Whether the player has moved to another position of the game.
  get isAway() {
    const { current: at } = this.table.tree;
    return (
      this.stage !== 'end' && this.stage !== 'judging' && at !== this.shownNode && at !== this.mistake.before
    );
  }

  // ---- navigation --------------------------------------------------------------------------

  async begin() {
    await loadStyleSheet('mistakes.css');
    const { table, analysis: panel } = this;
    table.element.classList.add('learning');
    panel.reviewed.before(this.element);
    if (this.puzzles.length) await this.openPuzzle(0);
    else this.finish();
    scrollTo(0, 0); // on a phone the button was far below the prompt
    this.focusMain();
  }

  /** @param {number} number */
  async openPuzzle(number) {
    this.at = number;
    await this.retry();
  }

  // Show the position before the mistake again.
  async retry() {
    this.goBack();
    await this.table.show(this.mistake.before, { moved: false });
  }

  // Go back to the position before the mistake and remove tried moves.
  goBack() {
    this.playback?.abort();
    this.playback = this.shownNode = this.tried = null;
    this.stage = 'find';
    this.table.tree.goTo(this.mistake.before);
    this.removeTriedMoves();
  }

  // Start playing a line; return the signal that stops it.
  startPlayback() {
    this.playback?.abort();
    this.playback = new AbortController();
    return this.playback.signal;
  }

  removeTriedMoves() {
    for (const node of allNodes(this.table.tree.root)) if (!this.gameNodes.has(node)) node.remove();
  }

  async next() {
    if (this.puzzle.done === 'open') this.puzzle.done = 'skipped';
    if (this.at + 1 < this.puzzles.length) await this.openPuzzle(this.at + 1);
    else this.finish();
    this.focusMain();
  }

  finish() {
    this.playback?.abort();
    this.playback = null;
    this.stage = 'end';
    this.disableInput();
    this.focusMain();
  }

  // Return to the review of the whole game.
  async end() {
    const { analysis: panel, table } = this;
    this.leave();
    panel.renderMistakes(panel.mistakes ?? []);
    const to = this.puzzles.length ? this.mistake.before : table.tree.current;
    await table.show(to, { moved: false });
    const learn = panel.reviewed.querySelector('.learn');
    if (learn instanceof HTMLElement) learn.focus({ preventScroll: true });
  }

  leave() {
    const { analysis: panel, table } = this;
    this.playback?.abort();
    panel.endPractice();
    this.element.remove();
    table.element.classList.remove('learning');
    if (this.puzzles.length) table.tree.goTo(this.mistake.before);
    this.removeTriedMoves();
  }

  // ---- moves of the player -----------------------------------------------------------------

  // React to a new position on the board.
  positionChanged() {
    const { current: at } = this.table.tree;
    if (this.playback && at !== this.shownNode) {
      this.playback.abort(); // the player has moved to another position
      this.playback = null;
    }
    if (this.playback) this.render();
    else this.showNode(at);
  }

  /** @param {GameNode} at the position shown */
  showNode(at) {
    if (this.puzzles.length && at === this.mistake.before && this.stage !== 'end') {
      this.stage = 'find';
      this.shownNode = null;
    } else if (at.parent && at.parent === this.puzzles[this.at]?.fault.before && this.stage === 'find') {
      this.judge(at).catch((error) => this.retry().then(() => this.table.showError(error)));
      return;
    }
    this.render();
  }

  /** @param {GameNode} node after the player's move */
  async judge(node) {
    const { table, mistake: fault, puzzle } = this;
    const signal = this.startPlayback();
    this.stage = 'judging';
    this.disableInput(node);
    let tried = this.valueOf(node.move);
    const isJudged = !tried || isRight(fault, tried) || (tried.outcome && this.best.outcome);
    if (!isJudged && this.values.seconds < RECHECK_SECONDS) {
      const found = await request('analysis', {
        ...table.tree.requestAt(fault.before),
        seconds: RECHECK_SECONDS,
      });
      fault.before.setValues({ ...found, seconds: RECHECK_SECONDS });
      tried = this.valueOf(node.move);
    }
    if (signal.aborted || !tried) return;
    this.tried = tried;
    const given = this.valueOf(fault.node.move) ?? fault.played;
    if (isRight(fault, tried)) {
      this.stage = 'found';
      if (puzzle.done === 'open' || puzzle.done === 'skipped') puzzle.done = this.hints ? 'hinted' : 'found';
    } else this.stage = expectedScore(tried) > expectedScore(given) ? 'near' : 'wrong';
    this.disableInput(node);
    if (this.stage === 'wrong') {
      this.explain(tried.turn);
      await this.playOut(node, tried, signal);
    }
    if (!signal.aborted) this.finishPlayback();
  }

  // End the line being played.
  finishPlayback() {
    this.playback = null;
    this.focusMain();
  }

  /** @param {string} turn */
  valueOf(turn) {
    return this.values.turns.find((value) => value.turn === turn) ?? null;
  }

  /**
   * Return the best replies to a move.
   *
   * @param {GameNode} node after it
   * @param {Api.MoveAnalysis} value
   */
  async repliesTo(node, value) {
    if (value.line.length > 1) return value.line.slice(1);
    const { tree } = this.table;
    if (value.distance === 1) return []; // the game is over
    const values = node.values ?? {
      ...(await request('analysis', { ...tree.requestAt(node), seconds: REPLY_SECONDS })),
      seconds: REPLY_SECONDS,
    };
    node.setValues(values);
    return values.turns[0].line;
  }

  /**
   * Show a position without asking for a move.
   *
   * @param {GameNode} [node]
   */
  disableInput(node = this.table.tree.current) {
    this.shownNode = node;
    this.table.disableInput();
    this.render();
  }

  /**
   * Play the replies to a move on the board.
   *
   * @param {GameNode} from after it
   * @param {Api.MoveAnalysis} value of it
   * @param {AbortSignal} signal
   */
  async playOut(from, value, signal) {
    const turns = await this.repliesTo(from, value);
    const decided = value.outcome === 'win' || value.outcome === 'loss';
    let node = from;
    for (const turn of turns.slice(0, decided ? MAX_DECIDED_MOVES : MAX_REPLY_MOVES)) {
      await wait(prefersReducedMotion() ? 60 : MOVE_INTERVAL_MS, signal);
      if (signal.aborted) return;
      node = node.addMove(turn);
      this.shownNode = node;
      await this.table.show(node);
    }
  }

  /**
   * Show a line from the position before the mistake.
   *
   * @param {'solution' | 'why'} stage
   * @param {Api.MoveAnalysis} value of its first turn
   */
  async show(stage, value) {
    const { table, mistake: fault } = this;
    this.goBack();
    const signal = this.startPlayback();
    this.stage = stage;
    this.shownNode = fault.before;
    await table.show(fault.before, { moved: false });
    if (signal.aborted) return;
    const node = fault.before.addMove(value.turn);
    this.shownNode = node;
    await table.show(node);
    await this.playOut(node, value, signal);
    if (!signal.aborted) this.finishPlayback();
  }

  solution() {
    if (this.puzzle.done !== 'found' && this.puzzle.done !== 'hinted') this.puzzle.done = 'shown';
    return this.show('solution', this.best);
  }

  why() {
    const played = this.valueOf(this.mistake.node.move) ?? this.mistake.played;
    this.explain(played.turn);
    return this.show('why', played);
  }

  /**
   * Request the explanation of a move and show it beside the verdict.
   *
   * @param {string} turn
   */
  async explain(turn) {
    const { table, mistake: fault } = this;
    try {
      const found = await requestExplanation(table.tree.requestAt(fault.before), turn);
      this.explanation = { turn, text: explanationText(found) };
      table.render();
    } catch (error) {
      table.showError(error);
    }
  }

  // Show a hint: first the value that can be reached and the pawn that moves, then every part of the move.
  hint() {
    const { table } = this;
    if (this.stage !== 'find' || this.isAway) return;
    this.puzzle.hints = Math.min(2, this.hints + 1);
    // A move that begins otherwise is undone, so that the hint can be followed.
    if (!this.remaining.length) table.resetInput();
    else if (!table.moveInput?.begun) table.moveInput?.deselect();
    table.render();
  }

  // ---- training ----------------------------------------------------------------------------

  /**
   * @param {Mistake} fault
   * @returns {OwnMistake}
   */
  toOwnMistake(fault) {
    const { game, options, start } = this.table.tree;
    const { turns } = /** @type {Values} */ (fault.before.values);
    const [best] = turns;
    const { turn, line, outcome, distance, chance } = best;
    const good = turns.filter((value) => isRight(fault, value)).map((value) => value.turn);
    return {
      ...{ game, options, start, turns: fault.before.path, side: fault.side, played: fault.node.move },
      ...{
        best: turn,
        good: good.slice(0, MAX_ACCEPTED_MOVES),
        line: line.length ? line : [turn],
        kind: fault.kind,
      },
      value: { outcome, distance, chance },
      loss: scoreLoss(fault),
      date: Date.now(),
    };
  }

  /** @param {Mistake[]} faults */
  addToTraining(faults) {
    ownMistakeStore.add(faults.map((fault) => this.toOwnMistake(fault)));
    this.table.render();
    this.render();
    this.focusMain();
  }

  // The mistakes not solved without help and not yet in training.
  get notInTraining() {
    const left = this.puzzles.filter(({ done }) => done !== 'found').map(({ fault }) => fault);
    return left.filter((fault) => !ownMistakeStore.has(this.toOwnMistake(fault)));
  }

  // ---- texts and buttons -------------------------------------------------------------------

  /** @returns {Arrow[]} */
  get arrows() {
    const { moveInput, tree } = this.table;
    if (this.stage !== 'find' || tree.current !== this.mistake.before || moveInput?.choice) return [];
    const [next] = this.remaining;
    if (this.hints > 1 && (moveInput?.begun || moveInput?.from)) return next ? arrowsOf([next], 'best') : [];
    if (moveInput?.begun || moveInput?.from) return [];
    const { pawn } = this;
    const ring = pawn ? [{ from: pawn, to: pawn, kind: 'best' }] : [];
    const light = this.hints > 1 ? arrowsOf([next], 'best') : this.hints ? ring : [];
    return [...arrowsOf(this.mistake.played.steps, 'worse'), ...light];
  }

  // The cell of the pawn that the best move begins with; null if that move begins on an empty cell.
  get pawn() {
    const [{ origin }] = this.best.steps;
    return origin && this.table.state.cells[origin] ? origin : null;
  }

  // The steps of the best move still to be entered; none if the player has entered others.
  get remaining() {
    const { moveInput } = this.table;
    return (moveInput && remainingSteps(this.best.steps, moveInput)) || [];
  }

  /**
   * Return the text in place of the prompt; null while the player enters a move.
   *
   * @returns {Prompt | null}
   */
  prompt() {
    return mistakePrompt(this);
  }

  // Return the buttons below the prompt.
  buttons() {
    /** @type {(key: string, icon: string, action: () => void, cls?: string) => HTMLButtonElement} */
    const add = (key, icon, action, cls = '') =>
      button(t(`mistakes.${key}`), icon, action, { cls: `${cls} to-${key}` });
    /** @type {(key: string, icon: string, action: () => void) => HTMLButtonElement} */
    const main = (key, icon, action) => add(key, icon, action, 'main');
    const last = this.at + 1 >= this.puzzles.length;
    const next = () => main(last ? 'finish' : 'next', 'next', () => this.next());
    const solution = () => add('view', 'check', () => this.solution());
    if (this.stage === 'end') return this.summaryButtons();
    if (this.isAway) return [main('back', 'restart', () => this.retry())];
    if (this.stage === 'judging') return [];
    if (this.stage === 'find') {
      const hint = button(t('action.hint'), 'hint', () => this.hint(), { cls: 'to-hint' });
      const skip = add('skip', 'next', () => this.next());
      return [
        ...(this.hints < 2 || !this.remaining.length ? [hint] : []),
        add('fails', 'play', () => this.why()),
        solution(),
        skip,
      ];
    }
    const retry = () => this.retry().then(() => this.table.board.focus(this.table.board.tabCell));
    if (this.stage === 'wrong' || this.stage === 'near')
      return [main('retry', 'restart', retry), solution(), add('skip', 'next', () => this.next())];
    if (this.stage === 'why') return [main('retry', 'restart', retry), solution()];
    return [next(), this.trainingButton()];
  }

  trainingButton() {
    const { mistake: fault } = this;
    const sent = ownMistakeStore.has(this.toOwnMistake(fault));
    const sendButton = button(t(sent ? 'mistakes.sent' : 'mistakes.send'), sent ? 'check' : 'plus', () =>
      sent ? this.removeFromTraining(fault) : this.addToTraining([fault]),
    );
    sendButton.classList.add('send');
    sendButton.setAttribute('aria-pressed', String(sent));
    return sendButton;
  }

  /** @param {Mistake} fault */
  removeFromTraining(fault) {
    ownMistakeStore.remove(this.toOwnMistake(fault));
    this.table.render();
    this.focusMain();
  }

  summaryButtons() {
    const { notInTraining } = this;
    const count = notInTraining.length;
    const all = button(t('mistakes.send-all', { count }), 'plus', () => this.addToTraining(notInTraining), {
      cls: 'main send',
    });
    const over = () => {
      for (const puzzle of this.puzzles) Object.assign(puzzle, { done: 'open', hints: 0 });
      this.openPuzzle(0);
    };
    const back = button(t('mistakes.review'), 'chart', () => this.end(), { cls: count ? '' : 'main' });
    const again = button(t('mistakes.over'), 'restart', over, { cls: 'over-again' });
    return [...(count ? [all] : []), back, ...(this.puzzles.length ? [again] : [])];
  }

  // Show the list of mistakes and the outcome of each.
  render() {
    const hadFocus = this.list.contains(document.activeElement);
    const chips = this.puzzles.map(({ fault, done }, k) => {
      const details = {
        number: k + 1,
        ply: fault.node.ply,
        turn: fault.node.move,
        done: t(`mistakes.is.${done}`),
      };
      const current = k === this.at && this.stage !== 'end' ? 'step' : null;
      const name = t('mistakes.chip', details);
      const onclick = () => this.openPuzzle(k);
      return h(
        'li',
        {},
        h(
          'button',
          { type: 'button', class: done, 'aria-current': current, 'aria-label': name, title: name, onclick },
          String(k + 1),
        ),
      );
    });
    this.list.replaceChildren(...chips);
    const here = hadFocus && this.list.querySelector('[aria-current]');
    if (here instanceof HTMLElement) here.focus({ preventScroll: true });
  }

  // Focus the main button for keyboard users, unless the focus is elsewhere.
  focusMain() {
    const { promptBox, board, element } = this.table;
    const { activeElement: active } = document;
    const free = !active || active === document.body || active === element;
    if (!free && !promptBox.element.contains(active) && !board.element.contains(active)) return;
    const next = promptBox.element.querySelector('.row .main');
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    else board.focus(board.tabCell);
  }
}

/**
 * Return all nodes of a tree.
 *
 * @param {GameNode} root
 */
function allNodes(root) {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.children);
  return nodes;
}
