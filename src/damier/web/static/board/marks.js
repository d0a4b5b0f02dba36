// Marks over and under the pawns. Each meaning has its own shape, so that colour is not needed.

import { s } from '../core/dom.js';
import { pawnShape } from './materials.js';
import { displacedCells } from './step-effects.js';

/** @import { Arrow, Board, Value, View } from './board.js' */
/** @import { Effect } from './step-effects.js' */

const STAR = Array.from({ length: 10 }, (_, k) => {
  const r = k % 2 ? 11 : 26;
  const angle = (k * Math.PI) / 5;
  return `${(r * Math.sin(angle)).toFixed(1)},${(-r * Math.cos(angle)).toFixed(1)}`;
}).join(' ');
const FLOATING_RADIUS = 28;
const CROSS = 'M-17 -17 17 17M17 -17-17 17';
// Signs of values that are not shown in full; estimates have other signs than proved values.
/** @type {Record<string, string>} */
const SIGN = { win: '+', draw: '=', loss: '−', good: '↑', even: '~', bad: '↓' };

// Draw a shape twice, first wider as an outline, so that it is visible on any material.
/** @type {(kind: string, d: string) => SVGElement} */
const outlinedPath = (kind, d) =>
  s('g', { class: kind }, s('path', { class: 'casing', d }), s('path', { d }));

/** @type {(kind: string, r: number) => SVGElement} */
const outlinedRing = (kind, r) =>
  s('g', { class: kind }, s('circle', { class: 'casing', r }), s('circle', { r }));

/** @typedef {(cells: string[] | undefined, make: (cell: string) => SVGElement) => void} Put */
/** @type {(board: Board, layer: SVGGElement) => Put} */
const placer = (board, layer) => (cells, make) => {
  for (const cell of cells ?? []) {
    const element = make(cell);
    element.setAttribute('transform', `translate(${board.at(cell).join(' ')})`);
    layer.append(element);
  }
};

/** @type {(board: Board, view: View) => void} */
export function drawMarks(board, view) {
  const { marksBelow: under, marksAbove: over, marks } = board;
  under.replaceChildren();
  over.replaceChildren();
  const [below, above] = [placer(board, under), placer(board, over)];
  const values = new Map((view.values ?? []).map((value) => [value.cell, value]));
  // A ring where a pawn arrived, a faint pawn where it came from.
  below(view.last, (cell) => (marks[cell] ? outlinedRing('last', 44) : outlinedRing('last left', 32)));
  below(view.taken, () => s('circle', { class: 'taken', r: 15 }));
  for (const [a, b] of view.barred ?? []) under.append(...barrier(board, a, b));
  below(view.pattern, () => s('circle', { class: 'pattern', r: 46 }));
  below(view.sources, (cell) => s('circle', { class: `source ${values.get(cell)?.kind ?? ''}`, r: 44 }));
  above(view.targets, (cell) => target(board, view, cell, values.get(cell)));
  above(view.takes, captureMark);
  above(view.closed, () => s('polygon', { class: 'star', points: STAR }));
  above(view.resting, () => outlinedPath('resting', 'M-9 -13V13M9 -13V13'));
  for (const [cell, value] of values) {
    if (marks[cell] || !view.targets?.includes(cell)) above([cell], () => badge(value));
  }
  for (const { cell, mark } of view.floating ?? []) over.append(floatingPawn(board, cell, mark));
  for (const arrow of view.arrows ?? []) over.append(pointer(board, arrow));
}

// Draw the effects on other pawns: clearly for a target under the pointer, faintly for the possible
// effects of the chosen pawn.
/** @type {(board: Board, effect: Effect | null, plain: boolean) => void} */
export function drawPreview(board, effect, plain) {
  board.preview.replaceChildren();
  if (!effect) return;
  const put = placer(board, board.preview);
  const ring = (/** @type {string} */ kind) => () => s('circle', { class: kind, r: 40 });
  put(effect.takes, plain ? captureMark : ring('threat'));
  if (!plain) {
    const { targets = [] } = board.view; // targets show their effects themselves
    put(
      displacedCells(effect).filter((cell) => !targets.includes(cell)),
      ring('threat moved'),
    );
    return;
  }
  for (const [from, to] of effect.pushes) board.preview.append(shift(board, from, to, 0));
  for (const [a, b] of effect.swaps) board.preview.append(shift(board, a, b, 34), shift(board, b, a, 34));
  put(effect.throws, () =>
    outlinedPath('shift', 'M-24 -24A34 34 0 1 0 24 -24M-14 -26 0 -44 14 -26M0 -42V-8'),
  );
}

// Draw a pawn that waits to be placed: above the cell it left, beside the pawn that took its place.
/** @type {(board: Board, cell: string, mark: string) => SVGElement} */
function floatingPawn(board, cell, mark) {
  const [x, y] = board.at(cell);
  const pawn = pawnShape(mark, FLOATING_RADIUS, board.paint);
  pawn.classList.add('lifted');
  // Inside the board, also at its upper edge.
  return s(
    'g',
    { class: 'floating', transform: `translate(${x} ${Math.max(FLOATING_RADIUS, y - 44)})` },
    pawn,
  );
}

const captureMark = () => outlinedPath('take', CROSS);

// Draw a target: a dot; larger with a ring where the step captures or displaces pawns.
/** @type {(board: Board, view: View, cell: string, value?: Value) => SVGElement} */
function target({ marks }, view, cell, value) {
  const effect = view.effects?.[cell];
  const kind = effect?.takes.length ? 'capturing' : effect && displacedCells(effect).length ? 'shifting' : '';
  if (marks[cell]) return s('circle', { class: `target occupied ${kind}`, r: 43 });
  if (value) {
    const text = s('text', { text: value.text, 'dominant-baseline': 'central' });
    const ring = kind ? s('circle', { class: `ring ${kind}`, r: 34 }) : null;
    const look = `target-value value ${value.kind} ${value.rank ?? ''}`;
    return s('g', { class: look }, ring, s('circle', { class: 'dot', r: 25 }), text);
  }
  if (!kind) return s('circle', { class: 'target', r: 15 });
  const dot = s('circle', { class: 'target', r: kind === 'capturing' ? 25 : 16 });
  return s('g', { class: kind }, dot, s('circle', { class: 'ring', r: kind === 'capturing' ? 12 : 28 }));
}

// Draw a value in a corner of its cell: the best in full, the others as a sign.
/** @param {Value} value */
function badge({ kind, text, rank }) {
  const isCompact = rank === 'rest';
  const [at, r] = isCompact ? [30, 12] : [28, 19];
  return s(
    'g',
    { class: `value ${kind} ${rank ?? ''}` },
    s('circle', { class: 'dot', cx: at, cy: -at, r }),
    s('text', { x: at, y: -at, 'dominant-baseline': 'central', text: isCompact ? SIGN[kind] : text }),
  );
}

/** @type {(board: Board, arrow: Arrow) => SVGElement} */
function pointer(board, { from, to, kind }) {
  const [[x1, y1], [x2, y2]] = [board.at(from), board.at(to)];
  if (from === to) return s('circle', { class: `pointer ring ${kind}`, cx: x1, cy: y1, r: 44 });
  const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const end = Math.hypot(x2 - x1, y2 - y1) - 18;
  return s('path', {
    class: `pointer ${kind}`,
    transform: `translate(${x1} ${y1}) rotate(${turn})`,
    d: `M14 -6H${end - 26}V-20L${end} 0 ${end - 26} 20V6H14Z`,
  });
}

// Draw the path of a displaced pawn: an arrow, curved where two pawns change places.
/** @type {(board: Board, from: string, to: string, bend: number) => SVGElement} */
function shift(board, from, to, bend) {
  const [[x1, y1], [x2, y2]] = [board.at(from), board.at(to)];
  const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const distance = Math.hypot(x2 - x1, y2 - y1);
  const [begin, end] = [bend ? 16 : 4, distance - (bend ? 16 : 24)];
  const head = bend ? 'l-20 1m20 -1 -8 18' : 'l-16 -14m16 14 -16 14';
  const arrow = outlinedPath(
    'shift',
    `M${begin} ${-bend / 2}Q${distance / 2} ${-1.5 * bend} ${end} ${-bend / 2}${head}`,
  );
  arrow.setAttribute('transform', `translate(${x1} ${y1}) rotate(${turn})`);
  return arrow;
}

// Draw a step that may not be reversed: a dashed line between its two cells.
/** @type {(board: Board, a: string, b: string) => SVGElement[]} */
function barrier(board, a, b) {
  const [[x1, y1], [x2, y2]] = [board.at(a), board.at(b)];
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const d = `M${x - 13} ${y - 13}l26 26m0 -26l-26 26`;
  return [board.lineElement('barred', a, b), s('path', { class: 'barred sign', d })];
}
