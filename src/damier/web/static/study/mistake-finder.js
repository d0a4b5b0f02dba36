// Mistakes of a game: analysing its positions, finding the mistakes, and classifying them.

import { request } from '../core/api.js';

/** @import { GameNode, GameTree } from '../core/game-tree.js' */
/** @import { MistakeSummary } from '../core/game-results.js' */
/** @import { Value } from './value-text.js' */

/**
 * @typedef {object} Mistake
 * @property {GameNode} node
 * @property {GameNode} before
 * @property {'w' | 'b'} side
 * @property {NonNullable<Api.MoveAnalysis['fault']> | 'late'} kind `late`: lost anyway, but sooner
 * @property {Api.MoveAnalysis} best
 * @property {Api.MoveAnalysis} played
 */

const SEARCH_SECONDS = 0.5; // of search for a position that is in no table
const WINNING_SCORE = 0.75; // expected score from which a side is called winning
const OUTCOME_SCORE = { win: 1, draw: 0.5, loss: 0 };

/** @param {Value} value */
export const expectedScore = (value) => (value.outcome ? OUTCOME_SCORE[value.outcome] : value.chance);

/**
 * Analyse every position of the main line; return its nodes.
 *
 * @param {GameTree} tree
 * @param {AbortSignal} signal
 * @param {(done: number, of: number) => void} step is called after each position
 */
export async function analyseGame(tree, signal, step) {
  const nodes = tree.line;
  for (const [k, node] of nodes.entries()) {
    if (!node.state) node.setState(await request('state', tree.requestAt(node), signal));
    if (!node.state?.result && !node.values) {
      const found = await request('analysis', { ...tree.requestAt(node), seconds: SEARCH_SECONDS }, signal);
      node.setValues({ ...found, seconds: SEARCH_SECONDS });
    }
    signal.throwIfAborted();
    step(k + 1, nodes.length);
  }
  return nodes;
}

/**
 * Return the mistakes of a line. If none of them lost the game for the loser, also return the loser's
 * last move that shortened the game (kind `late`).
 *
 * @param {GameNode[]} nodes
 * @param {'w' | 'b' | null} loser
 * @returns {Mistake[]}
 */
export function findMistakes(nodes, loser) {
  /** @type {Mistake[]} */
  const all = nodes.flatMap((node) => {
    const before = node.parent;
    const best = before?.values?.turns[0];
    const played = before?.values?.turns.find((v) => v.turn === node.move);
    if (!before?.state || !best || !played) return [];
    return [{ node, before, side: before.state.side, kind: played.fault ?? 'late', best, played }];
  });
  const faults = all.filter(({ kind }) => kind !== 'late');
  const last = faults.some((fault) => isDecisive(fault, loser))
    ? null
    : all.findLast((one) => isDecisive(one, loser) && (one.best.distance ?? 0) > (one.played.distance ?? 0));
  return all.filter((one) => one === last || faults.includes(one));
}

const MAX_LESSONS = 8; // mistakes to learn from in one game

/**
 * Return the mistakes that a player can learn from, the largest loss of value first. While pawns are
 * being placed the search only guesses: there a mistake is understandable if it is proved.
 *
 * @param {Mistake[]} mistakes
 * @returns {Mistake[]}
 */
export function selectLessons(mistakes) {
  return mistakes
    .filter((one) => !isPlacement(one) || !!one.played.outcome)
    .sort((a, b) => scoreLoss(b) - scoreLoss(a))
    .slice(0, MAX_LESSONS);
}

/**
 * Return how much of the expected score a mistake gave up.
 *
 * @param {Mistake} mistake
 */
export const scoreLoss = ({ best, played }) => expectedScore(best) - expectedScore(played);

/** @param {Mistake} mistake */
const isPlacement = ({ played }) => played.steps.some(({ kind }) => kind === 'place');

/**
 * Return whether a move of the loser led to a lost position.
 *
 * @param {Mistake} fault
 * @param {'w' | 'b' | null} loser
 */
export const isDecisive = ({ side, played }, loser) => side === loser && played.outcome === 'loss';

/** @param {Api.MoveAnalysis} value */
const countCaptured = ({ steps }) => steps.reduce((sum, step) => sum + step.takes.length, 0);

/**
 * Return the summary of a mistake that is stored with the result of the game: when it was made, how
 * serious it was, what it gave away, whether more could be captured, and whether the opponent could
 * win at once.
 *
 * @param {Mistake} fault
 * @returns {MistakeSummary}
 */
export function summarizeMistake({ node, kind, best, played }) {
  const capture = countCaptured(best) > countCaptured(played);
  const threat = played.outcome === 'loss' && played.distance === 2 && best.distance !== 2;
  return { ply: node.ply, kind, sort: categoryOf(kind, best, played), capture, threat };
}

/**
 * @param {Mistake['kind']} kind
 * @param {Value} best
 * @param {Value} played
 */
function categoryOf(kind, best, played) {
  if (kind === 'missed' || kind === 'late') return kind;
  if (expectedScore(best) >= WINNING_SCORE) return 'win';
  return expectedScore(played) <= 1 - WINNING_SCORE ? 'draw' : 'chances';
}
