// Share dialog: link, picture, animation, record and embedding of a game; and import.

import { addressOf } from '../core/address.js';
import { request } from '../core/api.js';
import { button, dialog, getElement, h, inputValue, saveButton } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { gameName, language, t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { animationPart } from './animation.js';
import { createHiddenBoard, drawPicture, pngFile, svgFile } from './picture.js';
import { publicAddress } from './public-address.js';

/** @import { Caption } from './picture.js' */
/** @import { Table } from '../play/table.js' */
/** @import { Children } from '../core/dom.js' */

// Reasons for the end of a game that the position does not show.
const OFF_BOARD_REASONS = new Set(['resigned', 'agreed', 'time', 'abandoned', 'length']);

/**
 * Build a button that copies something and briefly shows whether it worked.
 *
 * @param {string} cls
 * @param {() => Promise<unknown>} copyContent
 */
function copyButton(cls, copyContent) {
  const setLabel = (/** @type {string} */ key) => copyButton.replaceChildren(h('span', {}, t(key)));
  const copy = async () => {
    const failed = await copyContent().then(
      () => '',
      () => 'share.failed',
    );
    setLabel(failed || 'share.copied');
    setTimeout(() => setLabel('share.copy'), 2500);
  };
  const copyButton = button(t('share.copy'), null, copy, { cls });
  return copyButton;
}

/**
 * Build a field with text and a button that copies it.
 *
 * @param {string} label
 * @param {string} text
 * @param {string} name
 * @param {() => void} [onCopied]
 */
export function copyField(label, text, name, onCopied = () => {}) {
  const given = { readonly: true, name, 'aria-label': label, value: text };
  const rows = name === 'embed' ? '4' : text.includes('\n') ? '7' : '';
  const box = rows ? h('textarea', { ...given, rows }) : h('input', given);
  const copy = copyButton('copy-text', async () => {
    box.select();
    // The clipboard API exists only in a secure context, and may be denied.
    const written = navigator.clipboard?.writeText(box.value) ?? Promise.reject(new Error('no clipboard'));
    await written.catch((error) => {
      if (!document.execCommand('copy')) throw error;
    });
    onCopied();
  });
  return h('div', { class: 'copy' }, h('span', {}, label), box, copy);
}

/**
 * Build a button that passes a file to another app, where the browser supports it; else return null.
 *
 * @param {string} name
 * @param {string} type
 * @param {() => Promise<Blob>} make
 */
function shareFileButton(name, type, make) {
  const fileOf = (/** @type {BlobPart[]} */ parts) => new File(parts, name, { type });
  if (!navigator.canShare?.({ files: [fileOf(['x'])] })) return null;
  const hand = async () => {
    const files = [fileOf([await make()])];
    await navigator.share({ files }).catch(() => {}); // the player cancelled
  };
  return button(t('share.send'), 'share', hand, { cls: 'send' });
}

/**
 * Build a button that passes an address to another app, where the browser supports it; else return null.
 *
 * @param {string} url
 * @param {() => void} [onShared]
 */
export function shareLinkButton(url, onShared = () => {}) {
  if (!navigator.canShare?.({ url })) return null;
  const hand = () => navigator.share({ url }).then(onShared, () => {}); // rejected if the player cancels
  return button(t('share.send'), 'share', hand, { cls: 'send' });
}

/**
 * Build a collapsible part of the dialog.
 *
 * @param {string} cls
 * @param {string} title
 * @param {...Children} content
 */
const collapsible = (cls, title, ...content) =>
  h('details', { class: `folded ${cls}`, name: 'share' }, h('summary', {}, title), ...content);

/**
 * Return the caption of a picture: game, last move and players.
 *
 * @param {Table} table
 * @param {number} ply
 * @param {string} turn
 * @returns {Caption | null}
 */
function captionOf(table, ply, turn) {
  if (!settings.get('caption', true)) return null;
  const far = ply ? t('share.after', { ply, turn }) : t('share.start');
  const names = t('share.players', { w: table.nameOf('w'), b: table.nameOf('b') });
  return [`${gameName(table.tree.game)} · ${far}`, names];
}

/**
 * Build the part with the preview and files of the picture.
 *
 * @param {Table} table
 * @param {HTMLElement} hiddenBox where boards are drawn, out of sight
 */
function picturePart(table, hiddenBox) {
  const { tree, state, board } = table;
  const { marks } = table.model;
  const how = { flipped: tree.flipped, coordinates: settings.get('coordinates', true) };
  const drawn = createHiddenBoard(hiddenBox, state.board, board.game, how);
  const { last, taken, pattern, resting, barred } = board.view; // without the marks of a move being entered
  const shown = { marks, view: { last, taken, pattern, resting, barred } };
  const draw = () => drawPicture(drawn, shown, captionOf(table, tree.current.ply, tree.current.move));
  const png = () => pngFile(draw());
  const image = h('img', { class: 'preview', alt: t('share.preview') });
  const show = async () => {
    const blob = await png();
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(blob);
  };
  const onchange = (/** @type {Event} */ event) => {
    settings.set('caption', /** @type {HTMLInputElement} */ (event.target).checked);
    show();
  };
  const tick = h('input', { type: 'checkbox', checked: settings.get('caption', true), onchange });
  const copy = copyButton('copy-picture', () =>
    navigator.clipboard.write([new ClipboardItem({ 'image/png': png() })]),
  );
  copy.title = t('share.copy-picture');
  show();
  const buttons = [
    'ClipboardItem' in window && navigator.clipboard ? copy : null,
    saveButton('PNG', `${tree.game}.png`, png),
    saveButton('SVG', `${tree.game}.svg`, async () => svgFile(draw())),
    shareFileButton(`${tree.game}.png`, 'image/png', png),
  ];
  const caption = h('label', { class: 'checkbox' }, tick, t('share.caption'));
  return h('section', { class: 'picture' }, image, caption, h('div', { class: 'row' }, buttons));
}

/**
 * Build the part with the HTML code that embeds the game in another page.
 *
 * @param {Table} table
 * @param {string} base
 */
function embedPart({ tree, board }, base) {
  const code = (/** @type {string} */ theme) => {
    const { pieces = '', board: boardLook = '' } = document.documentElement.dataset;
    const query = new URLSearchParams({ theme, lang: language, board: boardLook, pieces });
    if (tree.flipped) query.set('view', 'b');
    const src = `${new URL(`embed.html?${query}`, base)}${addressOf(tree)}`;
    const height = Math.round(480 / board.shape) + 110;
    const style = `border:0;width:100%;max-width:480px;aspect-ratio:480/${height}`;
    const safe = src.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
    return `<iframe src="${safe}" title="${gameName(tree.game)}" style="${style}" loading="lazy"></iframe>`;
  };
  const field = copyField(t('share.code'), code('auto'), 'embed');
  const area = /** @type {HTMLTextAreaElement} */ (field.querySelector('textarea'));
  const onchange = (/** @type {Event} */ event) => {
    area.value = code(inputValue(event));
  };
  const themes = ['auto', 'light', 'dark'].map((theme) =>
    h('option', { value: theme }, t(`share.theme.${theme}`)),
  );
  const pick = h('select', { name: 'theme', onchange }, themes);
  return collapsible(
    'embed',
    t('share.embed'),
    h('p', { class: 'faint' }, t('share.embed.text')),
    h('label', { class: 'pace' }, t('share.theme'), pick),
    field,
  );
}

/**
 * Open the dialog for a game.
 *
 * @param {Table} table
 * @param {(tree: GameTree) => void} open
 */
export async function shareDialog(table, open) {
  const { tree, state } = table;
  const result = table.result();
  const written = request('records/write', {
    ...tree.requestAt(tree.tip),
    white: table.nameOf('w'),
    black: table.nameOf('b'),
    date: new Date().toISOString().slice(0, 10),
    ...(result &&
      OFF_BOARD_REASONS.has(result.reason) && { winner: result.winner ?? 'draw', reason: result.reason }),
  });
  const [{ text }, { base, reach }] = await Promise.all([written, publicAddress()]);
  const record = async () => new Blob([text], { type: 'text/plain' });
  const leave = new AbortController();
  const hiddenBox = h('div', { class: 'visually-hidden', 'aria-hidden': 'true' });
  const captions = (/** @type {number} */ ply, /** @type {string} */ turn) => captionOf(table, ply, turn);
  const fileButtons = (/** @type {Blob} */ file) => {
    const [name, make] = [`${tree.game}.gif`, async () => file];
    return [saveButton('GIF', name, make), shareFileButton(name, file.type, make)];
  };
  const box = dialog(
    t('share.title'),
    t('action.close'),
    hiddenBox,
    h('div', { class: 'picture' }),
    copyField(t('share.link'), base + location.hash, 'link'),
    reach ? h('p', { class: 'faint reach-note' }, t(`share.${reach}`)) : null,
    tree.current.parent
      ? collapsible(
          'animation',
          t('share.animation'),
          animationPart(table, hiddenBox, captions, leave.signal, fileButtons),
        )
      : null,
    collapsible(
      'record',
      t('share.record'),
      copyField(t('share.position'), state.position, 'position'),
      copyField(t('share.record'), text, 'record'),
      h('div', { class: 'row' }, saveButton(t('share.download'), `${tree.game}.txt`, record)),
    ),
    embedPart(table, base),
    importPart(tree, (imported) => {
      box.close();
      open(imported);
    }),
  );
  box.addEventListener('close', () => leave.abort());
  // The picture copies computed styles, hence the dialog must be in the page.
  getElement('.picture', box).replaceWith(picturePart(table, hiddenBox));
}

/**
 * Build the part that imports a pasted position or record.
 *
 * @param {GameTree} tree the game of a pasted position
 * @param {(tree: GameTree) => void} open
 */
function importPart({ game, options }, open) {
  const label = t('share.paste');
  const given = { name: 'paste', 'aria-label': label, placeholder: label };
  const area = h('textarea', { ...given, rows: '4', spellcheck: 'false' });
  const errorText = h('p', { class: 'message', role: 'alert' });
  const read = async () => {
    const text = area.value.trim();
    errorText.textContent = text ? '' : t('share.nothing');
    if (!text) return;
    try {
      open(await readPasted(text, game, options));
    } catch (error) {
      if (error instanceof Error) errorText.textContent = error.message;
    }
  };
  const opens = h('div', { class: 'row end' }, button(t('share.open'), null, read, { cls: 'open' }));
  return collapsible('import', t('share.import'), area, errorText, opens);
}

/**
 * Read pasted text: records, or a position, which is a record without moves.
 *
 * @param {string} text
 * @param {string} game
 * @param {Record<string, string>} options
 */
async function readPasted(text, game, options) {
  const { records, problems } = await request('records/read', { text, game, options });
  const [record] = records;
  if (!record) throw new Error(problems.length ? t('share.problem', { ...problems[0] }) : t('share.nothing'));
  const { white, black, turns, result } = record;
  const resigned = result?.reason !== 'resigned' ? null : result.winner === 'w' ? 'b' : 'w';
  const isSpecific = turns.length > 0 || white !== '?' || black !== '?';
  const names = isSpecific ? { w: white, b: black } : null;
  return new GameTree({ ...record, mode: 'study', resigned, names }).addMoves(turns, null);
}
