// Lessons of a game: each step has a position, a task on the board, and feedback. The game's folder
// defines which moves are right.

import { Board } from '../board/board.js';
import { findGame, RequestError, request } from '../core/api.js';
import { button, h, icon, loadStyleSheet, prefersReducedMotion, wait } from '../core/dom.js';
import { captureLetter, gameName, t, tg } from '../core/i18n.js';
import { playSound } from '../core/sound.js';
import { settings } from '../core/storage.js';
import { BoardInput, positionView } from '../play/board-input.js';
import { nextStepText, remainingSteps } from '../play/hints.js';
import { animateMove, moveAnnouncement } from '../play/move-animation.js';
import { moveInputButtons } from '../play/prompt-box.js';
import { questionKind } from '../play/prompt-text.js';
import { arrowsOf } from '../study/value-text.js';

/** @import { Address } from '../core/address.js' */
/** @import { MoveInput } from '../play/move-input.js' */
/** @import { Actions } from '../main.js' */
/** @typedef {'doing' | 'wrong' | 'done' | 'waiting'} LessonPhase */

const OPPONENT_DELAY_MS = 450;
const NO_HINT = 0;
const RING_HINT = 1; // a ring around the pawn or cell to begin with
const ARROW_HINT = 2;

/**
 * Return the keys of the completed steps. Invalid stored values are ignored.
 *
 * @param {Api.LessonsResponse} lessons
 * @returns {Set<string>}
 */
function loadCompletedSteps({ game, steps }) {
  const saved = settings.get(`lessons.${game}`);
  const keys = new Set(steps.map(({ key }) => key));
  return new Set((Array.isArray(saved) ? saved : []).filter((key) => keys.has(key)));
}

/** Page with the lessons of a game. */
class Lesson {
  /**
   * @param {Api.LessonsResponse} lessons
   * @param {Api.GameDescription} game
   * @param {Actions} actions
   */
  constructor(lessons, game, actions) {
    this.lessons = lessons;
    this.game = game;
    this.actions = actions;
    this.completed = loadCompletedSteps(lessons);
    this.number = 0; // index of the current step
    this.stage = 0;
    this.tries = 0;
    this.hint = NO_HINT;
    /** @type {Api.ActionDescription[]} */
    this.hintSteps = []; // the steps of the move that a hint shows
    /** @type {string[]} */
    this.turns = [];
    /** @type {LessonPhase} */
    this.phase = 'waiting';
    this.displayCount = 0; // number of positions shown: an outdated response is ignored
    /** @type {Api.StateResponse | null} */
    this.state = null; // of the position shown
    this.leaving = new AbortController();
    const name = gameName(game.name);
    this.board = new Board(game.board, game, { label: t('board.label', { game: name }) });
    this.board.element.classList.add('coordinates');
    this.input = new BoardInput({
      position: () => this.request,
      onMove: (turn) => this.runAction(this.played(turn)),
      onChange: () => this.onInputChange(),
      onSelect: () => this.render(),
      onRefused: (text) => this.showFeedback(text, 'incorrect'),
      onError: (error) => this.onError(error),
      ownReason: (target, origin) => this.reasonOfLesson(target, origin),
      idle: {
        click: () => {
          if (this.phase === 'wrong') this.runAction(this.retry());
        },
        canDrag: () => false,
        drag: () => {},
        drop: () => {},
      },
    });
    this.input.attach(this.board);
    this.list = h('ol', { class: 'steps' });
    this.title = h('h2', { tabindex: '-1' });
    this.side = h('p', { class: 'side' });
    this.text = h('p', { class: 'task-text', 'aria-live': 'polite' });
    this.promptLine = h('p', { class: 'move-prompt faint', 'aria-live': 'polite' });
    this.feedback = h('p', { class: 'feedback', role: 'status' });
    this.row = h('div', { class: 'row' });
    this.live = h('p', { class: 'visually-hidden', 'aria-live': 'polite' });
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
      h('div', { class: 'reply' }, this.promptLine, this.feedback, this.row),
      this.live,
    );
    this.element.style.setProperty('--shape', String(this.board.shape));
    this.onKeyDown = (/** @type {KeyboardEvent} */ event) => this.handleKey(event);
    document.addEventListener('keydown', this.onKeyDown);
  }

  leave() {
    document.removeEventListener('keydown', this.onKeyDown);
    this.leaving.abort();
    this.displayCount++;
  }

  get moveInput() {
    return this.input.move;
  }

  get step() {
    return this.lessons.steps[this.number];
  }

  get request() {
    return { game: this.game.name, start: this.step.stages[0].position, turns: this.turns };
  }

  // ---- steps -------------------------------------------------------------------------------

  // Return the step that an address names, or the first one not completed.
  /** @param {string} part */
  stepNumber(part) {
    const { steps } = this.lessons;
    const number = Number(part) - 1;
    if (Number.isInteger(number) && steps[number]) return number;
    return Math.max(
      0,
      steps.findIndex(({ key }) => !this.completed.has(key)),
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
    if (this.step.against) request('warm', { game: this.game.name }).catch(() => {});
    await this.restart();
    this.renderSteps();
  }

  // Begin the step again.
  async restart() {
    this.turns = [];
    this.stage = 0;
    this.hint = NO_HINT;
    await this.begin();
  }

  // Show the position of the current task.
  async begin(text = '') {
    const display = ++this.displayCount;
    const state = await request('state', this.request, this.leaving.signal);
    if (display === this.displayCount) this.ready(state, text);
  }

  /**
   * @param {Api.StateResponse} state
   * @param {string} [text]
   */
  ready(state, text = '') {
    const { stages, against } = this.step;
    this.state = state;
    this.phase = 'doing';
    this.hintSteps = against ? [] : stages[this.stage].shown;
    const { text: task } = stages[this.stage];
    const sideText = t('lesson.side', { side: t(`side.${state.side}`) });
    this.text.textContent = task;
    this.side.hidden = task.includes(sideText.replace(/\.$/, '')); // the task says it
    this.side.replaceChildren(h('i', { class: `dot ${state.side}` }), sideText);
    this.showFeedback(text);
    this.input.begin(state);
    this.board.show(state.cells, this.board.pawns.size > 0);
    if (this.tries && !against) this.hint = Math.max(this.hint, RING_HINT);
    this.render();
  }

  // ---- player actions ----------------------------------------------------------------------

  onInputChange() {
    const { moveInput } = this;
    if (!moveInput) return;
    this.board.show(moveInput.marks, true, moveInput.last);
    const isShown = this.hint && moveInput.begun;
    this.showFeedback(isShown ? nextStepText(this.remainingHint(moveInput)) : '');
    this.render();
  }

  /**
   * Run an action; an error is shown, and the player can try again.
   *
   * @param {Promise<void>} action
   */
  runAction(action) {
    action.catch((error) => this.onError(error));
  }

  /** @param {any} error */
  onError(error) {
    if (this.leaving.signal.aborted) return;
    this.phase = 'wrong';
    this.showFeedback(error.message, 'incorrect');
    this.renderButtons();
  }

  /**
   * Return the lesson's own reason why a step is illegal, if it has one.
   *
   * @param {string} target
   * @param {string | null} origin
   */
  reasonOfLesson(target, origin) {
    const { refused } = this.step.stages[this.stage];
    return refused.find((refusal) => refusal.target === target && refusal.origin === origin)?.text;
  }

  /** @param {string} turn */
  async played(turn) {
    this.input.stop();
    this.phase = 'waiting';
    this.promptLine.textContent = '';
    this.renderButtons();
    if (this.step.against) {
      this.turns = [...this.turns, turn];
      await this.playOpponent(this.step.against);
      return;
    }
    const display = ++this.displayCount;
    const { name: game } = this.game;
    const tried = { game, step: this.number, stage: this.stage, turn };
    const { met, said: text, reply, state } = await request('lessons/try', tried, this.leaving.signal);
    if (display !== this.displayCount) return;
    if (!met) {
      this.onFailed(text || t('lesson.wrong'), state);
    } else if (reply === null) {
      this.onSolved(state, text);
    } else {
      this.stage++;
      this.turns = [...this.turns, turn, reply];
      this.hint = NO_HINT;
      if (await this.showReply(state, reply, display)) this.ready(state);
    }
  }

  /**
   * Show the opponent's move. Return false if another position is shown meanwhile.
   *
   * @param {Api.StateResponse} state
   * @param {string} turn
   * @param {number} display
   */
  async showReply(state, turn, display) {
    const isLate = () => display !== this.displayCount;
    if (!prefersReducedMotion()) await wait(OPPONENT_DELAY_MS, this.leaving.signal);
    if (!isLate()) await animateMove(this.board, state, isLate, this.leaving.signal);
    if (!isLate()) this.live.textContent = moveAnnouncement(state, turn);
    return !isLate();
  }

  /**
   * Let the opponent move until it is the player's turn or the game is over.
   *
   * @param {number} level
   */
  async playOpponent(level) {
    const display = ++this.displayCount;
    const me = this.step.stages[0].side;
    let state = await request('state', this.request, this.leaving.signal);
    this.promptLine.textContent = t('ask.thinking.computer', { level });
    while (display === this.displayCount && !state.result && state.side !== me) {
      const response = await request('move', { ...this.request, level }, this.leaving.signal);
      if (display !== this.displayCount || !(await this.showReply(response.state, response.turn, display)))
        return;
      this.turns = [...this.turns, response.turn];
      state = response.state;
    }
    if (display !== this.displayCount) return;
    if (!state.result) {
      this.hint = NO_HINT;
      this.ready(state);
    } else if (state.result.winner === me) this.onSolved(state, this.step.done);
    else this.onFailed(state.result.winner ? this.step.lost : this.step.drawn, state);
  }

  /**
   * @param {string} text
   * @param {Api.StateResponse} state
   */
  onFailed(text, state) {
    this.tries++;
    this.state = state;
    this.phase = 'wrong';
    this.input.stop();
    playSound('no');
    this.showFeedback(text, 'incorrect');
    this.render();
  }

  /**
   * @param {Api.StateResponse} state
   * @param {string} text
   */
  onSolved(state, text) {
    this.state = state;
    this.phase = 'done';
    this.completed.add(this.step.key);
    settings.set(`lessons.${this.game.name}`, [...this.completed]);
    playSound('end');
    const last = this.number === this.lessons.steps.length - 1;
    const ending = last ? ` ${t('lesson.finished', { game: gameName(this.game.name) })}` : '';
    this.showFeedback(text + ending, 'correct');
    this.renderSteps();
    this.render();
  }

  // Try again: a game from its beginning, other tasks from the position of the wrong move.
  async retry() {
    this.phase = 'waiting';
    if (this.step.against) await this.restart();
    else await this.begin();
    this.board.button(this.board.tabCell).focus({ preventScroll: true });
  }

  // Show a hint: first a ring, then an arrow. In a game, it is the engine's move.
  async showHint() {
    const { moveInput } = this;
    if (!moveInput) return;
    if (this.step.against && !this.hintSteps.length) {
      this.showFeedback(t('hint.thinking'));
      const response = await request('analysis', { ...this.request, seconds: 1 }, this.leaving.signal);
      if (moveInput !== this.moveInput) return;
      this.hintSteps = response.turns[0].steps;
    }
    // The player began another move.
    if (moveInput.begun && !this.remainingHint(moveInput).length) moveInput.reset();
    moveInput.deselect();
    this.hint = Math.min(ARROW_HINT, this.hint + 1);
    this.onInputChange();
    if (!moveInput.begun) this.describeHint(this.remainingHint(moveInput));
  }

  /** @param {Api.ActionDescription[]} rest */
  describeHint([first]) {
    const cell = first?.origin ?? first?.target;
    if (!first || !cell) return;
    const cells = [...new Set([cell, first.target ?? cell])].join(' → ');
    const light = t(first.origin ? 'lesson.light.pawn' : 'lesson.light.cell', { cell });
    const arrow = this.hint === ARROW_HINT && !!first.origin && !!first.target;
    this.showFeedback(arrow ? t('lesson.arrow', { cells }) : light);
  }

  /**
   * Return the steps of the hint still to be played; none if the player began another move.
   *
   * @param {MoveInput} moveInput
   */
  remainingHint(moveInput) {
    return remainingSteps(this.hintSteps, moveInput) ?? [];
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    const { target, key } = event;
    const { moveInput } = this;
    const other = event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]');
    if (event.defaultPrevented || other || !moveInput) return;
    const cell = target instanceof HTMLElement ? target.dataset.cell : undefined;
    const ends = key === 'Enter' && cell && !this.board.view.targets?.includes(cell);
    const chosen = moveInput.choice?.find(
      ({ by }) => by && captureLetter(this.game.name, by) === key.toUpperCase(),
    );
    const next = chosen ?? (ends ? moveInput.end : null);
    if (next) moveInput.take(next);
    else if (key !== 'Escape' || !moveInput.cancel()) return;
    event.preventDefault();
  }

  // ---- rendering ---------------------------------------------------------------------------

  /**
   * Show feedback in a new element, so that screen readers announce it and it is animated again.
   *
   * @param {string} text
   * @param {'' | 'correct' | 'incorrect'} [outcome]
   */
  showFeedback(text, outcome = '') {
    this.feedback.className = `feedback ${outcome}`;
    this.feedback.replaceChildren(...(text ? [h('span', {}, text)] : []));
  }

  render() {
    const { moveInput, phase, state } = this;
    if (!state) return;
    const view = positionView(state, moveInput, false);
    view.arrows = moveInput && this.hint ? this.hintArrows(moveInput) : [];
    this.board.mark(view);
    const mid =
      moveInput && (moveInput.begun || moveInput.from || moveInput.choice) && moveInput.nodes.length;
    const kind = mid ? `ask.${questionKind(state, moveInput)}` : '';
    this.promptLine.textContent = kind ? tg(state.game, kind, { name: '', cell: moveInput?.from ?? '' }) : '';
    this.element.dataset.mood = phase;
    this.renderButtons();
  }

  /** @param {MoveInput} moveInput */
  hintArrows(moveInput) {
    const rest = this.remainingHint(moveInput);
    if (this.hint === ARROW_HINT || moveInput.begun) return arrowsOf(rest.slice(0, 1), 'best');
    const cell = rest[0]?.origin ?? rest[0]?.target;
    return cell ? [{ from: cell, to: cell, kind: 'best' }] : [];
  }

  renderButtons() {
    const { moveInput, phase, board } = this;
    const hadFocus = this.row.contains(document.activeElement);
    const buttons = moveInput
      ? this.inputButtons(moveInput)
      : phase === 'wrong'
        ? this.retryButtons()
        : this.nextButtons();
    this.row.replaceChildren(...buttons.filter((element) => element !== null));
    const [first] = this.row.children;
    if (first instanceof HTMLElement && (moveInput?.choice || phase === 'wrong' || phase === 'done'))
      first.focus({ preventScroll: true });
    else if (hadFocus) board.button(moveInput?.active ?? board.tabCell).focus({ preventScroll: true });
  }

  /** @param {MoveInput} moveInput */
  inputButtons(moveInput) {
    return [
      ...moveInputButtons(this.game.name, moveInput, this.board),
      this.hint < ARROW_HINT
        ? button(
            t(this.hint ? 'action.show-me' : 'action.hint'),
            'hint',
            () => this.runAction(this.showHint()),
            {
              cls: 'help',
            },
          )
        : null,
      this.step.against && this.turns.length
        ? button(t('lesson.over'), 'restart', () => this.runAction(this.restart()), { cls: 'quiet' })
        : null,
    ];
  }

  retryButtons() {
    return [button(t('action.try-again'), 'restart', () => this.runAction(this.retry()), { cls: 'main' })];
  }

  nextButtons() {
    if (this.phase !== 'done') return [];
    const { name } = this.game;
    if (this.number < this.lessons.steps.length - 1)
      return [
        button(t('lesson.next'), 'next', () => this.runAction(this.go(this.number + 1)), { cls: 'main' }),
      ];
    const play = t('home.play', { game: gameName(name) });
    return [
      button(play, 'play', () => this.actions.chooseNewGame(name), { cls: 'main' }),
      h('a', { class: 'button', href: `#/rules/${name}` }, icon('book'), t('action.rules')),
      h('a', { class: 'button', href: '#/' }, t('wrong.home')),
    ];
  }

  renderSteps() {
    const { steps, game } = this.lessons;
    const links = steps.map(({ key, title }, k) => {
      const done = this.completed.has(key);
      const label = t(done ? 'lesson.step.done' : 'lesson.step', { number: k + 1, title });
      const onclick = (/** @type {Event} */ event) => {
        event.preventDefault();
        this.runAction(this.go(k));
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
 * Load the lessons of a game and open the step that the address names.
 *
 * @param {Address} address
 * @param {Actions} actions
 */
export async function lessonPage(address, actions) {
  const [lessons, game] = await Promise.all([
    request('lessons', { game: address.game }),
    findGame(address.game),
    loadStyleSheet('lesson.css'),
  ]);
  if (!game) throw new RequestError(404, undefined);
  const lesson = new Lesson(lessons, game, actions);
  await lesson.open(lesson.stepNumber(address.item));
  return lesson;
}
