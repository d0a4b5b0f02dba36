// Analysis: the value of every turn, the best line on the board, the graph, and the review.

import { ask } from './api.js';
import { button, h, s } from './dom.js';
import { number, t } from './i18n.js';
import { showHere } from './moves.js';
import { settings } from './store.js';

/** @import { Arrow } from './board.js' */
/** @import { Table } from './play.js' */
/** @import { Node, Values } from './tale.js' */

/** @typedef {{ outcome: 'win' | 'draw' | 'loss' | null, distance: number | null, chance: number }} Value */

/**
 * @typedef {object} Fault
 * @property {Node} node
 * @property {Node} before
 * @property {'w' | 'b'} side
 * @property {'blunder' | 'mistake' | 'slip'} kind
 * @property {Api.ValueOut} best
 * @property {Api.ValueOut} played
 */

const MOST_ROWS = 100; // more are shown when asked for
const SIGN = { win: '+', draw: '=', loss: '−' };
const WORTH = { win: 1, draw: 0.5, loss: 0 };

/**
 * The arrows of a turn: from cell to cell; a ring where something is put, or lifted.
 *
 * @param {Api.ActionOut[]} steps
 * @param {string} kind
 * @returns {Arrow[]}
 */
function arrowsOf(steps, kind) {
  return steps.flatMap(({ origin, target, puts }) => [
    ...(target ? [{ from: origin ?? target, to: target, kind }] : []),
    ...puts.map(([from, to]) => ({ from, to: to ?? from, kind })),
  ]);
}

/**
 * The arrows of a line: the turn, the answer, and so on, fainter.
 *
 * @param {Api.ValueOut} value
 * @param {number} most
 */
export function lineArrows({ steps, then }, most) {
  const later = then.slice(0, most - 1).flatMap((next, k) => arrowsOf(next, k % 2 ? 'later' : 'reply'));
  return [...later.reverse(), ...arrowsOf(steps, 'best')];
}

/** @param {Value} value */
function kindOf(value) {
  if (value.outcome) return value.outcome;
  return value.chance > 0.6 ? 'good' : value.chance < 0.4 ? 'bad' : 'even';
}

/** @param {Value} value */
const sign = (value) => (value.outcome ? SIGN[value.outcome] : String(percent(value.chance)));

/**
 * A value in words. What is proved needs no chance.
 *
 * @param {Omit<Value, 'chance'> & { chance?: number }} value
 * @param {'w' | 'b'} [side] whose value it is, if that is known
 */
export function label({ outcome, distance, chance = 0.5 }, side) {
  if (!outcome) return t('value.estimate', { percent: number(percent(chance)) });
  if (outcome === 'draw') return t('value.draw');
  const winner = (side === 'w') === (outcome === 'win') ? 'w' : 'b';
  const said = side ? winner : outcome;
  return distance === null ? t(`value.${said}`) : t(`value.${said}.in`, { turns: distance });
}

/**
 * What is not proved is never quite certain.
 *
 * @param {number} chance
 */
const percent = (chance) => Math.min(99, Math.max(1, Math.round(100 * chance)));

/** @param {Value} value */
const expected = (value) => (value.outcome ? WORTH[value.outcome] : value.chance);

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
    /** @type {AbortController | null} */
    this.giveUp = null;
    /** @type {AbortController | null} */
    this.reviewing = null;
    this.share = h('span');
    this.bar = h('div', { class: 'value-bar', role: 'img' }, this.share);
    table.field.append(this.bar);
    this.list = h('div', { class: 'values' });
    this.graph = h('div', { class: 'graph' });
    this.reviewed = h('div', { class: 'review' });
  }

  leave() {
    this.giveUp?.abort();
    this.reviewing?.abort();
  }

  async look() {
    const { tale, state } = this.table;
    const node = tale.at;
    this.giveUp?.abort();
    this.pointed = null;
    this.found = node.values;
    this.draw();
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
      if (!giveUp.signal.aborted) this.table.complain(error);
    }
  }

  draw() {
    this.table.renderBoard();
    this.render();
  }

  get arrows() {
    if (this.table.walker?.begun || this.table.walker?.from || !this.found) return [];
    const value = this.found.turns.find((v) => v.turn === this.pointed) ?? this.found.turns[0];
    const fault = this.pointed ? null : this.faults?.find((f) => f.before === this.table.tale.at);
    if (fault) return [...arrowsOf(fault.played.steps, 'worse'), ...lineArrows(fault.best, 1)];
    return lineArrows(value, this.pointed ? 4 : 2);
  }

  // On each pawn the best it can do; with a pawn chosen, what each target is worth.
  get valuesOnBoard() {
    if (!this.found || !settings.get('badges', true)) return [];
    const from = this.table.walker?.from;
    /** @type {Map<string, Api.ValueOut>} */
    const best = new Map();
    for (const value of this.found.turns) {
      const { origin, target } = value.steps[0];
      if (from && origin !== from) continue;
      const cell = from ? target : (origin ?? target);
      if (cell && !best.has(cell)) best.set(cell, value);
    }
    return [...best].map(([cell, value]) => ({ cell, kind: kindOf(value), text: sign(value) }));
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
    const { found, table } = this;
    if (table.state.result) {
      this.list.replaceChildren();
      return;
    }
    if (!found) {
      this.list.replaceChildren(h('p', { class: 'faint' }, t('value.looking')));
      return;
    }
    const most = this.whole === found ? Infinity : MOST_ROWS;
    const rows = found.turns.slice(0, most).map((value) => this.row(value));
    const scroll = this.list.scrollTop;
    const { side, superko } = table.state;
    // Where nothing can go on for ever, a draw is what nobody knows how to win.
    const open = superko && found.outcome === 'draw';
    const proved = t(open ? 'value.open' : found.outcome ? 'value.proved' : 'value.not-proved');
    const certain = found.outcome === 'win' || found.outcome === 'loss';
    const value = label(found, side);
    const verdict = certain ? value : t('value.verdict', { side: t(`side.${side}`), value });
    const head = h('p', { class: `verdict ${kindOf(found)}` }, h('b', {}, verdict), ' ');
    head.append(h('span', { class: 'faint' }, proved));
    this.list.replaceChildren(head, h('ol', {}, rows));
    const count = found.turns.length - rows.length;
    if (count) this.list.append(button(t('value.more', { count }), null, () => this.showAll(found)));
    this.list.scrollTop = scroll;
    showHere(table.panel); // it has less room now
  }

  /** @param {Values} found */
  showAll(found) {
    this.whole = found;
    this.renderList();
  }

  /** @param {Api.ValueOut} value */
  row(value) {
    const line = value.line.length ? value.line : [value.turn];
    const row = h(
      'li',
      { class: kindOf(value) },
      h(
        'button',
        { type: 'button', class: 'turn', onclick: () => this.playLine([value.turn]) },
        h('span', { class: 'sign', 'aria-hidden': 'true' }, value.outcome ? SIGN[value.outcome] : '~'),
        h('b', {}, value.turn),
        h('span', { class: 'worth' }, label(value, this.table.state.side)),
      ),
    );
    const later = line.slice(1, 9).map((turn, k) => {
      const onclick = () => this.playLine(line.slice(0, k + 2));
      return h('button', { type: 'button', onclick, 'aria-label': t('value.play-to', { turn }) }, turn);
    });
    row.append(h('span', { class: 'line' }, later));
    row.addEventListener('mouseenter', () => this.point(value.turn));
    row.addEventListener('mouseleave', () => this.point(null));
    row.addEventListener('focusin', () => this.point(value.turn));
    return row;
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
    this.graph.replaceChildren(picture, range);
  }

  // Where each side went wrong, with what was better.
  async review() {
    const { table } = this;
    const { tale } = table;
    if (this.reviewing) return;
    this.giveUp?.abort();
    const giveUp = new AbortController();
    this.reviewing = giveUp;
    const nodes = tale.line;
    const progress = h('progress', {
      max: String(nodes.length),
      value: 0,
      'aria-label': t('review.working'),
    });
    this.reviewed.replaceChildren(h('p', {}, t('review.working')), progress);
    table.element.classList.add('reviewed');
    scrollTo(0, 0); // on a phone the review takes the place of what was pressed
    try {
      for (const [k, node] of nodes.entries()) {
        const state = await table.stateOf(node);
        if (!state.result && !node.values) {
          const found = await ask('analysis', { ...tale.requestAt(node), seconds: 0.5 }, giveUp.signal);
          node.values = { ...found, seconds: 0.5 };
        }
        if (giveUp.signal.aborted) return;
        progress.value = k + 1;
        this.renderGraph();
      }
      this.faults = findFaults(nodes);
    } catch (error) {
      if (!giveUp.signal.aborted) table.complain(error);
    } finally {
      this.reviewing = null;
    }
    this.found = tale.at.values;
    if (this.faults) this.renderFaults(this.faults);
    const [first] = this.faults ?? [];
    if (first && first.before !== tale.at) await table.show(first.before, { moved: false });
    else table.render();
  }

  /** @param {Fault[]} faults */
  renderFaults(faults) {
    const count = (/** @type {string} */ side, /** @type {string} */ kind) =>
      t(`review.count.${kind}`, { count: faults.filter((f) => f.side === side && f.kind === kind).length });
    const counts = (/** @type {string} */ side) =>
      ['blunder', 'mistake', 'slip'].map((kind) => count(side, kind)).join(' · ');
    const sides = ['w', 'b'].flatMap((side) => [h('dt', {}, t(`side.${side}`)), h('dd', {}, counts(side))]);
    const list = faults.length
      ? h(
          'ol',
          {},
          faults.map((fault) => this.fault(fault)),
        )
      : h('p', {}, t('review.none'));
    this.reviewed.replaceChildren(h('h3', {}, t('review.title')), h('dl', {}, sides), list);
  }

  /** @param {Fault} fault */
  fault({ node, before, side, kind, best, played }) {
    const { table } = this;
    const said = t('review.fault', {
      ply: node.ply,
      turn: node.turn,
      kind: t(`review.${kind}`),
      before: label(best, side),
      after: label(played, side),
    });
    const see = () => table.go(before);
    const better = () => table.show(before.after(best.turn), {});
    return h(
      'li',
      { class: kind },
      h('button', { type: 'button', class: 'see', onclick: see }, said),
      h(
        'button',
        { type: 'button', class: 'better', onclick: better },
        t('review.better', { turn: best.turn }),
      ),
    );
  }
}

/**
 * @param {Node[]} nodes
 * @returns {Fault[]}
 */
function findFaults(nodes) {
  /** @type {Fault[]} */
  const faults = [];
  for (const node of nodes) {
    const before = node.up;
    const best = before?.values?.turns[0];
    const played = before?.values?.turns.find((v) => v.turn === node.turn);
    if (!before?.state || !best || !played || best.turn === played.turn) continue;
    const lost = expected(best) - expected(played);
    const kind = lost >= 0.35 ? 'blunder' : lost >= 0.18 ? 'mistake' : lost >= 0.09 ? 'slip' : null;
    if (kind) faults.push({ node, before, side: before.state.side, kind, best, played });
  }
  return faults;
}
