// Materials of boards and pawns: SVG patterns and gradients for grain, speckles and light. The style
// sheet chooses the material and its colours.

import { s } from '../core/dom.js';

/** @typedef {(name: string) => string} Paint The reference to one of a drawing's own paints. */
/** @typedef {[offset: number, colour: string, opacity: number][]} Stops */

const TILE_SIZE = 320; // size of a pattern's tile in units
const SLANT = { x1: 0.15, y1: 0, x2: 0.85, y2: 1 };
/** @type {Record<string, object>} */
const ROUND = { round: { cx: 0.36, cy: 0.3, r: 0.75 }, shadow: {} };

/** @type {Record<string, Stops>} */
const LIGHTS = {
  raised: [...gradientStops('#fff', 0, 0.55, 0.45, 0), ...gradientStops('#000', 0.55, 0, 1, 0.42)],
  sunk: [...gradientStops('#000', 0, 0.34, 0.5, 0), ...gradientStops('#fff', 0.55, 0, 1, 0.24)],
  flush: [...gradientStops('#fff', 0, 0.2, 0.5, 0), ...gradientStops('#000', 0.5, 0, 1, 0.13)],
  round: [...gradientStops('#fff', 0, 0.75, 0.32, 0.16), ...gradientStops('#000', 0.6, 0, 1, 0.5)],
  shadow: gradientStops('#000', 0.7, 0.5, 0.86, 0.22, 1, 0),
};

/**
 * Return gradient stops of one colour, from pairs of an offset and an opacity.
 *
 * @param {string} colour
 * @param {...number} pairs
 * @returns {Stops}
 */
function gradientStops(colour, ...pairs) {
  return pairs.flatMap((place, k) => (k % 2 ? [] : [[place, colour, pairs[k + 1]]]));
}

let drawings = 0;

/**
 * Return a function that returns pseudo-random numbers from 0 to 1, the same sequence for each seed.
 *
 * @param {number} seed
 */
function pseudoRandom(seed) {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}

/** @param {number} value */
const formatLength = (value) => value.toFixed(2);

// Draw veins that continue seamlessly from tile to tile.
function grain() {
  const next = pseudoRandom(11);
  return Array.from({ length: 30 }, (_, k) => {
    const y = formatLength(5 + ((k + next()) / 30) * (TILE_SIZE - 10));
    const half = TILE_SIZE / 2;
    const d = `M0 ${y}q${half / 2} ${formatLength(9 * (next() - 0.5))} ${half} 0t${half} 0`;
    return s('path', {
      d,
      'stroke-width': formatLength(0.8 + 2.8 * next() ** 3),
      opacity: formatLength(0.05 + 0.1 * next()),
    });
  });
}

function speckles() {
  const next = pseudoRandom(5);
  return Array.from({ length: 150 }, () => {
    const [cx, cy, r] = [TILE_SIZE * next(), TILE_SIZE * next(), 0.5 + 1.7 * next() ** 2].map(formatLength);
    return s('circle', {
      cx,
      cy,
      r,
      fill: next() < 0.6 ? '#000' : '#fff',
      opacity: formatLength(0.07 + 0.17 * next()),
    });
  });
}

/**
 * Return the pattern and gradient definitions of one drawing. Their ids are unique, because another
 * drawing with the same ids could be removed from the page.
 *
 * @returns {{ definitions: SVGDefsElement, paint: Paint }}
 */
export function materialDefinitions() {
  const key = `m${++drawings}-`;
  const lights = Object.entries(LIGHTS).map(([name, stops]) => {
    const round = ROUND[name];
    return s(
      round ? 'radialGradient' : 'linearGradient',
      { id: key + name, ...(round ?? SLANT) },
      stops.map(([offset, colour, opacity]) =>
        s('stop', { offset, 'stop-color': colour, 'stop-opacity': opacity }),
      ),
    );
  });
  const along = s(
    'pattern',
    { id: `${key}along`, width: TILE_SIZE, height: TILE_SIZE, patternUnits: 'userSpaceOnUse' },
    s('g', { class: 'wooden' }, grain()),
    s('g', { class: 'stone-texture' }, speckles()),
  );
  const turned = { href: `#${key}along`, patternTransform: 'rotate(90) translate(37 61)' };
  const across = s('pattern', { id: `${key}across`, ...turned });
  return { definitions: s('defs', {}, along, across, lights), paint: (name) => `url(#${key}${name})` };
}

const CROWN = 'M-17 12-20-11-8 0 0-16 8 0 20-11 17 12Z';

/**
 * Draw a pawn in all its styles: turned wood or bone, polished stone, and a plain shape. The style sheet
 * shows one of them. Black pawns have grooves, so that colour is not needed to tell the sides apart.
 *
 * @param {string} mark
 * @param {number} r
 * @param {Paint} paint
 */
export function pawnShape(mark, r, paint) {
  const circle = (/** @type {string} */ kind, /** @type {number} */ part, fill = '', cy = 0) =>
    s('circle', { class: kind, r: formatLength(r * part), cy, fill: fill ? paint(fill) : null });
  const black = mark.toLowerCase() === 'b';
  const side = r * 1.48;
  const square = { x: -side / 2, y: -side / 2, width: side, height: side, rx: 5, transform: 'rotate(45)' };
  const turned = [
    circle('body', 1),
    circle('light', 1, 'raised'),
    circle('face', 0.76),
    circle('light', 0.76, 'sunk'),
  ];
  const grooves = (black ? [0.5, 0.24] : [0.46]).map((part) => circle('groove', part));
  const stone = [circle('body', 1), circle('light', 1, 'round'), black ? circle('groove', 0.42) : null];
  return s(
    'g',
    { class: `pawn ${mark.toLowerCase()}` },
    circle('shade', 1.2, 'shadow', r * 0.14),
    s('g', { class: 'turned' }, turned, grooves),
    s('g', { class: 'polished' }, stone),
    s('g', { class: 'bold' }, black ? s('rect', { class: 'body', ...square }) : circle('body', 0.98)),
    mark === mark.toLowerCase() ? null : s('path', { class: 'crown', d: CROWN }),
  );
}
