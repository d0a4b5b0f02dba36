// Pawns beside the board: those still to be placed, and those captured.

import { h } from './dom.js';
import { t } from './i18n.js';

/** @import { Table } from './play.js' */

const MOST = 6; // shown one by one; a number says how many there are

/**
 * @param {'hand' | 'captured'} kind
 * @param {'w' | 'b'} mark the colour of the pawns
 * @param {number} count
 */
export function tray(kind, mark, count) {
  if (count <= 0) return null;
  const said = t(`bar.${kind}`, { count });
  const pawns = Array.from({ length: Math.min(count, MOST) }, () => h('i', { class: `dot ${mark}` }));
  return h(
    'span',
    { class: `tray ${kind}`, title: said },
    h('span', { class: 'unseen' }, said),
    h('span', { class: 'heap', 'aria-hidden': 'true' }, pawns),
    h('b', { 'aria-hidden': 'true' }, count > 1 ? String(count) : ''),
  );
}

// How many pawns each side began with, on the board and in hand.
/** @type {(table: Table, state: Api.StateOut) => Promise<{ w: number, b: number }>} */
export async function pawnsAtFirst(table, { captures, pawns }) {
  if (!captures || !table.tale.start) return { w: pawns, b: pawns };
  const { cells, hands } = await table.stateOf(table.tale.root);
  const count = (/** @type {'w' | 'b'} */ side) =>
    Object.values(cells).filter((mark) => mark === side).length + (hands?.[side] ?? 0);
  return { w: count('w'), b: count('b') };
}
