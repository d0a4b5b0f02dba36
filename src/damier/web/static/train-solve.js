// A puzzle on the board: every turn is judged, and a wrong one is answered by what punishes it.

import { Asking } from './asking.js';
import { button, h, wait } from './dom.js';
import { lastCells } from './frames.js';
import { nameOf, t } from './i18n.js';
import { shortcut } from './keys.js';
import { Table } from './play.js';
import { renderPrompt } from './prompt.js';
import { sound } from './sound.js';
import { Tale } from './tale.js';
import { pawnsAtFirst } from './tray.js';

/** @import { Actions } from './main.js' */
/** @import { Node } from './tale.js' */

/**
 * @typedef {object} Verdict What is said of the turns so far.
 * @property {boolean} right
 * @property {boolean} solved
 * @property {string | null} reply
 * @property {string[]} punishment the best play after a wrong turn
 * @property {string} said
 */

/**
 * @typedef {object} Posed A puzzle as it is put to the player.
 * @property {string} game
 * @property {string} id
 * @property {Record<string, string>} options
 * @property {string | null} start
 * @property {string[]} turns played before it begins
 * @property {'w' | 'b'} side
 * @property {string} task
 * @property {number} image
 * @property {number} images
 * @property {number | null} points
 * @property {string[]} tags what it is about
 * @property {(turns: string[]) => Promise<Verdict>} attempt
 * @property {(turns: string[]) => Promise<string[]>} hint the cells that the true turn begins with
 * @property {() => Promise<string[]>} solution
 */

/**
 * @typedef {object} Listeners
 * @property {(right: boolean, helped: boolean) => void} tried told once a puzzle
 * @property {() => void} over nothing more happens on the board
 * @property {() => void} next the player wants another
 * @property {(box: Posing) => HTMLElement[] | null} offer other buttons than the usual ones
 */

/** @typedef {'solving' | 'judging' | 'punishing' | 'wrong' | 'showing' | 'done'} Phase */

const PACE_MS = 650; // between the turns of a line that is played out

// What is asked: the task in a line, what was said of the last turn, and the one way on.
export class Posing extends Asking {
  /** @param {Solver} solver */
  constructor(solver) {
    super(solver);
    this.solver = solver;
    this.top = h('div', { class: 'run', hidden: true });
    this.task = h('h2', { class: 'task' });
    this.about = h('p', { class: 'about' });
    this.verdict = h('div', { class: 'verdict', role: 'status' });
    const next = (/** @type {string} */ cls) =>
      button(t('train.next'), 'next', () => solver.listeners.next(), { cls });
    const retry = button(t('action.try-again'), 'restart', () => solver.retry(), { cls: 'main retry' });
    this.after = { done: [next('main next')], wrong: [retry, next('next')] };
    const { top, task, about, prompt, verdict, why, buttons } = this;
    this.element.replaceChildren(top, task, about, prompt, verdict, why, buttons);
  }

  render() {
    const { walker, phase, puzzle, said } = this.solver;
    if (walker?.nodes.length) renderPrompt(this.table, this.prompt);
    this.prompt.hidden = phase !== 'solving' || !!said;
    this.task.replaceChildren(h('span', { class: `dot ${puzzle.side}` }), puzzle.task);
    this.element.dataset.kind = said?.kind ?? '';
    const words = said ? `${said.head} ${said.text}` : '';
    if (this.verdict.textContent !== words) {
      this.verdict.replaceChildren(...(said ? [h('strong', {}, said.head), ` ${said.text}`] : []));
    }
    const ways = this.solver.listeners.offer(this) ?? this.waysOn(phase);
    this.present([...(walker ? this.answers(walker) : []), ...ways]);
  }

  // The same buttons as long as they lead the same ways: a focus on one of them stays.
  /** @param {Phase} phase */
  waysOn(phase) {
    if (phase === 'showing' || phase === 'done') return this.after.done;
    return phase === 'punishing' || phase === 'wrong' ? this.after.wrong : [];
  }
}

export class Solver extends Table {
  /**
   * @param {Actions} actions
   * @param {Listeners} listeners
   */
  constructor(actions, listeners) {
    super(new Tale({ game: '', mode: 'study' }), actions);
    this.listeners = listeners;
    /** @type {Phase} */
    this.phase = 'solving';
    /** @type {{ kind: 'right' | 'wrong' | 'shown', head: string, text: string } | null} */
    this.said = null;
    /** @type {{ cell: string, right: boolean } | null} */
    this.badge = null; // on the pawn that was moved
    /** @type {string[]} */
    this.hinted = [];
    this.helped = false;
    this.told = false; // whether how it went was told
    this.once = false; // nothing can be tried again
    this.hasty = false; // no time to see what punishes a wrong turn
    /** @type {Node | null} */
    this.back = null; // where a wrong turn was played
    this.line = new AbortController(); // ends a line that is played out
    this.puzzle = /** @type {Posed} */ (/** @type {unknown} */ (null)); // see pose()
    this.asking = this.posing = new Posing(this);
    this.title = h('h1', { class: 'unseen' });
    this.info = h('section', { class: 'info', 'aria-label': t('train.title') });
    this.ways = this.newWays();
    const { title, stage, posing, buttons, ways, info, live } = this;
    this.element.className = 'play train';
    this.element.replaceChildren(title, stage, posing.element, buttons, ways, info, live);
  }

  // Through the line, once the puzzle is over.
  newWays() {
    const quiet = { quiet: true };
    return h(
      'div',
      { class: 'ways', hidden: true },
      button(t('moves.first'), 'first', () => this.go(this.tale.root), quiet),
      button(t('moves.prev'), 'prev', () => this.go(this.tale.at.up), quiet),
      button(t('moves.next'), 'next', () => this.go(this.tale.at.kids.at(-1)), quiet),
      button(t('moves.last'), 'last', () => this.go(this.tale.tip), quiet),
    );
  }

  /** @param {Posed} puzzle */
  async pose(puzzle) {
    this.line.abort();
    this.puzzle = puzzle;
    const { game, options, start, turns } = puzzle;
    const tale = new Tale({ game, options, start, mode: 'study' }).follow(turns, null);
    this.tale = tale;
    const state = await this.stateOf(tale.at);
    if (puzzle !== this.puzzle) return;
    tale.flipped = puzzle.side === 'b';
    this.state = state;
    this.begun = await pawnsAtFirst(this, state);
    this.phase = 'solving';
    this.said = this.badge = this.back = null;
    this.hinted = [];
    this.helped = this.told = false;
    this.title.textContent = `${t('train.title')} · ${nameOf(game)}`;
    if (!this.isOn(state)) await this.newBoard(state);
    this.board.flip(tale.flipped);
    const had = !!this.element.querySelector('.ask :focus') || document.activeElement === document.body;
    await this.show(tale.at, { moved: false });
    this.live.textContent = puzzle.task;
    if (had && this.element.isConnected) this.board.button(this.board.stop).focus({ preventScroll: true });
  }

  // Whether the board that is there is the one of a game.
  /** @param {Api.StateOut} state */
  isOn({ game, board: { ranks, files, cells } }) {
    const { is, game: named } = this.board ?? {};
    return (
      is?.ranks === ranks && is.files === files && is.cells.length === cells.length && named?.name === game
    );
  }

  leave() {
    super.leave();
    this.line.abort();
  }

  save() {} // what is kept of a puzzle is how it went

  canAct() {
    return this.phase === 'solving' && !this.pending && !this.result();
  }

  // The turns since the puzzle began.
  get path() {
    return this.tale.at.path.slice(this.puzzle.turns.length);
  }

  waitingReason() {
    return this.phase === 'done' || this.phase === 'wrong' ? t('train.over') : t('ask.busy');
  }

  // ---- judging -----------------------------------------------------------------------------

  /** @param {string} turn */
  async played(turn) {
    const { puzzle } = this;
    const from = this.tale.at;
    this.heard = null;
    this.phase = 'judging';
    this.said = null;
    const node = from.after(turn);
    const path = [...this.path, turn];
    try {
      const [verdict] = await Promise.all([puzzle.attempt(path), this.show(node, { played: true })]);
      if (puzzle !== this.puzzle || this.phase !== 'judging') return;
      const pawns = lastCells(this.state.last).filter((cell) => this.marks[cell]);
      const { right } = verdict;
      this.badge = { cell: this.state.last.findLast(({ target }) => target)?.target ?? pawns[0], right };
      if (!right) await this.punish(verdict, node, from);
      else if (verdict.solved || !verdict.reply) this.solved(verdict.said);
      else await this.goOn(verdict.said, node.after(verdict.reply));
    } catch (error) {
      if (puzzle !== this.puzzle) return;
      this.complain(error);
      this.phase = 'solving';
      await this.show(from, { moved: false });
    }
  }

  /**
   * @param {string} said
   * @param {Node} reply
   */
  async goOn(said, reply) {
    const { puzzle } = this;
    this.said = { kind: 'right', head: said, text: t('train.on') };
    this.render();
    await wait(PACE_MS / 2);
    if (puzzle !== this.puzzle || this.phase !== 'judging') return;
    this.phase = 'solving';
    this.badge = null;
    await this.show(reply);
  }

  /** @param {string} said */
  solved(said) {
    this.phase = 'done';
    this.said = { kind: 'right', head: said, text: this.told ? t('train.late') : '' };
    sound('end');
    this.tell(true);
    this.render();
    this.listeners.over();
  }

  /**
   * @param {Verdict} verdict
   * @param {Node} node
   * @param {Node} from
   */
  async punish({ punishment, said }, node, from) {
    this.phase = 'punishing';
    this.back = from;
    this.said = { kind: 'wrong', head: said, text: punishment.length ? t('train.punished') : '' };
    sound('no');
    this.tell(false);
    this.render();
    if (!this.hasty && !(await this.playOut(node, punishment))) return;
    this.phase = 'wrong';
    this.said.text = this.once ? '' : t('train.retry');
    this.render();
    this.listeners.over();
  }

  /** @param {boolean} right */
  tell(right) {
    if (this.told) return;
    this.told = true;
    this.listeners.tried(right, this.helped);
  }

  /**
   * Play turns out on the board; returns whether all were.
   *
   * @param {Node} from
   * @param {string[]} turns
   */
  async playOut(from, turns) {
    this.line.abort();
    this.line = new AbortController();
    const { signal } = this.line;
    let node = from;
    for (const turn of turns) {
      await wait(PACE_MS, signal);
      if (signal.aborted) return false;
      node = node.after(turn);
      this.badge = null;
      await this.show(node);
    }
    return !signal.aborted;
  }

  // Time is up: nothing more is asked.
  finish() {
    this.line.abort();
    this.phase = 'done';
    this.walker = this.said = null;
    this.marks = this.state.cells;
    this.board.show(this.marks, false);
    this.render();
  }

  // ---- what the player asks for ------------------------------------------------------------

  async retry() {
    if (!this.back) return;
    this.line.abort();
    this.phase = 'solving';
    this.said = this.badge = null;
    await this.show(this.back, { moved: false });
  }

  async help() {
    if (this.phase !== 'solving' || this.once) return;
    const { puzzle } = this;
    this.helped = true;
    try {
      const cells = await puzzle.hint(this.path);
      if (puzzle !== this.puzzle || this.phase !== 'solving') return;
      this.hinted = cells;
      this.walker?.reset();
      this.marks = this.state.cells;
      this.render();
      this.live.textContent = t('train.hint.said', { cells: cells.join(', ') });
    } catch (error) {
      this.complain(error);
    }
  }

  async solve() {
    const { puzzle, tale } = this;
    if (this.phase === 'judging' || this.phase === 'showing') return;
    this.tell(false);
    try {
      const line = await puzzle.solution();
      if (puzzle !== this.puzzle) return;
      this.line.abort();
      this.phase = 'showing';
      this.badge = null;
      this.hinted = [];
      this.said = { kind: 'shown', head: t('train.solution.head'), text: line.join('  ') };
      const begin = tale.root.line.concat(tale.at.line).find(({ ply }) => ply === puzzle.turns.length);
      await this.show(begin ?? tale.root, { moved: false });
      if (!(await this.playOut(this.tale.at, line))) return;
      this.phase = 'done';
      this.render();
      this.listeners.over();
    } catch (error) {
      this.complain(error);
    }
  }

  // ---- keys, drawing -----------------------------------------------------------------------

  entered() {
    const main = this.posing.buttons.querySelector('.main');
    return main instanceof HTMLElement ? () => main.click() : super.entered();
  }

  /** @param {string} key */
  shortcut(key) {
    const own = new Map([
      ['h', () => this.help()],
      ['s', () => this.solve()],
      ['n', () => (this.told ? this.listeners.next() : this.solve())],
    ]);
    const looking = this.phase === 'done' || this.phase === 'wrong';
    const moves = looking || key === 'ArrowUp' || key === 'ArrowDown' || key === 'f';
    return own.get(key) ?? (moves && !'hunt'.includes(key) ? shortcut(this, key) : undefined);
  }

  renderLate() {
    this.asking.render();
  }

  render() {
    this.renderBoard();
    this.bars.render();
    this.posing.render();
    this.renderTools();
  }

  renderBoard() {
    super.renderBoard();
    const { badge, hinted, walker, board } = this;
    const view = { ...board.view };
    if (badge) {
      const { cell, right } = badge;
      view.values = [{ cell, kind: right ? 'win' : 'loss', text: right ? '✓' : '✗', rank: 'best' }];
    }
    if (hinted.length && walker && !walker.begun && !walker.origin)
      view.arrows = hinted.map((cell) => ({ from: cell, to: cell, kind: 'best' }));
    board.mark(view);
  }

  renderTools() {
    const { phase, helped } = this;
    const [hint, solution, analyse] = this.buttons.querySelectorAll('button');
    hint?.toggleAttribute('disabled', phase !== 'solving' || helped);
    solution?.toggleAttribute('disabled', phase === 'showing' || phase === 'done');
    analyse?.toggleAttribute('disabled', !this.told); // it would tell
    this.ways.hidden = phase !== 'done';
  }
}
