// What became of one's games: results over time, typical mistakes, the level at which one stands.

import { describe } from './address.js';
import { ask, gameList } from './api.js';
import { button, h, saving, styled } from './dom.js';
import { findFaults, lookThrough, slipOf } from './faults.js';
import { language, nameOf, number, t } from './i18n.js';
import { mine } from './mine.js';
import { offerUndo } from './notice.js';
import { kindOf, picture } from './pictured.js';
import { counted, earned, results } from './results.js';
import { FEWEST, standing } from './standing.js';
import { games } from './store.js';
import { level, Tale } from './tale.js';

/** @import { Place } from './address.js' */
/** @import { Child } from './dom.js' */
/** @import { Actions } from './main.js' */
/** @import { Outcome, Slip } from './results.js' */

const FEW = 10; // games are listed at first
const TYPICAL = 5; // mistakes, before one is called typical
const SORTS = /** @type {const} */ (['win', 'draw', 'chances', 'missed', 'late']);
const PARTS = /** @type {const} */ (['first', 'middle', 'last']);

/** @param {number} time */
const day = (time) =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { dateStyle: 'short' }).format(time);

/** @param {number} share */
const percent = (share) => t('progress.percent', { percent: number(Math.round(100 * share)) });

/**
 * @param {string} caption
 * @param {string[]} heads
 * @param {Child[][]} rows each begins with what it is about
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
  const made = h(
    'table',
    {},
    h('caption', { class: 'unseen' }, caption),
    h('thead', {}, head),
    h('tbody', {}, body),
  );
  return h('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: '0' }, made);
}

/**
 * How many were won, drawn and lost, and the share of the points.
 *
 * @param {Outcome[]} rows
 */
function tally(rows) {
  const of = (/** @type {number} */ score) => number(rows.filter((row) => row.score === score).length);
  const points = rows.reduce((sum, { score }) => sum + score, 0);
  return [number(rows.length), of(1), of(0.5), of(0), rows.length ? percent(points / rows.length) : ''];
}

const TALLY = ['games', 'won', 'drawn', 'lost', 'points'];

/**
 * The games kept from before there was a log, so that nobody begins at nothing.
 *
 * @param {AbortSignal} signal
 */
async function adopt(signal) {
  if (results.adopted()) return;
  /** @type {Outcome[]} */
  const rows = [];
  const before = games
    .all()
    .filter((kept) => kept.mode === 'play' && kept.finished && kept.counts === undefined);
  for (const kept of before) {
    const tale = Tale.from(kept);
    const sides = /** @type {const} */ (['w', 'b']).filter((side) => tale.players[side] === 'human');
    const [side] = sides;
    const found = side && (await ask('line', tale.requestAt(tale.tip), signal).catch(() => null));
    if (!found) continue;
    const { result } = found;
    const winner = tale.resigned ? (tale.resigned === 'w' ? 'b' : 'w') : result?.winner;
    if (!result && !tale.resigned) continue;
    const { id, game, options, counts } = tale;
    const row = { id, game, options, counts, side, turns: tale.tip.ply, at: kept.updated };
    const reason = tale.resigned ? 'resigned' : (result?.reason ?? '');
    const score = winner ? (winner === side ? 1 : 0) : 0.5;
    rows.push({ ...row, level: level(tale.players[side === 'w' ? 'b' : 'w']), score, reason });
  }
  signal.throwIfAborted();
  results.adopt(rows);
}

/**
 * @param {Place} found
 * @param {Actions} actions
 */
export async function progressPage(found, actions) {
  const leaving = new AbortController();
  const [{ games: known, levels }] = await Promise.all([gameList(), styled('statistics.css')]);
  const damaged = results.damaged();
  await adopt(leaving.signal);
  const element = h('div', { class: 'progress-page' });
  const page = new Progress(element, found.game, actions, {
    known,
    levels,
    damaged,
    leaving: leaving.signal,
  });
  page.draw();
  return { element, leave: () => leaving.abort() };
}

class Progress {
  /**
   * @param {HTMLElement} element
   * @param {string} game the one looked at; empty for all
   * @param {Actions} actions
   * @param {{ known: Api.GameOut[], levels: number, damaged: number, leaving: AbortSignal }} site
   */
  constructor(element, game, actions, { known, levels, damaged, leaving }) {
    this.element = element;
    this.game = game;
    this.actions = actions;
    this.known = known.map(({ name }) => name);
    this.levels = levels;
    this.damaged = damaged; // results that cannot be read
    this.leaving = leaving;
    this.whole = false; // all games are listed
  }

  draw() {
    const all = results.all();
    const rows = this.game ? all.filter((row) => row.game === this.game) : all;
    const against = rows.filter((row) => row.level > 0);
    const { damaged } = this;
    this.element.replaceChildren(
      h('h1', {}, t('progress.title')),
      ...(damaged ? [h('p', { class: 'damaged' }, t('progress.damaged', { count: damaged }))] : []),
      ...(all.length ? [this.tabs(all)] : []),
      ...(rows.length ? [] : [this.nothing()]),
      ...(against.length ? [this.game ? this.stands(against) : this.overview(all), this.time(against)] : []),
      ...(against.length ? [this.mistakes(against)] : []),
      ...(rows.length ? [this.list(rows)] : []),
      this.data(all),
    );
  }

  nothing() {
    const home = h('a', { class: 'button main', href: '#/' }, t('progress.begin'));
    return h('section', {}, h('p', {}, t('progress.nothing')), h('div', { class: 'row' }, home));
  }

  /** @param {Outcome[]} all */
  tabs(all) {
    const played = [...new Set([...this.known, ...all.map(({ game }) => game)])].filter((name) =>
      all.some(({ game }) => game === name),
    );
    const links = ['', ...played].map((name) => {
      const current = name === this.game ? 'page' : null;
      const href = name ? `#/progress/${encodeURIComponent(name)}` : '#/progress';
      return h('a', { href, 'aria-current': current }, name ? nameOf(name) : t('progress.all'));
    });
    return h('nav', { class: 'games', 'aria-label': t('progress.games') }, links);
  }

  // ---- the level ---------------------------------------------------------------------------

  /**
   * In words: the level at which one stands.
   *
   * @param {Outcome[]} rows
   * @param {string} game
   * @param {boolean} short
   */
  standing(rows, game, short = false) {
    const own = counted(rows, game);
    if (own.length < FEWEST) {
      return t(short ? 'progress.unknown' : 'progress.few', { count: own.length, least: FEWEST });
    }
    const { level: at, low, high } = standing(own);
    const whole = (/** @type {number} */ value) =>
      number(Math.min(this.levels, Math.max(1, Math.round(value))));
    const [about, from, to] = [whole(at), whole(low), whole(high)];
    const key = from === to ? 'progress.stands.sure' : 'progress.stands';
    return short ? t('progress.about', { level: about }) : t(key, { level: about, low: from, high: to });
  }

  /**
   * The button for the next level, once it is earned.
   *
   * @param {Outcome[]} rows
   * @param {string} game
   */
  next(rows, game) {
    if (!this.known.includes(game)) return null;
    const done = Array.from({ length: this.levels }, (_, k) => this.levels - k).find((one) =>
      earned(rows, game, one),
    );
    if (!done || done === this.levels) return null;
    const label = t('action.next-level', { level: done + 1 });
    const made = button(label, 'play', () => this.actions.beginAt(game, done + 1), {
      cls: 'main next-level',
    });
    made.setAttribute('aria-label', t('progress.next', { game: nameOf(game), level: done + 1 }));
    return made;
  }

  /** @param {Outcome[]} all */
  overview(all) {
    const played = this.known.filter((name) => all.some(({ game, level }) => game === name && level > 0));
    const rows = played.map((name) => {
      const own = all.filter((row) => row.game === name && row.level > 0);
      return [nameOf(name), ...tally(own), this.standing(own, name, true), this.next(own, name)];
    });
    const heads = ['game', ...TALLY, 'level', 'next-level'].map((name) => t(`progress.head.${name}`));
    const title = t('progress.overview');
    return h('section', {}, h('h2', {}, title), table(title, heads, rows), this.rule());
  }

  rule() {
    return h('p', { class: 'faint rule' }, t('progress.rule'));
  }

  /** @param {Outcome[]} rows */
  stands(rows) {
    const next = this.next(rows, this.game);
    const top = earned(rows, this.game, this.levels) ? h('p', {}, t('progress.top')) : null;
    return h(
      'section',
      { class: 'stands' },
      h('h2', {}, t('progress.level')),
      h('p', { class: 'standing' }, this.standing(rows, this.game)),
      next ? h('div', { class: 'row' }, next) : top,
      this.rule(),
      h('p', { class: 'faint' }, t('progress.how')),
    );
  }

  // ---- results -----------------------------------------------------------------------------

  /** @param {Outcome[]} rows against the computer */
  time(rows) {
    const used = [...new Set(rows.map((row) => row.level))].sort((a, b) => b - a);
    const lines = used.map((one) => [number(one), ...tally(rows.filter((row) => row.level === one))]);
    const heads = ['level', ...TALLY].map((name) => t(`progress.head.${name}`));
    return h(
      'section',
      { class: 'time' },
      h('h2', {}, t('progress.time')),
      h(
        'div',
        { class: 'beside' },
        picture(rows, this.levels, !!this.game),
        table(t('progress.by-level'), heads, lines),
      ),
    );
  }

  /** @param {Outcome[]} rows */
  list(rows) {
    const newest = [...rows].reverse();
    const shown = this.whole ? newest : newest.slice(0, FEW);
    const lines = shown.map((row) => [
      day(row.at),
      this.link(row),
      row.level ? number(row.level) : t('progress.people'),
      row.level ? t(`side.${row.side}`) : '–',
      row.level ? t(`progress.${kindOf(row.score)}`) : '–',
      number(row.turns),
      row.slips ? number(row.slips.length) : '–',
      row.level && !row.counts ? t('progress.no') : '',
    ]);
    const heads = ['day', 'game', 'level', 'side', 'result', 'turns', 'mistakes', 'counts'];
    const title = t('progress.list');
    const more = () => {
      this.whole = true;
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
   * The game itself, as long as it is kept.
   *
   * @param {Outcome} row
   */
  link({ id, game }) {
    const kept = games.get(id);
    if (!kept) return nameOf(game);
    return h('a', { href: describe(Tale.from(kept)), onclick: () => this.actions.resume(id) }, nameOf(game));
  }

  // ---- mistakes ----------------------------------------------------------------------------

  /** @param {Outcome[]} rows against the computer */
  mistakes(rows) {
    const reviewed = rows.filter(({ slips }) => slips);
    const slips = reviewed.flatMap((row) =>
      (row.slips ?? []).map((slip) => ({ slip, part: partOf(slip, row) })),
    );
    const left = rows.filter(({ id, slips: looked }) => !looked && games.get(id)?.finished);
    return h(
      'section',
      { class: 'typical' },
      h('h2', {}, t('progress.mistakes')),
      h(
        'p',
        {},
        reviewed.length ? t('progress.reviewed', { count: reviewed.length }) : t('progress.unreviewed'),
      ),
      slips.length ? this.kinds(slips) : reviewed.length ? h('p', {}, t('progress.clean')) : null,
      left.length ? this.looking(left) : null,
    );
  }

  /** @param {{ slip: Slip, part: 'first' | 'middle' | 'last' }[]} slips */
  kinds(slips) {
    const total = slips.length;
    const bar = (/** @type {number} */ count) => {
      const made = h('span', { class: 'bar-of', 'aria-hidden': 'true' });
      made.style.width = `${(100 * count) / total}%`;
      return h('span', { class: 'share' }, made, h('span', {}, percent(count / total)));
    };
    const line = (/** @type {string} */ key, /** @type {typeof slips} */ of) => [
      t(`progress.${key}`),
      number(of.length),
      bar(of.length),
    ];
    const bySort = SORTS.map((sort) => ({ sort, of: slips.filter(({ slip }) => slip.sort === sort) }));
    const byPart = PARTS.map((part) => ({ part, of: slips.filter((one) => one.part === part) }));
    const also = [
      line(
        'also.capture',
        slips.filter(({ slip }) => slip.capture),
      ),
      line(
        'also.threat',
        slips.filter(({ slip }) => slip.threat),
      ),
    ].filter(([, count]) => count !== number(0));
    const heads = (/** @type {string} */ first) =>
      [first, 'count', 'share'].map((name) => t(`progress.head.${name}`));
    const most = (/** @type {{ of: unknown[] }[]} */ list) =>
      list.reduce((best, one, k) => (one.of.length > list[best].of.length ? k : best), 0);
    const typical = t('progress.typical', {
      sort: t(`progress.most.${bySort[most(bySort)].sort}`),
      part: t(`progress.in.${byPart[most(byPart)].part}`),
    });
    const sorts = bySort.filter(({ of }) => of.length).map(({ sort, of }) => line(`sort.${sort}`, of));
    return [
      total >= TYPICAL ? h('p', { class: 'most' }, typical) : null,
      h(
        'div',
        { class: 'beside' },
        table(t('progress.by-sort'), heads('sort'), sorts),
        table(
          t('progress.by-part'),
          heads('part'),
          byPart.map(({ part, of }) => line(`part.${part}`, of)),
        ),
        also.length ? table(t('progress.by-also'), heads('also'), also) : null,
      ),
    ];
  }

  /**
   * Games that are kept and were not reviewed can be looked through here.
   *
   * @param {Outcome[]} rows
   */
  looking(rows) {
    const bar = h('progress', { max: '1', value: 0, 'aria-label': t('review.working'), hidden: true });
    const label = t('progress.look', { count: rows.length });
    const start = button(label, 'chart', () => this.lookThrough(rows, bar, start), { cls: 'look' });
    return h('div', { class: 'looking' }, start, bar);
  }

  /**
   * @param {Outcome[]} rows
   * @param {HTMLProgressElement} bar
   * @param {HTMLButtonElement} start
   */
  async lookThrough(rows, bar, start) {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.leaving]);
    const halt = button(t('progress.halt'), 'pause', () => stop.abort(), { cls: 'halt' });
    bar.hidden = false;
    bar.max = rows.length;
    start.replaceWith(halt);
    halt.focus();
    for (const [k, row] of rows.entries()) {
      const kept = games.get(row.id);
      if (!kept) continue;
      const tale = Tale.from(kept);
      tale.at = tale.tip;
      try {
        const nodes = await lookThrough(tale, signal, (done, of) => {
          bar.value = k + done / of;
        });
        const faults = findFaults(nodes, row.score === 0 ? row.side : null);
        results.note(row.id, ({ side }) => faults.filter((fault) => fault.side === side).map(slipOf));
      } catch {
        if (signal.aborted) break; // one that cannot be looked through is left out
      }
    }
    if (!this.leaving.aborted) this.draw();
  }

  // ---- what is kept ------------------------------------------------------------------------

  /** @param {Outcome[]} all */
  data(all) {
    const make = async () => {
      const content = { version: 1, exported: new Date().toISOString(), results: all, training: mine.all() };
      return new Blob([JSON.stringify(content, null, 1)], { type: 'application/json' });
    };
    const erase = () => {
      const back = results.clear();
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
      h('p', { class: 'faint' }, t('progress.kept', { count: all.length })),
      h(
        'div',
        { class: 'row' },
        saving(t('progress.export'), 'damier-results.json', make),
        all.length ? button(t('progress.erase'), 'cross', erase, { cls: 'erase' }) : null,
      ),
    );
  }
}

/**
 * In which third of its game a mistake was made.
 *
 * @param {Slip} slip
 * @param {Outcome} row
 */
function partOf({ ply }, { turns }) {
  const third = Math.floor((3 * (ply - 1)) / Math.max(1, turns));
  return PARTS[Math.min(2, Math.max(0, third))];
}
