// Training page: one puzzle after the other, near the player's rating or as filtered.

import { addressOf, link, root } from '../core/address.js';
import { gameList, request } from '../core/api.js';
import { button, h, loadStyleSheet } from '../core/dom.js';
import { formatDate, formatList, formatNumber, gameName, t, todayUtc } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { dueMistakes, mistakePuzzle, OWN_MISTAKES } from './mistake-puzzles.js';
import { trainingStore } from './progress.js';
import {
  chooseForRun,
  chooseNext,
  DEFAULT_FILTER,
  dueReviews,
  matchesThemes,
  otherImage,
  tagsOf,
} from './puzzle-choice.js';
import { PuzzleRun } from './run.js';
import { openPuzzleSolver } from './solver.js';
import {
  attemptList,
  KINDS,
  panelParts,
  progressRatingText,
  puzzlesToRating,
  ratingChange,
  tagName,
} from './training-panel.js';

/** @import { Address } from '../core/address.js' */
/** @import { Actions } from '../main.js' */
/** @import { PuzzleFilter } from './puzzle-choice.js' */
/** @import { Puzzle, PuzzleSolver, SolverListeners } from './solver.js' */
/** @typedef {'streak' | 'timed'} RunKind */

const GRADES = { missed: 1, usedHint: 2, solved: 3 }; // grades of the FSRS algorithm
const PAUSE_MS = 450; // between two puzzles of a run
const TICK_MS = 250;

/** @type {Map<string, Promise<Api.PuzzlesResponse>>} */
const lists = new Map();

/**
 * Return the puzzles of a game; they are requested once.
 *
 * @param {string} game
 */
async function loadPuzzles(game) {
  const puzzles = lists.get(game) ?? request('puzzles', { game });
  lists.set(game, puzzles);
  return (await puzzles).puzzles;
}

/**
 * Load a puzzle with its task.
 *
 * @param {string} game
 * @param {string} id
 * @param {number} image
 * @returns {Promise<Puzzle>}
 */
async function loadPuzzle(game, id, image) {
  const [shown, list] = await Promise.all([request('puzzles/shown', { game, id, image }), loadPuzzles(game)]);
  const about = list.find((other) => other.id === id);
  const puzzle = { game, id, image: shown.image };
  return {
    ...puzzle,
    images: about?.images ?? 1,
    options: shown.options,
    start: shown.start,
    turns: [],
    side: shown.side,
    task: shown.task,
    points: about?.points ?? null,
    tags: about ? tagsOf(about) : [],
    attempt: (turns) => request('puzzles/attempt', { ...puzzle, turns }),
    hint: async (turns) => (await request('puzzles/hint', { ...puzzle, turns })).steps,
    solution: async () => (await request('puzzles/solution', puzzle)).line,
  };
}

/**
 * Return the address of a puzzle.
 *
 * @param {Puzzle} puzzle
 */
function puzzleAddress({ game, id, image }) {
  const parts = /** @type {[string, string][]} */ (image ? [['image', String(image)]] : []);
  return link('train', `${game}/${id}`, parts);
}

/** Training page. */
export class Trainer {
  /** @param {Actions} actions */
  constructor(actions) {
    /** @type {PuzzleFilter} */
    this.filter = { ...DEFAULT_FILTER, ...settings.get('train', {}) };
    /** @type {Api.PuzzleSummary[]} */
    this.list = []; // puzzles of the current puzzle's game
    /** @type {PuzzleRun | null} */
    this.run = null;
    /** @type {{ game: string, by: number } | null} */
    this.change = null; // of the rating by the current puzzle
    this.day = ''; // date of the puzzle of the day; empty for other puzzles
    this.isReview = false; // the current puzzle was missed before
    this.notice = '';
    this.isFilterOpen = false;
    this.requestCount = 0; // number of puzzles requested: an outdated response is ignored
    this.timer = 0;
    /** @type {HTMLElement[] | null} */
    this.outcome = null; // of a finished run
    this.onFilterToggle = (/** @type {Event} */ event) => {
      this.isFilterOpen = /** @type {HTMLDetailsElement} */ (event.target).open;
    };
    this.actions = actions;
    /** @type {PuzzleSolver | null} */
    this.solver = null; // until the first puzzle is shown
    const lost = trainingStore.repair();
    if (lost) this.notice = t('train.damaged', { count: lost });
  }

  leave() {
    this.requestCount++;
    clearInterval(this.timer);
    this.solver?.table.leave();
  }

  // The element of the page; there is none before the first puzzle.
  get element() {
    if (!this.solver) throw new Error(t('train.none.game'));
    return this.solver.element;
  }

  // ---- choice of the puzzle ------------------------------------------------------------------

  /** @param {Address} place */
  async open({ game, item, options }) {
    if (game === 'day') await this.openDay();
    else if (game && item) await this.openPuzzle(game, item, Number(options.image) || 0);
    else {
      if (game && game !== this.filter.game) this.saveFilter({ game, themes: [] });
      await this.next();
    }
  }

  async openDay() {
    const date = todayUtc();
    const { game, id } = await request('puzzles/daily', { date });
    await this.openPuzzle(game, id, 0, { day: date });
  }

  /**
   * @param {string} game
   * @param {string} id
   * @param {number} image
   * @param {{ day?: string, isReview?: boolean }} [how]
   */
  async openPuzzle(game, id, image, { day = '', isReview = false } = {}) {
    const request = ++this.requestCount;
    const puzzle = await loadPuzzle(game, id, image);
    this.list = await loadPuzzles(game);
    if (request !== this.requestCount) return;
    // A linked or daily puzzle of another game than the chosen one: choose from all games.
    if (this.filter.game && this.filter.game !== game) this.filter = { ...this.filter, game: '', themes: [] };
    this.day = day;
    this.isReview = isReview;
    await this.showPuzzle(puzzle, day ? '#/train/day' : puzzleAddress(puzzle));
  }

  /**
   * @param {Puzzle} puzzle
   * @param {string} place its address
   */
  async showPuzzle(puzzle, place) {
    const { run } = this;
    this.change = null;
    if (!run) history.replaceState(null, '', `${root}${place}`);
    const isFirst = !this.solver;
    const solver = this.solver ?? (await openPuzzleSolver(puzzle, this.actions, this.solverListeners()));
    this.solver = solver;
    solver.configure({ hasOneAttempt: !!run, skipsPunishment: run?.kind === 'timed' });
    this.renderAbout(puzzle);
    if (isFirst) await solver.start();
    else await solver.showPuzzle(puzzle);
    await this.render();
  }

  /** @returns {SolverListeners} */
  solverListeners() {
    return {
      onAttempt: (right, usedHint) => this.onAttempt(right, usedHint),
      onOver: () => this.onPuzzleOver(),
      onNext: () => this.next(),
      onShare: () => this.share(),
      extraButtons: () => this.runButtons(),
    };
  }

  // Show one of the player's own mistakes.
  async nextOwnMistake() {
    const { next } = dueMistakes(this.solver?.puzzle.id);
    this.day = '';
    this.isReview = false;
    if (next) await this.showPuzzle(mistakePuzzle(next), `#/train/${OWN_MISTAKES}`);
    else {
      this.saveFilter({ game: '' });
      await this.next();
      this.solver?.table.showMessage(t('train.mine.none'));
    }
  }

  /**
   * Show the game of a puzzle and, after it is solved, its rating and themes.
   *
   * @param {Puzzle} puzzle
   */
  renderAbout(puzzle) {
    const { solver } = this;
    if (!solver) return;
    const parts = [h('span', {}, gameName(puzzle.game))];
    if (this.day)
      parts.push(
        h('span', { class: 'day' }, t('train.day.of', { date: formatDate(Date.parse(`${this.day}T12:00`)) })),
      );
    if (this.isReview) parts.push(h('span', { class: 'review-due' }, t('train.review')));
    if (solver.isReported && solver.puzzle === puzzle && puzzle.points !== null) {
      parts.push(h('span', {}, t('train.points', { points: Math.round(puzzle.points) })));
      const tags = puzzle.tags.filter((tag) => !KINDS.includes(tag)).map((tag) => tagName(tag, KINDS));
      if (tags.length) parts.push(h('span', {}, formatList(tags)));
    }
    if (this.change && solver.puzzle === puzzle) {
      const progress = trainingStore.forGame(puzzle.game);
      const left = puzzlesToRating(progress);
      const now = t('train.now', { points: progressRatingText(progress) });
      if (left) parts.push(h('span', {}, t('train.provisional', { count: left })));
      else parts.push(h('span', {}, now, ' ', ratingChange(this.change.by)));
    }
    solver.about.replaceChildren(...parts.flatMap((part, k) => (k ? [' · ', part] : [part])));
  }

  async next() {
    if (this.run?.over) this.stopRun();
    try {
      if (this.filter.game === OWN_MISTAKES) await this.nextOwnMistake();
      else if (!(await this.nextReview()) && !(await this.nextPuzzle())) await this.relaxFilter();
    } catch (error) {
      if (!this.solver) throw error;
      this.solver.table.showError(error);
    }
  }

  // Show a missed puzzle that is due, except in a run.
  async nextReview() {
    const now = Date.now();
    const last = this.solver?.puzzle.id;
    for (const game of this.run ? [] : await this.chosenGames()) {
      for (const [id, missed] of dueReviews(trainingStore.forGame(game), now, last)) {
        if (!matchesThemes(await loadPuzzles(game), this.filter, id)) continue;
        await this.openPuzzle(game, id, otherImage(missed), { isReview: true });
        return true;
      }
    }
    return false;
  }

  async nextPuzzle() {
    const { run, filter } = this;
    const shuffled = (await this.chosenGames()).map((game) => ({ game, at: Math.random() }));
    for (const { game } of shuffled.sort((a, b) => a.at - b.at)) {
      const list = await loadPuzzles(game);
      const progress = trainingStore.forGame(game);
      const used = run?.entries.map(({ id }) => id) ?? [];
      const choice = run ? chooseForRun(list, filter, progress, used) : chooseNext(list, filter, progress);
      if (!choice) continue;
      await this.openPuzzle(game, choice.id, 0);
      return true;
    }
    return false;
  }

  async chosenGames() {
    if (this.filter.game) return [this.filter.game];
    return (await gameList()).games.map(({ name }) => name);
  }

  // No puzzle fits the filter: tell the player and relax it.
  async relaxFilter() {
    const { themes, difficulty, game } = this.filter;
    const narrow = themes.length > 0 || difficulty !== 'mine';
    const key = narrow ? 'none' : 'none.game';
    if (!narrow && !game) throw new Error(t('train.none.game'));
    this.saveFilter({ themes: [], difficulty: 'mine', ...(!narrow && { game: '' }) });
    this.stopRun();
    await this.next();
    this.isFilterOpen = true;
    this.solver?.table.showMessage(t(`train.${key}`));
    await this.render();
  }

  // ---- filter and progress -------------------------------------------------------------------

  /** @param {Partial<PuzzleFilter>} part */
  saveFilter(part) {
    this.filter = { ...this.filter, ...part };
    settings.set('train', this.filter);
  }

  /** @param {Partial<PuzzleFilter>} part */
  setFilter(part) {
    this.saveFilter(part);
    this.stopRun();
    this.next();
  }

  /** @param {string} text of a file */
  importProgress(text) {
    const { progress, lost } = trainingStore.importText(text);
    const count = Object.values(progress.games).reduce((n, progress) => n + progress.tried.length, 0);
    const empty = lost && !count && !Object.keys(progress.games).length;
    this.notice = empty
      ? t('train.import.not')
      : t('train.imported', { count }) + (lost ? ` ${t('train.import.lost', { count: lost })}` : '');
    this.render();
  }

  async share() {
    const { public: home } = await gameList();
    if (!this.solver) return;
    const { table, puzzle } = this.solver;
    const place = this.filter.game === OWN_MISTAKES ? addressOf(table.tree) : puzzleAddress(puzzle);
    const here = new URL(place, home ?? new URL(root, location.href)).href;
    const touch = matchMedia('(pointer: coarse)').matches && !!navigator.share;
    const shared = touch ? navigator.share({ url: here }) : navigator.clipboard?.writeText(here);
    const done = await (shared ?? Promise.reject()).then(
      () => true,
      () => false,
    );
    table.showMessage(done && !touch ? t('train.copied') : done ? '' : here);
  }

  // ---- results -------------------------------------------------------------------------------

  /**
   * @param {boolean} right
   * @param {boolean} usedHint
   */
  async onAttempt(right, usedHint) {
    const { run, day, solver } = this;
    if (!solver) return;
    const { puzzle } = solver;
    const { game, id } = puzzle;
    const at = Date.now();
    run?.record({ game, id, right: right && !usedHint });
    const storageKey = puzzle.points === null ? OWN_MISTAKES : game;
    const progress = trainingStore.forGame(storageKey);
    const missed = progress.missed[id];
    const counts =
      !run && !missed && storageKey !== OWN_MISTAKES && !progress.tried.some((other) => other.id === id);
    const isRepeated = missed || storageKey === OWN_MISTAKES; // a missed puzzle is repeated until it is known
    const grade = !right ? GRADES.missed : usedHint ? GRADES.usedHint : isRepeated ? GRADES.solved : null;
    const score = counts ? (right ? (usedHint ? 0.5 : 1) : 0) : null;
    if (day) trainingStore.update(({ days }) => (days[day] ??= right && !usedHint));
    const { card, ...rating } = await request('training', {
      ...{ game, id, ...progress.rating, score, grade, now: at },
      card: missed?.card ?? null,
    });
    trainingStore.updateGame(storageKey, (progress) => {
      if (counts) progress.rating = rating;
      const points = counts ? rating.points : null;
      progress.tried.push({ at, id, right: right && !usedHint, points });
      if (card) progress.missed[id] = { image: puzzle.image, images: puzzle.images, card };
    });
    if (puzzle !== solver.puzzle) return;
    this.change = counts ? { game, by: rating.points - progress.rating.points } : null;
    this.renderAbout(puzzle);
    await this.render();
  }

  // Update the page after a puzzle; in a run, show the next one.
  onPuzzleOver() {
    const { run, solver } = this;
    if (!solver) return;
    this.renderAbout(solver.puzzle);
    if (!run || run.over) {
      if (run) this.render();
      return;
    }
    const { puzzle } = solver;
    setTimeout(() => puzzle === solver.puzzle && run === this.run && !run.over && this.next(), PAUSE_MS);
  }

  // ---- runs ----------------------------------------------------------------------------------

  /** @param {RunKind} kind */
  startRun(kind) {
    this.stopRun();
    this.run = new PuzzleRun(kind, this.filter.game);
    this.solver?.element.classList.add('running');
    if (kind === 'timed') this.timer = setInterval(() => this.tick(), TICK_MS);
    this.next();
  }

  stopRun() {
    clearInterval(this.timer);
    this.run = this.outcome = null;
    this.solver?.element.classList.remove('running');
    this.renderRun();
  }

  tick() {
    const { run } = this;
    if (!run || run.over) return;
    if (!run.secondsLeft) {
      run.end();
      this.solver?.finish();
      this.render();
    }
    this.renderRun();
  }

  renderRun() {
    const { run } = this;
    const top = this.solver?.runBox;
    if (!top) return;
    top.hidden = !run || run.over;
    if (!run || run.over) return;
    const clock = run.kind === 'timed' ? [h('b', { class: 'clock', role: 'timer' }, run.clockText)] : [];
    const lost = '✗'.repeat(run.strikes);
    top.replaceChildren(
      h('span', { class: 'faint' }, t(`train.${run.kind}`)),
      ...clock,
      h('b', { class: 'score' }, t('train.score', { count: run.score })),
      lost
        ? h(
            'span',
            { class: 'strikes', role: 'img', 'aria-label': t('train.strikes', { count: run.strikes }) },
            lost,
          )
        : '',
      button(t('train.leave'), 'cross', () => this.setFilter({}), { quiet: true, cls: 'quiet' }),
    );
  }

  /**
   * Return the buttons shown during and after a run in place of the usual ones.
   *
   * @returns {HTMLElement[] | null}
   */
  runButtons() {
    const { run, solver } = this;
    if (!run) return null;
    if (!run.over || solver?.phase === 'judging') return [];
    this.outcome ??= this.runOutcome(run); // built once, so that screen readers announce it once
    return this.outcome;
  }

  /** @param {PuzzleRun} run */
  runOutcome(run) {
    const before = run.previousBest ? t('train.best', { score: formatNumber(run.previousBest) }) : '';
    const best = run.isNewBest ? t('train.best.new') : before;
    return [
      h(
        'div',
        { class: 'outcome', role: 'status' },
        h('strong', {}, t('train.score', { count: run.score })),
        h('span', { class: run.isNewBest ? 'increase' : 'faint' }, best),
        attemptList(run.entries),
      ),
      button(t('train.again'), 'restart', () => this.startRun(run.kind), { cls: 'main next' }),
      button(t('train.leave'), 'cross', () => this.setFilter({})),
    ];
  }

  async render() {
    const parts = await panelParts(this);
    const { solver } = this;
    if (!solver) return;
    const { info } = solver;
    const { activeElement } = document;
    const name = activeElement && info.contains(activeElement) ? activeElement.getAttribute('name') : null;
    info.replaceChildren(...parts.filter((part) => part !== null));
    this.renderRun();
    solver.renderPrompt();
    const sameControl = name && info.querySelector(`[name="${name}"]`);
    if (sameControl instanceof HTMLElement) sameControl.focus({ preventScroll: true });
  }
}

/**
 * Build the training page and open the puzzle that the address names.
 *
 * @param {Address} place
 * @param {Actions} actions
 */
export async function trainPage(place, actions) {
  const [trainer] = await Promise.all([new Trainer(actions), loadStyleSheet('train.css')]);
  await trainer.open(place);
  return trainer;
}
