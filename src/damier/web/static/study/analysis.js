// Analysis panel: the value of every move, the best line, the graph of the game, and its review.

import { request } from '../core/api.js';
import { button, h, s } from '../core/dom.js';
import { gameResults } from '../core/game-results.js';
import { formatNumber, t } from '../core/i18n.js';
import { savedGames, settings } from '../core/storage.js';
import { whyButton } from './explanation.js';
import {
  analyseGame,
  expectedScore,
  findMistakes,
  isDecisive,
  selectLessons,
  summarizeMistake,
} from './mistake-finder.js';
import { OpeningExplorer } from './opening-explorer.js';
import {
  arrowsOf,
  difficultyText,
  lineArrows,
  outcomeClass,
  outcomeMark,
  proofText,
  riskDetails,
  shortValue,
  valueText,
  verdictText,
} from './value-text.js';

/** @import { Value as Badge } from '../board/board.js' */
/** @import { Mistake } from './mistake-finder.js' */
/** @import { Table } from '../play/table.js' */
/** @import { GameNode, Values } from '../core/game-tree.js' */
/** @import { Value } from './value-text.js' */

const MAX_LISTED = 5; // moves listed before the button "more" is pressed
const MAX_ROWS = 100; // the same for the opening explorer
const SCORE_TOLERANCE = 0.05; // difference in expected score within which a move is about as good as the best
const SIDES = /** @type {const} */ (['w', 'b']);
const KINDS = /** @type {const} */ (['blunder', 'mistake', 'inaccuracy', 'missed']);

/**
 * Return whether a move is about as good as the best.
 *
 * @param {Value} value
 * @param {Value} best
 */
const isAsGood = (value, best) =>
  best.outcome
    ? value.outcome === best.outcome && value.distance === best.distance
    : expectedScore(value) > expectedScore(best) - SCORE_TOLERANCE;

/**
 * Return White's expected score at a node, or null if it is not known.
 *
 * @param {GameNode} node
 */
function whiteScore({ state, values }) {
  if (state?.result) return state.result.winner === 'w' ? 1 : state.result.winner === 'b' ? 0 : 0.5;
  if (!values || !state) return null;
  return state.side === 'w' ? expectedScore(values) : 1 - expectedScore(values);
}

export class AnalysisPanel {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    /** @type {Values | null} */
    this.values = null;
    /** @type {Values | null} */
    this.fullyListed = null; // the analysis whose rows are all listed
    /** @type {string | null} */
    this.pointedMove = null; // the move under the pointer in the list
    /** @type {Mistake[] | null} */
    this.mistakes = null;
    /** @type {import('./mistake-review.js').MistakeReview | null} */
    this.mistakeReview = null; // set while the player practises on mistakes
    /** @type {AbortController | null} */
    this.pendingAnalysis = null;
    /** @type {AbortController | null} */
    this.pendingReview = null;
    this.whiteShare = h('span');
    this.valueBar = h('div', { class: 'value-bar', role: 'img' }, this.whiteShare);
    table.field.append(this.valueBar);
    this.list = h('div', { class: 'values' });
    this.leaving = new AbortController();
    this.explorer = new OpeningExplorer(this);
    this.hasFocus = false; // the focus is in the list, and is restored when the list is redrawn
    this.graph = h('div', { class: 'graph' });
    this.reviewed = h('div', { class: 'review' });
  }

  leave() {
    this.leaving.abort();
    this.pendingAnalysis?.abort();
    this.pendingReview?.abort();
    this.mistakeReview?.leave();
  }

  async positionChanged() {
    if (this.mistakeReview) return this.mistakeReview.positionChanged();
    const { tree, state } = this.table;
    const node = tree.current;
    this.pendingAnalysis?.abort();
    this.pointedMove = null;
    this.values = node.values;
    this.draw();
    this.explorer.countGames();
    if (state.result || (this.values && this.values.seconds >= 5) || this.pendingReview) return;
    const controller = new AbortController();
    this.pendingAnalysis = controller;
    try {
      for (const seconds of [0.5, 5]) {
        if ((node.values?.seconds ?? 0) >= seconds) continue;
        const found = await request('analysis', { ...tree.requestAt(node), seconds }, controller.signal);
        if (controller.signal.aborted) return;
        const isProved = found.outcome && found.turns.every((v) => v.outcome);
        node.setValues({ ...found, seconds: isProved ? 5 : seconds });
        this.values = node.values;
        this.draw();
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      this.list.replaceChildren();
      this.table.showError(error);
    }
  }

  draw() {
    this.table.renderBoard();
    this.render();
  }

  get arrows() {
    if (this.mistakeReview) return this.mistakeReview.arrows;
    if (this.table.moveInput?.begun || this.table.moveInput?.from || !this.values) return [];
    const value = this.values.turns.find((v) => v.turn === this.pointedMove) ?? this.values.turns[0];
    const fault = this.pointedMove ? null : this.mistakes?.find((f) => f.before === this.table.tree.current);
    if (fault) return [...arrowsOf(fault.played.steps, 'worse'), ...lineArrows(fault.best, 1)];
    return lineArrows(value, this.pointedMove ? 4 : 2);
  }

  /**
   * Values on the board: of each target if a pawn is chosen, else of the pawns with the best moves.
   *
   * @returns {Badge[]}
   */
  get valuesOnBoard() {
    if (!this.values || this.mistakeReview || !settings.get('badges', true)) return [];
    const from = this.table.moveInput?.from;
    const [top] = this.values.turns;
    /** @type {Map<string, Api.MoveAnalysis>} */
    const best = new Map();
    for (const value of this.values.turns) {
      const { origin, target } = value.steps[0];
      if (from ? origin !== from : !isAsGood(value, top)) continue;
      const cell = from ? target : (origin ?? target);
      if (cell && !best.has(cell)) best.set(cell, value);
    }
    const [first] = best.values();
    return [...best].slice(0, from ? Infinity : MAX_LISTED).map(([cell, value]) => {
      const rank = value === first ? 'best' : 'rest';
      return { cell, kind: outcomeClass(value), text: shortValue(value), rank };
    });
  }

  render() {
    const white = whiteScore(this.table.tree.current);
    this.valueBar.hidden = white === null;
    if (white !== null) {
      this.whiteShare.style.width = `${100 * white}%`;
      this.valueBar.setAttribute(
        'aria-label',
        t('value.bar', { percent: formatNumber(Math.round(100 * white)) }),
      );
    }
    this.renderList();
    this.renderGraph();
    this.renderPlace();
  }

  // Highlight the mistake that the board shows.
  renderPlace() {
    const { current: at } = this.table.tree;
    for (const [k, row] of this.reviewed.querySelectorAll('li').entries()) {
      const fault = this.mistakes?.[k];
      row.classList.toggle('current', fault?.before === at || fault?.node === at);
    }
  }

  renderList() {
    const { values: found, table, explorer } = this;
    const { activeElement } = document;
    if (activeElement !== document.body) this.hasFocus = this.list.contains(activeElement);
    const focusedTurn = activeElement instanceof HTMLElement ? activeElement.dataset.turn : '';
    if (table.state.result) {
      this.list.replaceChildren();
      return;
    }
    if (!found) {
      this.list.replaceChildren(h('p', { class: 'faint' }, t('value.looking')));
      return;
    }
    const most = this.fullyListed === found ? Infinity : explorer.on ? MAX_ROWS : MAX_LISTED;
    const shown = found.turns.slice(0, most);
    const { side } = table.state;
    const head = h(
      'p',
      { class: `verdict ${outcomeClass(found)}` },
      h('b', {}, verdictText(found, side)),
      ' ',
    );
    head.append(h('span', { class: 'faint' }, proofText(found)));
    const list = () => shown.map((value) => this.row(value));
    const rows = explorer.on ? explorer.table(shown, outcomeClass) : [h('ol', {}, list())];
    this.list.replaceChildren(head, explorer.tabs, ...rows);
    const count = found.turns.length - shown.length;
    if (count) this.list.append(button(t('value.more', { count }), null, () => this.showAll(found)));
    if (!this.hasFocus) return;
    const turns = [.../** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll('.turn'))];
    (turns.find((turn) => turn.dataset.turn === focusedTurn) ?? turns[0])?.focus({ preventScroll: true });
  }

  /** @param {Values} found */
  showAll(found) {
    this.fullyListed = found;
    this.renderList();
    const next = this.list.querySelectorAll('.turn')[MAX_LISTED];
    if (next instanceof HTMLElement) next.focus();
  }

  /** @param {Api.MoveAnalysis} value */
  row(value) {
    const line = value.line.length ? value.line : [value.turn];
    const [sign, valueElement] = this.valueParts(value, this.table.state.side);
    const row = h(
      'li',
      { class: outcomeClass(value) },
      h(
        'button',
        {
          type: 'button',
          class: 'turn',
          'data-turn': value.turn,
          onclick: () => this.playLine([value.turn]),
        },
        ...[sign, h('b', {}, value.turn), valueElement],
      ),
    );
    const difficult = difficultyText(value, this.table.state.side);
    if (difficult) row.append(h('span', { class: 'risk' }, difficult));
    const later = line.slice(1, 9).map((turn, k) => {
      const onclick = () => this.playLine(line.slice(0, k + 2));
      return h('button', { type: 'button', onclick, 'aria-label': t('value.play-to', { turn }) }, turn);
    });
    row.append(h('span', { class: 'line' }, later));
    this.highlightOnHover(row, value.turn);
    return row;
  }

  /**
   * Return a move's value as a sign and as text.
   *
   * @param {Api.MoveAnalysis} value
   * @param {'w' | 'b'} [side] whose value it is, if that is to be said
   */
  valueParts(value, side) {
    return [
      h('span', { class: 'sign', 'aria-hidden': 'true' }, outcomeMark(value)),
      h('span', { class: 'move-value' }, valueText(value, side)),
    ];
  }

  /**
   * Show a move of the list on the board while it has the pointer or the focus.
   *
   * @param {HTMLElement} row
   * @param {string} turn
   */
  highlightOnHover(row, turn) {
    row.addEventListener('mouseenter', () => this.point(turn));
    row.addEventListener('mouseleave', () => this.point(null));
    row.addEventListener('focusin', () => this.point(turn));
  }

  /** @param {string | null} turn */
  point(turn) {
    this.pointedMove = turn;
    this.table.renderBoard();
  }

  /** @param {string[]} turns */
  playLine(turns) {
    let node = this.table.tree.current;
    for (const turn of turns) node = node.addMove(turn);
    this.table.show(node, { moved: turns.length === 1 });
  }

  renderGraph() {
    const { table } = this;
    const nodes = table.tree.line;
    const known = nodes.flatMap((node, k) => {
      const v = whiteScore(node);
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
    const currentX = x(table.tree.current.ply);
    const picture = s(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      s('polygon', { class: 'white-share', points: `${first},${height} ${points} ${last},${height}` }),
      s('line', { class: 'half', x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      s('polyline', { points }),
      s('line', { class: 'current', x1: currentX, x2: currentX, y1: 0, y2: height }),
    );
    const [r, reach] = [3.5, 4]; // radius without and with the outline
    for (const { node, kind } of this.mistakes ?? []) {
      const cx = Math.min(width - reach, Math.max(reach, x(node.ply))); // whole, also on the last move
      picture.append(s('circle', { class: `fault ${kind}`, cx, cy: y(whiteScore(node) ?? 0.5), r }));
    }
    const [max, value] = [String(nodes.length - 1), String(table.tree.current.ply)];
    const range = h('input', { type: 'range', min: '0', max, 'aria-label': t('graph.label') });
    range.value = value;
    range.addEventListener('input', () => table.go(nodes[Number(range.value)]));
    const sides = ['w', 'b'].map((side) =>
      h('span', { class: side, 'aria-hidden': 'true' }, t(`graph.${side}`)),
    );
    this.graph.replaceChildren(picture, ...sides, range);
  }

  /**
   * Review the game: list each side's mistakes with the better moves. Show the first mistake or, for the
   * side that lost, the decisive one.
   *
   * @param {'w' | 'b' | null} [loser]
   */
  async review(loser = null) {
    const { table } = this;
    const { tree } = table;
    if (this.pendingReview) return;
    this.mistakeReview?.leave();
    this.pendingAnalysis?.abort();
    const controller = new AbortController();
    this.pendingReview = controller;
    const progress = h('progress', {
      max: String(tree.line.length),
      value: 0,
      'aria-label': t('review.working'),
    });
    this.reviewed.replaceChildren(h('p', {}, t('review.working')), progress);
    table.element.classList.add('reviewed');
    scrollTo(0, 0); // on a phone the review appears where the button was
    try {
      const nodes = await analyseGame(tree, controller.signal, (done) => {
        progress.value = done;
        this.renderGraph();
      });
      this.mistakes = findMistakes(nodes, loser);
      this.storeMistakes(this.mistakes);
    } catch (error) {
      if (controller.signal.aborted) return;
      this.reviewed.replaceChildren(); // remove the progress bar
      table.showError(error);
    } finally {
      this.pendingReview = null;
    }
    this.values = tree.current.values;
    if (this.mistakes) this.renderMistakes(this.mistakes);
    const faults = this.mistakes ?? [];
    const first = faults.findLast((fault) => isDecisive(fault, loser)) ?? faults[0];
    if (first && first.before !== tree.current) await table.show(first.before, { moved: false });
    else table.render();
  }

  // The stored game that this is the analysis of, or null.
  get original() {
    const { id } = this.table.tree;
    return id.startsWith('study-') ? savedGames.get(id.slice('study-'.length)) : null;
  }

  // The sides played by people in this browser; both if that is not known.
  get ownSides() {
    const players = this.original?.players;
    const people = SIDES.filter((side) => players?.[side] === 'human');
    return people.length ? people : SIDES;
  }

  /**
   * Store the mistakes with the result of the game.
   *
   * @param {Mistake[]} faults
   */
  storeMistakes(faults) {
    const { original } = this;
    if (!original) return;
    gameResults.note(original.id, ({ side }) =>
      faults.filter((fault) => fault.side === side).map(summarizeMistake),
    );
  }

  /**
   * Let the player practise: each of their mistakes becomes a puzzle.
   *
   * @param {'w' | 'b' | null} [loser]
   */
  async practise(loser = null) {
    if (!this.mistakes) await this.review(loser);
    if (!this.mistakes || this.leaving.signal.aborted) return;
    const { MistakeReview } = await import('./mistake-review.js');
    this.pendingAnalysis?.abort();
    const own = this.mistakes.filter(({ side }) => this.ownSides.includes(side));
    this.mistakeReview = new MistakeReview(this, selectLessons(own));
    await this.mistakeReview.begin();
  }

  endPractice() {
    this.mistakeReview = null;
  }

  /** @param {Mistake[]} faults */
  renderMistakes(faults) {
    const { names } = this.table;
    const learn = button(t('mistakes.learn'), 'hint', () => this.practise(), { cls: 'main learn' });
    const sides = SIDES.flatMap((side) => [
      h('dt', {}, h('i', { class: `dot ${side}` }), names.nameOf(side)),
      h('dd', {}, mistakeCounts(faults.filter((f) => f.side === side))),
    ]);
    const list = faults.map((fault) => this.mistakeRow(fault));
    this.reviewed.replaceChildren(
      h('h3', {}, t('review.title')),
      h('dl', {}, sides),
      ...(faults.some(({ side }) => this.ownSides.includes(side)) ? [learn] : []),
      list.length ? h('ol', {}, list) : h('p', {}, t('review.none')),
    );
  }

  /** @param {Mistake} fault */
  mistakeRow({ node, before, side, kind, best, played }) {
    const { table } = this;
    const showPosition = () => table.go(before);
    const better = () => table.show(before.addMove(best.turn), {});
    const change =
      kind === 'missed'
        ? t('review.change.missed', { turn: best.turn, ...riskDetails(best, side) })
        : t('review.change', { before: valueText(best, side), after: valueText(played, side) });
    return h(
      'li',
      { class: kind },
      h(
        'button',
        { type: 'button', class: 'show-position', onclick: showPosition },
        h('b', {}, `${node.ply}. ${node.move}`),
        h('span', { class: 'kind' }, t(`review.${kind}`)),
        h('small', {}, change),
      ),
      button(t('review.better', { turn: best.turn }), null, better, { cls: 'better' }),
      whyButton(
        () => ({ game: table.tree.requestAt(before), turn: played.turn }),
        (error) => table.showError(error),
      ),
    );
  }
}

/**
 * Return the number of mistakes of each kind as text.
 *
 * @param {Mistake[]} faults
 */
function mistakeCounts(faults) {
  const names = KINDS.flatMap((kind) => {
    const count = faults.filter((f) => f.kind === kind).length;
    return count ? [t(`review.count.${kind}`, { count })] : [];
  });
  return names.join(' · ') || t('review.clean');
}
