// A game as an animation, made in pieces: the page goes on meanwhile, and one can think better of it.

import { ask } from './api.js';
import { button, h, wait } from './dom.js';
import { framesOf } from './frames.js';
import { Gif, Palette } from './gif.js';
import { number, t } from './i18n.js';
import { painted, picture, sketch } from './picture.js';
import { settings } from './store.js';

/** @import { Frame } from './frames.js' */
/** @import { Caption } from './picture.js' */
/** @import { Table } from './play.js' */
/** @typedef {(ply: number, turn: string) => Caption | null} Captions */

/** @type {Record<string, number>} */
const PACES = { slow: 1.6, usual: 0.9, fast: 0.45 }; // seconds a turn
const STEP = 0.45; // of that for a step inside a turn
const HELD = 2; // seconds more that the last picture is shown
const LONGEST = 600; // points along the longer side
const MOST_TURNS = 300; // the last ones

/**
 * @param {Table} table
 * @param {HTMLElement} place
 * @param {Captions} captions
 * @param {string} pace
 * @param {AbortSignal} signal
 * @param {(part: number) => void} tell
 */
async function animated(table, place, captions, pace, signal, tell) {
  const { tale, board: shown } = table;
  const line = await ask('line', tale.request, signal);
  const frames = framesOf(line).filter(({ ply }) => ply >= line.turns.length - MOST_TURNS);
  const how = { flipped: tale.flipped, coordinates: settings.get('coordinates', true) };
  const board = sketch(place, line.board, shown.game, how);
  const points = async (/** @type {Frame} */ frame) => {
    const drawn = picture(board, frame, captions(frame.ply, frame.turn));
    const { canvas, pen } = await painted(drawn, LONGEST / Math.max(drawn.width, drawn.height));
    await wait(0);
    signal.throwIfAborted();
    return pen.getImageData(0, 0, canvas.width, canvas.height);
  };
  try {
    const palette = new Palette();
    for (const k of new Set([0, Math.floor(frames.length / 2), frames.length - 1])) {
      palette.look((await points(frames[k])).data);
    }
    palette.choose();
    /** @type {Gif | null} */
    let gif = null;
    for (const [k, frame] of frames.entries()) {
      const { width, height, data } = await points(frame);
      gif ??= new Gif(width, height, palette);
      const seconds = PACES[pace] * (frame.whole ? 1 : STEP);
      gif.add(data, seconds + (k === frames.length - 1 ? HELD : 0));
      tell((k + 1) / frames.length);
    }
    return /** @type {Gif} */ (gif).file();
  } finally {
    board.element.remove();
  }
}

/**
 * @param {Table} table
 * @param {HTMLElement} place where boards are drawn
 * @param {Captions} captions
 * @param {AbortSignal} leave
 * @param {(file: Blob) => (Node | null)[]} offer what can be done with it
 */
export function animationPart(table, place, captions, leave, offer) {
  const paces = Object.keys(PACES).map((pace) => h('option', { value: pace }, t(`share.pace.${pace}`)));
  const pick = h('select', { name: 'pace' }, paces);
  pick.value = settings.get('pace', 'usual');
  const result = h('div', { class: 'result', 'aria-live': 'polite' });
  const make = async () => {
    settings.set('pace', pick.value);
    const giveUp = new AbortController();
    const progress = h('progress', { max: '1', value: 0, 'aria-label': t('share.drawing') });
    const cancel = button(t('action.cancel'), 'cross', () => giveUp.abort(), { cls: 'cancel' });
    result.replaceChildren(h('p', {}, t('share.drawing')), h('div', { class: 'working' }, progress, cancel));
    begin.disabled = true;
    const signal = AbortSignal.any([leave, giveUp.signal]);
    try {
      const file = await animated(table, place, captions, pick.value, signal, (part) => {
        progress.value = part;
      });
      const src = URL.createObjectURL(file);
      leave.addEventListener('abort', () => URL.revokeObjectURL(src));
      const size = t('share.size', { size: number(Math.ceil(file.size / 1000)) });
      const image = h('img', { class: 'preview', src, alt: t('share.animation') });
      result.replaceChildren(
        image,
        h('div', { class: 'row' }, offer(file), h('span', { class: 'faint' }, size)),
      );
    } catch (error) {
      const said = signal.aborted || !(error instanceof Error) ? '' : error.message;
      result.replaceChildren(h('p', { class: 'why' }, said));
    } finally {
      begin.disabled = false;
    }
  };
  const begin = button(t('share.animate'), 'play', make, { cls: 'animate' });
  const speed = h('label', { class: 'pace' }, t('share.pace'), pick);
  return h('div', {}, h('div', { class: 'working' }, speed, begin), result);
}
