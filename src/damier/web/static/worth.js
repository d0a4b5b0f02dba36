// What moves and positions are worth, in words, signs and arrows.

import { number, t } from './i18n.js';

/** @import { Arrow } from './board.js' */
/** @import { Values } from './tale.js' */

/** @typedef {{ outcome: 'win' | 'draw' | 'loss' | null, distance: number | null, chance: number }} Value */

const HARD = 0.3; // part of the replies that lose, where a draw is called difficult
const SIGN = { win: '+', draw: '=', loss: '−' };

/**
 * The arrows of a turn: from cell to cell; a ring where something is put, or lifted.
 *
 * @param {Api.ActionOut[]} steps
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
export function kindOf(value) {
  if (value.outcome) return value.outcome;
  return value.chance > 0.6 ? 'good' : value.chance < 0.4 ? 'bad' : 'even';
}

/** @param {Value} value */
export const mark = ({ outcome }) => (outcome ? SIGN[outcome] : '~');

/** @param {Value} value */
export const sign = (value) => (value.outcome ? SIGN[value.outcome] : String(percent(value.chance)));

/**
 * A value in words. What is proved needs no chance.
 *
 * @param {Omit<Value, 'chance'> & { chance?: number }} value
 * @param {'w' | 'b'} [side] whose value it is, if that is known
 */
export function label({ outcome, distance, chance = 0.5 }, side) {
  if (!outcome) return t('value.estimate', { percent: number(percent(chance)), side: t(`side.${side}`) });
  if (outcome === 'draw') return t('value.draw');
  const winner = (side === 'w') === (outcome === 'win') ? 'w' : 'b';
  const said = side ? winner : outcome;
  return distance === null ? t(`value.${said}`) : t(`value.${said}.in`, { turns: distance });
}

/**
 * How a draw is to hold for the opponent of who plays it; empty where that is easy, or not known.
 *
 * @param {Api.ValueOut} value
 * @param {'w' | 'b'} side who plays it
 */
export const difficulty = (value, side) =>
  (value.risk ?? 0) < HARD ? '' : t('value.difficult', riskTo(value, side));

/**
 * @param {Api.ValueOut} value
 * @param {'w' | 'b'} side who plays it
 */
export function riskTo({ risk }, side) {
  return { other: t(`side.${side === 'w' ? 'b' : 'w'}`), percent: number(percent(risk ?? 0)) };
}

/**
 * What a position is worth, as a sentence.
 *
 * @param {Values} found
 * @param {'w' | 'b'} side to move
 */
export function verdict(found, side) {
  const [best] = found.turns;
  const named = { side: t(`side.${side}`) };
  if (!found.outcome) return t('value.chances', { ...named, percent: number(percent(found.chance)) });
  if (found.outcome !== 'draw') return label(found, side);
  const key = difficulty(best, side) ? 'value.verdict.difficult' : 'value.verdict';
  return t(key, { ...named, ...riskTo(best, side) });
}

/**
 * How that is known. Where nothing can go on for ever, a draw is what nobody knows how to win.
 *
 * @param {Values} found
 * @param {boolean} superko
 */
export function proof({ outcome, hasty }, superko) {
  const known = !outcome ? 'not-proved' : superko && outcome === 'draw' ? 'open' : 'proved';
  return t(`value.${known}`) + (hasty ? ` ${t('value.hasty')}` : '');
}

/**
 * What is not proved is never quite certain.
 *
 * @param {number} chance
 */
const percent = (chance) => Math.min(99, Math.max(1, Math.round(100 * chance)));
