// Opening explorer: the value of each move, and its results in the games stored in this browser.

import { request } from '../core/api.js';
import { button, h } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { formatNumber, t } from '../core/i18n.js';
import { savedGames, settings } from '../core/storage.js';

/** @import { AnalysisPanel } from './analysis.js' */
/** @import { SavedGame, GameNode } from '../core/game-tree.js' */

/**
 * @typedef {object} PlayedGame A game of one's own.
 * @property {string[]} alike symmetry key of each of its positions
 * @property {string[]} movers side that played each move
 * @property {'w' | 'b' | 'draw' | null} winner null if the game is not finished
 */

/** @typedef {{ games: number, won: number, draw: number, lost: number }} Tally */

/**
 * @typedef {object} Counts Results of a position.
 * @property {number} games number of games that reached it
 * @property {Map<string, Tally>} tallies by the symmetry key of the next position
 * @property {Map<string, string>} alike symmetry key of the position after each move
 */

/** @type {Map<string, PlayedGame>} */
const playedGames = new Map();

/** @type {(options: Record<string, string> | undefined) => string} */
const rulesOf = (options) => JSON.stringify(Object.entries(options ?? {}).sort());

/**
 * Return whether a stored game counts: it was played here, or is an opened record, which has names and
 * is not the analysis of another game.
 *
 * @param {SavedGame} saved
 */
const isOwn = ({ mode, names, id }) => mode === 'play' || (!!names && !id.startsWith('study-'));

/**
 * @param {SavedGame} saved
 * @param {AbortSignal} signal
 */
async function loadPlayedGame(saved, signal) {
  const { game, options, start, resigned } = saved;
  const turns = GameTree.from(saved).root.tip.path;
  const body = { game, options, start, turns };
  const name = JSON.stringify([body, resigned]);
  const before = playedGames.get(name);
  if (before) return before;
  const line = await request('line', body, signal);
  const winner = line.result ? (line.result.winner ?? 'draw') : null;
  /** @type {PlayedGame} */
  const found = {
    alike: [line.likeness, ...line.turns.map((turn) => turn.likeness)],
    movers: line.turns.map((turn) => turn.mover),
    winner: winner ?? (resigned ? /** @type {const} */ ({ w: 'b', b: 'w' })[resigned] : null),
  };
  playedGames.set(name, found);
  return found;
}

export class OpeningExplorer {
  /** @param {AnalysisPanel} panel */
  constructor(panel) {
    this.analysis = panel;
    /** @type {boolean} */
    this.on = settings.get('explorer', false);
    /** @type {WeakMap<GameNode, Counts>} */
    this.counts = new WeakMap();
    const tab = (/** @type {boolean} */ on, /** @type {string} */ name) =>
      button(t(`explorer.${name}`), null, () => this.showTab(on), { cls: name });
    this.tabs = h('div', { class: 'tabs', role: 'group' }, tab(false, 'lines'), tab(true, 'moves'));
    this.markTab();
  }

  markTab() {
    this.analysis.table.element.classList.toggle('explored', this.on);
    for (const [k, tab] of [...this.tabs.children].entries()) {
      tab.setAttribute('aria-pressed', String(this.on === k > 0));
    }
  }

  /** @param {boolean} on */
  showTab(on) {
    this.on = on;
    settings.set('explorer', on);
    this.markTab();
    this.analysis.renderList();
    scrollTo(0, 0); // on a phone the parts of the page change places, and the list follows the board
    this.countGames();
  }

  // Count the moves played from this position, unless they were counted before.
  async countGames() {
    const { tree, state } = this.analysis.table;
    const node = tree.current;
    if (!this.on || state.result || this.counts.has(node)) return;
    const { signal } = this.analysis.leaving;
    try {
      const { likeness, turns } = await request('turns', tree.requestAt(node), signal);
      const rules = rulesOf(tree.options);
      const own = savedGames
        .all()
        .filter((g) => g.game === tree.game && isOwn(g) && rulesOf(g.options) === rules);
      /** @type {Map<string, Tally>} */
      const tallies = new Map();
      let count = 0;
      for (const saved of own) {
        const found = await loadPlayedGame(saved, signal).catch(() => null); // a damaged game is not counted
        signal.throwIfAborted();
        if (found?.alike.includes(likeness)) count++;
        if (found) tally(tallies, found, likeness);
      }
      const alike = new Map(turns.map((one) => [one.turn, one.likeness]));
      this.counts.set(node, { games: count, tallies, alike });
    } catch (error) {
      if (signal.aborted) return;
      this.counts.set(node, { games: 0, tallies: new Map(), alike: new Map() });
      this.analysis.table.showError(error);
    }
    if (tree.current === node) this.analysis.renderList();
  }

  /**
   * Return the rows. Moves of the same value that lead to the same position or its mirror image share one.
   *
   * @param {Api.MoveAnalysis[]} values
   */
  groups(values) {
    const alike = this.counts.get(this.analysis.table.tree.current)?.alike;
    /** @type {Map<string, Api.MoveAnalysis[]>} */
    const found = new Map();
    for (const value of values) {
      const { turn, outcome, distance } = value;
      const key = [alike?.get(turn) ?? turn, outcome, distance].join();
      found.set(key, [...(found.get(key) ?? []), value]);
    }
    return [...found.values()];
  }

  /**
   * @param {Api.MoveAnalysis[]} values
   * @param {(value: Api.MoveAnalysis) => string} kindOf
   */
  table(values, kindOf) {
    const { analysis: panel } = this;
    const counts = this.counts.get(panel.table.tree.current);
    const rows = this.groups(values).map(([value, ...others]) => {
      const onclick = () => panel.playLine([value.turn]);
      const given = { type: 'button', class: 'turn', 'data-turn': value.turn, onclick };
      const same =
        others
          .slice(0, 3)
          .map((other) => other.turn)
          .join(', ') + (others.length > 3 ? '…' : '');
      const row = h(
        'tr',
        { class: kindOf(value) },
        h(
          'th',
          { scope: 'row' },
          h('button', given, value.turn),
          same && h('small', {}, t('explorer.or', { same })),
        ),
        h('td', {}, panel.valueParts(value), this.risk(value)),
        h(
          'td',
          { class: 'own-results' },
          this.ownResults(counts?.tallies.get(counts.alike.get(value.turn) ?? '')),
        ),
      );
      panel.highlightOnHover(row, value.turn);
      return row;
    });
    const heads = ['move', 'value', 'own'].map((name) => h('th', { scope: 'col' }, t(`explorer.${name}`)));
    const count = counts?.games ?? 0;
    const caption = counts
      ? t(count ? 'explorer.games' : 'explorer.games.zero', { count })
      : t('explorer.counting');
    const onkeydown = (/** @type {KeyboardEvent} */ event) => {
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const buttons = [...table.querySelectorAll('button')];
      const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
      if (!way || at < 0) return;
      event.preventDefault();
      buttons[at + way]?.focus();
    };
    const table = h('table', { class: 'explorer', onkeydown }, h('caption', {}, caption));
    table.append(h('thead', {}, h('tr', {}, heads)), h('tbody', {}, rows));
    const legend = panel.table.state.superko ? 'explorer.legend.no-draws' : 'explorer.legend';
    return counts?.tallies.size ? [table, h('p', { class: 'faint' }, t(legend))] : [table];
  }

  /**
   * Return the text on how difficult a drawn move is to answer.
   *
   * @param {Api.MoveAnalysis} value
   */
  risk({ risk }) {
    if (risk === null) return null;
    const side = t(`side.${this.analysis.table.state.side === 'w' ? 'b' : 'w'}`);
    const kind = risk >= 1 / 3 ? 'difficult' : risk > 0 ? 'risk' : 'safe';
    const percent = formatNumber(Math.max(1, Math.round(100 * risk)));
    return h('small', { class: kind }, t(`explorer.${kind}`, { side, percent }));
  }

  /** @param {Tally | undefined} tally */
  ownResults(tally) {
    if (!tally) return null;
    const { games: count, won, draw, lost } = tally;
    const { superko } = this.analysis.table.state; // then the rules know no draw
    const played = superko ? 'explorer.played.no-draws' : 'explorer.played';
    return [
      h('span', { class: 'visually-hidden' }, t(played, { count, won, draw, lost })),
      h('b', { 'aria-hidden': 'true' }, `${formatNumber(count)} ×`),
      h('small', { 'aria-hidden': 'true' }, superko ? `+${won} −${lost}` : `+${won} =${draw} −${lost}`),
    ];
  }
}

/**
 * Add the result of a game to the tallies of the positions reached from a position with this symmetry
 * key, from the view of the side that moved.
 *
 * @param {Map<string, Tally>} tallies
 * @param {PlayedGame} game
 * @param {string} likeness
 */
function tally(tallies, { alike, movers, winner }, likeness) {
  const reached = movers.flatMap((mover, k) => (alike[k] === likeness ? [{ mover, to: alike[k + 1] }] : []));
  for (const [to, mover] of new Map(reached.map((one) => [one.to, one.mover]))) {
    const sum = tallies.get(to) ?? { games: 0, won: 0, draw: 0, lost: 0 };
    sum.games++;
    if (winner) sum[winner === 'draw' ? 'draw' : winner === mover ? 'won' : 'lost']++;
    tallies.set(to, sum);
  }
}
