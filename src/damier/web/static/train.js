// Training: one puzzle after the other, at the player's strength or as he wants them.

import { describe, link, root } from './address.js';
import { ask, gameList } from './api.js';
import { button, h, styled } from './dom.js';
import { listed, nameOf, number, t, today } from './i18n.js';
import { settings } from './store.js';
import { ANYTHING, another, choose, due, grown, isWanted, tagsOf } from './train-choice.js';
import { MINE, mistakePuzzle, ownMistakes } from './train-mine.js';
import { KINDS, marksOf, panelOf, signed, standing, tagName } from './train-panel.js';
import { training } from './train-progress.js';
import { Run } from './train-run.js';
import { Solver } from './train-solve.js';

/** @import { Place } from './address.js' */
/** @import { Actions } from './main.js' */
/** @import { Wanted } from './train-choice.js' */
/** @import { Posed } from './train-solve.js' */
/** @typedef {'streak' | 'timed'} RunKind */

const GRADES = { missed: 1, helped: 2, solved: 3 }; // as FSRS has them
const PAUSE_MS = 450; // in a run, from one puzzle to the next
const TICK_MS = 250;

/** @type {Map<string, Promise<Api.PuzzlesOut>>} */
const lists = new Map();

/** @param {string} game */
async function listOf(game) {
  const asked = lists.get(game) ?? ask('puzzles', { game });
  lists.set(game, asked);
  return (await asked).puzzles;
}

/**
 * @param {string} game
 * @param {string} id
 * @param {number} image
 * @returns {Promise<Posed>}
 */
async function puzzleOf(game, id, image) {
  const [shown, list] = await Promise.all([ask('puzzles/shown', { game, id, image }), listOf(game)]);
  const about = list.find((one) => one.id === id);
  const named = { game, id, image: shown.image };
  return {
    ...named,
    images: about?.images ?? 1,
    options: shown.options,
    start: shown.start,
    turns: [],
    side: shown.side,
    task: shown.task,
    points: about?.points ?? null,
    tags: about ? tagsOf(about) : [],
    attempt: (turns) => ask('puzzles/attempt', { ...named, turns }),
    hint: async (turns) => (await ask('puzzles/hint', { ...named, turns })).cells,
    solution: async () => (await ask('puzzles/solution', named)).line,
  };
}

/** @param {Posed} puzzle */
function addressOf({ game, id, image }) {
  const parts = /** @type {[string, string][]} */ (image ? [['image', String(image)]] : []);
  return link('train', `${game}/${id}`, parts);
}

export class Trainer {
  /** @param {Actions} actions */
  constructor(actions) {
    /** @type {Wanted} */
    this.wanted = { ...ANYTHING, ...settings.get('train', {}) };
    /** @type {Api.PuzzleOut[]} */
    this.list = []; // of the game whose puzzle is shown
    /** @type {Run | null} */
    this.run = null;
    /** @type {{ game: string, by: number } | null} */
    this.change = null; // of the rating, by the puzzle that is shown
    this.day = ''; // the date whose puzzle is shown
    this.returning = false; // the puzzle shown was missed before
    this.notice = '';
    this.filtering = false;
    this.asked = 0; // counts puzzles asked for, so that a late one is not shown
    this.timer = 0;
    /** @type {HTMLElement[] | null} */
    this.outcome = null; // of a run that is over
    this.toggled = (/** @type {Event} */ event) => {
      this.filtering = /** @type {HTMLDetailsElement} */ (event.target).open;
    };
    this.solver = new Solver(actions, {
      tried: (right, helped) => this.tried(right, helped),
      over: () => this.ended(),
      next: () => this.next(),
      offer: () => this.offered(),
    });
    this.element = this.solver.element;
    this.tools(actions);
    const lost = training.check();
    if (lost) this.notice = t('train.damaged', { count: lost });
  }

  leave() {
    this.asked++;
    clearInterval(this.timer);
    this.solver.leave();
  }

  /** @param {Actions} actions */
  tools(actions) {
    const { solver } = this;
    const analyse = () => actions.study(solver);
    solver.buttons.replaceChildren(
      button(t('action.hint'), 'hint', () => solver.help(), { cls: 'hint' }),
      button(t('train.solution'), 'check', () => solver.solve(), { cls: 'solution' }),
      button(t('action.analyse'), 'chart', analyse, { cls: 'analyse' }),
      button(t('action.share'), 'share', () => this.share(), { cls: 'share' }),
    );
  }

  // ---- which puzzle --------------------------------------------------------------------------

  /** @param {Place} place */
  async open({ game, item, options }) {
    if (game === 'day') await this.openDay();
    else if (game && item) await this.pose(game, item, Number(options.image) || 0);
    else {
      if (game && game !== this.wanted.game) this.keep({ game, themes: [] });
      await this.next();
    }
  }

  async openDay() {
    const date = today();
    const { game, id } = await ask('puzzles/daily', { date });
    await this.pose(game, id, 0, { day: date });
  }

  /**
   * @param {string} game
   * @param {string} id
   * @param {number} image
   * @param {{ day?: string, returning?: boolean }} [how]
   */
  async pose(game, id, image, { day = '', returning = false } = {}) {
    const asked = ++this.asked;
    const puzzle = await puzzleOf(game, id, image);
    this.list = await listOf(game);
    if (asked !== this.asked) return;
    this.day = day;
    this.returning = returning;
    await this.put(puzzle, day ? '#/train/day' : addressOf(puzzle));
  }

  /**
   * @param {Posed} puzzle
   * @param {string} place its address
   */
  async put(puzzle, place) {
    const { run, solver } = this;
    this.change = null;
    solver.once = !!run;
    solver.hasty = run?.kind === 'timed';
    if (!run) history.replaceState(null, '', `${root}${place}`);
    this.about(puzzle);
    await solver.pose(puzzle);
    await this.render();
  }

  // One of the player's own mistakes.
  async nextMine() {
    const { next } = ownMistakes(this.solver.puzzle?.id);
    this.day = '';
    this.returning = false;
    if (next) await this.put(mistakePuzzle(next), `#/train/${MINE}`);
    else {
      this.keep({ game: '' });
      await this.next();
      this.solver.say(t('train.mine.none'));
    }
  }

  /** What is said of a puzzle before it is solved, and after. @param {Posed} puzzle */
  about(puzzle) {
    const { solver } = this;
    const said = [h('span', {}, nameOf(puzzle.game))];
    if (this.day) said.push(h('span', { class: 'day' }, t('train.day.of', { date: this.day })));
    if (this.returning) said.push(h('span', { class: 'returns' }, t('train.returns')));
    if (solver.told && solver.puzzle === puzzle && puzzle.points !== null) {
      said.push(h('span', {}, t('train.points', { points: Math.round(puzzle.points) })));
      const tags = puzzle.tags.filter((tag) => !KINDS.includes(tag)).map((tag) => tagName(tag, KINDS));
      if (tags.length) said.push(h('span', {}, listed(tags)));
    }
    if (this.change && solver.puzzle === puzzle) {
      const now = t('train.now', { points: standing(training.of(puzzle.game)) });
      said.push(h('span', {}, now, ' ', signed(this.change.by)));
    }
    solver.posing.about.replaceChildren(...said.flatMap((part, k) => (k ? [' · ', part] : [part])));
  }

  async next() {
    if (this.run?.over) this.stop();
    try {
      if (this.wanted.game === MINE) await this.nextMine();
      else if (!(await this.nextDue()) && !(await this.nextFresh())) await this.nothing();
    } catch (error) {
      if (!this.solver.puzzle) throw error;
      this.solver.complain(error);
    }
  }

  // What was missed and is due; not in a run.
  async nextDue() {
    const now = Date.now();
    const last = this.solver.puzzle?.id;
    for (const game of this.run ? [] : await this.gamesWanted()) {
      for (const [id, missed] of due(training.of(game), now, last)) {
        if (!isWanted(await listOf(game), this.wanted, id)) continue;
        await this.pose(game, id, another(missed), { returning: true });
        return true;
      }
    }
    return false;
  }

  async nextFresh() {
    const { run, wanted } = this;
    const lot = (await this.gamesWanted()).map((game) => ({ game, at: Math.random() }));
    for (const { game } of lot.sort((a, b) => a.at - b.at)) {
      const list = await listOf(game);
      const own = training.of(game);
      const used = run?.done.map(({ id }) => id) ?? [];
      const found = run ? grown(list, wanted, own, used) : choose(list, wanted, own);
      if (!found) continue;
      await this.pose(game, found.id, 0);
      return true;
    }
    return false;
  }

  async gamesWanted() {
    if (this.wanted.game) return [this.wanted.game];
    return (await gameList()).games.map(({ name }) => name);
  }

  // Nothing is as the player wants it: he is told, and gets what comes nearest.
  async nothing() {
    const { themes, difficulty, game } = this.wanted;
    const narrow = themes.length > 0 || difficulty !== 'mine';
    const key = narrow ? 'none' : 'none.game';
    if (!narrow && !game) throw new Error(t('train.none.game'));
    this.keep({ themes: [], difficulty: 'mine', ...(!narrow && { game: '' }) });
    this.stop();
    await this.next();
    this.filtering = true;
    this.solver.say(t(`train.${key}`));
    await this.render();
  }

  // ---- what the player wants -----------------------------------------------------------------

  /** @param {Partial<Wanted>} part */
  keep(part) {
    this.wanted = { ...this.wanted, ...part };
    settings.set('train', this.wanted);
  }

  /** @param {Partial<Wanted>} part */
  want(part) {
    this.keep(part);
    this.stop();
    this.next();
  }

  /** @param {string} text of a file */
  take(text) {
    const { progress, lost } = training.take(text);
    const count = Object.values(progress.games).reduce((n, own) => n + own.tried.length, 0);
    const empty = lost && !count && !Object.keys(progress.games).length;
    this.notice = empty
      ? t('train.import.not')
      : t('train.imported', { count }) + (lost ? ` ${t('train.import.lost', { count: lost })}` : '');
    this.render();
  }

  async share() {
    const { public: home } = await gameList();
    const { tale, puzzle } = this.solver;
    const place = this.wanted.game === MINE ? describe(tale) : addressOf(puzzle);
    const here = new URL(place, home ?? new URL(root, location.href)).href;
    const touch = matchMedia('(pointer: coarse)').matches && !!navigator.share;
    const shared = touch ? navigator.share({ url: here }) : navigator.clipboard?.writeText(here);
    const done = await (shared ?? Promise.reject()).then(
      () => true,
      () => false,
    );
    this.solver.say(done && !touch ? t('train.copied') : done ? '' : here);
  }

  // ---- how it went ---------------------------------------------------------------------------

  /**
   * @param {boolean} right
   * @param {boolean} helped
   */
  async tried(right, helped) {
    const { puzzle } = this.solver;
    const { run, day } = this;
    const { game, id } = puzzle;
    const at = Date.now();
    run?.record({ game, id, right: right && !helped });
    const place = puzzle.points === null ? MINE : game; // where it is remembered
    const own = training.of(place);
    const missed = own.missed[id];
    const counts = !run && !missed && place !== MINE && !own.tried.some((one) => one.id === id);
    const again = missed || place === MINE; // what went wrong once comes back until it is known
    const grade = !right ? GRADES.missed : helped ? GRADES.helped : again ? GRADES.solved : null;
    const score = counts ? (right ? (helped ? 0.5 : 1) : 0) : null;
    if (day) training.change(({ days }) => (days[day] ??= right && !helped));
    const { card, ...rating } = await ask('training', {
      ...{ game, id, ...own.rating, score, grade, now: at },
      card: missed?.card ?? null,
    });
    training.changeOf(place, (kept) => {
      if (counts) kept.rating = rating;
      const points = counts ? rating.points : null;
      kept.tried.push({ at, id, right: right && !helped, points });
      if (card) kept.missed[id] = { image: puzzle.image, images: puzzle.images, card };
    });
    if (puzzle !== this.solver.puzzle) return;
    this.change = counts ? { game, by: rating.points - own.rating.points } : null;
    this.about(puzzle);
    await this.render();
  }

  // The puzzle is over: in a run the next one comes by itself.
  ended() {
    const { run, solver } = this;
    this.about(solver.puzzle);
    if (!run || run.over) {
      if (run) this.render();
      return;
    }
    const { puzzle } = solver;
    setTimeout(() => puzzle === solver.puzzle && run === this.run && !run.over && this.next(), PAUSE_MS);
  }

  // ---- runs ----------------------------------------------------------------------------------

  /** @param {RunKind} kind */
  begin(kind) {
    this.stop();
    this.run = new Run(kind, this.wanted.game);
    this.element.classList.add('running');
    if (kind === 'timed') this.timer = setInterval(() => this.tick(), TICK_MS);
    this.next();
  }

  stop() {
    clearInterval(this.timer);
    this.run = this.outcome = null;
    this.element.classList.remove('running');
    this.renderRun();
  }

  tick() {
    const { run } = this;
    if (!run || run.over) return;
    if (!run.left) {
      run.end();
      this.solver.finish();
      this.render();
    }
    this.renderRun();
  }

  renderRun() {
    const { run } = this;
    const { top } = this.solver.posing;
    top.hidden = !run || run.over;
    if (!run || run.over) return;
    const clock = run.kind === 'timed' ? [h('b', { class: 'clock', role: 'timer' }, run.clock)] : [];
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
      button(t('train.leave'), 'cross', () => this.want({}), { quiet: true, cls: 'quiet' }),
    );
  }

  /**
   * What stands at the end of a run instead of the usual ways on.
   *
   * @returns {HTMLElement[] | null}
   */
  offered() {
    const { run, solver } = this;
    if (!run) return null;
    if (!run.over || solver.phase === 'judging') return [];
    this.outcome ??= this.outcomeOf(run); // made once, so that it is said once
    return this.outcome;
  }

  /** @param {Run} run */
  outcomeOf(run) {
    const before = run.best ? t('train.best', { score: number(run.best) }) : '';
    const best = run.isNewBest ? t('train.best.new') : before;
    return [
      h(
        'div',
        { class: 'outcome', role: 'status' },
        h('strong', {}, t('train.score', { count: run.score })),
        h('span', { class: run.isNewBest ? 'up' : 'faint' }, best),
        marksOf(run.done),
      ),
      button(t('train.again'), 'restart', () => this.begin(run.kind), { cls: 'main next' }),
      button(t('train.leave'), 'cross', () => this.want({})),
    ];
  }

  async render() {
    const parts = await panelOf(this);
    const { info, posing } = this.solver;
    const { activeElement } = document;
    const name = activeElement && info.contains(activeElement) ? activeElement.getAttribute('name') : null;
    info.replaceChildren(...parts.filter((part) => part !== null));
    this.renderRun();
    if (this.solver.board) posing.render();
    const again = name && info.querySelector(`[name="${name}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }
}

/**
 * @param {Place} place
 * @param {Actions} actions
 */
export async function trainPage(place, actions) {
  const [trainer] = await Promise.all([new Trainer(actions), styled('train.css')]);
  await trainer.open(place);
  return trainer;
}
