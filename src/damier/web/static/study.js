// Analysis: the value of every turn, the best line on the board, the graph, and the review.

import { ask } from './api.js';
import { button, h, s } from './dom.js';
import { Explorer } from './explorer.js';
import { expected, findFaults, lookThrough, loses, slipOf } from './faults.js';
import { number, t } from './i18n.js';
import { results } from './results.js';
import { games, settings } from './store.js';
import {
  arrowsOf,
  difficulty,
  kindOf,
  label,
  lineArrows,
  mark,
  proof,
  riskTo,
  sign,
  verdict,
} from './worth.js';

/** @import { Value as Badge } from './board.js' */
/** @import { Fault } from './faults.js' */
/** @import { Table } from './play.js' */
/** @import { Node, Values } from './tale.js' */
/** @import { Value } from './worth.js' */

const FEW = 5; // moves are listed at first, all when asked for
const MOST_ROWS = 100; // of the explorer, likewise
const FEWEST = 0.05; // what a badge may be worth less than the best
const SIDES = /** @type {const} */ (['w', 'b']);
const KINDS = /** @type {const} */ (['blunder', 'mistake', 'inaccuracy', 'missed']);

/**
 * Whether a move is worth about as much as the best.
 *
 * @param {Value} value
 * @param {Value} best
 */
const asGood = (value, best) =>
  best.outcome
    ? value.outcome === best.outcome && value.distance === best.distance
    : expected(value) > expected(best) - FEWEST;

/**
 * White's expectation at a node, if it is known.
 *
 * @param {Node} node
 */
function forWhite({ state, values }) {
  if (state?.result) return state.result.winner === 'w' ? 1 : state.result.winner === 'b' ? 0 : 0.5;
  if (!values || !state) return null;
  return state.side === 'w' ? expected(values) : 1 - expected(values);
}

export class Study {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    /** @type {Values | null} */
    this.found = null;
    /** @type {Values | null} */
    this.whole = null; // an analysis all of whose rows are shown
    /** @type {string | null} */
    this.pointed = null; // a turn pointed at in the list
    /** @type {Fault[] | null} */
    this.faults = null;
    /** @type {import('./mistakes.js').Learning | null} */
    this.learning = null; // while somebody learns from the mistakes
    /** @type {AbortController | null} */
    this.giveUp = null;
    /** @type {AbortController | null} */
    this.reviewing = null;
    this.share = h('span');
    this.bar = h('div', { class: 'value-bar', role: 'img' }, this.share);
    table.field.append(this.bar);
    this.list = h('div', { class: 'values' });
    this.leaving = new AbortController();
    this.explorer = new Explorer(this);
    this.held = false; // the focus is on a row, whatever is shown meanwhile
    this.graph = h('div', { class: 'graph' });
    this.reviewed = h('div', { class: 'review' });
  }

  leave() {
    this.leaving.abort();
    this.giveUp?.abort();
    this.reviewing?.abort();
    this.learning?.leave();
  }

  async look() {
    if (this.learning) return this.learning.look();
    const { tale, state } = this.table;
    const node = tale.at;
    this.giveUp?.abort();
    this.pointed = null;
    this.found = node.values;
    this.draw();
    this.explorer.look();
    if (state.result || (this.found && this.found.seconds >= 5) || this.reviewing) return;
    const giveUp = new AbortController();
    this.giveUp = giveUp;
    try {
      for (const seconds of [0.5, 5]) {
        if ((node.values?.seconds ?? 0) >= seconds) continue;
        const found = await ask('analysis', { ...tale.requestAt(node), seconds }, giveUp.signal);
        if (giveUp.signal.aborted) return;
        node.values = { ...found, seconds };
        this.found = node.values;
        this.draw();
        if (found.outcome && found.turns.every((v) => v.outcome)) node.values.seconds = 5;
      }
    } catch (error) {
      if (giveUp.signal.aborted) return;
      this.list.replaceChildren();
      this.table.complain(error);
    }
  }

  draw() {
    this.table.renderBoard();
    this.render();
  }

  get arrows() {
    if (this.learning) return this.learning.arrows;
    if (this.table.walker?.begun || this.table.walker?.from || !this.found) return [];
    const value = this.found.turns.find((v) => v.turn === this.pointed) ?? this.found.turns[0];
    const fault = this.pointed ? null : this.faults?.find((f) => f.before === this.table.tale.at);
    if (fault) return [...arrowsOf(fault.played.steps, 'worse'), ...lineArrows(fault.best, 1)];
    return lineArrows(value, this.pointed ? 4 : 2);
  }

  /**
   * With a pawn chosen, what each target is worth; before that only the best that can be done.
   *
   * @returns {Badge[]}
   */
  get valuesOnBoard() {
    if (!this.found || this.learning || !settings.get('badges', true)) return [];
    const from = this.table.walker?.from;
    const [top] = this.found.turns;
    /** @type {Map<string, Api.ValueOut>} */
    const best = new Map();
    for (const value of this.found.turns) {
      const { origin, target } = value.steps[0];
      if (from ? origin !== from : !asGood(value, top)) continue;
      const cell = from ? target : (origin ?? target);
      if (cell && !best.has(cell)) best.set(cell, value);
    }
    const [first] = best.values();
    return [...best].slice(0, from ? Infinity : FEW).map(([cell, value]) => {
      const rank = value === first ? 'best' : 'rest';
      return { cell, kind: kindOf(value), text: sign(value), rank };
    });
  }

  render() {
    const white = forWhite(this.table.tale.at);
    this.bar.hidden = white === null;
    if (white !== null) {
      this.share.style.width = `${100 * white}%`;
      this.bar.setAttribute('aria-label', t('value.bar', { percent: number(Math.round(100 * white)) }));
    }
    this.renderList();
    this.renderGraph();
    this.renderPlace();
  }

  // Which mistake the board shows.
  renderPlace() {
    const { at } = this.table.tale;
    for (const [k, row] of this.reviewed.querySelectorAll('li').entries()) {
      const fault = this.faults?.[k];
      row.classList.toggle('here', fault?.before === at || fault?.node === at);
    }
  }

  renderList() {
    const { found, table, explorer } = this;
    const { activeElement } = document;
    if (activeElement !== document.body) this.held = this.list.contains(activeElement);
    const held = activeElement instanceof HTMLElement ? activeElement.dataset.turn : '';
    if (table.state.result) {
      this.list.replaceChildren();
      return;
    }
    if (!found) {
      this.list.replaceChildren(h('p', { class: 'faint' }, t('value.looking')));
      return;
    }
    const most = this.whole === found ? Infinity : explorer.on ? MOST_ROWS : FEW;
    const shown = found.turns.slice(0, most);
    const { side, superko } = table.state;
    const head = h('p', { class: `verdict ${kindOf(found)}` }, h('b', {}, verdict(found, side)), ' ');
    head.append(h('span', { class: 'faint' }, proof(found, superko)));
    const list = () => shown.map((value) => this.row(value));
    const rows = explorer.on ? explorer.table(shown, kindOf) : [h('ol', {}, list())];
    this.list.replaceChildren(head, explorer.tabs, ...rows);
    const count = found.turns.length - shown.length;
    if (count) this.list.append(button(t('value.more', { count }), null, () => this.showAll(found)));
    if (!this.held) return;
    const turns = [.../** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll('.turn'))];
    (turns.find((turn) => turn.dataset.turn === held) ?? turns[0])?.focus({ preventScroll: true });
  }

  /** @param {Values} found */
  showAll(found) {
    this.whole = found;
    this.renderList();
    const next = this.list.querySelectorAll('.turn')[FEW];
    if (next instanceof HTMLElement) next.focus();
  }

  /** @param {Api.ValueOut} value */
  row(value) {
    const line = value.line.length ? value.line : [value.turn];
    const [sign, worth] = this.worth(value, this.table.state.side);
    const row = h(
      'li',
      { class: kindOf(value) },
      h(
        'button',
        {
          type: 'button',
          class: 'turn',
          'data-turn': value.turn,
          onclick: () => this.playLine([value.turn]),
        },
        ...[sign, h('b', {}, value.turn), worth],
      ),
    );
    const difficult = difficulty(value, this.table.state.side);
    if (difficult) row.append(h('span', { class: 'risk' }, difficult));
    const later = line.slice(1, 9).map((turn, k) => {
      const onclick = () => this.playLine(line.slice(0, k + 2));
      return h('button', { type: 'button', onclick, 'aria-label': t('value.play-to', { turn }) }, turn);
    });
    row.append(h('span', { class: 'line' }, later));
    this.listen(row, value.turn);
    return row;
  }

  /**
   * A turn's value as a sign and in words.
   *
   * @param {Api.ValueOut} value
   * @param {'w' | 'b'} [side] whose value it is, if that is to be said
   */
  worth(value, side) {
    return [
      h('span', { class: 'sign', 'aria-hidden': 'true' }, mark(value)),
      h('span', { class: 'worth' }, label(value, side)),
    ];
  }

  /**
   * What is pointed at in a list is shown on the board.
   *
   * @param {HTMLElement} row
   * @param {string} turn
   */
  listen(row, turn) {
    row.addEventListener('mouseenter', () => this.point(turn));
    row.addEventListener('mouseleave', () => this.point(null));
    row.addEventListener('focusin', () => this.point(turn));
  }

  /** @param {string | null} turn */
  point(turn) {
    this.pointed = turn;
    this.table.renderBoard();
  }

  /** @param {string[]} turns */
  playLine(turns) {
    let node = this.table.tale.at;
    for (const turn of turns) node = node.after(turn);
    this.table.show(node, { moved: turns.length === 1 });
  }

  renderGraph() {
    const { table } = this;
    const nodes = table.tale.line;
    const known = nodes.flatMap((node, k) => {
      const v = forWhite(node);
      return v === null ? [] : [{ k, v }];
    });
    if (nodes.length < 3 || known.length < 2) {
      this.graph.replaceChildren();
      return;
    }
    const [width, height] = [300, 80];
    const x = (/** @type {number} */ k) => (k / (nodes.length - 1)) * width;
    const y = (/** @type {number} */ v) => 4 + (1 - v) * (height - 8);
    const points = known.map(({ k, v }) => `${x(k).toFixed(1)},${y(v).toFixed(1)}`).join(' ');
    const [first, last] = [x(known[0].k), x(known[known.length - 1].k)];
    const here = x(table.tale.at.ply);
    const picture = s(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      s('polygon', { class: 'white-share', points: `${first},${height} ${points} ${last},${height}` }),
      s('line', { class: 'half', x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      s('polyline', { points }),
      s('line', { class: 'here', x1: here, x2: here, y1: 0, y2: height }),
    );
    for (const { node, kind } of this.faults ?? []) {
      picture.append(
        s('circle', { class: `fault ${kind}`, cx: x(node.ply), cy: y(forWhite(node) ?? 0.5), r: 3.5 }),
      );
    }
    const [max, value] = [String(nodes.length - 1), String(table.tale.at.ply)];
    const range = h('input', { type: 'range', min: '0', max, 'aria-label': t('graph.label') });
    range.value = value;
    range.addEventListener('input', () => table.go(nodes[Number(range.value)]));
    const sides = ['w', 'b'].map((side) =>
      h('span', { class: side, 'aria-hidden': 'true' }, t(`graph.${side}`)),
    );
    this.graph.replaceChildren(picture, ...sides, range);
  }

  /**
   * Where each side went wrong, with what was better. It opens at the first mistake; for somebody
   * who has lost, at the one that lost the game.
   *
   * @param {'w' | 'b' | null} [loser]
   */
  async review(loser = null) {
    const { table } = this;
    const { tale } = table;
    if (this.reviewing) return;
    this.learning?.leave();
    this.giveUp?.abort();
    const giveUp = new AbortController();
    this.reviewing = giveUp;
    const progress = h('progress', {
      max: String(tale.line.length),
      value: 0,
      'aria-label': t('review.working'),
    });
    this.reviewed.replaceChildren(h('p', {}, t('review.working')), progress);
    table.element.classList.add('reviewed');
    scrollTo(0, 0); // on a phone the review takes the place of what was pressed
    try {
      const nodes = await lookThrough(tale, giveUp.signal, (done) => {
        progress.value = done;
        this.renderGraph();
      });
      this.faults = findFaults(nodes, loser);
      this.note(this.faults);
    } catch (error) {
      if (giveUp.signal.aborted) return;
      this.reviewed.replaceChildren(); // nothing is under way any more
      table.complain(error);
    } finally {
      this.reviewing = null;
    }
    this.found = tale.at.values;
    if (this.faults) this.renderFaults(this.faults);
    const faults = this.faults ?? [];
    const first = faults.findLast((fault) => loses(fault, loser)) ?? faults[0];
    if (first && first.before !== tale.at) await table.show(first.before, { moved: false });
    else table.render();
  }

  // The game that this is the analysis of, if it is kept here.
  get original() {
    const { id } = this.table.tale;
    return id.startsWith('study-') ? games.get(id.slice('study-'.length)) : null;
  }

  // Whose mistakes are one's own: those of the people who played here, if that is known.
  get own() {
    const players = this.original?.players;
    const people = SIDES.filter((side) => players?.[side] === 'human');
    return people.length ? people : SIDES;
  }

  /**
   * The mistakes are counted with the result of the game.
   *
   * @param {Fault[]} faults
   */
  note(faults) {
    const { original } = this;
    if (!original) return;
    results.note(original.id, ({ side }) => faults.filter((fault) => fault.side === side).map(slipOf));
  }

  /**
   * Every mistake of one's own becomes a puzzle.
   *
   * @param {'w' | 'b' | null} [loser]
   */
  async learn(loser = null) {
    if (!this.faults) await this.review(loser);
    if (!this.faults || this.leaving.signal.aborted) return;
    const { Learning } = await import('./mistakes.js');
    this.giveUp?.abort();
    const own = this.faults.filter(({ side }) => this.own.includes(side));
    this.learning = new Learning(this, own);
    await this.learning.begin();
  }

  /** @param {Fault[]} faults */
  renderFaults(faults) {
    const { bars } = this.table;
    const learn = button(t('mistakes.learn'), 'hint', () => this.learn(), { cls: 'main learn' });
    const sides = SIDES.flatMap((side) => [
      h('dt', {}, h('i', { class: `dot ${side}` }), bars.nameOf(side)),
      h('dd', {}, counts(faults.filter((f) => f.side === side))),
    ]);
    const list = faults.map((fault) => this.fault(fault));
    this.reviewed.replaceChildren(
      h('h3', {}, t('review.title')),
      h('dl', {}, sides),
      ...(faults.some(({ side }) => this.own.includes(side)) ? [learn] : []),
      list.length ? h('ol', {}, list) : h('p', {}, t('review.none')),
    );
  }

  /** @param {Fault} fault */
  fault({ node, before, side, kind, best, played }) {
    const { table } = this;
    const see = () => table.go(before);
    const better = () => table.show(before.after(best.turn), {});
    const change =
      kind === 'missed'
        ? t('review.change.missed', { turn: best.turn, ...riskTo(best, side) })
        : t('review.change', { before: label(best, side), after: label(played, side) });
    return h(
      'li',
      { class: kind },
      h(
        'button',
        { type: 'button', class: 'see', onclick: see },
        h('b', {}, `${node.ply}. ${node.turn}`),
        h('span', { class: 'kind' }, t(`review.${kind}`)),
        h('small', {}, change),
      ),
      button(t('review.better', { turn: best.turn }), null, better, { cls: 'better' }),
    );
  }
}

/**
 * How many mistakes of each kind, in words.
 *
 * @param {Fault[]} faults
 */
function counts(faults) {
  const said = KINDS.flatMap((kind) => {
    const count = faults.filter((f) => f.kind === kind).length;
    return count ? [t(`review.count.${kind}`, { count })] : [];
  });
  return said.join(' · ') || t('review.clean');
}
