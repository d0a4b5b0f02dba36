// Animation of pawns: a step slides, a push pushes, a swap crosses, a throw flies. An animation starts
// at the pawn's visible position, so that it can replace one that is still running.

import { prefersReducedMotion } from '../core/dom.js';

/** @typedef {[x: number, y: number]} Point */
/** @typedef {'slide' | 'push' | 'cross' | 'fly'} Way */
/** @typedef {{ from: string, to: string, way: Way }} Path */

export const STEP_MS = 220;
const FADE_MS = 160;
const PUSH_DELAY = 0.3; // share of the duration before the pushed pawn is reached
const CURVE_POINTS = 12; // points per curve

/**
 * Return the path of each pawn that moves in a step.
 *
 * @param {Api.StepDescription} step
 * @returns {Path[]}
 */
export function pathsOf({ kind, origin, target, puts }) {
  /** @type {Path[]} */
  const paths = [];
  if (origin && target && kind !== 'remove') {
    const way = kind === 'swap' ? 'cross' : kind === 'put' || kind === 'drop' ? 'fly' : 'slide';
    paths.push({ from: origin, to: target, way });
    if (kind === 'swap') paths.push({ from: target, to: origin, way });
  }
  for (const [from, to] of puts) if (to) paths.push({ from, to, way: 'push' });
  return paths;
}

/** @param {Point} point */
export const translate = ([x, y]) => `translate(${x}px, ${y}px)`;

/** @param {Element} element */
export function stopMotion(element) {
  for (const animation of element.getAnimations()) animation.cancel();
}

// Return the visible position of a pawn, which may be moving.
/** @type {(element: Element) => Point} */
function visiblePosition(element) {
  const { e, f } = new DOMMatrix(getComputedStyle(element).transform);
  return [e, f];
}

// Return the keyframes of a curve between two points; the pawn is larger in the middle.
/** @type {(from: Point, to: Point, aside: number, nearer: number) => Keyframe[]} */
function curve([x1, y1], [x2, y2], sideways, nearer) {
  const distance = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(-(y2 - y1) / distance) * sideways, ((x2 - x1) / distance) * sideways];
  return Array.from({ length: CURVE_POINTS + 1 }, (_, k) => {
    const part = (k / CURVE_POINTS) ** 2 * (3 - (2 * k) / CURVE_POINTS); // ease in and out
    const arc = Math.sin(part * Math.PI);
    const point = translate([x1 + (x2 - x1) * part + dx * arc, y1 + (y2 - y1) * part + dy * arc]);
    return { transform: `${point} scale(${1 + nearer * arc})` };
  });
}

// Animate a pawn to its cell.
/** @type {(element: SVGElement, to: Point, way: Way) => void} */
export function animateAlong(element, to, way) {
  const start = visiblePosition(element);
  stopMotion(element);
  element.style.transform = translate(to);
  const distance = Math.hypot(to[0] - start[0], to[1] - start[1]);
  if (prefersReducedMotion() || distance < 1 || !element.isConnected) return;
  const delay = way === 'push' ? STEP_MS * PUSH_DELAY : 0;
  const frames =
    way === 'cross'
      ? curve(start, to, Math.min(48, distance * 0.4), 0.06)
      : way === 'fly'
        ? curve(start, to, (to[0] < start[0] ? 1 : -1) * Math.min(60, distance * 0.3), 0.3)
        : [{ transform: translate(start) }, { transform: translate(to) }];
  const easing = frames.length > 2 ? 'linear' : 'cubic-bezier(0.3, 0.1, 0.25, 1)';
  element.animate(frames, { duration: STEP_MS - delay, delay, easing, fill: 'backwards' });
}

// Remove a captured pawn, after the capturing pawn has arrived.
/** @type {(element: SVGElement, wait: boolean) => void} */
export function fadeOut(element, wait) {
  element.classList.add('gone');
  stopMotion(element);
  if (prefersReducedMotion()) {
    element.remove();
    return;
  }
  const { transform } = element.style;
  const frames = [{ opacity: 1 }, { opacity: 0, transform: `${transform} scale(0.55)` }];
  const timing = { duration: FADE_MS, delay: wait ? STEP_MS * 0.7 : 0, easing: 'ease-in' };
  element.animate(frames, { ...timing, fill: 'forwards' }).onfinish = () => element.remove();
}

/** @param {SVGElement} element */
export function fadeIn(element) {
  if (prefersReducedMotion()) return;
  const { transform } = element.style;
  const frames = [
    { opacity: 0, transform: `${transform} scale(1.25)` },
    { opacity: 1, transform },
  ];
  element.animate(frames, { duration: 180, easing: 'ease-out' });
}
