// The table: one game on the screen, who acts on it, and what is said about it.

import { renderActions } from './actions.js';
import { describe } from './address.js';
import { aimOf } from './aim.js';
import { ask, gameList, gameNamed } from './api.js';
import { Asking } from './asking.js';
import { Bars } from './bars.js';
import { applied, Board, STEP_MS } from './board.js';
import { calm, h, wait } from './dom.js';
import { celebrate, ended, remember } from './ending.js';
import { askHint, prepare, think } from './engine.js';
import { lastCells } from './frames.js';
import { nameOf, raw, t } from './i18n.js';
import { pressed, shortcut } from './keys.js';
import { moveList } from './moves.js';
import { dismiss } from './notice.js';
import { takeBack } from './revise.js';
import { sound } from './sound.js';
import { games, settings } from './store.js';
import { Tale } from './tale.js';
import { pawnsAtFirst } from './tray.js';
import { Walker } from './walker.js';
import { lineArrows } from './worth.js';

/** @import { Place } from './address.js' */
/** @import { Marks, View } from './board.js' */
/** @import { Actions } from './main.js' */
/** @import { Asked } from './prompt.js' */
/** @import { Node } from './tale.js' */
/** @typedef {'w' | 'b'} Side */

/** @param {Api.StepOut} step */
export const heard = ({ kind, takes }) => sound(takes.length ? 'take' : kind === 'place' ? 'place' : 'step');

/**
 * Show the last turn step by step, so that it can be followed; a click does not wait for it.
 *
 * @param {Board} board
 * @param {Api.StateOut} state
 * @param {() => boolean} isLate whether something else is shown by now
 * @param {AbortSignal} [hurry]
 */
export async function follow(board, { cells_before, last }, isLate, hurry) {
  /** @type {Marks} */
  let marks = cells_before ?? {};
  const steps = last.filter((step) => step.kind !== 'stop');
  for (const [k, step] of steps.entries()) {
    marks = applied(marks, step.set);
    board.show(marks, true, step);
    board.mark({ last: lastCells([step]), taken: step.takes });
    heard(step);
    if (!calm() && k < steps.length - 1) await wait(STEP_MS + 160, hurry);
    if (isLate()) return;
  }
  if (!calm()) await wait(STEP_MS, hurry);
}

/**
 * A turn for ears.
 *
 * @param {Api.StateOut} state after it
 * @param {string} turn
 */
export function saidOf({ mover, last, result }, turn) {
  const side = t(`side.${mover}`);
  const count = last.reduce((n, step) => n + step.takes.length, 0);
  const text = count ? t('said.turn-taking', { side, turn, count }) : t('said.turn', { side, turn });
  return result ? `${text} ${result.text}` : text;
}

export class Table {
  /**
   * @param {Tale} tale
   * @param {Actions} actions what leads elsewhere
   */
  constructor(tale, actions) {
    this.tale = tale;
    this.actions = actions;
    this.shown = 0; // counts what is shown, so that a late answer is not
    this.paused = false;
    this.pending = false;
    this.unready = false; // the engine is being compiled
    this.answered = false;
    this.levels = 0; // how many the computer has
    this.lessons = 0; // how many steps the game teaches itself in
    this.won = ''; // what is said of a victory that was just gained
    /** @type {{ best: Api.ValueOut, whole: boolean, hasty: boolean } | null} */
    this.hint = null;
    /** @type {Walker | null} */
    this.walker = null;
    /** @type {AbortController | null} */
    this.thinking = null;
    /** @type {{ stop: AbortController, early: string | null } | null} */
    this.followed = null; // a turn that is being shown, and what was clicked meanwhile
    /** @type {Api.StepOut | null} */
    this.heard = null;
    /** @type {Marks} */
    this.marks = {};
    this.begun = { w: 0, b: 0 };
    this.opened = { tip: tale.tip, resigned: tale.resigned }; // what was not played here
    // Both are there before anything is shown: see open().
    this.state = /** @type {Api.StateOut} */ (/** @type {unknown} */ (null));
    this.board = /** @type {Board} */ (/** @type {unknown} */ (null));
    this.bars = this.newBars();
    this.field = h('div', { class: 'field' });
    this.stage = h('div', { class: 'stage' }, this.bars.b, this.field, this.bars.w);
    this.asking = this.newAsking();
    this.buttons = h('div', { class: 'actions' });
    this.panel = h('section', { class: 'panel', 'aria-label': t('moves.label') });
    this.live = h('p', { class: 'unseen', 'aria-live': 'polite' });
    this.element = h(
      'div',
      { class: `play ${tale.mode}` },
      h('h1', { class: 'unseen' }, nameOf(tale.game)),
      ...[this.stage, this.asking.element, this.buttons, this.panel, this.live],
    );
    /** @type {import('./study.js').Study | null} */
    this.study = null; // there in a study: see open()
    this.keys = (/** @type {KeyboardEvent} */ event) => pressed(this, event);
    document.addEventListener('keydown', this.keys);
  }

  leave() {
    document.removeEventListener('keydown', this.keys);
    this.thinking?.abort();
    this.study?.leave();
    this.shown++;
  }

  // ---- what another kind of table has of its own -------------------------------------------

  newBars() {
    return new Bars(this);
  }

  newAsking() {
    return new Asking(this);
  }

  /**
   * What stands above what is asked.
   *
   * @param {Api.GameOut} game
   * @returns {HTMLElement | null}
   */
  about(game) {
    return this.tale.mode === 'play' ? aimOf(game, this.tale) : null;
  }

  /**
   * What is said while somebody else is to move.
   *
   * @returns {Asked}
   */
  waiting() {
    if (this.paused) return { text: t('ask.paused') };
    return { text: this.bars.say(this.unready ? 'ask.preparing' : 'ask.thinking', this.state.side) };
  }

  /**
   * @param {Api.ResultOut} result
   * @returns {Asked}
   */
  ended(result) {
    return ended(this, result);
  }

  renderButtons() {
    renderActions(this, this.buttons);
  }

  /** @returns {[string, () => void][]} */
  get shortcuts() {
    return [
      ['h', () => askHint(this)],
      ['u', () => this.tale.mode === 'play' && takeBack(this)],
      ['n', () => this.actions.again(this)],
    ];
  }

  // Escape: whether there was something to give up.
  cancel() {
    return !!this.walker?.cancel();
  }

  prepare() {
    prepare(this).catch((error) => this.complain(error));
  }

  /**
   * A turn was made by who sits here.
   *
   * @param {string} _turn
   */
  made(_turn) {}

  // ---- what is shown -----------------------------------------------------------------------

  async open() {
    const state = await this.stateOf(this.tale.at);
    if (this.tale.mode === 'study') this.study = new (await import('./study.js')).Study(this);
    this.state = state;
    this.begun = await pawnsAtFirst(this, state);
    await this.newBoard(state);
    await this.show(this.tale.at, { moved: false });
    this.prepare();
  }

  /** @param {Node} node */
  async stateOf(node) {
    if (!node.state) node.learn(await ask('state', this.tale.requestAt(node)));
    return /** @type {Api.StateOut} */ (node.state);
  }

  /**
   * @param {Node} node
   * @param {{ moved?: boolean, played?: boolean }} [how]
   */
  async show(node, { moved = true, played = false } = {}) {
    const shown = ++this.shown;
    this.thinking?.abort();
    this.thinking = this.walker = null;
    const forward = node.up === this.tale.at;
    this.tale.at = node;
    this.save();
    this.pending = true;
    const late = setTimeout(() => shown === this.shown && this.renderLate(), 400);
    const state = await this.stateOf(node).finally(() => clearTimeout(late));
    if (shown !== this.shown) return;
    this.pending = false;
    this.state = state;
    this.hint = null;
    this.won = '';
    this.say('');
    const followed = { stop: new AbortController(), early: null };
    this.followed = followed;
    const isLate = () => shown !== this.shown;
    moveList(this); // a move is known when it begins, not when the last pawn has come to rest
    if (moved && forward && !played) await follow(this.board, state, isLate, followed.stop.signal);
    if (shown !== this.shown) return;
    this.followed = null;
    this.marks = state.cells;
    this.board.show(this.marks, moved);
    if (forward && node.turn) this.live.textContent = saidOf(state, node.turn);
    if (this.canAct()) this.walker = this.newWalker(state);
    const result = this.result();
    if (result && this.tale.mode === 'play' && !this.tale.finished) {
      this.tale.finished = true;
      this.save();
      sound('end');
      const { tip, resigned } = this.opened;
      if (tip !== this.tale.tip || resigned !== this.tale.resigned) remember(this, result);
      if (forward) celebrate(this, result);
    }
    this.render();
    this.study?.look();
    think(this);
    if (followed.early) this.click(followed.early);
  }

  // While an answer is waited for.
  renderLate() {
    this.asking.render();
    moveList(this);
  }

  /** @param {Api.StateOut} state */
  async newBoard(state) {
    const label = t('board.label', { game: nameOf(state.game) });
    this.levels = (await gameList()).levels;
    const game = await gameNamed(state.game);
    if (!game) throw new Error(state.game);
    this.lessons = game.lessons;
    const about = this.about(game);
    if (about) this.stage.after(about);
    const board = new Board(state.board, game, { label });
    board.flip(this.tale.flipped);
    board.onCell = (cell) => this.click(cell);
    board.onDrop = (from, to) => this.drop(from, to);
    board.canDrag = (cell) => this.canDrag(cell);
    board.onDrag = (cell) => this.drag(cell);
    this.element.style.setProperty('--shape', String(board.shape));
    this.board?.element.remove();
    this.field.append(board.element);
    this.board = board;
  }

  /** @param {Api.StateOut} state */
  newWalker(state) {
    /** @type {Walker} */
    const walker = new Walker(state, {
      more: async (begun) => (await ask('state', { ...this.tale.request, begun })).steps,
      done: (turn) => this.played(turn),
      change: () => {
        const { last } = walker;
        this.marks = walker.marks;
        this.board.show(this.marks, true, last);
        if (last && last !== this.heard) heard(last);
        this.heard = last;
        this.say('');
        this.hint = null;
        this.render();
      },
    });
    return walker;
  }

  // ---- who acts ----------------------------------------------------------------------------

  /** @returns {Api.ResultOut | null} */
  result() {
    if (this.state.result) return this.state.result;
    const { resigned } = this.tale;
    if (!resigned || this.tale.mode !== 'play') return null;
    const winner = resigned === 'w' ? 'b' : 'w';
    const text = raw(`result.${winner}`, { reason: raw('reason.resigned') });
    return { winner, reason: 'resigned', cells: [], text };
  }

  get behind() {
    return this.tale.mode === 'play' && this.tale.at !== this.tale.tip;
  }

  canAct() {
    if (this.pending || this.result() || this.behind) return false;
    if (this.tale.mode === 'study') return !this.study?.learning?.shows;
    return this.tale.players[this.state.side] === 'human';
  }

  /** @param {string} cell */
  isOwn(cell) {
    return this.marks[cell] === this.state.side;
  }

  /** @param {Side} side */
  nameOf(side) {
    return this.bars.nameOf(side);
  }

  /** @returns {Side[]} */
  get humans() {
    const { players } = this.tale;
    return /** @type {Side[]} */ (['w', 'b']).filter((side) => players[side] === 'human');
  }

  /** @param {string} turn */
  played(turn) {
    dismiss();
    this.heard = null;
    this.made(turn);
    this.show(this.tale.at.after(turn), { played: true });
  }

  /** @param {unknown} error */
  complain(error) {
    if (error instanceof Error && error.name !== 'AbortError') this.say(error.message);
  }

  /** @param {string} text */
  say(text) {
    this.asking.say(text);
  }

  // ---- what the player does ----------------------------------------------------------------

  /** @param {string} cell */
  click(cell) {
    if (this.followed) {
      this.followed.early = cell;
      this.followed.stop.abort();
      return;
    }
    if (!this.walker) {
      this.say(this.waitingReason());
      return;
    }
    if (this.walker.click(cell)) return;
    sound('no');
    // After a pawn was chosen, a click on another of one's own is about that one.
    this.sayWhy(cell, this.isOwn(cell) && !this.walker.begun ? null : this.walker.from);
  }

  /** @param {string} cell */
  canDrag(cell) {
    return !!this.walker && (this.walker.origins.has(cell) || this.isOwn(cell));
  }

  /** @param {string} cell */
  drag(cell) {
    if (!this.walker?.origins.has(cell) || this.walker.begun) return;
    this.walker.origin = cell;
    this.render();
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  drop(from, to) {
    const { walker } = this;
    if (!walker || walker.drop(from, to)) return;
    if (!walker.begun && this.isOwn(from)) walker.origin = walker.origins.has(from) ? from : null;
    sound('no');
    this.sayWhy(to, from);
    this.render();
  }

  /**
   * @param {string} target
   * @param {string | null} origin
   */
  async sayWhy(target, origin) {
    const { walker } = this;
    if (!walker || walker.choice) {
      this.say(t('why.choice'));
      return;
    }
    try {
      const { message } = await ask('why', { ...this.tale.request, begun: walker.steps, origin, target });
      if (walker === this.walker) this.say(message);
    } catch (error) {
      this.complain(error);
    }
  }

  waitingReason() {
    if (this.pending) return t('ask.busy');
    if (this.study?.learning) return t('mistakes.shown');
    if (this.result()) return t('why.over');
    if (this.behind) return t('why.behind');
    return this.bars.say('why.wait', this.state.side);
  }

  endTurn() {
    const node = this.walker?.end;
    if (node) this.walker?.take(node);
  }

  /**
   * What Enter does wherever the focus is, if anything.
   *
   * @returns {(() => void) | null}
   */
  entered() {
    return this.walker?.end ? () => this.endTurn() : null;
  }

  /** @param {string} key */
  shortcut(key) {
    return shortcut(this, key);
  }

  /** @param {string} text */
  async typed(text) {
    const turn = text.trim();
    if (!turn) return false;
    if (!this.canAct()) {
      this.say(this.waitingReason());
      return false;
    }
    try {
      const node = this.tale.at;
      const state = await ask('play', { ...this.tale.request, turn });
      if (node !== this.tale.at) return false;
      this.marks = this.state.cells;
      this.board.show(this.marks, false);
      const next = node.after(turn);
      next.learn(state);
      dismiss();
      this.made(turn);
      await this.show(next);
      return true;
    } catch (error) {
      this.complain(error);
      return false;
    }
  }

  /** @param {Node | null | undefined} node */
  go(node) {
    const { at } = this.tale;
    if (node && node !== at) this.show(node, { moved: node.up === at || at.up === node });
  }

  flip() {
    this.tale.flipped = !this.tale.flipped;
    this.board.flip(this.tale.flipped);
    this.save();
    this.render();
  }

  // ---- drawing -----------------------------------------------------------------------------

  save() {
    const { tale } = this;
    if (this.study?.learning) return; // what is tried there is not kept
    if (tale.at !== tale.root || tale.root.kids.length || games.get(tale.id)) {
      games.put(JSON.parse(JSON.stringify(tale)));
    }
    history.replaceState({ id: tale.id }, '', describe(tale));
  }

  render() {
    this.renderBoard();
    this.bars.render();
    this.asking.render();
    this.renderButtons();
    moveList(this);
    this.study?.render();
  }

  renderBoard() {
    this.board.mark(this.view);
    this.board.element.classList.toggle('coordinates', settings.get('coordinates', true));
  }

  // What is marked on the board.
  get view() {
    const { state, walker, hint, study } = this;
    const begun = !!walker?.begun;
    /** @type {View} */
    const view = walker ? { ...walker.view } : {};
    view.taken = begun ? [] : state.last.flatMap((step) => step.takes).filter((cell) => !this.marks[cell]);
    view.last = begun ? [] : lastCells(state.last);
    view.pattern = state.result ? state.result.cells : [];
    if (!this.result()) {
      view.resting = begun ? [] : state.resting;
      view.barred = state.barred;
    }
    view.arrows = hint ? lineArrows(hint.best, hint.whole ? 4 : 1) : (study?.arrows ?? []);
    view.values ??= begun ? [] : (study?.valuesOnBoard ?? []);
    return view;
  }
}

/** @param {Place} found */
export function taleFrom(found) {
  const tale = new Tale(found);
  tale.swapped = found.swapped;
  if (found.turns.length) tale.counts = false;
  return tale.follow(found.turns, found.at);
}
