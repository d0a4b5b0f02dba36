// The table: one game on the screen, who acts on it, and what is said about it.

import { renderActions } from './actions.js';
import { describe } from './address.js';
import { ask, gameList, gameNamed } from './api.js';
import { Asking } from './asking.js';
import { Bars } from './bars.js';
import { applied, Board, STEP_MS } from './board.js';
import { calm, h, wait } from './dom.js';
import { nameOf, raw, t } from './i18n.js';
import { pressed } from './keys.js';
import { moveList } from './moves.js';
import { dismiss, offerUndo } from './notice.js';
import { sound } from './sound.js';
import { games, settings } from './store.js';
import { lineArrows, Study } from './study.js';
import { level, Tale } from './tale.js';
import { Walker } from './walker.js';

/** @import { Place } from './address.js' */
/** @import { Marks, View } from './board.js' */
/** @import { Actions } from './main.js' */
/** @import { Node } from './tale.js' */
/** @typedef {'w' | 'b'} Side */

/**
 * The cells that a turn changed, other than by capturing.
 *
 * @param {Api.StepOut[]} steps
 */
const lastCells = (steps) => [
  ...new Set(steps.flatMap((step) => Object.keys(step.set).filter((cell) => !step.takes.includes(cell)))),
];

/** @param {Api.StepOut} step */
const heard = (step) => sound(step.takes.length ? 'take' : 'step');

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
    /** @type {{ best: Api.ValueOut, whole: boolean } | null} */
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
    // Both are there before anything is shown: see open().
    this.state = /** @type {Api.StateOut} */ (/** @type {unknown} */ (null));
    this.board = /** @type {Board} */ (/** @type {unknown} */ (null));
    this.bars = new Bars(this);
    this.field = h('div', { class: 'field' });
    this.stage = h('div', { class: 'stage' }, this.bars.b, this.field, this.bars.w);
    this.asking = new Asking(this);
    this.buttons = h('div', { class: 'actions' });
    this.panel = h('section', { class: 'panel', 'aria-label': t('moves.label') });
    this.live = h('p', { class: 'unseen', 'aria-live': 'polite' });
    this.element = h(
      'div',
      { class: `play ${tale.mode}` },
      h('h1', { class: 'unseen' }, nameOf(tale.game)),
      ...[this.stage, this.asking.element, this.buttons, this.panel, this.live],
    );
    this.study = tale.mode === 'study' ? new Study(this) : null;
    this.keys = (/** @type {KeyboardEvent} */ event) => pressed(this, event);
    document.addEventListener('keydown', this.keys);
  }

  leave() {
    document.removeEventListener('keydown', this.keys);
    this.thinking?.abort();
    this.study?.leave();
    this.shown++;
  }

  // ---- what is shown -----------------------------------------------------------------------

  async open() {
    const state = await this.stateOf(this.tale.at);
    this.state = state;
    this.board = await this.newBoard(state);
    await this.show(this.tale.at, { moved: false });
    this.prepare().catch((error) => this.complain(error));
  }

  // The first time on a machine the engine is compiled: say so while it lasts.
  async prepare() {
    for (;;) {
      const { ready } = await ask('warm', { game: this.tale.game });
      if (this.answered) return; // it is at work already
      this.unready = !ready;
      if (this.thinking) this.asking.render();
      if (ready) return;
      await wait(1500);
      if (!this.element.isConnected) return;
    }
  }

  /** @param {Node} node */
  async stateOf(node) {
    node.state ??= await ask('state', this.tale.requestAt(node));
    return node.state;
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
    this.say('');
    const followed = { stop: new AbortController(), early: null };
    this.followed = followed;
    if (moved && forward && !played) await this.follow(state, shown, followed.stop.signal);
    if (shown !== this.shown) return;
    this.followed = null;
    this.marks = state.cells;
    this.board.show(this.marks, moved);
    if (forward && node.turn) this.announce(state, node.turn);
    if (this.canAct()) this.walker = this.newWalker(state);
    if (this.result() && this.tale.mode === 'play' && !this.tale.finished) {
      this.tale.finished = true;
      this.save();
      sound('end');
    }
    this.render();
    this.study?.look();
    this.think();
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
    const game = (await gameNamed(state.game)) ?? { name: state.game, look: { page: {}, miniature: [] } };
    const board = new Board(state.board, game, { label });
    board.flip(this.tale.flipped);
    board.onCell = (cell) => this.click(cell);
    board.onPoint = (cell) => this.point(cell);
    board.onDrop = (from, to) => this.drop(from, to);
    board.canDrag = (cell) => !!this.walker && (this.walker.origins.has(cell) || this.isOwn(cell));
    board.onDrag = (cell) => {
      if (this.walker?.origins.has(cell) && !this.walker.begun) {
        this.walker.origin = cell;
        this.render();
      }
    };
    this.element.style.setProperty('--shape', String(board.shape));
    this.field.append(board.element);
    return board;
  }

  /**
   * Show the last turn step by step, so that it can be followed; a click does not wait for it.
   *
   * @param {Api.StateOut} state
   * @param {number} shown
   * @param {AbortSignal} hurry
   */
  async follow(state, shown, hurry) {
    /** @type {Marks} */
    let marks = state.cells_before ?? {};
    const steps = state.last.filter((step) => step.kind !== 'stop');
    for (const [k, step] of steps.entries()) {
      marks = applied(marks, step.set);
      this.board.show(marks);
      this.board.mark({ last: lastCells([step]), taken: step.takes });
      heard(step);
      if (!calm() && k < steps.length - 1) await wait(STEP_MS + 160, hurry);
      if (shown !== this.shown) return;
    }
    if (!calm()) await wait(STEP_MS, hurry);
  }

  /**
   * @param {Api.StateOut} state
   * @param {string} turn
   */
  announce(state, turn) {
    const side = t(`side.${state.mover}`);
    const count = state.last.reduce((n, step) => n + step.takes.length, 0);
    const text = count ? t('said.turn-taking', { side, turn, count }) : t('said.turn', { side, turn });
    this.live.textContent = state.result ? `${text} ${state.result.text}` : text;
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
        this.board.show(this.marks);
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
    return this.tale.mode === 'study' || this.tale.players[this.state.side] === 'human';
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

  async think() {
    const { tale, state } = this;
    const strength = level(tale.players[state.side]);
    if (tale.mode !== 'play' || this.result() || this.behind || !strength || this.paused) return;
    const giveUp = new AbortController();
    this.thinking = giveUp;
    const pause = this.humans.length ? 450 : 100 + 2900 * (1 - settings.get('speed', 70) / 100) ** 2;
    try {
      const node = tale.at;
      const [found] = await Promise.all([
        ask('move', { ...tale.request, level: strength }, giveUp.signal),
        wait(calm() && this.humans.length ? 60 : pause, giveUp.signal),
      ]);
      this.answered = true;
      this.unready = false;
      if (giveUp.signal.aborted || tale.at !== node) return;
      const next = node.after(found.turn);
      next.state = found.state;
      this.thinking = null;
      await this.show(next);
    } catch (error) {
      if (!giveUp.signal.aborted) this.complain(error);
    }
  }

  /** @param {string} turn */
  played(turn) {
    dismiss();
    this.heard = null;
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

  /**
   * Pointing at a target shows what would be captured there.
   *
   * @param {string | null} cell
   */
  point(cell) {
    const { walker, board } = this;
    if (!walker || walker.choice) return;
    const takes = [...new Set(walker.waysTo(cell).flatMap((way) => way.takes))];
    if (takes.join() !== (board.view.takes ?? []).join()) board.mark({ ...board.view, takes });
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
    if (this.result()) return t('why.over');
    if (this.behind) return t('why.behind');
    return this.bars.say('why.wait', this.state.side);
  }

  endTurn() {
    const node = this.walker?.end;
    if (node) this.walker?.take(node);
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
      next.state = state;
      dismiss();
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

  // Take back to where a person was last asked; in a game of two people one turn.
  async takeBack() {
    const { tale } = this;
    if (this.walker?.begun) {
      this.walker.reset();
      this.walker.change();
      return;
    }
    this.thinking?.abort();
    const shown = ++this.shown; // an answer under way comes too late
    /** @param {Node} node */
    const mine = async (node) =>
      this.humans.length !== 1 || tale.players[(await this.stateOf(node)).side] === 'human';
    /** @type {Node | null} */
    let node = tale.tip;
    if (!tale.resigned) {
      do node = node.up;
      while (node && !(await mine(node)));
    }
    if (shown !== this.shown) return;
    if (node) {
      node.kids = [];
      this.reopen(node);
    } else {
      await this.show(tale.tip, { moved: false });
      this.say(t('why.no-back'));
    }
  }

  /**
   * The game goes on from there.
   *
   * @param {Node} node
   * @param {Side | null} [resigned]
   */
  reopen(node, resigned = null) {
    this.tale.resigned = resigned;
    this.tale.finished = false;
    return this.show(node);
  }

  // From an earlier position: what came after is taken back.
  playOn() {
    this.goOnFrom(this.tale.at, 'undo.cut');
  }

  restart() {
    this.goOnFrom(this.tale.root, 'undo.restart');
  }

  /**
   * The game goes on from there without what came after, which can be brought back at once.
   *
   * @param {Node} node
   * @param {string} said
   */
  goOnFrom(node, said) {
    const { tip, resigned } = this.tale;
    const { kids } = node;
    node.kids = [];
    this.reopen(node);
    if (!kids.length) return;
    offerUndo(t(said), () => {
      node.kids = kids;
      this.reopen(tip, resigned);
    });
  }

  resign() {
    const { tale, humans } = this;
    if (this.result()) return;
    tale.resigned = humans.length === 1 ? humans[0] : this.state.side;
    tale.at = tale.tip;
    this.show(tale.at, { moved: false });
    offerUndo(t('undo.resign'), () => this.reopen(tale.tip));
  }

  // Make the line to here the first one.
  promote() {
    this.tale.at.promote();
    this.save();
    this.render();
  }

  // Remove this turn and what follows.
  cut() {
    const { at } = this.tale;
    const { up } = at;
    if (!up) return;
    const { kids } = up;
    at.cut();
    this.show(up);
    offerUndo(t('undo.cut'), () => {
      up.kids = kids;
      this.show(at);
    });
  }

  flip() {
    this.tale.flipped = !this.tale.flipped;
    this.board.flip(this.tale.flipped);
    this.save();
    this.render();
  }

  // First the turn, then the line.
  async askHint() {
    const { walker } = this;
    if (!walker || walker.begun) {
      this.say(walker ? t('why.begun') : this.waitingReason());
      return;
    }
    if (this.hint) {
      this.hint.whole = true;
      this.render();
      return;
    }
    this.say(t('hint.thinking'));
    try {
      const found = await ask('analysis', { ...this.tale.request, seconds: 1 });
      if (walker !== this.walker || walker.begun) return;
      this.say('');
      walker.origin = walker.choice = null;
      this.hint = { best: found.turns[0], whole: false };
      this.render();
    } catch (error) {
      this.complain(error);
    }
  }

  togglePause() {
    this.paused = !this.paused;
    this.thinking?.abort();
    this.thinking = null;
    this.render();
    this.think();
  }

  // ---- drawing -----------------------------------------------------------------------------

  save() {
    const { tale } = this;
    if (tale.at !== tale.root || tale.root.kids.length || games.get(tale.id)) {
      games.put(JSON.parse(JSON.stringify(tale)));
    }
    history.replaceState({ id: tale.id }, '', describe(tale));
  }

  render() {
    this.renderBoard();
    this.bars.render();
    this.asking.render();
    renderActions(this, this.buttons);
    moveList(this);
    this.study?.render();
  }

  renderBoard() {
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
    this.board.mark(view);
    this.board.element.classList.toggle('coordinates', settings.get('coordinates', true));
  }
}

/** @param {Place} found */
export function taleFrom(found) {
  const tale = new Tale(found);
  tale.swapped = found.swapped;
  return tale.follow(found.turns, found.at);
}
