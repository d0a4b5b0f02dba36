// Surface of a board without pawns: frame, field, special places, lines and cell names.

import { s } from '../core/dom.js';

/** @import { Board } from './board.js' */
/** @typedef {(...elements: Element[]) => void} Add */

export const CELL_SIZE = 100; // units a cell
const CROSS = 'M-22 -22 22 22M22 -22-22 22';
const PHONE_WIDTH_CELLS = 9.1; // cells of a fingertip's width that fit side by side on the narrowest phone
export const HEXAGON_HALF = 1 / Math.sqrt(3); // from the middle of a hexagon to its top, in cells
const PAWN_GAP = 13; // free space between a pawn and the edge of its cell, in units

/**
 * Return the width of the frame around the cells, which is wide enough for readable cell names, and the
 * width that a phone crops on both sides so that the cells are larger. There the names are on a
 * narrow rail beside the pawns.
 *
 * @param {Api.BoardDescription} description
 */
export function boardMargins({ files, ranks, lines }) {
  const margin = Math.round(Math.max(30, 4.2 * Math.max(files, ranks)));
  const sideSpace = (CELL_SIZE * (PHONE_WIDTH_CELLS - files)) / 2;
  const crop = lines.length && sideSpace >= 0 ? Math.max(0, margin - sideSpace) : 0;
  return { margin, crop, rail: margin - crop + PAWN_GAP };
}

/** @param {Board} board */
export function drawSurface(board) {
  const { description: is, paint, hasLines: lined } = board;
  const { margin, crop, rail } = board.margins;
  /** @type {Add} */
  const add = (...elements) => board.surface.append(...elements);
  board.surface.replaceChildren();
  const [width, height] = [is.width * CELL_SIZE, is.height * CELL_SIZE];
  const whole = { width: board.width, height: board.height, rx: 18 };
  add(
    s('rect', { class: 'frame', ...whole }),
    s('rect', { class: 'texture', ...whole, fill: paint('along') }),
  );
  add(s('rect', { class: 'edge', x: 2, y: 2, width: board.width - 4, height: board.height - 4, rx: 16 }));
  const field = { x: margin - 4, y: margin - 4, width: width + 8, height: height + 8, rx: 7 };
  add(s('rect', { class: 'table', ...field }));
  if (lined || is.arrows.length) add(s('rect', { class: 'texture', ...field, fill: paint('along') }));
  add(s('rect', { class: 'recess', ...field, stroke: paint('sunk') }));
  if (lined) drawLines(board, add);
  else {
    for (const [a, b] of is.arrows) add(board.lineElement('track', a, b));
    for (const cell of is.cells) drawSquare(board, add, cell);
    for (const [a, b] of is.arrows) drawArrow(board, add, a, b);
  }
  for (const x of crop ? [crop, board.width - crop - rail] : []) {
    add(s('rect', { class: 'frame rail', x, width: rail, height: board.height }));
  }
  drawNames(board, add);
}

// Draw the lines as grooves with a lit lower edge, and a hollow at each crossing.
/** @type {(board: Board, add: Add) => void} */
function drawLines({ description: is, paint, at }, add) {
  const path = is.lines.map(([a, b]) => `M${at(a).join(' ')}L${at(b).join(' ')}`).join('');
  add(
    s('path', { class: 'line light-edge', d: path, transform: 'translate(1.5 2)' }),
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

const HEXAGON = `M${Array.from({ length: 6 }, (_, k) => {
  const angle = (k / 3 + 1 / 6) * Math.PI;
  return `${(55.5 * Math.cos(angle)).toFixed(1)} ${(55.5 * Math.sin(angle)).toFixed(1)}`;
}).join('L')}Z`;

/** @type {(board: Board, add: Add, cell: string) => void} */
function drawSquare(board, add, cell) {
  const { game, paint } = board;
  const [x, y] = board.at(cell);
  const [file, rank] = board.description.at[cell];
  const { hexagonal } = board.description;
  const place = board.places.get(cell) ?? 'plain';
  const odd = !hexagonal && (file + rank) % 2 === 1;
  const kind = `square ${place}${odd ? ' odd' : ''}`;
  const isIsolated = board.isIsolated(cell);
  /** @type {(kind: string, fill?: string) => SVGElement} */
  const shape = (name, fill) =>
    hexagonal
      ? s('path', { class: name, d: HEXAGON, transform: `translate(${x} ${y})`, fill })
      : isIsolated
        ? s('circle', { class: name, cx: x, cy: y, r: 78, fill })
        : s('rect', { class: name, x: x - 48, y: y - 48, width: 96, height: 96, rx: 4, fill });
  const square = shape(kind);
  if (place in game.look.page) square.style.fill = `var(--look-${place})`;
  add(square, shape('texture', paint(odd ? 'across' : 'along')));
  if (place !== 'unused') add(shape('relief', paint('flush')));
  const transform = `translate(${x} ${y})`;
  const ring = (/** @type {number} */ r) => [
    s('circle', { class: 'sign light-edge', r, transform: `translate(${x + 1.5} ${y + 2})` }),
    s('circle', { class: 'sign', r, transform }),
  ];
  if (isIsolated) add(...ring(64));
  if (place === 'unused') add(s('path', { class: 'sign', d: CROSS, transform }));
  if (place === 'refuge') add(...ring(41), ...ring(33), s('path', { class: 'sign', d: ROSE, transform }));
}

// Draw eight petals around the middle of a refuge.
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

/**
 * Return where files and ranks of hexagons are named: a file where it would continue to the lower right, a
 * rank to the left of its first cell.
 *
 * @param {Api.BoardDescription} description
 * @returns {[string, string, number, number][]} the kind, a cell, and the offset from it
 */
function hexagonLabels({ cells }) {
  const rank = (/** @type {string} */ cell) => Number(cell.slice(1));
  const first = (/** @type {(cell: string) => boolean} */ has, /** @type {(cell: string) => number} */ by) =>
    cells.filter(has).sort((a, b) => by(a) - by(b))[0];
  const files = [...new Set(cells.map((cell) => cell[0]))];
  const ranks = [...new Set(cells.map(rank))];
  return [
    ...files.map(
      (f) =>
        /** @type {[string, string, number, number]} */ (['file', first((c) => c[0] === f, rank), 38, 66]),
    ),
    ...ranks.map(
      (r) =>
        /** @type {[string, string, number, number]} */ ([
          'rank',
          first(
            (c) => rank(c) === r,
            (c) => c.charCodeAt(0),
          ),
          -68,
          0,
        ]),
    ),
  ];
}

// Draw the names of files below the cells and of ranks to their left, on the frame.
/** @type {(board: Board, add: Add) => void} */
function drawNames(board, add) {
  const { description: is, margins, width: wide, height: high, flipped } = board;
  const { files, ranks } = is;
  const { margin } = margins;
  const middle = margin / 2 - 1;
  /** @type {(kind: string, x: number, y: number, text: string) => void} */
  const name = (kind, x, y, text) =>
    add(s('text', { class: `name ${kind}`, x, y, text, 'dominant-baseline': 'central' }));
  if (is.hexagonal) {
    for (const [kind, cell, dx, dy] of hexagonLabels(is)) {
      const [x, y] = board.at(cell);
      const turn = flipped ? -1 : 1;
      name(kind, x + turn * dx, y + turn * dy, kind === 'file' ? cell[0] : cell.slice(1));
    }
  } else {
    for (let f = 0; f < files; f++) {
      const text = String.fromCharCode(97 + (flipped ? files - 1 - f : f));
      name('file', margin + (f + 0.5) * CELL_SIZE, high - middle, text);
    }
    for (let r = 0; r < ranks; r++) {
      name('rank', middle, margin + (r + 0.5) * CELL_SIZE, String(flipped ? r + 1 : ranks - r));
    }
  }
  add(s('rect', { class: 'rim', width: wide, height: high, rx: 18 }));
}
