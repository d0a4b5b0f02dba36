// What went wrong in a game: looking through it, its mistakes, and of what sort they are.

import { ask } from './api.js';

/** @import { Node, Tale } from './tale.js' */
/** @import { Slip } from './results.js' */
/** @import { Value } from './worth.js' */

/**
 * @typedef {object} Fault
 * @property {Node} node
 * @property {Node} before
 * @property {'w' | 'b'} side
 * @property {NonNullable<Api.ValueOut['fault']> | 'late'} kind late: lost anyway, but sooner
 * @property {Api.ValueOut} best
 * @property {Api.ValueOut} played
 */

const SECONDS = 0.5; // for a position that no table knows
const AHEAD = 0.75; // an expectation that is called winning; what it leaves the other, losing
const WORTH = { win: 1, draw: 0.5, loss: 0 };

/** @param {Value} value */
export const expected = (value) => (value.outcome ? WORTH[value.outcome] : value.chance);

/**
 * Find out what every move of the line shown was worth.
 *
 * @param {Tale} tale
 * @param {AbortSignal} signal
 * @param {(done: number, of: number) => void} step
 */
export async function lookThrough(tale, signal, step) {
  const nodes = tale.line;
  for (const [k, node] of nodes.entries()) {
    if (!node.state) node.learn(await ask('state', tale.requestAt(node), signal));
    if (!node.state?.result && !node.values) {
      const found = await ask('analysis', { ...tale.requestAt(node), seconds: SECONDS }, signal);
      node.values = { ...found, seconds: SECONDS };
    }
    signal.throwIfAborted();
    step(k + 1, nodes.length);
  }
  return nodes;
}

/**
 * What the analysis finds wrong with the moves of a line. Who has lost a game that could not be held
 * is shown where it could have been held longer.
 *
 * @param {Node[]} nodes
 * @param {'w' | 'b' | null} loser
 * @returns {Fault[]}
 */
export function findFaults(nodes, loser) {
  /** @type {Fault[]} */
  const all = nodes.flatMap((node) => {
    const before = node.up;
    const best = before?.values?.turns[0];
    const played = before?.values?.turns.find((v) => v.turn === node.turn);
    if (!before?.state || !best || !played) return [];
    return [{ node, before, side: before.state.side, kind: played.fault ?? 'late', best, played }];
  });
  const faults = all.filter(({ kind }) => kind !== 'late');
  const last = faults.some((fault) => loses(fault, loser))
    ? null
    : all.findLast((one) => loses(one, loser) && (one.best.distance ?? 0) > (one.played.distance ?? 0));
  return all.filter((one) => one === last || faults.includes(one));
}

/**
 * @param {Fault} fault
 * @param {'w' | 'b' | null} loser
 */
export const loses = ({ side, played }, loser) => side === loser && played.outcome === 'loss';

/** @param {Api.ValueOut} value */
const taken = ({ steps }) => steps.reduce((sum, step) => sum + step.takes.length, 0);

/**
 * What is kept of a mistake when the game is long gone: when it was made, how grave it was, what it
 * gave away, whether more could be captured, and whether the opponent could win at once.
 *
 * @param {Fault} fault
 * @returns {Slip}
 */
export function slipOf({ node, kind, best, played }) {
  const capture = taken(best) > taken(played);
  const threat = played.outcome === 'loss' && played.distance === 2 && best.distance !== 2;
  return { ply: node.ply, kind, sort: sortOf(kind, best, played), capture, threat };
}

/**
 * @param {Fault['kind']} kind
 * @param {Value} best
 * @param {Value} played
 */
function sortOf(kind, best, played) {
  if (kind === 'missed' || kind === 'late') return kind;
  if (expected(best) >= AHEAD) return 'win';
  return expected(played) <= 1 - AHEAD ? 'draw' : 'chances';
}
