// Statistics page: results over time, typical mistakes, and the player's estimated level.

import { addressOf } from '../core/address.js';
import { gameList, request } from '../core/api.js';
import { button, h, loadStyleSheet, saveButton } from '../core/dom.js';
import { gameResults, hasEarnedNextLevel, resultsForLevel } from '../core/game-results.js';
import { GameTree, levelOf } from '../core/game-tree.js';
import { formatDay, formatNumber, gameName, t } from '../core/i18n.js';
import { offerUndo } from '../core/notice.js';
import { savedGames } from '../core/storage.js';
import { analyseGame, findMistakes, summarizeMistake } from '../study/mistake-finder.js';
import { ownMistakeStore } from '../train/own-mistakes.js';
import { estimateLevel, MIN_GAMES } from './level-estimate.js';
import { drawResultsChart, resultKind } from './results-chart.js';

/** @import { Address } from '../core/address.js' */
/** @import { Child } from '../core/dom.js' */
/** @import { Actions } from '../main.js' */
/** @import { GameResult, MistakeSummary } from '../core/game-results.js' */

const MAX_LISTED_GAMES = 10; // games are listed at first
const MIN_TYPICAL_MISTAKES = 5; // mistakes, before one is called typical
const LOSS_KINDS = /** @type {const} */ (['win', 'draw', 'chances', 'missed', 'late']);
const GAME_PARTS = /** @type {const} */ (['first', 'middle', 'last']);

/** @param {number} share */
const percent = (share) => t('progress.percent', { percent: formatNumber(Math.round(100 * share)) });

/**
 * Build a table that scrolls on narrow screens.
 *
 * @param {string} caption
 * @param {string[]} heads
 * @param {Child[][]} rows the first cell of each is its heading
 */
function table(caption, heads, rows) {
  const head = h(
    'tr',
    {},
    heads.map((text) => h('th', { scope: 'col' }, text)),
  );
  const body = rows.map(([name, ...rest]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      rest.map((cell) => h('td', {}, cell)),
    ),
  );
  const element = h(
    'table',
    {},
    h('caption', { class: 'visually-hidden' }, caption),
    h('thead', {}, head),
    h('tbody', {}, body),
  );
  return h('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: '0' }, element);
}

/**
 * Return the numbers of games, wins, draws and losses, and the percentage of points.
 *
 * @param {GameResult[]} rows
 */
function countResults(rows) {
  const countOf = (/** @type {number} */ score) =>
    formatNumber(rows.filter((row) => row.score === score).length);
  const points = rows.reduce((sum, { score }) => sum + score, 0);
  return [
    formatNumber(rows.length),
    countOf(1),
    countOf(0.5),
    countOf(0),
    rows.length ? percent(points / rows.length) : '',
  ];
}

const RESULT_HEADS = ['games', 'won', 'drawn', 'lost', 'points'];

/**
 * Add finished games that were stored before results were recorded.
 *
 * @param {AbortSignal} signal
 */
async function importOldGames(signal) {
  if (gameResults.adopted()) return;
  /** @type {GameResult[]} */
  const rows = [];
  const before = savedGames
    .all()
    .filter((saved) => saved.mode === 'play' && saved.finished && saved.counts === undefined);
  for (const saved of before) {
    const tree = GameTree.from(saved);
    const sides = /** @type {const} */ (['w', 'b']).filter((side) => tree.players[side] === 'human');
    const [side] = sides;
    const gameLine = side && (await request('line', tree.requestAt(tree.tip), signal).catch(() => null));
    if (!gameLine) continue;
    const { result } = gameLine;
    const winner = tree.resigned ? (tree.resigned === 'w' ? 'b' : 'w') : result?.winner;
    if (!result && !tree.resigned) continue;
    const { id, game, options, countsForLevel: counts } = tree;
    const row = { id, game, options, counts, side, turns: tree.tip.ply, at: saved.updated };
    const reason = tree.resigned ? 'resigned' : (result?.reason ?? '');
    const score = winner ? (winner === side ? 1 : 0) : 0.5;
    rows.push({ ...row, level: levelOf(tree.players[side === 'w' ? 'b' : 'w']), score, reason });
  }
  signal.throwIfAborted();
  gameResults.adopt(rows);
}

/**
 * Load the results and build the page.
 *
 * @param {Address} address
 * @param {Actions} actions
 */
export async function progressPage(address, actions) {
  const leaving = new AbortController();
  const [{ games, levels }] = await Promise.all([gameList(), loadStyleSheet('statistics.css')]);
  const damaged = gameResults.damaged();
  await importOldGames(leaving.signal);
  const element = h('div', { class: 'progress-page' });
  const page = new StatisticsPage(element, address.game, actions, {
    games,
    levels,
    damaged,
    leaving: leaving.signal,
  });
  page.draw();
  return { element, leave: () => leaving.abort() };
}

/** Statistics of one game or of all games. */
class StatisticsPage {
  /**
   * @param {HTMLElement} element
   * @param {string} game the game shown; empty for all
   * @param {Actions} actions
   * @param {{ games: Api.GameDescription[], levels: number, damaged: number, leaving: AbortSignal }} site
   */
  constructor(element, game, actions, { games, levels, damaged, leaving }) {
    this.element = element;
    this.game = game;
    this.actions = actions;
    this.gameNames = games.map(({ name }) => name);
    this.levels = levels;
    this.damaged = damaged; // number of damaged results
    this.leaving = leaving;
    this.showsAllGames = false;
  }

  draw() {
    const all = gameResults.all();
    const rows = this.game ? all.filter((row) => row.game === this.game) : all;
    const against = rows.filter((row) => row.level > 0);
    const { damaged } = this;
    this.element.replaceChildren(
      h('h1', {}, t('progress.title')),
      ...(damaged ? [h('p', { class: 'damaged' }, t('progress.damaged', { count: damaged }))] : []),
      ...(all.length ? [this.tabs(all)] : []),
      ...(rows.length ? [] : [this.emptySection()]),
      ...(against.length
        ? [this.game ? this.levelSection(against) : this.overview(all), this.resultsSection(against)]
        : []),
      ...(against.length ? [this.mistakesSection(against)] : []),
      ...(rows.length ? [this.gamesSection(rows)] : []),
      this.dataSection(all),
    );
  }

  emptySection() {
    const home = h('a', { class: 'button main', href: '#/' }, t('progress.begin'));
    return h('section', {}, h('p', {}, t('progress.nothing')), h('div', { class: 'row' }, home));
  }

  /** @param {GameResult[]} all */
  tabs(all) {
    const played = [...new Set([...this.gameNames, ...all.map(({ game }) => game)])].filter((name) =>
      all.some(({ game }) => game === name),
    );
    const links = ['', ...played].map((name) => {
      const current = name === this.game ? 'page' : null;
      const href = name ? `#/progress/${encodeURIComponent(name)}` : '#/progress';
      return h('a', { href, 'aria-current': current }, name ? gameName(name) : t('progress.all'));
    });
    return h('nav', { class: 'games', 'aria-label': t('progress.games') }, links);
  }

  // ---- level -------------------------------------------------------------------------------

  /**
   * Return the estimated level as text.
   *
   * @param {GameResult[]} rows
   * @param {string} game
   * @param {boolean} short
   */
  levelText(rows, game, short = false) {
    const own = resultsForLevel(rows, game);
    if (own.length < MIN_GAMES) {
      return t(short ? 'progress.unknown' : 'progress.few', { count: own.length, least: MIN_GAMES });
    }
    const { level: at, low, high } = estimateLevel(own);
    const round = (/** @type {number} */ value) =>
      formatNumber(Math.min(this.levels, Math.max(1, Math.round(value))));
    const [about, from, to] = [round(at), round(low), round(high)];
    const key = from === to ? 'progress.stands.sure' : 'progress.stands';
    return short ? t('progress.about', { level: about }) : t(key, { level: about, low: from, high: to });
  }

  /**
   * Build the button for the next level, if the player has earned it; else return null.
   *
   * @param {GameResult[]} rows
   * @param {string} game
   */
  nextLevelButton(rows, game) {
    if (!this.gameNames.includes(game)) return null;
    const done = Array.from({ length: this.levels }, (_, k) => this.levels - k).find((one) =>
      hasEarnedNextLevel(rows, game, one),
    );
    if (!done || done === this.levels) return null;
    const label = t('action.next-level', { level: done + 1 });
    const element = button(label, 'play', () => this.actions.startAtLevel(game, done + 1), {
      cls: 'main next-level',
    });
    element.setAttribute('aria-label', t('progress.next', { game: gameName(game), level: done + 1 }));
    return element;
  }

  /** @param {GameResult[]} all */
  overview(all) {
    const played = this.gameNames.filter((name) => all.some(({ game, level }) => game === name && level > 0));
    const rows = played.map((name) => {
      const own = all.filter((row) => row.game === name && row.level > 0);
      return [
        gameName(name),
        ...countResults(own),
        this.levelText(own, name, true),
        this.nextLevelButton(own, name),
      ];
    });
    const heads = ['game', ...RESULT_HEADS, 'level', 'next-level'].map((name) => t(`progress.head.${name}`));
    const title = t('progress.overview');
    return h('section', {}, h('h2', {}, title), table(title, heads, rows), this.levelRule());
  }

  levelRule() {
    return h('p', { class: 'faint rule' }, t('progress.rule'));
  }

  /** @param {GameResult[]} rows */
  levelSection(rows) {
    const next = this.nextLevelButton(rows, this.game);
    const top = hasEarnedNextLevel(rows, this.game, this.levels) ? h('p', {}, t('progress.top')) : null;
    return h(
      'section',
      { class: 'stands' },
      h('h2', {}, t('progress.level')),
      h('p', { class: 'level-summary' }, this.levelText(rows, this.game)),
      next ? h('div', { class: 'row' }, next) : top,
      this.levelRule(),
      h('p', { class: 'faint' }, t('progress.how')),
    );
  }

  // ---- results -----------------------------------------------------------------------------

  /** @param {GameResult[]} rows against the computer */
  resultsSection(rows) {
    const used = [...new Set(rows.map((row) => row.level))].sort((a, b) => b - a);
    const lines = used.map((one) => [
      formatNumber(one),
      ...countResults(rows.filter((row) => row.level === one)),
    ]);
    const heads = ['level', ...RESULT_HEADS].map((name) => t(`progress.head.${name}`));
    return h(
      'section',
      { class: 'time' },
      h('h2', {}, t('progress.time')),
      h(
        'div',
        { class: 'beside' },
        drawResultsChart(rows, this.levels, !!this.game),
        table(t('progress.by-level'), heads, lines),
      ),
    );
  }

  /** @param {GameResult[]} rows */
  gamesSection(rows) {
    const newest = [...rows].reverse();
    const shown = this.showsAllGames ? newest : newest.slice(0, MAX_LISTED_GAMES);
    const lines = shown.map((row) => [
      formatDay(row.at),
      this.link(row),
      row.level ? formatNumber(row.level) : t('progress.people'),
      row.level ? t(`side.${row.side}`) : '–',
      row.level ? t(`progress.${resultKind(row.score)}`) : '–',
      formatNumber(row.turns),
      row.slips ? formatNumber(row.slips.length) : '–',
      row.level && !row.counts ? t('progress.no') : '',
    ]);
    const heads = ['day', 'game', 'level', 'side', 'result', 'turns', 'mistakes', 'counts'];
    const title = t('progress.list');
    const more = () => {
      this.showsAllGames = true;
      this.draw();
    };
    const count = newest.length - shown.length;
    return h(
      'section',
      { class: 'list' },
      h('h2', {}, title),
      table(
        title,
        heads.map((name) => t(`progress.head.${name}`)),
        lines,
      ),
      count ? button(t('progress.more', { count }), null, more, { cls: 'more' }) : null,
    );
  }

  /**
   * Build a link to the game, if it is still stored.
   *
   * @param {GameResult} row
   */
  link({ id, game }) {
    const saved = savedGames.get(id);
    if (!saved) return gameName(game);
    return h(
      'a',
      { href: addressOf(GameTree.from(saved)), onclick: () => this.actions.resumeGame(id) },
      gameName(game),
    );
  }

  // ---- mistakes ----------------------------------------------------------------------------

  /** @param {GameResult[]} rows against the computer */
  mistakesSection(rows) {
    const reviewed = rows.filter(({ slips }) => slips);
    const slips = reviewed.flatMap((row) =>
      (row.slips ?? []).map((slip) => ({ slip, part: gamePartOf(slip, row) })),
    );
    const left = rows.filter(({ id, slips: looked }) => !looked && savedGames.get(id)?.finished);
    return h(
      'section',
      { class: 'typical' },
      h('h2', {}, t('progress.mistakes')),
      h(
        'p',
        {},
        reviewed.length ? t('progress.reviewed', { count: reviewed.length }) : t('progress.unreviewed'),
      ),
      slips.length ? this.mistakeTables(slips) : reviewed.length ? h('p', {}, t('progress.clean')) : null,
      left.length ? this.reviewPart(left) : null,
    );
  }

  /** @param {{ slip: MistakeSummary, part: 'first' | 'middle' | 'last' }[]} slips */
  mistakeTables(slips) {
    const total = slips.length;
    const bar = (/** @type {number} */ count) => {
      const element = h('span', { class: 'share-bar', 'aria-hidden': 'true' });
      element.style.width = `${(100 * count) / total}%`;
      return h('span', { class: 'share' }, element, h('span', {}, percent(count / total)));
    };
    const line = (/** @type {string} */ key, /** @type {typeof slips} */ group) => [
      t(`progress.${key}`),
      formatNumber(group.length),
      bar(group.length),
    ];
    const bySort = LOSS_KINDS.map((sort) => ({ sort, of: slips.filter(({ slip }) => slip.sort === sort) }));
    const byPart = GAME_PARTS.map((part) => ({ part, of: slips.filter((one) => one.part === part) }));
    const also = [
      line(
        'also.capture',
        slips.filter(({ slip }) => slip.capture),
      ),
      line(
        'also.threat',
        slips.filter(({ slip }) => slip.threat),
      ),
    ].filter(([, count]) => count !== formatNumber(0));
    const heads = (/** @type {string} */ first) =>
      [first, 'count', 'share'].map((name) => t(`progress.head.${name}`));
    const most = (/** @type {{ of: unknown[] }[]} */ list) =>
      list.reduce((best, one, k) => (one.of.length > list[best].of.length ? k : best), 0);
    const typical = t('progress.typical', {
      sort: t(`progress.most.${bySort[most(bySort)].sort}`),
      part: t(`progress.in.${byPart[most(byPart)].part}`),
    });
    const sorts = bySort
      .filter(({ of: group }) => group.length)
      .map(({ sort, of: group }) => line(`sort.${sort}`, group));
    return [
      total >= MIN_TYPICAL_MISTAKES ? h('p', { class: 'typical-mistakes' }, typical) : null,
      h(
        'div',
        { class: 'beside' },
        table(t('progress.by-sort'), heads('sort'), sorts),
        table(
          t('progress.by-part'),
          heads('part'),
          byPart.map(({ part, of: group }) => line(`part.${part}`, group)),
        ),
        also.length ? table(t('progress.by-also'), heads('also'), also) : null,
      ),
    ];
  }

  /**
   * Build the button that reviews the stored games not reviewed yet.
   *
   * @param {GameResult[]} rows
   */
  reviewPart(rows) {
    const bar = h('progress', { max: '1', value: 0, 'aria-label': t('review.working'), hidden: true });
    const label = t('progress.look', { count: rows.length });
    const start = button(label, 'chart', () => this.reviewGames(rows, bar, start), { cls: 'look' });
    return h('div', { class: 'progress-row' }, start, bar);
  }

  /**
   * @param {GameResult[]} rows
   * @param {HTMLProgressElement} bar
   * @param {HTMLButtonElement} start
   */
  async reviewGames(rows, bar, start) {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.leaving]);
    const stopButton = button(t('progress.stop'), 'pause', () => stop.abort(), { cls: 'halt' });
    bar.hidden = false;
    bar.max = rows.length;
    start.replaceWith(stopButton);
    stopButton.focus();
    for (const [k, row] of rows.entries()) {
      const saved = savedGames.get(row.id);
      if (!saved) continue;
      const tree = GameTree.from(saved);
      tree.goTo(tree.tip);
      try {
        const nodes = await analyseGame(tree, signal, (done, total) => {
          bar.value = k + done / total;
        });
        const faults = findMistakes(nodes, row.score === 0 ? row.side : null);
        gameResults.note(row.id, ({ side }) =>
          faults.filter((fault) => fault.side === side).map(summarizeMistake),
        );
      } catch {
        if (signal.aborted) break; // a game that cannot be reviewed is skipped
      }
    }
    if (!this.leaving.aborted) this.draw();
  }

  // ---- stored data -------------------------------------------------------------------------

  /** @param {GameResult[]} all */
  dataSection(all) {
    const make = async () => {
      const content = {
        version: 1,
        exported: new Date().toISOString(),
        results: all,
        training: ownMistakeStore.all(),
      };
      return new Blob([JSON.stringify(content, null, 1)], { type: 'application/json' });
    };
    const erase = () => {
      const back = gameResults.clear();
      this.draw();
      offerUndo(t('progress.erased'), () => {
        back();
        this.draw();
      });
    };
    return h(
      'section',
      { class: 'data' },
      h('h2', {}, t('progress.data')),
      h(
        'p',
        { class: 'faint' },
        t(all.length ? 'progress.kept' : 'progress.kept.zero', { count: all.length }),
      ),
      h(
        'div',
        { class: 'row' },
        all.length || ownMistakeStore.all().length
          ? saveButton(t('progress.export'), 'damier-results.json', make)
          : null,
        all.length ? button(t('progress.erase'), 'cross', erase, { cls: 'erase' }) : null,
      ),
    );
  }
}

/**
 * Return the third of the game in which a mistake was made.
 *
 * @param {MistakeSummary} slip
 * @param {GameResult} row
 */
function gamePartOf({ ply }, { turns }) {
  const third = Math.floor((3 * (ply - 1)) / Math.max(1, turns));
  return GAME_PARTS[Math.min(2, Math.max(0, third))];
}
