// Pictures of a board that need nothing else: no style sheet, no font file, no server.

import { Board } from './board.js';
import { s } from './dom.js';

/** @import { Named } from './board.js' */
/** @import { Frame } from './frames.js' */
/** @typedef {{ width: number, height: number, text: string }} Picture An SVG file and its size. */
/** @typedef {[title: string, below: string]} Caption */

// What style sheets say of a drawing: what goes on to the elements inside, and what does not.
const INHERITED = [
  ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray'],
  ...['stroke-linecap', 'stroke-linejoin', 'paint-order', 'visibility'],
  ...['font-family', 'font-size', 'font-weight', 'text-anchor'],
];
const OWN = [
  ...['display', 'opacity', 'transform', 'filter', 'clip-path', 'mask'],
  ...['stop-color', 'stop-opacity', 'flood-color', 'flood-opacity', 'lighting-color'],
];
const FONT = 'system-ui, sans-serif';
const [MARGIN, LINE] = [24, 38]; // around a board with a caption; from line to line

/**
 * A copy of an element with all that style sheets say of it.
 *
 * @param {Element} shown
 */
function plain(shown) {
  const copy = /** @type {Element} */ (shown.cloneNode(true));
  const [olds, news] = [shown, copy].map((root) => [root, ...root.querySelectorAll('*')]);
  const bare = shown.appendChild(s('g')); // as which an element is of which nothing is said
  const usual = getComputedStyle(bare);
  for (const [k, old] of olds.entries()) {
    const [style, made] = [getComputedStyle(old), news[k]];
    const above = k && old.parentElement ? getComputedStyle(old.parentElement) : null;
    const write = (/** @type {string} */ name, /** @type {string | undefined} */ otherwise) => {
      const value = style.getPropertyValue(name);
      if (value && value !== otherwise) made.setAttribute(name, value);
    };
    for (const name of INHERITED) write(name, above?.getPropertyValue(name));
    for (const name of OWN) write(name, usual.getPropertyValue(name));
    made.removeAttribute('style');
    if (style.display === 'none' && !old.closest('defs')) made.remove();
  }
  bare.remove();
  return copy;
}

/**
 * A text cut so that it fits.
 *
 * @param {string} text
 * @param {string} font
 * @param {number} width
 */
function fitted(text, font, width) {
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) return text;
  pen.font = font;
  let cut = text;
  while (cut && pen.measureText(cut === text ? cut : `${cut}…`).width > width) cut = cut.slice(0, -1);
  return cut === text ? cut : `${cut.trimEnd()}…`;
}

/**
 * A board that is drawn for its picture alone, out of sight, as the page draws boards.
 *
 * @param {Element} place
 * @param {Api.BoardOut} is
 * @param {Named} game
 * @param {{ flipped: boolean, coordinates: boolean }} how
 */
export function sketch(place, is, game, { flipped, coordinates }) {
  const board = new Board(is, game, { still: true });
  board.flip(flipped);
  board.element.classList.toggle('coordinates', coordinates);
  place.append(board.element);
  return board;
}

/**
 * @param {Board} board
 * @param {Pick<Frame, 'marks' | 'view'>} shown
 * @param {Caption | null} caption
 * @returns {Picture}
 */
export function picture(board, { marks, view }, caption) {
  board.show(marks, false);
  board.mark(view);
  const drawing = plain(board.svg);
  const { width: wide, height: high } = board.svg.viewBox.baseVal;
  const edge = caption ? MARGIN : 0;
  const [width, height] = [wide + 2 * edge, high + 2 * edge + (caption ? 2 * LINE : 0)];
  for (const [name, value] of Object.entries({ x: edge, y: edge, width: wide, height: high })) {
    drawing.setAttribute(name, String(value));
  }
  const whole = caption ? s('svg', { viewBox: `0 0 ${width} ${height}`, width, height }) : drawing;
  if (caption) {
    const { backgroundColor, color } = getComputedStyle(document.body);
    whole.append(s('rect', { width, height, fill: backgroundColor }), drawing);
    for (const [k, text] of caption.entries()) {
      const [weight, size] = k ? [400, 24] : [700, 28];
      const shown = fitted(text, `${weight} ${size}px ${FONT}`, wide);
      const font = { 'font-family': FONT, 'font-weight': weight, 'font-size': size };
      whole.append(s('text', { x: edge, y: high + edge + LINE * (k + 1), fill: color, ...font }, shown));
    }
  }
  return { width, height, text: new XMLSerializer().serializeToString(whole) };
}

/** @param {Picture} drawn */
export const svgFile = ({ text }) => new Blob([text], { type: 'image/svg+xml' });

/**
 * A picture as points.
 *
 * @param {Picture} drawn
 * @param {number} scale
 */
export async function painted(drawn, scale) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(drawn.width * scale);
  canvas.height = Math.round(drawn.height * scale);
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (!pen) throw new Error('no canvas');
  const image = new Image();
  const address = URL.createObjectURL(svgFile(drawn));
  try {
    image.src = address;
    await image.decode();
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  } finally {
    URL.revokeObjectURL(address);
  }
  return { canvas, pen };
}

/**
 * @param {Picture} drawn
 * @returns {Promise<Blob>}
 */
export async function pngFile(drawn) {
  const { canvas } = await painted(drawn, 2);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png');
  });
}
