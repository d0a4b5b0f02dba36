// The board itself, without what stands on it: frame, field, places, lines and the names of cells.

import { s } from './dom.js';

/** @import { Board } from './board.js' */
/** @typedef {(...elements: Element[]) => void} Add */

export const U = 100; // units a cell
const CROSS = 'M-22 -22 22 22M22 -22-22 22';
const FINGERTIPS = 9.1; // as many cells side by side as the narrowest phone has room for
const BESIDE = 13; // what is free in a cell beside a pawn

/**
 * The room around the cells for a frame that holds their names, as wide as these need to be
 * readable; and how much of it a phone leaves out at both sides for the sake of the fingers. There
 * the names stand on a narrow rail beside the pawns.
 *
 * @param {Api.BoardOut} description
 */
export function marginsOf({ files, ranks, lines }) {
  const margin = Math.round(Math.max(30, 4.2 * Math.max(files, ranks)));
  const spare = (U * (FINGERTIPS - files)) / 2;
  const crop = lines.length && spare >= 0 ? Math.max(0, margin - spare) : 0;
  return { margin, crop, rail: margin - crop + BESIDE };
}

/** @param {Board} board */
export function drawGround(board) {
  const { is, paint, lined } = board;
  const { margin, crop, rail } = board.margins;
  /** @type {Add} */
  const add = (...elements) => board.ground.append(...elements);
  board.ground.replaceChildren();
  const [width, height] = [is.files * U, is.ranks * U];
  const whole = { width: board.wide, height: board.high, rx: 18 };
  add(
    s('rect', { class: 'frame', ...whole }),
    s('rect', { class: 'texture', ...whole, fill: paint('along') }),
  );
  add(s('rect', { class: 'edge', x: 2, y: 2, width: board.wide - 4, height: board.high - 4, rx: 16 }));
  const field = { x: margin - 4, y: margin - 4, width: width + 8, height: height + 8, rx: 7 };
  add(s('rect', { class: 'table', ...field }));
  if (lined || is.arrows.length) add(s('rect', { class: 'texture', ...field, fill: paint('along') }));
  add(s('rect', { class: 'recess', ...field, stroke: paint('sunk') }));
  if (lined) drawLines(board, add);
  else {
    for (const [a, b] of is.arrows) add(board.straight('track', a, b));
    for (const cell of is.cells) drawSquare(board, add, cell);
    for (const [a, b] of is.arrows) drawArrow(board, add, a, b);
  }
  for (const x of crop ? [crop, board.wide - crop - rail] : []) {
    add(s('rect', { class: 'frame rail', x, width: rail, height: board.high }));
  }
  drawNames(board, add);
}

// Lines cut into the board, with a lit lower edge, and a hollow where they meet.
/** @type {(board: Board, add: Add) => void} */
function drawLines({ is, paint, at }, add) {
  const path = is.lines.map(([a, b]) => `M${at(a).join(' ')}L${at(b).join(' ')}`).join('');
  add(
    s('path', { class: 'line lit', d: path, transform: 'translate(1.5 2)' }),
    s('path', { class: 'line', d: path }),
  );
  for (const cell of is.cells) {
    const [cx, cy] = at(cell);
    add(
      s('circle', { class: 'joint', cx, cy, r: 11 }),
      s('circle', { class: 'relief', cx, cy, r: 11, fill: paint('sunk') }),
    );
  }
}

/** @type {(board: Board, add: Add, cell: string) => void} */
function drawSquare(board, add, cell) {
  const { game, paint } = board;
  const [x, y] = board.at(cell);
  const [file, rank] = board.is.at[cell];
  const place = board.places.get(cell) ?? 'plain';
  const odd = (file + rank) % 2 === 1;
  const kind = `square ${place}${odd ? ' odd' : ''}`;
  const alone = board.alone(cell);
  /** @type {(kind: string, fill?: string) => SVGElement} */
  const shape = (name, fill) =>
    alone
      ? s('circle', { class: name, cx: x, cy: y, r: 78, fill })
      : s('rect', { class: name, x: x - 48, y: y - 48, width: 96, height: 96, rx: 4, fill });
  const square = shape(kind);
  if (place in game.look.page) square.style.fill = `var(--look-${place})`;
  add(square, shape('texture', paint(odd ? 'across' : 'along')));
  if (place !== 'unused') add(shape('relief', paint('flush')));
  const transform = `translate(${x} ${y})`;
  const ring = (/** @type {number} */ r) => [
    s('circle', { class: 'sign lit', r, transform: `translate(${x + 1.5} ${y + 2})` }),
    s('circle', { class: 'sign', r, transform }),
  ];
  if (alone) add(...ring(64));
  if (place === 'unused') add(s('path', { class: 'sign', d: CROSS, transform }));
  if (place === 'refuge') add(...ring(41), ...ring(33), s('path', { class: 'sign', d: ROSE, transform }));
}

// Eight petals around the middle of a refuge.
const ROSE = Array.from({ length: 8 }, (_, k) => {
  const at = (/** @type {number} */ r, /** @type {number} */ turn) => {
    const angle = ((k + turn) * Math.PI) / 4;
    return `${(r * Math.sin(angle)).toFixed(1)} ${(-r * Math.cos(angle)).toFixed(1)}`;
  };
  return `M0 0Q${at(16, -0.5)} ${at(27, 0)}Q${at(16, 0.5)} 0 0`;
}).join('');

/** @type {(board: Board, add: Add, a: string, b: string) => void} */
function drawArrow({ at, paint }, add, a, b) {
  const [[x, y], [cx, cy]] = [at(a), at(b)];
  const turn = (Math.atan2(cy - y, cx - x) * 180) / Math.PI;
  const transform = `translate(${x} ${y}) rotate(${turn})`;
  const d = 'M-30 -24H4V-40L42 0 4 40V24H-30Z';
  add(
    s('path', { class: 'sign arrow', d, transform }),
    s('path', { class: 'relief', d, transform, fill: paint('flush') }),
  );
}

// Files below and ranks to the left, on the frame: no pawn ever stands there.
/** @type {(board: Board, add: Add) => void} */
function drawNames({ is, margins, wide, high, flipped }, add) {
  const { files, ranks } = is;
  const { margin } = margins;
  const middle = margin / 2 - 1;
  /** @type {(kind: string, x: number, y: number, text: string) => void} */
  const name = (kind, x, y, text) =>
    add(s('text', { class: `name ${kind}`, x, y, text, 'dominant-baseline': 'central' }));
  for (let f = 0; f < files; f++) {
    const text = String.fromCharCode(97 + (flipped ? files - 1 - f : f));
    name('file', margin + (f + 0.5) * U, high - middle, text);
  }
  for (let r = 0; r < ranks; r++) {
    name('rank', middle, margin + (r + 0.5) * U, String(flipped ? r + 1 : ranks - r));
  }
  add(s('rect', { class: 'rim', width: wide, height: high, rx: 18 }));
}
