// Colours of the legal moves by their values: proved values where there is a table, else estimates. In games
// on this device the switch is kept. In a casual online game it counts as a hint, which the opponent sees,
// and is off again in the next game.

import { request } from '../core/api.js';
import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { outcomeClass, shortValue } from '../study/value-text.js';
import { remainingSteps } from './hints.js';

/** @import { Value } from '../board/board.js' */
/** @import { Table } from './table.js' */

const SETTING = 'move-colours';
const SEARCH_SECONDS = 1; // for a position that is in no table

export class MoveColours {
  /**
   * @param {Table} table
   * @param {boolean} [isKept] whether the switch is stored for later games
   */
  constructor(table, isKept = true) {
    this.table = table;
    this.isKept = isKept;
    this.isOn = isKept && settings.get(SETTING, false);
    this.pending = new AbortController();
    this.legend = h('p', { class: 'legend faint', hidden: true });
  }

  /** @returns {import('./menu.js').Item} */
  get menuItem() {
    const label = t(this.isOn ? 'menu.colours.off' : this.isKept ? 'menu.colours.on' : 'menu.colours.online');
    return [label, 'palette', () => this.toggle(), 'colours'];
  }

  renderLegend() {
    const { badges, legend, table } = this;
    legend.hidden = !badges.length;
    if (badges.length)
      legend.textContent = t(table.state.superko ? 'colours.legend.no-draws' : 'colours.legend');
  }

  stop() {
    this.pending.abort();
  }

  toggle() {
    this.isOn = !this.isOn;
    if (this.isKept) settings.set(SETTING, this.isOn);
    this.stop();
    this.table.render();
    this.load();
  }

  // Find the values of the moves that the player can choose from.
  async load() {
    const { table } = this;
    const { tree, moveInput } = table;
    if (!this.isOn || !moveInput) return;
    tree.stopCounting(); // games with help do not count for the player's level
    const node = tree.current;
    const pending = new AbortController();
    this.pending = pending;
    try {
      if (!node.values) {
        const body = { ...tree.request, seconds: SEARCH_SECONDS };
        node.setValues({ ...(await request('analysis', body, pending.signal)), seconds: SEARCH_SECONDS });
      }
      if (!pending.signal.aborted) table.render();
    } catch (error) {
      if (!pending.signal.aborted) table.showError(error);
    }
  }

  /**
   * The value of each target of the chosen pawn or, before one is chosen, of the best move of each pawn.
   * After the first steps of a move these are the values of the moves that begin with them.
   *
   * @returns {Value[]}
   */
  get badges() {
    const { tree, moveInput } = this.table;
    const { values } = tree.current;
    if (!this.isOn || !values || !moveInput) return [];
    const { from } = moveInput;
    /** @type {Map<string, Api.MoveAnalysis>} */
    const best = new Map();
    for (const value of values.turns) {
      const [next] = remainingSteps(value.steps, moveInput) ?? [];
      if (!next) continue;
      const { origin, target } = next;
      const cell = from ? target : (origin ?? target);
      if (cell && (!from || !origin || origin === from) && !best.has(cell)) best.set(cell, value);
    }
    return [...best].map(([cell, value]) => ({
      ...{ cell, kind: outcomeClass(value), text: shortValue(value) },
      ...(value === values.turns[0] ? { rank: 'best' } : {}),
    }));
  }
}
