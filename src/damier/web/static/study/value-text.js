// Values of moves and positions as text, signs and arrows.

import { formatNumber, t } from '../core/i18n.js';

/** @import { Arrow } from '../board/board.js' */
/** @import { Values } from '../core/game-tree.js' */

/**
 * @typedef {object} Value
 * @property {'win' | 'draw' | 'loss' | null} outcome
 * @property {number | null} distance
 * @property {number} chance
 * @property {boolean} [bound]
 */

const DIFFICULT_RISK = 0.3; // share of losing replies from which a draw is called difficult
const SIGN = { win: '+', draw: '=', loss: '−' };

/**
 * Return the arrows of a move: from cell to cell; a ring where a pawn is placed or removed.
 *
 * @param {Api.ActionDescription[]} steps
 * @param {string} kind
 * @returns {Arrow[]}
 */
export function arrowsOf(steps, kind) {
  return steps.flatMap(({ origin, target, puts }) => [
    ...(target ? [{ from: origin ?? target, to: target, kind }] : []),
    ...puts.map(([from, to]) => ({ from, to: to ?? from, kind })),
  ]);
}

/**
 * Return the arrows of a line: the move, the reply, and so on, each fainter.
 *
 * @param {Api.MoveAnalysis} value
 * @param {number} most
 */
export function lineArrows({ steps, then }, most) {
  const later = then.slice(0, most - 1).flatMap((next, k) => arrowsOf(next, k % 2 ? 'later' : 'reply'));
  return [...later.reverse(), ...arrowsOf(steps, 'best')];
}

/**
 * Return the CSS class of a value.
 *
 * @param {Value} value
 */
export function outcomeClass(value) {
  if (value.outcome) return value.outcome;
  return value.chance > 0.6 ? 'good' : value.chance < 0.4 ? 'bad' : 'even';
}

/**
 * Return the sign of an outcome; `~` for an estimate.
 *
 * @param {Value} value
 */
export const outcomeMark = ({ outcome }) => (outcome ? SIGN[outcome] : '~');

/**
 * Return the sign of an outcome, or an estimate in percent.
 *
 * @param {Value} value
 */
export const shortValue = (value) => (value.outcome ? SIGN[value.outcome] : String(percent(value.chance)));

/**
 * Return a value as text. A proved value is given without a percentage.
 *
 * @param {Omit<Value, 'chance'> & { chance?: number }} value
 * @param {'w' | 'b'} [side] whose value it is, if that is known
 */
export function valueText({ outcome, distance, chance = 0.5, bound }, side) {
  if (bound && outcome) return t('value.bound'); // of a table alone
  if (!outcome) {
    const estimate = { percent: formatNumber(percent(chance)) };
    return side
      ? t('value.estimate', { ...estimate, side: t(`side.${side}`) })
      : t('value.percent', estimate);
  }
  if (outcome === 'draw') return t('value.draw');
  const winner = (side === 'w') === (outcome === 'win') ? 'w' : 'b';
  const name = side ? winner : outcome;
  return distance === null ? t(`value.${name}`) : t(`value.${name}.in`, { turns: distance });
}

/**
 * Return how difficult a draw is to hold for the opponent; empty if it is easy or not known.
 *
 * @param {Api.MoveAnalysis} value
 * @param {'w' | 'b'} side who plays it
 */
export const difficultyText = (value, side) =>
  (value.risk ?? 0) < DIFFICULT_RISK ? '' : t('value.difficult', riskDetails(value, side));

/**
 * @param {Api.MoveAnalysis} value
 * @param {'w' | 'b'} side who plays it
 */
export function riskDetails({ risk }, side) {
  return { other: t(`side.${side === 'w' ? 'b' : 'w'}`), percent: formatNumber(percent(risk ?? 0)) };
}

/**
 * Return the value of a position as a sentence.
 *
 * @param {Values} found
 * @param {'w' | 'b'} side to move
 */
export function verdictText(found, side) {
  const [best] = found.turns;
  const details = { side: t(`side.${side}`) };
  if (!found.outcome) return t('value.chances', { ...details, percent: formatNumber(percent(found.chance)) });
  if (found.outcome !== 'draw') return valueText(found, side);
  const key = difficultyText(best, side) ? 'value.verdict.difficult' : 'value.verdict';
  return t(key, { ...details, ...riskDetails(best, side) });
}

/**
 * Return how the value is known: proved, estimated or, where repetition is forbidden, estimated
 * without any forced win known.
 *
 * @param {Values} found
 */
export function proofText({ outcome, distance, bound, hasty }) {
  const proved = (distance ?? 0) > 1 ? 'proved.in' : 'proved';
  const known = outcome ? proved : bound ? 'open' : 'not-proved';
  return t(`value.${known}`) + (hasty ? ` ${t('value.hasty')}` : '');
}

/**
 * Return a percentage between 1 and 99: an estimate is never certain.
 *
 * @param {number} chance
 */
const percent = (chance) => Math.min(99, Math.max(1, Math.round(100 * chance)));
