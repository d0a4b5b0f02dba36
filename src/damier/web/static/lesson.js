// A game learnt by doing: a position, a sentence, something to do on the board, and what is said of
// it. What is right and what is wrong comes from the game's own folder.

import { ask, gameNamed, Refused } from './api.js';
import { choiceButton, endButton } from './asking.js';
import { Board } from './board.js';
import { button, calm, h, icon, styled, wait } from './dom.js';
import { lastCells } from './frames.js';
import { letter, nameOf, t, tg } from './i18n.js';
import { follow, heard, saidOf } from './play.js';
import { kindOfQuestion } from './prompt.js';
import { sound } from './sound.js';
import { settings } from './store.js';
import { Walker } from './walker.js';
import { arrowsOf } from './worth.js';

/** @import { Place } from './address.js' */
/** @import { View } from './board.js' */
/** @import { Actions } from './main.js' */
/** @typedef {'doing' | 'wrong' | 'done' | 'waiting'} Mood */

const THOUGHT = 450; // how long an opponent seems to think, in milliseconds
const NO_HINT = 0;
const LIGHT = 1; // a ring where to begin
const ARROW = 2;

/**
 * The steps done, by key. Whatever else was kept, by an older page say, is as good as nothing.
 *
 * @param {Api.LessonsOut} lessons
 * @returns {Set<string>}
 */
function progress({ game, steps }) {
  const kept = settings.get(`lessons.${game}`);
  const known = new Set(steps.map(({ key }) => key));
  return new Set((Array.isArray(kept) ? kept : []).filter((key) => known.has(key)));
}

class Lesson {
  /**
   * @param {Api.LessonsOut} lessons
   * @param {Api.GameOut} game
   * @param {Actions} actions
   */
  constructor(lessons, game, actions) {
    this.lessons = lessons;
    this.game = game;
    this.actions = actions;
    this.done = progress(lessons);
    this.number = 0; // of the step
    this.stage = 0;
    this.tries = 0;
    this.hint = NO_HINT;
    /** @type {Api.ActionOut[]} */
    this.shown = []; // what a hint points at
    /** @type {string[]} */
    this.turns = [];
    /** @type {Mood} */
    this.mood = 'waiting';
    this.shownAt = 0; // counts what is shown, so that a late answer is not
    /** @type {Walker | null} */
    this.walker = null;
    this.state = /** @type {Api.StateOut} */ (/** @type {unknown} */ (null)); // see begin()
    this.giveUp = new AbortController();
    const name = nameOf(game.name);
    this.board = new Board(game.board, game, { label: t('board.label', { game: name }) });
    this.board.element.classList.add('coordinates');
    this.board.onCell = (cell) => this.click(cell);
    this.board.onDrop = (from, to) => this.drop(from, to);
    this.board.canDrag = (cell) => !!this.walker && this.board.marks[cell] === this.state.side;
    this.list = h('ol', { class: 'steps' });
    this.title = h('h2', { tabindex: '-1' });
    this.side = h('p', { class: 'side' });
    this.text = h('p', { class: 'do', 'aria-live': 'polite' });
    this.asked = h('p', { class: 'asked faint', 'aria-live': 'polite' });
    this.said = h('p', { class: 'said', role: 'status' });
    this.row = h('div', { class: 'row' });
    this.live = h('p', { class: 'unseen', 'aria-live': 'polite' });
    this.element = h(
      'div',
      { class: 'lesson' },
      h('h1', {}, t('lesson.title', { game: name })),
      h('nav', { 'aria-label': t('lesson.steps') }, this.list),
      h(
        'section',
        { class: 'task', 'aria-label': t('ask.label') },
        h('div', {}, this.title, this.side),
        this.text,
      ),
      h('div', { class: 'field' }, this.board.element),
      h('div', { class: 'reply' }, this.asked, this.said, this.row),
      this.live,
    );
    this.element.style.setProperty('--shape', String(this.board.shape));
    this.keys = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
    document.addEventListener('keydown', this.keys);
  }

  leave() {
    document.removeEventListener('keydown', this.keys);
    this.giveUp.abort();
    this.shownAt++;
  }

  get step() {
    return this.lessons.steps[this.number];
  }

  get request() {
    return { game: this.game.name, start: this.step.stages[0].position, turns: this.turns };
  }

  // ---- where one is ------------------------------------------------------------------------

  // The step that an address names, or else the first that is still to be done.
  /** @param {string} part */
  find(part) {
    const { steps } = this.lessons;
    const number = Number(part) - 1;
    if (Number.isInteger(number) && steps[number]) return number;
    return Math.max(
      0,
      steps.findIndex(({ key }) => !this.done.has(key)),
    );
  }

  /** @param {number} number */
  async go(number) {
    history.pushState(null, '', `#/learn/${this.game.name}/${number + 1}`);
    await this.open(number);
    this.title.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  /** @param {number} number */
  async open(number) {
    this.number = number;
    this.tries = 0;
    this.title.textContent = this.step.title;
    if (this.step.against) ask('warm', { game: this.game.name }).catch(() => {});
    await this.restart();
    this.drawList();
  }

  // The step from its beginning.
  async restart() {
    this.turns = [];
    this.stage = 0;
    this.hint = NO_HINT;
    await this.begin();
  }

  // A turn to be found, from where it begins; what was said before stays where it led there.
  async begin(said = '') {
    const shown = ++this.shownAt;
    const state = await ask('state', this.request, this.giveUp.signal);
    if (shown === this.shownAt) this.ready(state, said);
  }

  /**
   * @param {Api.StateOut} state
   * @param {string} [said]
   */
  ready(state, said = '') {
    const { stages, against } = this.step;
    this.state = state;
    this.mood = 'doing';
    this.shown = against ? [] : stages[this.stage].shown;
    this.text.textContent = stages[this.stage].text;
    this.side.replaceChildren(
      h('i', { class: `dot ${state.side}` }),
      t('lesson.side', { side: t(`side.${state.side}`) }),
    );
    this.say(said);
    this.walker = new Walker(state, {
      more: async (begun) => (await ask('state', { ...this.request, begun })).steps,
      done: (turn) => this.attempt(this.played(turn)),
      change: () => this.changed(),
    });
    this.board.show(state.cells, this.board.pawns.size > 0);
    if (this.tries && !against) this.hint = Math.max(this.hint, LIGHT);
    this.render();
  }

  // ---- what the learner does ---------------------------------------------------------------

  changed() {
    const { walker } = this;
    if (!walker) return;
    this.board.show(walker.marks, true, walker.last);
    if (walker.last) heard(walker.last);
    this.say('');
    this.render();
  }

  /**
   * Whatever goes wrong on the way is said, and can be tried again.
   *
   * @param {Promise<void>} doing
   */
  attempt(doing) {
    doing.catch((error) => {
      if (this.giveUp.signal.aborted) return;
      this.mood = 'wrong';
      this.say(error.message, 'no');
      this.drawButtons();
    });
  }

  /** @param {string} cell */
  click(cell) {
    if (this.mood === 'wrong') {
      this.attempt(this.again());
      return;
    }
    const { walker } = this;
    if (!walker || walker.click(cell)) return;
    const own = this.board.marks[cell] === this.state.side;
    this.attempt(this.refuse(cell, own && !walker.begun ? null : walker.from));
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  drop(from, to) {
    const { walker } = this;
    if (!walker || walker.drop(from, to)) return;
    this.attempt(this.refuse(to, from));
    this.render();
  }

  /**
   * Say why something cannot be done: in the lesson's words, else in those of the rules.
   *
   * @param {string} target
   * @param {string | null} origin
   */
  async refuse(target, origin) {
    const { walker } = this;
    if (!walker) return;
    sound('no');
    if (walker.choice) {
      this.say(t('why.choice'), 'no');
      return;
    }
    const own = this.step.stages[this.stage].refused.find(
      (one) => one.target === target && one.origin === origin && !walker.begun,
    );
    if (own) {
      this.say(own.text, 'no');
      return;
    }
    const tried = { ...this.request, begun: walker.steps, origin, target };
    const { message } = await ask('why', tried, this.giveUp.signal);
    if (walker === this.walker) this.say(message, 'no');
  }

  /** @param {string} turn */
  async played(turn) {
    this.walker = null;
    this.mood = 'waiting';
    this.asked.textContent = '';
    this.drawButtons();
    if (this.step.against) {
      this.turns = [...this.turns, turn];
      await this.goOn(this.step.against);
      return;
    }
    const shown = ++this.shownAt;
    const { name: game } = this.game;
    const tried = { game, step: this.number, stage: this.stage, turn };
    const { met, said, reply, state } = await ask('lessons/try', tried, this.giveUp.signal);
    if (shown !== this.shownAt) return;
    if (!met) {
      this.missed(said || t('lesson.wrong'), state);
    } else if (reply === null) {
      this.finish(state, said);
    } else {
      this.stage++;
      this.turns = [...this.turns, turn, reply];
      this.hint = NO_HINT;
      if (await this.answered(state, reply, shown)) this.ready(state);
    }
  }

  /**
   * Show the opponent's turn; tell whether the learner is still there.
   *
   * @param {Api.StateOut} state
   * @param {string} turn
   * @param {number} shown
   */
  async answered(state, turn, shown) {
    const isLate = () => shown !== this.shownAt;
    if (!calm()) await wait(THOUGHT, this.giveUp.signal);
    if (!isLate()) await follow(this.board, state, isLate, this.giveUp.signal);
    if (!isLate()) this.live.textContent = saidOf(state, turn);
    return !isLate();
  }

  /**
   * A game: the opponent plays until the learner is asked again, or it is over.
   *
   * @param {number} level
   */
  async goOn(level) {
    const shown = ++this.shownAt;
    const me = this.step.stages[0].side;
    let state = await ask('state', this.request, this.giveUp.signal);
    this.asked.textContent = t('ask.thinking.computer', { level });
    while (shown === this.shownAt && !state.result && state.side !== me) {
      const found = await ask('move', { ...this.request, level }, this.giveUp.signal);
      if (shown !== this.shownAt || !(await this.answered(found.state, found.turn, shown))) return;
      this.turns = [...this.turns, found.turn];
      state = found.state;
    }
    if (shown !== this.shownAt) return;
    if (!state.result) {
      this.hint = NO_HINT;
      this.ready(state);
    } else if (state.result.winner === me) this.finish(state, this.step.done);
    else this.missed(state.result.winner ? this.step.lost : this.step.drawn, state);
  }

  /**
   * @param {string} said
   * @param {Api.StateOut} state
   */
  missed(said, state) {
    this.tries++;
    this.state = state;
    this.mood = 'wrong';
    this.walker = null;
    sound('no');
    this.say(said, 'no');
    this.render();
  }

  /**
   * @param {Api.StateOut} state
   * @param {string} said
   */
  finish(state, said) {
    this.state = state;
    this.mood = 'done';
    this.done.add(this.step.key);
    settings.set(`lessons.${this.game.name}`, [...this.done]);
    sound('end');
    const last = this.number === this.lessons.steps.length - 1;
    const whole = last ? ` ${t('lesson.finished', { game: nameOf(this.game.name) })}` : '';
    this.say(said + whole, 'yes');
    this.drawList();
    this.render();
  }

  // Once more: a game from its beginning, else from where the wrong turn was played.
  async again() {
    this.mood = 'waiting';
    if (this.step.against) await this.restart();
    else await this.begin();
    this.board.button(this.board.stop).focus({ preventScroll: true });
  }

  // First a light, then the arrow; in a game, what the engine would play.
  async help() {
    const { walker } = this;
    if (!walker) return;
    if (this.step.against && !this.shown.length) {
      this.say(t('hint.thinking'));
      const found = await ask('analysis', { ...this.request, seconds: 1 }, this.giveUp.signal);
      if (walker !== this.walker) return;
      this.shown = found.turns[0].steps;
    }
    if (walker.begun && !this.rest(walker).length) walker.reset(); // it went another way
    walker.origin = walker.choice = null;
    this.hint = Math.min(ARROW, this.hint + 1);
    this.changed();
    this.sayHint(this.rest(walker));
  }

  /** @param {Api.ActionOut[]} rest */
  sayHint([first]) {
    const cell = first?.origin ?? first?.target;
    if (!first || !cell) return;
    const cells = [...new Set([cell, first.target ?? cell])].join(' → ');
    const light = t(first.origin ? 'lesson.light.pawn' : 'lesson.light.cell', { cell });
    this.say(this.hint === LIGHT ? light : t('lesson.arrow', { cells }));
  }

  /**
   * What a hint still has to show: nothing, if another way was taken.
   *
   * @param {Walker} walker
   */
  rest({ path }) {
    const same = path.every(
      (node, k) =>
        node.kind === this.shown[k]?.kind &&
        node.origin === this.shown[k].origin &&
        node.target === this.shown[k].target,
    );
    return same ? this.shown.slice(path.length) : [];
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { target, key } = event;
    const { walker } = this;
    const other = event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]');
    if (event.defaultPrevented || other || !walker) return;
    const cell = target instanceof HTMLElement ? target.dataset.cell : undefined;
    const ends = key === 'Enter' && cell && !this.board.view.targets?.includes(cell);
    const way = walker.choice?.find(({ by }) => by && letter(this.game.name, by) === key.toUpperCase());
    const next = way ?? (ends ? walker.end : null);
    if (next) walker.take(next);
    else if (key !== 'Escape' || !walker.cancel()) return;
    event.preventDefault();
  }

  // ---- drawing -----------------------------------------------------------------------------

  /**
   * A new element each time: said, and seen, again.
   *
   * @param {string} text
   * @param {'' | 'yes' | 'no'} [how]
   */
  say(text, how = '') {
    this.said.className = `said ${how}`;
    this.said.replaceChildren(...(text ? [h('span', {}, text)] : []));
  }

  render() {
    const { walker, mood, state } = this;
    /** @type {View} */
    const view = walker ? { ...walker.view } : {};
    const begun = !!walker?.begun;
    if (!begun) {
      view.last = lastCells(state.last);
      view.taken = state.last.flatMap((one) => one.takes).filter((cell) => !this.board.marks[cell]);
      view.resting = state.resting;
      view.barred = state.barred;
    }
    view.pattern = state.result?.cells ?? [];
    view.arrows = walker && this.hint ? this.pointers(this.rest(walker)) : [];
    this.board.mark(view);
    const mid = walker && (walker.begun || walker.from || walker.choice) && walker.nodes.length;
    const kind = mid ? `ask.${kindOfQuestion(state, walker)}` : '';
    this.asked.textContent = kind ? tg(state.game, kind, { name: '', cell: walker?.from ?? '' }) : '';
    this.element.dataset.mood = mood;
    this.drawButtons();
  }

  /** @param {Api.ActionOut[]} rest */
  pointers(rest) {
    if (this.hint === ARROW) return arrowsOf(rest.slice(0, 1), 'best');
    const cell = rest[0]?.origin ?? rest[0]?.target;
    return cell ? [{ from: cell, to: cell, kind: 'best' }] : [];
  }

  drawButtons() {
    const { walker, mood, board } = this;
    const had = this.row.contains(document.activeElement);
    const buttons = walker ? this.answers(walker) : mood === 'wrong' ? this.retry() : this.onwards();
    this.row.replaceChildren(...buttons.filter((one) => one !== null));
    const [first] = this.row.children;
    if (first instanceof HTMLElement && (walker?.choice || mood === 'wrong' || mood === 'done'))
      first.focus({ preventScroll: true });
    else if (had) board.button(walker?.active ?? board.stop).focus({ preventScroll: true });
  }

  /** @param {Walker} walker */
  answers(walker) {
    const { name } = this.game;
    const undo = () => {
      walker.reset();
      walker.change();
    };
    return [
      ...(walker.choice ?? []).map((node) => choiceButton(name, node, walker)),
      endButton(walker, () => walker.end && walker.take(walker.end)),
      walker.begun || walker.choice ? button(t('action.undo-steps'), 'back', undo) : null,
      this.hint < ARROW
        ? button(t(this.hint ? 'action.show-me' : 'action.hint'), 'hint', () => this.attempt(this.help()), {
            cls: 'help',
          })
        : null,
      this.step.against && this.turns.length
        ? button(t('lesson.over'), 'restart', () => this.attempt(this.restart()), { cls: 'quiet' })
        : null,
    ];
  }

  retry() {
    return [button(t('action.try-again'), 'restart', () => this.attempt(this.again()), { cls: 'main' })];
  }

  onwards() {
    if (this.mood !== 'done') return [];
    const { name } = this.game;
    if (this.number < this.lessons.steps.length - 1)
      return [
        button(t('lesson.next'), 'next', () => this.attempt(this.go(this.number + 1)), { cls: 'main' }),
      ];
    const play = t('home.play', { game: nameOf(name) });
    return [
      button(play, 'play', () => this.actions.choose(name), { cls: 'main' }),
      h('a', { class: 'button', href: `#/rules/${name}` }, icon('book'), t('action.rules')),
      h('a', { class: 'button', href: '#/' }, t('wrong.home')),
    ];
  }

  drawList() {
    const { steps, game } = this.lessons;
    const links = steps.map(({ key, title }, k) => {
      const done = this.done.has(key);
      const label = t(done ? 'lesson.step.done' : 'lesson.step', { number: k + 1, title });
      const onclick = (/** @type {Event} */ event) => {
        event.preventDefault();
        this.attempt(this.go(k));
      };
      const current = k === this.number ? 'step' : null;
      const href = `#/learn/${game}/${k + 1}`;
      const shown = [h('b', {}, done ? icon('check') : k + 1), h('span', {}, title)];
      const cls = done ? 'done' : null;
      return h(
        'li',
        {},
        h('a', { href, onclick, title, class: cls, 'aria-current': current, 'aria-label': label }, ...shown),
      );
    });
    this.list.replaceChildren(...links);
    this.title.dataset.of = t('lesson.of', { number: this.number + 1, all: steps.length });
  }
}

/**
 * @param {Place} found
 * @param {Actions} actions
 */
export async function lessonPage(found, actions) {
  const [lessons, game] = await Promise.all([
    ask('lessons', { game: found.game }),
    gameNamed(found.game),
    styled('lesson.css'),
  ]);
  if (!game) throw new Refused(404, undefined);
  const lesson = new Lesson(lessons, game, actions);
  await lesson.open(lesson.find(found.item));
  return lesson;
}
