// Effects of a step on other pawns, derived from its structure before it is played.

import { t } from '../core/i18n.js';

/** @import { Marks, Value } from './board.js' */

/**
 * @typedef {object} Effect
 * @property {string[]} takes captured pawns
 * @property {[string, string][]} pushes pushed pawns and their targets
 * @property {[string, string][]} swaps pairs of pawns that change places
 * @property {string[]} throws displaced pawns whose target the player chooses next
 */

/** @type {(step: Api.StepDescription, marks: Marks) => Effect} */
function effectOf({ kind, origin, target, takes, puts, then }, marks) {
  const pushes = puts.flatMap(([from, to]) =>
    to === null ? [] : [/** @type {[string, string]} */ ([from, to])],
  );
  const throws = [
    ...puts.filter(([, to]) => to === null).map(([from]) => from),
    ...(then ?? []).filter((next) => next.kind === 'put').map((next) => next.origin ?? target ?? ''),
  ];
  // A pawn on the target that is neither captured nor pushed is placed elsewhere by the next step.
  if (kind === 'move' && target && marks[target] && !puts.length && !takes.includes(target))
    throws.push(target);
  const swaps = /** @type {[string, string][]} */ (
    kind === 'swap' && origin && target ? [[origin, target]] : []
  );
  return { takes, pushes, swaps, throws: [...new Set(throws)].filter((cell) => marks[cell]) };
}

// Return the union of the effects of some steps.
/** @type {(steps: Api.StepDescription[], marks: Marks) => Effect} */
export function effectsOf(steps, marks) {
  const all = steps.map((step) => effectOf(step, marks));
  return {
    takes: [...new Set(all.flatMap(({ takes }) => takes))],
    pushes: all.flatMap(({ pushes }) => pushes),
    swaps: all.flatMap(({ swaps }) => swaps),
    throws: [...new Set(all.flatMap(({ throws }) => throws))],
  };
}

// Return the pawns that are displaced without being captured.
/** @param {Effect} effect */
export const displacedCells = ({ pushes, swaps, throws }) => [
  ...pushes.map(([from]) => from),
  ...swaps.map(([, other]) => other),
  ...throws,
];

// Return the effects as text, for the label of a cell.
/** @param {Effect | undefined} effect */
export function effectText(effect) {
  if (!effect) return [];
  const { takes, pushes, swaps, throws } = effect;
  const effects = pushes.map(([from, to]) => t('cell.pushes', { from, to }));
  if (takes.length) effects.push(t('cell.takes', { cells: takes.join(', ') }));
  if (swaps.length) effects.push(t('cell.swaps', { cells: swaps.map(([, other]) => other).join(', ') }));
  if (throws.length) effects.push(t('cell.throws', { cells: throws.join(', ') }));
  return effects;
}

const PERCENTAGE = /^\d+$/;

// Return the value shown on a cell as text, for the label of the cell; letters of captures stay letters.
/** @param {Value} value */
export function valueLabel({ kind, text, rank }) {
  const known = ['win', 'draw', 'loss'].includes(kind) && t(`cell.value.${kind}`);
  const label = known || (PERCENTAGE.test(text) ? t('cell.value.chances', { percent: text }) : text);
  return rank === 'best' ? `${label} (${t('cell.value.best')})` : label;
}
