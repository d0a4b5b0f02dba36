// What boards and pawns are made of: grain, speckles and light, described once in each drawing.
// A style sheet says which of them are seen; colours come from there, shapes and light from here.

import { s } from './dom.js';

/** @typedef {(name: string) => string} Paint The reference to one of a drawing's own paints. */
/** @typedef {[offset: number, colour: string, opacity: number][]} Stops */

const TILE = 320; // units, after which a pattern begins again
const SLANT = { x1: 0.15, y1: 0, x2: 0.85, y2: 1 };
/** @type {Record<string, object>} */
const ROUND = { round: { cx: 0.36, cy: 0.3, r: 0.75 }, shadow: {} };

/** @type {Record<string, Stops>} */
const LIGHTS = {
  raised: [...at('#fff', 0, 0.55, 0.45, 0), ...at('#000', 0.55, 0, 1, 0.42)],
  sunk: [...at('#000', 0, 0.34, 0.5, 0), ...at('#fff', 0.55, 0, 1, 0.24)],
  flush: [...at('#fff', 0, 0.2, 0.5, 0), ...at('#000', 0.5, 0, 1, 0.13)],
  round: [...at('#fff', 0, 0.75, 0.32, 0.16), ...at('#000', 0.6, 0, 1, 0.5)],
  shadow: at('#000', 0.7, 0.5, 0.86, 0.22, 1, 0),
};

/**
 * The stops of one colour, from pairs of a place and an opacity.
 *
 * @param {string} colour
 * @param {...number} pairs
 * @returns {Stops}
 */
function at(colour, ...pairs) {
  return pairs.flatMap((place, k) => (k % 2 ? [] : [[place, colour, pairs[k + 1]]]));
}

let drawings = 0;

/**
 * Numbers from 0 to 1 without an order, the same each time.
 *
 * @param {number} seed
 */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}

/** @param {number} value */
const short = (value) => value.toFixed(2);

// Veins that meet themselves where the tile begins again.
function grain() {
  const next = numbers(11);
  return Array.from({ length: 30 }, (_, k) => {
    const y = short(5 + ((k + next()) / 30) * (TILE - 10));
    const d = `M0 ${y}q${TILE / 4} ${short(9 * (next() - 0.5))} ${TILE / 2} 0t${TILE / 2} 0`;
    return s('path', {
      d,
      'stroke-width': short(0.8 + 2.8 * next() ** 3),
      opacity: short(0.05 + 0.1 * next()),
    });
  });
}

function speckles() {
  const next = numbers(5);
  return Array.from({ length: 150 }, () => {
    const [cx, cy, r] = [TILE * next(), TILE * next(), 0.5 + 1.7 * next() ** 2].map(short);
    return s('circle', {
      cx,
      cy,
      r,
      fill: next() < 0.6 ? '#000' : '#fff',
      opacity: short(0.07 + 0.17 * next()),
    });
  });
}

/**
 * The paints of one drawing. Their names are its own, as another drawing may be taken away.
 *
 * @returns {{ definitions: SVGDefsElement, paint: Paint }}
 */
export function materials() {
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
    { id: `${key}along`, width: TILE, height: TILE, patternUnits: 'userSpaceOnUse' },
    s('g', { class: 'wooden' }, grain()),
    s('g', { class: 'stony' }, speckles()),
  );
  const turned = { href: `#${key}along`, patternTransform: 'rotate(90) translate(37 61)' };
  const across = s('pattern', { id: `${key}across`, ...turned });
  return { definitions: s('defs', {}, along, across, lights), paint: (name) => `url(#${key}${name})` };
}

/**
 * A pawn in all its makes: turned from wood or bone, a polished stone, and a plain bold shape. Black
 * has grooves that White has not, so that no colour is needed to tell them apart.
 *
 * @param {string} mark
 * @param {number} r
 * @param {Paint} paint
 */
export function pawnShape(mark, r, paint) {
  const circle = (/** @type {string} */ kind, /** @type {number} */ part, fill = '', cy = 0) =>
    s('circle', { class: kind, r: short(r * part), cy, fill: fill ? paint(fill) : null });
  const black = mark === 'b';
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
    { class: `pawn ${mark}` },
    circle('shade', 1.2, 'shadow', r * 0.14),
    s('g', { class: 'turned' }, turned, grooves),
    s('g', { class: 'polished' }, stone),
    s('g', { class: 'bold' }, black ? s('rect', { class: 'body', ...square }) : circle('body', 0.98)),
  );
}
