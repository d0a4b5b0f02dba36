// The opening explorer: beside what each move is worth, what came of it in the games kept here.

import { ask } from './api.js';
import { button, h } from './dom.js';
import { number, t } from './i18n.js';
import { games, settings } from './store.js';
import { Tale } from './tale.js';

/** @import { Study } from './study.js' */
/** @import { Kept, Node } from './tale.js' */

/**
 * @typedef {object} Played A game of one's own.
 * @property {string[]} alike the likeness of each of its positions
 * @property {string[]} movers who played each turn
 * @property {'w' | 'b' | 'draw' | null} winner null: not finished
 */

/** @typedef {{ games: number, won: number, draw: number, lost: number }} Tally */

/**
 * @typedef {object} Counts What came of a position.
 * @property {number} games how many have come to it
 * @property {Map<string, Tally>} tallies by the likeness of what they went to
 * @property {Map<string, string>} alike the likeness that each turn leads to
 */

/** @type {Map<string, Played>} */
const known = new Map();

/** @type {(options: Record<string, string> | undefined) => string} */
const rulesOf = (options) => JSON.stringify(Object.entries(options ?? {}).sort());

/**
 * Games that were played here, and records that were opened: those have names, and are not the
 * analysis of a game.
 *
 * @param {Kept} kept
 */
const isOwn = ({ mode, names, id }) => mode === 'play' || (!!names && !id.startsWith('study-'));

/**
 * @param {Kept} kept
 * @param {AbortSignal} signal
 */
async function played(kept, signal) {
  const { game, options, start, resigned } = kept;
  const turns = Tale.from(kept).root.tip.path;
  const body = { game, options, start, turns };
  const name = JSON.stringify([body, resigned]);
  const before = known.get(name);
  if (before) return before;
  const line = await ask('line', body, signal);
  const winner = line.result ? (line.result.winner ?? 'draw') : null;
  /** @type {Played} */
  const found = {
    alike: [line.likeness, ...line.turns.map((turn) => turn.likeness)],
    movers: line.turns.map((turn) => turn.mover),
    winner: winner ?? (resigned ? /** @type {const} */ ({ w: 'b', b: 'w' })[resigned] : null),
  };
  known.set(name, found);
  return found;
}

export class Explorer {
  /** @param {Study} study */
  constructor(study) {
    this.study = study;
    /** @type {boolean} */
    this.on = settings.get('explorer', false);
    /** @type {WeakMap<Node, Counts>} */
    this.counts = new WeakMap();
    const tab = (/** @type {boolean} */ on, /** @type {string} */ name) =>
      button(t(`explorer.${name}`), null, () => this.turnTo(on), { cls: name });
    this.tabs = h('div', { class: 'tabs', role: 'group' }, tab(false, 'lines'), tab(true, 'moves'));
    this.press();
  }

  press() {
    this.study.table.element.classList.toggle('explored', this.on);
    for (const [k, tab] of [...this.tabs.children].entries()) {
      tab.setAttribute('aria-pressed', String(this.on === k > 0));
    }
  }

  /** @param {boolean} on */
  turnTo(on) {
    this.on = on;
    settings.set('explorer', on);
    this.press();
    this.study.renderList();
    this.look();
  }

  // Count what was played from here, unless that is known.
  async look() {
    const { tale, state } = this.study.table;
    const node = tale.at;
    if (!this.on || state.result || this.counts.has(node)) return;
    const { signal } = this.study.leaving;
    try {
      const { likeness, turns } = await ask('turns', tale.requestAt(node), signal);
      const rules = rulesOf(tale.options);
      const own = games.all().filter((g) => g.game === tale.game && isOwn(g) && rulesOf(g.options) === rules);
      /** @type {Map<string, Tally>} */
      const tallies = new Map();
      let count = 0;
      for (const kept of own) {
        const found = await played(kept, signal).catch(() => null); // damaged: not counted
        signal.throwIfAborted();
        if (found?.alike.includes(likeness)) count++;
        if (found) tally(tallies, found, likeness);
      }
      const alike = new Map(turns.map((one) => [one.turn, one.likeness]));
      this.counts.set(node, { games: count, tallies, alike });
    } catch (error) {
      if (signal.aborted) return;
      this.counts.set(node, { games: 0, tallies: new Map(), alike: new Map() });
      this.study.table.complain(error);
    }
    if (tale.at === node) this.study.renderList();
  }

  /**
   * Turns of the same value that lead to the same position, or to its mirror image, share a row.
   *
   * @param {Api.ValueOut[]} values
   */
  groups(values) {
    const alike = this.counts.get(this.study.table.tale.at)?.alike;
    /** @type {Map<string, Api.ValueOut[]>} */
    const found = new Map();
    for (const value of values) {
      const { turn, outcome, distance } = value;
      const key = [alike?.get(turn) ?? turn, outcome, distance].join();
      found.set(key, [...(found.get(key) ?? []), value]);
    }
    return [...found.values()];
  }

  /**
   * @param {Api.ValueOut[]} values
   * @param {(value: Api.ValueOut) => string} kindOf
   */
  table(values, kindOf) {
    const { study } = this;
    const counts = this.counts.get(study.table.tale.at);
    const rows = this.groups(values).map(([value, ...others]) => {
      const onclick = () => study.playLine([value.turn]);
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
        h('td', {}, study.worth(value), this.risk(value)),
        h('td', { class: 'own' }, this.own(counts?.tallies.get(counts.alike.get(value.turn) ?? ''))),
      );
      study.listen(row, value.turn);
      return row;
    });
    const heads = ['move', 'worth', 'own'].map((name) => h('th', { scope: 'col' }, t(`explorer.${name}`)));
    const count = counts?.games ?? 0;
    const said = counts
      ? t(count ? 'explorer.games' : 'explorer.games.zero', { count })
      : t('explorer.counting');
    const onkeydown = (/** @type {KeyboardEvent} */ event) => {
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const buttons = [...made.querySelectorAll('button')];
      const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
      if (!way || at < 0) return;
      event.preventDefault();
      buttons[at + way]?.focus();
    };
    const made = h('table', { class: 'explorer', onkeydown }, h('caption', {}, said));
    made.append(h('thead', {}, h('tr', {}, heads)), h('tbody', {}, rows));
    return counts?.tallies.size ? [made, h('p', { class: 'faint' }, t('explorer.legend'))] : [made];
  }

  /**
   * What is difficult about a drawn move.
   *
   * @param {Api.ValueOut} value
   */
  risk({ risk }) {
    if (risk === null) return null;
    const side = t(`side.${this.study.table.state.side === 'w' ? 'b' : 'w'}`);
    const kind = risk >= 1 / 3 ? 'hard' : risk > 0 ? 'risk' : 'safe';
    const percent = number(Math.max(1, Math.round(100 * risk)));
    return h('small', { class: kind }, t(`explorer.${kind}`, { side, percent }));
  }

  /** @param {Tally | undefined} tally */
  own(tally) {
    if (!tally) return null;
    const { games: count, won, draw, lost } = tally;
    return [
      h('span', { class: 'unseen' }, t('explorer.played', { count, won, draw, lost })),
      h('b', { 'aria-hidden': 'true' }, `${number(count)} ×`),
      h('small', { 'aria-hidden': 'true' }, `+${won} =${draw} −${lost}`),
    ];
  }
}

/**
 * Add to each position that a game went to from those alike what came of it for who went there.
 *
 * @param {Map<string, Tally>} tallies
 * @param {Played} game
 * @param {string} likeness
 */
function tally(tallies, { alike, movers, winner }, likeness) {
  const gone = movers.flatMap((mover, k) => (alike[k] === likeness ? [{ mover, to: alike[k + 1] }] : []));
  for (const [to, mover] of new Map(gone.map((one) => [one.to, one.mover]))) {
    const sum = tallies.get(to) ?? { games: 0, won: 0, draw: 0, lost: 0 };
    sum.games++;
    if (winner) sum[winner === 'draw' ? 'draw' : winner === mover ? 'won' : 'lost']++;
    tallies.set(to, sum);
  }
}
