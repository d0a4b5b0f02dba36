// What a step does to other pawns, told from its structure before it is made.

import { t } from './i18n.js';

/** @import { Marks } from './board.js' */

/**
 * @typedef {object} Effect
 * @property {string[]} takes pawns that are captured
 * @property {[string, string][]} pushes pawns that are pushed, and where to
 * @property {[string, string][]} swaps pawns that change places
 * @property {string[]} throws pawns that are sent where the player then says
 */

/** @type {(step: Api.StepOut, marks: Marks) => Effect} */
function effectOf({ kind, origin, target, takes, puts, then }, marks) {
  const pushes = puts.flatMap(([from, to]) =>
    to === null ? [] : [/** @type {[string, string]} */ ([from, to])],
  );
  const throws = [
    ...puts.filter(([, to]) => to === null).map(([from]) => from),
    ...(then ?? []).filter((next) => next.kind === 'put').map((next) => next.origin ?? target ?? ''),
  ];
  // Whoever is stepped on, and is neither captured nor pushed, has to go somewhere.
  if (kind === 'move' && target && marks[target] && !puts.length && !takes.includes(target))
    throws.push(target);
  const swaps = /** @type {[string, string][]} */ (
    kind === 'swap' && origin && target ? [[origin, target]] : []
  );
  return { takes, pushes, swaps, throws: [...new Set(throws)].filter((cell) => marks[cell]) };
}

// What any of some steps does to what stands there before it.
/** @type {(steps: Api.StepOut[], marks: Marks) => Effect} */
export function effectsOf(steps, marks) {
  const all = steps.map((step) => effectOf(step, marks));
  return {
    takes: [...new Set(all.flatMap(({ takes }) => takes))],
    pushes: all.flatMap(({ pushes }) => pushes),
    swaps: all.flatMap(({ swaps }) => swaps),
    throws: [...new Set(all.flatMap(({ throws }) => throws))],
  };
}

// The pawns that are displaced without being captured.
/** @param {Effect} effect */
export const displaced = ({ pushes, swaps, throws }) => [
  ...pushes.map(([from]) => from),
  ...swaps.map(([, other]) => other),
  ...throws,
];

// In words, as a cell says them.
/** @param {Effect | undefined} effect */
export function effectWords(effect) {
  if (!effect) return [];
  const { takes, pushes, swaps, throws } = effect;
  const said = pushes.map(([from, to]) => t('cell.pushes', { from, to }));
  if (takes.length) said.push(t('cell.takes', { cells: takes.join(', ') }));
  if (swaps.length) said.push(t('cell.swaps', { cells: swaps.map(([, other]) => other).join(', ') }));
  if (throws.length) said.push(t('cell.throws', { cells: throws.join(', ') }));
  return said;
}
