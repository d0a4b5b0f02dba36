// Animation of a game as a GIF file. It is drawn frame by frame, so that the page stays responsive
// and the player can cancel.

import { framesOf } from '../board/frames.js';
import { request } from '../core/api.js';
import { button, h, wait } from '../core/dom.js';
import { formatNumber, t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { Gif, Palette } from './gif.js';
import { createHiddenBoard, drawPicture, rasterize } from './picture.js';

/** @import { Frame } from '../board/frames.js' */
/** @import { Caption } from './picture.js' */
/** @import { Table } from '../play/table.js' */
/** @typedef {(ply: number, turn: string) => Caption | null} Captions */

/** @type {Record<string, number>} */
const SECONDS_PER_MOVE = { slow: 1.6, usual: 0.9, fast: 0.45 };
const STEP_SHARE = 0.45; // of that time, for a step that does not end the move
const LAST_FRAME_EXTRA_S = 2;
const MAX_SIDE_PX = 600;
const MAX_MOVES = 300; // earlier moves are left out

/**
 * Render the shown line of a game as a GIF file.
 *
 * @param {Table} table
 * @param {HTMLElement} place
 * @param {Captions} captions
 * @param {string} pace
 * @param {AbortSignal} signal
 * @param {(part: number) => void} onProgress
 */
async function renderGif(table, place, captions, pace, signal, onProgress) {
  const { tree, board: shown } = table;
  const line = await request('line', tree.request, signal);
  const frames = framesOf(line).filter(({ ply }) => ply >= line.turns.length - MAX_MOVES);
  const how = { flipped: tree.flipped, coordinates: settings.get('coordinates', true) };
  const board = createHiddenBoard(place, line.board, shown.game, how);
  const pixels = async (/** @type {Frame} */ frame) => {
    const drawn = drawPicture(board, frame, captions(frame.ply, frame.turn));
    const { canvas, context } = await rasterize(drawn, MAX_SIDE_PX / Math.max(drawn.width, drawn.height));
    await wait(0);
    signal.throwIfAborted();
    return context.getImageData(0, 0, canvas.width, canvas.height);
  };
  try {
    const palette = new Palette();
    for (const k of new Set([0, Math.floor(frames.length / 2), frames.length - 1])) {
      palette.addPixels((await pixels(frames[k])).data);
    }
    palette.computeColours();
    /** @type {Gif | null} */
    let gif = null;
    for (const [k, frame] of frames.entries()) {
      const { width, height, data } = await pixels(frame);
      gif ??= new Gif(width, height, palette);
      const seconds = SECONDS_PER_MOVE[pace] * (frame.whole ? 1 : STEP_SHARE);
      gif.add(data, seconds + (k === frames.length - 1 ? LAST_FRAME_EXTRA_S : 0));
      onProgress((k + 1) / frames.length);
    }
    return /** @type {Gif} */ (gif).file();
  } finally {
    board.element.remove();
  }
}

/**
 * Build the part of the dialog that makes an animation.
 *
 * @param {Table} table
 * @param {HTMLElement} place where boards are drawn
 * @param {Captions} captions
 * @param {AbortSignal} leave
 * @param {(file: Blob) => (Node | null)[]} fileButtons buttons to save and share the file
 */
export function animationPart(table, place, captions, leave, fileButtons) {
  const paces = Object.keys(SECONDS_PER_MOVE).map((pace) =>
    h('option', { value: pace }, t(`share.pace.${pace}`)),
  );
  const pick = h('select', { name: 'pace' }, paces);
  pick.value = settings.get('pace', 'usual');
  const result = h('div', { class: 'result', 'aria-live': 'polite' });
  const make = async () => {
    settings.set('pace', pick.value);
    const cancelling = new AbortController();
    const progress = h('progress', { max: '1', value: 0, 'aria-label': t('share.drawing') });
    const cancel = button(t('action.cancel'), 'cross', () => cancelling.abort(), { cls: 'cancel' });
    result.replaceChildren(h('p', {}, t('share.drawing')), h('div', { class: 'working' }, progress, cancel));
    begin.disabled = true;
    const signal = AbortSignal.any([leave, cancelling.signal]);
    try {
      const file = await renderGif(table, place, captions, pick.value, signal, (part) => {
        progress.value = part;
      });
      const src = URL.createObjectURL(file);
      leave.addEventListener('abort', () => URL.revokeObjectURL(src));
      const size = t('share.size', { size: formatNumber(Math.ceil(file.size / 1000)) });
      const image = h('img', { class: 'preview', src, alt: t('share.animation') });
      result.replaceChildren(
        image,
        h('div', { class: 'row' }, fileButtons(file), h('span', { class: 'faint' }, size)),
      );
    } catch (error) {
      const message = signal.aborted || !(error instanceof Error) ? '' : error.message;
      result.replaceChildren(h('p', { class: 'message' }, message));
    } finally {
      begin.disabled = false;
    }
  };
  const begin = button(t('share.animate'), 'play', make, { cls: 'animate' });
  const speed = h('label', { class: 'pace' }, t('share.pace'), pick);
  return h('div', {}, h('div', { class: 'working' }, speed, begin), result);
}
