// Analysis: the value of every turn, the best line on the board, the graph, and the review.

import { ask } from './api.js';
import { button, h, s } from './dom.js';
import { number, t } from './i18n.js';
import { showHere } from './moves.js';
import { settings } from './store.js';

const CELL = /[a-u]\d\d?/g;
const MOST_ROWS = 100; // more are shown when asked for
const SIGN = { win: '+', draw: '=', loss: '−' };

// The arrows of a turn's text: from cell to cell; a ring where something is put.
export function arrowsOf(turn, kind) {
  const arrows = [];
  for (const part of turn.split(',')) {
    const cells = part.replace(/x[a-u]\d\d?/g, '').match(CELL) ?? [];
    if (part.includes('+') || cells.length === 1) arrows.push(...cells.map((c) => [c, c, kind]));
    else for (let k = 1; k < cells.length; k++) arrows.push([cells[k - 1], cells[k], kind]);
  }
  return arrows;
}

// The arrows of a line: the turn, the answer, and so on, fainter.
export function lineArrows({ turn, line }, most) {
  const later = line.slice(1, most).flatMap((next, k) => arrowsOf(next, k % 2 ? 'later' : 'reply'));
  return [...later.reverse(), ...arrowsOf(turn, 'best')];
}

export function kindOf(value) {
  if (value.outcome) return value.outcome;
  return value.chance > 0.6 ? 'good' : value.chance < 0.4 ? 'bad' : 'even';
}

export function label(value) {
  if (value.outcome === 'draw') return t('value.draw');
  if (value.outcome && value.distance !== null) return t(`value.${value.outcome}.in`, { turns: value.distance });
  if (value.outcome) return t(`value.${value.outcome}`);
  return t('value.estimate', { percent: number(percent(value.chance)) });
}

// What is not proved is never quite certain.
const percent = (chance) => Math.min(99, Math.max(1, Math.round(100 * chance)));

const expected = (value) => (value.outcome ? { win: 1, draw: 0.5, loss: 0 }[value.outcome] : value.chance);

// White's expectation at a node, if it is known.
function forWhite(node) {
  const { state, values } = node;
  if (state?.result) return state.result.winner === 'w' ? 1 : state.result.winner === 'b' ? 0 : 0.5;
  if (!values || !state) return null;
  return state.side === 'w' ? expected(values) : 1 - expected(values);
}

export class Study {
  constructor(table) {
    this.table = table;
    this.found = null;
    this.pointed = null; // a turn pointed at in the list
    this.faults = null;
    this.bar = h('div', { class: 'value-bar', role: 'img' }, h('span'));
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
    const giveUp = (this.giveUp = new AbortController());
    try {
      for (const seconds of [0.5, 5]) {
        if ((node.values?.seconds ?? 0) >= seconds) continue;
        const found = await ask('analysis', { ...tale.requestAt(node), seconds }, giveUp.signal);
        if (giveUp.signal.aborted) return;
        node.values = this.found = { ...found, seconds };
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
    if (this.table.walker?.begun || this.table.walker?.from) return [];
    if (!this.found) return [];
    const value = this.found.turns.find((v) => v.turn === this.pointed) ?? this.found.turns[0];
    return lineArrows(value, this.pointed ? 4 : 2);
  }

  // On each pawn the best it can do; with a pawn chosen, what each target is worth.
  get valuesOnBoard() {
    if (!this.found || !settings.get('badges', true)) return [];
    const from = this.table.walker?.from;
    const best = new Map();
    for (const value of this.found.turns) {
      const [first, second] = value.turn.replace(/^@/, '').match(CELL) ?? [];
      if (!first || (from && first !== from)) continue;
      const cell = from ? second : first;
      if (cell && !best.has(cell)) best.set(cell, value);
    }
    return [...best].map(([cell, v]) => [cell, kindOf(v), v.outcome ? SIGN[v.outcome] : String(percent(v.chance))]);
  }

  render() {
    const { table } = this;
    const white = forWhite(table.tale.at);
    this.bar.hidden = white === null;
    if (white !== null) {
      this.bar.firstChild.style.width = `${100 * white}%`;
      this.bar.setAttribute('aria-label', t('value.bar', { percent: number(Math.round(100 * white)) }));
    }
    this.renderList();
    this.renderGraph();
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
    const rows = found.turns.slice(0, this.whole === found ? Infinity : MOST_ROWS).map((value) => {
      const line = value.line.length ? value.line : [value.turn];
      const row = h('li', { class: kindOf(value) },
        h('button', { type: 'button', class: 'turn', onclick: () => this.playLine([value.turn]) }, h('span', { class: 'sign', 'aria-hidden': 'true' }, value.outcome ? SIGN[value.outcome] : '~'), h('b', {}, value.turn), h('span', { class: 'worth' }, label(value))),
        h('span', { class: 'line' }, line.slice(1, 9).map((turn, k) => h('button', { type: 'button', onclick: () => this.playLine(line.slice(0, k + 2)), 'aria-label': t('value.play-to', { turn }) }, turn))));
      row.addEventListener('mouseenter', () => this.point(value.turn));
      row.addEventListener('mouseleave', () => this.point(null));
      row.addEventListener('focusin', () => this.point(value.turn));
      return row;
    });
    const scroll = this.list.scrollTop;
    const title = label(found);
    const { game, options } = table.state;
    // BA-11: nothing can go on for ever, so a draw is what nobody knows how to win.
    const open = game === 'badia' && options.repetition !== 'draw' && found.outcome === 'draw';
    const proved = t(open ? 'value.open' : found.outcome ? 'value.proved' : 'value.not-proved');
    const rest = found.turns.length - rows.length;
    const more = rest ? button(t('value.more', { count: rest }), null, () => ((this.whole = found), this.renderList()), {}) : null;
    this.list.replaceChildren(h('p', { class: `verdict ${kindOf(found)}` }, h('b', {}, t('value.verdict', { side: t(`side.${table.state.side}`), value: title })), ' ', h('span', { class: 'faint' }, proved)), h('ol', {}, rows), ...(more ? [more] : []));
    this.list.scrollTop = scroll;
    showHere(table.panel); // it has less room now
  }

  point(turn) {
    this.pointed = turn;
    this.table.renderBoard();
  }

  playLine(turns) {
    let node = this.table.tale.at;
    for (const turn of turns) node = node.then(turn);
    this.table.show(node, { moved: turns.length === 1 });
  }

  renderGraph() {
    const { table } = this;
    const nodes = table.tale.line;
    const known = nodes.map((node, k) => [k, forWhite(node), node]).filter(([, v]) => v !== null);
    if (nodes.length < 3 || known.length < 2) {
      this.graph.replaceChildren();
      return;
    }
    const [width, height] = [300, 80];
    const x = (k) => (k / (nodes.length - 1)) * width;
    const y = (v) => 4 + (1 - v) * (height - 8);
    const points = known.map(([k, v]) => `${x(k).toFixed(1)},${y(v).toFixed(1)}`);
    const first = x(known[0][0]);
    const last = x(known.at(-1)[0]);
    const picture = s('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      s('polygon', { class: 'white-share', points: `${first},${height} ${points.join(' ')} ${last},${height}` }),
      s('line', { class: 'half', x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      s('polyline', { points: points.join(' ') }),
      s('line', { class: 'here', x1: x(table.tale.at.ply), x2: x(table.tale.at.ply), y1: 0, y2: height }));
    for (const fault of this.faults ?? []) picture.append(s('circle', { class: `fault ${fault.kind}`, cx: x(fault.node.ply), cy: y(forWhite(fault.node) ?? 0.5), r: 3.5 }));
    const range = h('input', { type: 'range', min: '0', max: String(nodes.length - 1), value: String(table.tale.at.ply), 'aria-label': t('graph.label') });
    range.addEventListener('input', () => table.go(nodes[Number(range.value)]));
    this.graph.replaceChildren(picture, range);
  }

  // Where each side went wrong, with what was better.
  async review() {
    const { table } = this;
    const { tale } = table;
    if (this.reviewing) return;
    this.giveUp?.abort();
    const giveUp = (this.reviewing = new AbortController());
    const nodes = tale.line;
    const progress = h('progress', { max: String(nodes.length), value: '0', 'aria-label': t('review.working') });
    this.reviewed.replaceChildren(h('p', {}, t('review.working')), progress);
    try {
      for (const [k, node] of nodes.entries()) {
        const state = await table.stateOf(node);
        if (!state.result && !node.values) node.values = { ...(await ask('analysis', { ...tale.requestAt(node), seconds: 0.5 }, giveUp.signal)), seconds: 0.5 };
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
    this.renderFaults();
    table.render();
  }

  renderFaults() {
    const { faults, table } = this;
    if (!faults) return;
    const counts = (side) => ['blunder', 'mistake', 'slip'].map((kind) => t(`review.count.${kind}`, { count: faults.filter((f) => f.side === side && f.kind === kind).length })).join(' · ');
    this.reviewed.replaceChildren(
      h('h3', {}, t('review.title')),
      h('dl', {}, ['w', 'b'].flatMap((side) => [h('dt', {}, t(`side.${side}`)), h('dd', {}, counts(side))])),
      faults.length ? h('ol', {}, faults.map((f) => h('li', { class: f.kind }, h('button', { type: 'button', onclick: () => table.go(f.node.up) }, t('review.fault', { ply: f.node.ply, turn: f.node.turn, kind: t(`review.${f.kind}`), before: label(f.best), after: label(f.played) })), h('button', { type: 'button', class: 'better', onclick: () => table.show(f.node.up.then(f.best.turn), {}) }, t('review.better', { turn: f.best.turn }))))) : h('p', {}, t('review.none')));
  }
}

export function findFaults(nodes) {
  const faults = [];
  for (const node of nodes.slice(1)) {
    const before = node.up.values;
    const best = before?.turns[0];
    const played = before?.turns.find((v) => v.turn === node.turn);
    if (!best || !played || best.turn === played.turn) continue;
    const lost = expected(best) - expected(played);
    const kind = lost >= 0.35 ? 'blunder' : lost >= 0.18 ? 'mistake' : lost >= 0.09 ? 'slip' : null;
    if (kind) faults.push({ node, side: node.up.state.side, kind, best, played });
  }
  return faults;
}
