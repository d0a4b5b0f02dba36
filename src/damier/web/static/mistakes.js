// Learning from one's mistakes: each becomes a puzzle where it was made. What is tried is judged by
// the table or the search that found the mistake, and what is worse is answered on the board.

import { ask } from './api.js';
import { button, calm, h, styled, wait } from './dom.js';
import { expected } from './faults.js';
import { t } from './i18n.js';
import { mine } from './mine.js';
import { arrowsOf, label } from './worth.js';

/** @import { Arrow } from './board.js' */
/** @import { Fault } from './faults.js' */
/** @import { Asked } from './prompt.js' */
/** @import { Own } from './mine.js' */
/** @import { Study } from './study.js' */
/** @import { Node, Values } from './tale.js' */

/** @typedef {'open' | 'found' | 'hinted' | 'shown' | 'skipped'} Done How a puzzle was dealt with. */
/** @typedef {'find' | 'judging' | 'found' | 'near' | 'wrong' | 'solution' | 'why' | 'end'} Stage */

const PAUSE = 850; // ms between the turns of a line
const PUNISHED = 8; // turns that are shown of a line that wins or loses
const ANSWERED = 3; // and of another
const DEEPER = 2; // seconds, before an estimate refuses a turn
const MOST_GOOD = 50;

/**
 * What is right in the place of a mistake: whatever would not be one itself. Who has lost anyway is
 * to hold out longer.
 *
 * @param {Fault} fault
 * @param {Api.ValueOut} value
 */
export const isRight = ({ kind, played }, value) =>
  kind === 'late'
    ? value.outcome !== 'loss' || (value.distance ?? Infinity) > (played.distance ?? 0)
    : !value.fault;

/**
 * @param {Api.ValueOut} value
 * @param {Api.ValueOut} best
 */
const isBest = (value, best) =>
  value.turn === best.turn || (!!best.outcome && same(value, best) && value.risk === best.risk);

/** @type {(a: Api.ValueOut, b: Api.ValueOut) => boolean} */
const same = (a, b) => a.outcome === b.outcome && a.distance === b.distance;

export class Learning {
  /**
   * @param {Study} study
   * @param {Fault[]} faults one's own, in the order in which they were made
   */
  constructor(study, faults) {
    this.study = study;
    this.table = study.table;
    this.puzzles = faults.map((fault) => ({ fault, done: /** @type {Done} */ ('open'), hints: 0 }));
    this.at = 0;
    /** @type {Stage} */
    this.stage = 'find';
    /** @type {Node | null} */
    this.place = null; // where something is shown, and nobody is asked
    /** @type {Api.ValueOut | null} */
    this.tried = null;
    /** @type {AbortController | null} */
    this.playing = null; // a line that is being played
    this.known = new Set(within(this.table.tale.root)); // all else is tried here, and not kept
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

  get fault() {
    return this.puzzle.fault;
  }

  get values() {
    return /** @type {Values} */ (this.fault.before.values);
  }

  get best() {
    return this.values.turns[0];
  }

  // Whether a line is looked at, in which nobody plays.
  get shows() {
    return this.table.tale.at === this.place;
  }

  // Whether somebody looks elsewhere in the game.
  get isAway() {
    const { at } = this.table.tale;
    return this.stage !== 'end' && this.stage !== 'judging' && at !== this.place && at !== this.fault.before;
  }

  // ---- from puzzle to puzzle ---------------------------------------------------------------

  async begin() {
    await styled('mistakes.css');
    const { table, study } = this;
    table.element.classList.add('learning');
    study.reviewed.before(this.element);
    if (this.puzzles.length) await this.turnTo(0);
    else this.finish();
    this.focusMain();
  }

  /** @param {number} number */
  async turnTo(number) {
    this.at = number;
    await this.again();
  }

  // The position before the mistake, to try.
  async again() {
    this.goBack();
    await this.table.show(this.fault.before, { moved: false });
  }

  // To the position before the mistake, without what was tried.
  goBack() {
    this.playing?.abort();
    this.playing = this.place = this.tried = null;
    this.stage = 'find';
    this.table.tale.at = this.fault.before;
    this.clean();
  }

  // Something is shown for a while, unless it is cut short.
  begun() {
    this.playing?.abort();
    this.playing = new AbortController();
    return this.playing.signal;
  }

  clean() {
    for (const node of within(this.table.tale.root)) if (!this.known.has(node)) node.cut();
  }

  async next() {
    if (this.puzzle.done === 'open') this.puzzle.done = 'skipped';
    if (this.at + 1 < this.puzzles.length) await this.turnTo(this.at + 1);
    else this.finish();
    this.focusMain();
  }

  finish() {
    this.playing?.abort();
    this.playing = null;
    this.stage = 'end';
    this.rest();
    this.focusMain();
  }

  // Back to the review.
  async end() {
    const { study, table } = this;
    this.leave();
    study.renderFaults(study.faults ?? []);
    const to = this.puzzles.length ? this.fault.before : table.tale.at;
    await table.show(to, { moved: false });
    const learn = study.reviewed.querySelector('.learn');
    if (learn instanceof HTMLElement) learn.focus({ preventScroll: true });
  }

  leave() {
    const { study, table } = this;
    this.playing?.abort();
    study.learning = null;
    this.element.remove();
    table.element.classList.remove('learning');
    if (this.puzzles.length) table.tale.at = this.fault.before;
    this.clean();
  }

  // ---- what is tried -----------------------------------------------------------------------

  // The board shows something else.
  look() {
    const { at } = this.table.tale;
    if (this.playing && at !== this.place) {
      this.playing.abort(); // somebody looks elsewhere
      this.playing = null;
    }
    if (this.playing) this.render();
    else this.lookAt(at);
  }

  /** @param {Node} at what somebody has turned to */
  lookAt(at) {
    if (this.puzzles.length && at === this.fault.before && this.stage !== 'end') {
      this.stage = 'find';
      this.place = null;
    } else if (at.up && at.up === this.puzzles[this.at]?.fault.before && this.stage === 'find') {
      this.judge(at).catch((error) => this.again().then(() => this.table.complain(error)));
      return;
    }
    this.render();
  }

  /** @param {Node} node after the turn that was tried */
  async judge(node) {
    const { table, fault, puzzle } = this;
    const signal = this.begun();
    this.stage = 'judging';
    this.rest(node);
    let tried = this.valueOf(node.turn);
    const sure = !tried || isRight(fault, tried) || (tried.outcome && this.best.outcome);
    if (!sure && this.values.seconds < DEEPER) {
      const found = await ask('analysis', { ...table.tale.requestAt(fault.before), seconds: DEEPER });
      fault.before.values = { ...found, seconds: DEEPER };
      tried = this.valueOf(node.turn);
    }
    if (signal.aborted || !tried) return;
    this.tried = tried;
    const given = this.valueOf(fault.node.turn) ?? fault.played;
    if (isRight(fault, tried)) {
      this.stage = 'found';
      if (puzzle.done === 'open' || puzzle.done === 'skipped') puzzle.done = this.hints ? 'hinted' : 'found';
    } else this.stage = expected(tried) > expected(given) ? 'near' : 'wrong';
    this.rest(node);
    if (this.stage === 'wrong') await this.playOut(node, tried, signal);
    if (!signal.aborted) this.isOver();
  }

  // All is shown.
  isOver() {
    this.playing = null;
    this.focusMain();
  }

  /** @param {string} turn */
  valueOf(turn) {
    return this.values.turns.find((value) => value.turn === turn) ?? null;
  }

  /**
   * The best play after a turn.
   *
   * @param {Node} node after it
   * @param {Api.ValueOut} value
   */
  async answerTo(node, value) {
    if (value.line.length > 1) return value.line.slice(1);
    const { tale } = this.table;
    if (value.distance === 1) return []; // nothing follows
    node.values ??= { ...(await ask('analysis', { ...tale.requestAt(node), seconds: 0.5 })), seconds: 0.5 };
    return node.values.turns[0].line;
  }

  /**
   * Nobody is asked for a turn here.
   *
   * @param {Node} [node]
   */
  rest(node = this.table.tale.at) {
    this.place = node;
    this.table.walker = null;
    this.table.render();
    this.render();
  }

  /**
   * Play on the board what follows a turn.
   *
   * @param {Node} from after it
   * @param {Api.ValueOut} value of it
   * @param {AbortSignal} signal
   */
  async playOut(from, value, signal) {
    const turns = await this.answerTo(from, value);
    const decided = value.outcome === 'win' || value.outcome === 'loss';
    let node = from;
    for (const turn of turns.slice(0, decided ? PUNISHED : ANSWERED)) {
      await wait(calm() ? 60 : PAUSE, signal);
      if (signal.aborted) return;
      node = node.after(turn);
      this.place = node;
      await this.table.show(node);
    }
  }

  /**
   * Show a line from the position before the mistake.
   *
   * @param {'solution' | 'why'} stage
   * @param {Api.ValueOut} value of its first turn
   */
  async show(stage, value) {
    const { table, fault } = this;
    this.goBack();
    const signal = this.begun();
    this.stage = stage;
    this.place = fault.before;
    await table.show(fault.before, { moved: false });
    if (signal.aborted) return;
    const node = fault.before.after(value.turn);
    this.place = node;
    await table.show(node);
    await this.playOut(node, value, signal);
    if (!signal.aborted) this.isOver();
  }

  solution() {
    if (this.puzzle.done !== 'found' && this.puzzle.done !== 'hinted') this.puzzle.done = 'shown';
    return this.show('solution', this.best);
  }

  why() {
    return this.show('why', this.valueOf(this.fault.node.turn) ?? this.fault.played);
  }

  // First what can be reached, then where it begins.
  hint() {
    if (this.stage !== 'find' || this.isAway) return;
    this.puzzle.hints = Math.min(2, this.hints + 1);
    this.table.render();
  }

  // ---- the training ------------------------------------------------------------------------

  /**
   * @param {Fault} fault
   * @returns {Own}
   */
  card(fault) {
    const { game, options, start } = this.table.tale;
    const { turns } = /** @type {Values} */ (fault.before.values);
    const [best] = turns;
    const { turn, line, outcome, distance, chance } = best;
    const good = turns.filter((value) => isRight(fault, value)).map((value) => value.turn);
    return {
      ...{ game, options, start, turns: fault.before.path, side: fault.side, played: fault.node.turn },
      ...{ best: turn, good: good.slice(0, MOST_GOOD), line: line.length ? line : [turn], kind: fault.kind },
      value: { outcome, distance, chance },
      date: Date.now(),
    };
  }

  /** @param {Fault[]} faults */
  send(faults) {
    mine.add(faults.map((fault) => this.card(fault)));
    this.table.render();
    this.render();
    this.focusMain();
  }

  // What was not found without help, and is not in the training yet.
  get unlearnt() {
    const left = this.puzzles.filter(({ done }) => done !== 'found').map(({ fault }) => fault);
    return left.filter((fault) => !mine.has(this.card(fault)));
  }

  // ---- what is said ------------------------------------------------------------------------

  /** @returns {Arrow[]} */
  get arrows() {
    const { walker, tale } = this.table;
    if (this.stage !== 'find' || tale.at !== this.fault.before || walker?.begun || walker?.from) return [];
    const light = this.hints > 1 ? [{ from: this.origin, to: this.origin, kind: 'best' }] : [];
    return [...arrowsOf(this.fault.played.steps, 'worse'), ...light];
  }

  // Where the best turn begins.
  get origin() {
    const [{ origin, target }] = this.best.steps;
    return /** @type {string} */ (origin ?? target);
  }

  /**
   * What stands in place of the question at the table; nothing while a turn is being made.
   *
   * @returns {Asked | null}
   */
  asked() {
    if (this.stage === 'end') return this.summary();
    const head = t('mistakes.number', { number: this.at + 1, of: this.puzzles.length });
    if (this.isAway) return { head, text: t('mistakes.away') };
    const { walker } = this.table;
    if (this.stage === 'find') {
      if (walker?.begun || walker?.from || walker?.choice) return null;
      return { head, text: this.task(), note: this.hints ? this.clue() : '' };
    }
    return { head, ...this.told() };
  }

  task() {
    const { fault, study } = this;
    const one = study.own.length === 1 ? '.you' : '';
    const named = { turn: fault.node.turn, side: t(`side.${fault.side}`), kind: t(`review.${fault.kind}`) };
    const goal = fault.kind === 'missed' || fault.kind === 'late' ? `.${fault.kind}` : '';
    return `${t(`mistakes.played${one}`, named)} ${t(`mistakes.find${goal}`)}`;
  }

  clue() {
    const { best, origin, fault } = this;
    const worth = t('mistakes.hint', { worth: label(best, fault.side) });
    const pawn = this.table.state.cells[/** @type {any} */ (origin)];
    return this.hints < 2 ? worth : t(pawn ? 'mistakes.hint.pawn' : 'mistakes.hint.cell', { cell: origin });
  }

  /** @returns {Asked} */
  told() {
    const { stage, fault, best } = this;
    const played = this.valueOf(fault.node.turn) ?? fault.played;
    const value = stage === 'solution' ? best : stage === 'why' ? played : this.tried;
    if (stage === 'judging' || !value) return { text: t('mistakes.judging') };
    const details = {
      turn: value.turn,
      best: best.turn,
      worth: label(value, fault.side),
      played: played.turn,
    };
    const text = t(
      `mistakes.${stage === 'found' && isBest(value, best) ? 'best' : this.verdict(value)}`,
      details,
    );
    const line = [value.turn, ...(this.place?.path.slice(fault.before.ply + 1) ?? [])];
    return {
      text,
      note: line.length > 1 ? t('mistakes.line', { line: line.join('  ') }) : this.quicker(value),
    };
  }

  /** @param {Api.ValueOut} value */
  verdict({ turn, outcome }) {
    const { stage, fault } = this;
    if (stage === 'wrong' && turn === fault.node.turn) return 'wrong.same';
    if (fault.kind === 'missed' && outcome === 'draw' && stage !== 'found') return `${stage}.missed`;
    return stage;
  }

  /**
   * What is good, but not the best.
   *
   * @param {Api.ValueOut} value
   */
  quicker(value) {
    const { best, stage, fault } = this;
    if (stage !== 'found' || isBest(value, best)) return '';
    return t('mistakes.quicker', { turn: best.turn, worth: label(best, fault.side) });
  }

  /** @returns {Asked} */
  summary() {
    const count = this.puzzles.length;
    if (!count) return { head: t('mistakes.none'), text: t('mistakes.none.text') };
    const of = (/** @type {Done} */ done) => this.puzzles.filter((one) => one.done === done).length;
    const head = t(of('found') === count ? 'mistakes.end.all' : 'mistakes.end');
    const parts = /** @type {const} */ (['found', 'hinted', 'shown', 'skipped']).flatMap((done) =>
      of(done) ? [t(`mistakes.end.${done}`, { count: of(done) })] : [],
    );
    const sent = this.puzzles.filter(({ fault }) => mine.has(this.card(fault))).length;
    const note = sent ? t('mistakes.end.sent', { count: sent }) : t('mistakes.end.kind');
    return { head, text: parts.join(' '), note };
  }

  // The buttons below what is asked.
  buttons() {
    /** @type {(key: string, icon: string, does: () => void, cls?: string) => HTMLButtonElement} */
    const add = (key, icon, does, cls = '') =>
      button(t(`mistakes.${key}`), icon, does, { cls: `${cls} to-${key}` });
    /** @type {(key: string, icon: string, does: () => void) => HTMLButtonElement} */
    const main = (key, icon, does) => add(key, icon, does, 'main');
    const last = this.at + 1 >= this.puzzles.length;
    const next = () => main(last ? 'finish' : 'next', 'next', () => this.next());
    const solution = () => add('view', 'check', () => this.solution());
    if (this.stage === 'end') return this.afterwards();
    if (this.isAway) return [main('back', 'restart', () => this.again())];
    if (this.stage === 'judging') return [];
    if (this.stage === 'find') {
      const hint = button(t('action.hint'), 'hint', () => this.hint(), { cls: 'to-hint' });
      const skip = add('skip', 'next', () => this.next());
      return [...(this.hints < 2 ? [hint] : []), add('fails', 'play', () => this.why()), solution(), skip];
    }
    const retry = () => this.again().then(() => this.table.board.focus(this.table.board.stop));
    if (this.stage === 'wrong' || this.stage === 'near')
      return [main('retry', 'restart', retry), solution(), add('skip', 'next', () => this.next())];
    if (this.stage === 'why') return [main('retry', 'restart', retry), solution()];
    return [next(), this.sending()];
  }

  sending() {
    const { fault } = this;
    const sent = mine.has(this.card(fault));
    const made = button(t(sent ? 'mistakes.sent' : 'mistakes.send'), sent ? 'check' : 'plus', () =>
      sent ? this.unsend(fault) : this.send([fault]),
    );
    made.classList.add('send');
    made.setAttribute('aria-pressed', String(sent));
    return made;
  }

  /** @param {Fault} fault */
  unsend(fault) {
    mine.remove(this.card(fault));
    this.table.render();
    this.focusMain();
  }

  afterwards() {
    const { unlearnt } = this;
    const count = unlearnt.length;
    const all = button(t('mistakes.send-all', { count }), 'plus', () => this.send(unlearnt), {
      cls: 'main send',
    });
    const over = () => {
      for (const puzzle of this.puzzles) Object.assign(puzzle, { done: 'open', hints: 0 });
      this.turnTo(0);
    };
    const back = button(t('mistakes.review'), 'chart', () => this.end(), { cls: count ? '' : 'main' });
    const again = button(t('mistakes.over'), 'restart', over, { cls: 'over-again' });
    return [...(count ? [all] : []), back, ...(this.puzzles.length ? [again] : [])];
  }

  // Which mistakes there are, and what became of each.
  render() {
    const had = this.list.contains(document.activeElement);
    const chips = this.puzzles.map(({ fault, done }, k) => {
      const details = {
        number: k + 1,
        ply: fault.node.ply,
        turn: fault.node.turn,
        done: t(`mistakes.is.${done}`),
      };
      const current = k === this.at && this.stage !== 'end' ? 'step' : null;
      const name = t('mistakes.chip', details);
      const onclick = () => this.turnTo(k);
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
    const here = had && this.list.querySelector('[aria-current]');
    if (here instanceof HTMLElement) here.focus({ preventScroll: true });
  }

  // What comes next is at hand for who plays by keys; who is busy elsewhere is left alone.
  focusMain() {
    const { asking, board, element } = this.table;
    const { activeElement: active } = document;
    const free = !active || active === document.body || active === element;
    if (!free && !asking.element.contains(active) && !board.element.contains(active)) return;
    const next = asking.element.querySelector('.row .main');
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    else board.focus(board.stop);
  }
}

/**
 * Every node of a tree.
 *
 * @param {Node} root
 */
function within(root) {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.kids);
  return nodes;
}
