// Pictures of a board as standalone SVG and PNG files, without style sheets or fonts.

import { Board } from '../board/board.js';
import { s } from '../core/dom.js';

/** @import { BoardGame } from '../board/board.js' */
/** @import { Frame } from '../board/frames.js' */
/** @typedef {{ width: number, height: number, text: string }} Picture An SVG file and its size. */
/** @typedef {[title: string, below: string]} Caption */

// CSS properties copied into the picture: inherited ones, and those that are not.
const INHERITED = [
  ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray'],
  ...['stroke-linecap', 'stroke-linejoin', 'paint-order', 'visibility'],
  ...['font-family', 'font-size', 'font-weight', 'text-anchor'],
];
const NOT_INHERITED = [
  ...['display', 'opacity', 'transform', 'filter', 'clip-path', 'mask'],
  ...['stop-color', 'stop-opacity', 'flood-color', 'flood-opacity', 'lighting-color'],
];
const FONT = 'system-ui, sans-serif';
const [MARGIN, LINE] = [24, 38]; // around a board with a caption; between its lines

/**
 * Copy an element with its computed styles as attributes.
 *
 * @param {Element} shown
 */
function inlineStyles(shown) {
  const copy = /** @type {Element} */ (shown.cloneNode(true));
  const [olds, news] = [shown, copy].map((root) => [root, ...root.querySelectorAll('*')]);
  const reference = shown.appendChild(s('g')); // an element without styles of its own
  const defaults = getComputedStyle(reference);
  for (const [k, old] of olds.entries()) {
    const [style, element] = [getComputedStyle(old), news[k]];
    const above = k && old.parentElement ? getComputedStyle(old.parentElement) : null;
    const write = (/** @type {string} */ name, /** @type {string | undefined} */ inherited) => {
      const value = style.getPropertyValue(name);
      if (value && value !== inherited) element.setAttribute(name, value);
    };
    for (const name of INHERITED) write(name, above?.getPropertyValue(name));
    for (const name of NOT_INHERITED) write(name, defaults.getPropertyValue(name));
    element.removeAttribute('style');
    if (style.display === 'none' && !old.closest('defs')) element.remove();
  }
  reference.remove();
  return copy;
}

/**
 * Cut a text to a width, with an ellipsis.
 *
 * @param {string} text
 * @param {string} font
 * @param {number} width
 */
function ellipsize(text, font, width) {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return text;
  context.font = font;
  let cut = text;
  while (cut && context.measureText(cut === text ? cut : `${cut}…`).width > width) cut = cut.slice(0, -1);
  return cut === text ? cut : `${cut.trimEnd()}…`;
}

/**
 * Create a board outside the visible page, to be drawn as a picture.
 *
 * @param {Element} place
 * @param {Api.BoardDescription} is
 * @param {BoardGame} game
 * @param {{ flipped: boolean, coordinates: boolean }} how
 */
export function createHiddenBoard(place, is, game, { flipped, coordinates }) {
  const board = new Board(is, game, { still: true });
  board.flip(flipped);
  board.element.classList.toggle('coordinates', coordinates);
  place.append(board.element);
  return board;
}

/**
 * Draw a position as an SVG file, with a caption or without.
 *
 * @param {Board} board
 * @param {Pick<Frame, 'marks' | 'view'>} shown
 * @param {Caption | null} caption
 * @returns {Picture}
 */
export function drawPicture(board, { marks, view }, caption) {
  board.show(marks, false);
  board.mark(view);
  const drawing = inlineStyles(board.svg);
  const { width: wide, height: high } = board.svg.viewBox.baseVal;
  const edge = caption ? MARGIN : 0;
  const [width, height] = [wide + 2 * edge, high + 2 * edge + (caption ? 2 * LINE : 0)];
  for (const [name, value] of Object.entries({ x: edge, y: edge, width: wide, height: high })) {
    drawing.setAttribute(name, String(value));
  }
  const svg = caption ? s('svg', { viewBox: `0 0 ${width} ${height}`, width, height }) : drawing;
  if (caption) {
    const { backgroundColor, color } = getComputedStyle(document.body);
    svg.append(s('rect', { width, height, fill: backgroundColor }), drawing);
    for (const [k, text] of caption.entries()) {
      const [weight, size] = k ? [400, 24] : [700, 28];
      const shown = ellipsize(text, `${weight} ${size}px ${FONT}`, wide);
      const font = { 'font-family': FONT, 'font-weight': weight, 'font-size': size };
      svg.append(s('text', { x: edge, y: high + edge + LINE * (k + 1), fill: color, ...font }, shown));
    }
  }
  return { width, height, text: new XMLSerializer().serializeToString(svg) };
}

/**
 * Return a picture as an SVG file.
 *
 * @param {Picture} drawn
 */
export const svgFile = ({ text }) => new Blob([text], { type: 'image/svg+xml' });

/**
 * Rasterize a picture to a canvas.
 *
 * @param {Picture} drawn
 * @param {number} scale
 */
export async function rasterize(drawn, scale) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(drawn.width * scale);
  canvas.height = Math.round(drawn.height * scale);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('no canvas');
  const image = new Image();
  const address = URL.createObjectURL(svgFile(drawn));
  try {
    image.src = address;
    await image.decode();
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
  } finally {
    URL.revokeObjectURL(address);
  }
  return { canvas, context };
}

/**
 * Return a picture as a PNG file of double size.
 *
 * @param {Picture} drawn
 * @returns {Promise<Blob>}
 */
export async function pngFile(drawn) {
  const { canvas } = await rasterize(drawn, 2);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png');
  });
}
