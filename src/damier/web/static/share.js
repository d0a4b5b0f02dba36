// Taking a game elsewhere: its address, picture, animation, record; and bringing one in.

import { describe } from './address.js';
import { animationPart } from './animation.js';
import { ask, gameList } from './api.js';
import { button, dialog, h, one, saving, typedIn } from './dom.js';
import { language, nameOf, t } from './i18n.js';
import { picture, pngFile, sketch, svgFile } from './picture.js';
import { settings } from './store.js';
import { Tale } from './tale.js';

/** @import { Caption } from './picture.js' */
/** @import { Table } from './play.js' */
/** @import { Children } from './dom.js' */

// Ends that no position shows.
const AGREED = new Set(['resigned', 'agreed', 'time', 'abandoned', 'length']);

/**
 * A button that says for a while whether something was copied.
 *
 * @param {string} cls
 * @param {() => Promise<unknown>} copies
 */
function copying(cls, copies) {
  const says = (/** @type {string} */ key) => made.replaceChildren(h('span', {}, t(key)));
  const copy = async () => {
    const failed = await copies().then(
      () => '',
      () => 'share.failed',
    );
    says(failed || 'share.copied');
    setTimeout(() => says('share.copy'), 2500);
  };
  const made = button(t('share.copy'), null, copy, { cls });
  return made;
}

/**
 * @param {string} label
 * @param {string} text
 * @param {string} name
 */
export function copyField(label, text, name) {
  const given = { readonly: true, name, 'aria-label': label, value: text };
  const rows = name === 'embed' ? '4' : text.includes('\n') ? '7' : '';
  const box = rows ? h('textarea', { ...given, rows }) : h('input', given);
  const copy = copying('copy-text', async () => {
    box.select();
    // An address without https has no clipboard, but the old way.
    if (navigator.clipboard) await navigator.clipboard.writeText(box.value);
    else document.execCommand('copy');
  });
  return h('div', { class: 'copy' }, h('span', {}, label), box, copy);
}

/**
 * A file to hand to another program of a phone, where that can be.
 *
 * @param {string} name
 * @param {string} type
 * @param {() => Promise<Blob>} make
 */
function handing(name, type, make) {
  const fileOf = (/** @type {BlobPart[]} */ parts) => new File(parts, name, { type });
  if (!navigator.canShare?.({ files: [fileOf(['x'])] })) return null;
  const hand = async () => {
    const files = [fileOf([await make()])];
    await navigator.share({ files }).catch(() => {}); // given up by who was asked where to
  };
  return button(t('share.send'), 'share', hand, { cls: 'send' });
}

/**
 * An address to hand to another program of a phone, where that can be.
 *
 * @param {string} url
 */
export function handingText(url) {
  if (!navigator.canShare?.({ url })) return null;
  const hand = () => navigator.share({ url }).catch(() => {});
  return button(t('share.send'), 'share', hand, { cls: 'send' });
}

/**
 * A part of the dialog that is opened when it is wanted.
 *
 * @param {string} cls
 * @param {string} title
 * @param {...Children} content
 */
const folded = (cls, title, ...content) =>
  h('details', { class: `folded ${cls}`, name: 'share' }, h('summary', {}, title), ...content);

// Addresses that nobody finds from elsewhere: this machine's own, and those inside a network.
const HERE = /(^|\.)localhost$|^127\.|^\[::1\]$|^0\.0\.0\.0$/;
const NEAR =
  /^(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)(\.\d+)+$|^\[f[cde]|^[^.[]+$|\.(local|lan|home|internal)$/;

/** @param {string} host */
export const reach = (host) => (HERE.test(host) ? 'local' : NEAR.test(host) ? 'network' : '');

/**
 * What a picture says below the board: the game and how far it has got, and who plays.
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
  return [`${nameOf(table.tale.game)} · ${far}`, names];
}

/**
 * @param {Table} table
 * @param {HTMLElement} unseen where boards are drawn
 */
function picturePart(table, unseen) {
  const { tale, state, board, marks } = table;
  const how = { flipped: tale.flipped, coordinates: settings.get('coordinates', true) };
  const drawn = sketch(unseen, state.board, board.game, how);
  const { last, taken, pattern, resting, barred } = board.view; // not what a player is asked
  const shown = { marks, view: { last, taken, pattern, resting, barred } };
  const made = () => picture(drawn, shown, captionOf(table, tale.at.ply, tale.at.turn));
  const png = () => pngFile(made());
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
  const copy = copying('copy-picture', () =>
    navigator.clipboard.write([new ClipboardItem({ 'image/png': png() })]),
  );
  copy.title = t('share.copy-picture');
  show();
  const buttons = [
    'ClipboardItem' in window && navigator.clipboard ? copy : null,
    saving('PNG', `${tale.game}.png`, png),
    saving('SVG', `${tale.game}.svg`, async () => svgFile(made())),
    handing(`${tale.game}.png`, 'image/png', png),
  ];
  const caption = h('label', { class: 'tick' }, tick, t('share.caption'));
  return h('section', { class: 'picture' }, image, caption, h('div', { class: 'row' }, buttons));
}

/**
 * The lines of HTML that show a game on a page elsewhere.
 *
 * @param {Table} table
 * @param {string} base
 */
function embedPart({ tale, board }, base) {
  const code = (/** @type {string} */ theme) => {
    const { pieces = '', board: made = '' } = document.documentElement.dataset;
    const asked = new URLSearchParams({ theme, lang: language, board: made, pieces });
    if (tale.flipped) asked.set('view', 'b');
    const src = `${new URL(`embed.html?${asked}`, base)}${describe(tale)}`;
    const height = Math.round(480 / board.shape) + 110;
    const style = `border:0;width:100%;max-width:480px;aspect-ratio:480/${height}`;
    const safe = src.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
    return `<iframe src="${safe}" title="${nameOf(tale.game)}" style="${style}" loading="lazy"></iframe>`;
  };
  const field = copyField(t('share.code'), code('auto'), 'embed');
  const area = /** @type {HTMLTextAreaElement} */ (field.querySelector('textarea'));
  const onchange = (/** @type {Event} */ event) => {
    area.value = code(typedIn(event));
  };
  const themes = ['auto', 'light', 'dark'].map((theme) =>
    h('option', { value: theme }, t(`share.theme.${theme}`)),
  );
  const pick = h('select', { name: 'theme', onchange }, themes);
  return folded(
    'embed',
    t('share.embed'),
    h('p', { class: 'faint' }, t('share.embed.text')),
    h('label', { class: 'pace' }, t('share.theme'), pick),
    field,
  );
}

/**
 * @param {Table} table
 * @param {(tale: Tale) => void} open
 */
export async function shareDialog(table, open) {
  const { tale, state } = table;
  const result = table.result();
  const written = ask('records/write', {
    ...tale.requestAt(tale.tip),
    white: table.nameOf('w'),
    black: table.nameOf('b'),
    date: new Date().toISOString().slice(0, 10),
    ...(result && AGREED.has(result.reason) && { winner: result.winner ?? 'draw', reason: result.reason }),
  });
  const [{ text }, { public: known }] = await Promise.all([written, gameList()]);
  const record = async () => new Blob([text], { type: 'text/plain' });
  const base = known ?? new URL('.', location.href).href;
  const reached = known ? '' : reach(location.hostname);
  const leave = new AbortController();
  const unseen = h('div', { class: 'unseen', 'aria-hidden': 'true' });
  const captions = (/** @type {number} */ ply, /** @type {string} */ turn) => captionOf(table, ply, turn);
  const offer = (/** @type {Blob} */ file) => {
    const [name, make] = [`${tale.game}.gif`, async () => file];
    return [saving('GIF', name, make), handing(name, file.type, make)];
  };
  const box = dialog(
    t('share.title'),
    t('action.close'),
    unseen,
    h('div', { class: 'picture' }),
    copyField(t('share.link'), base + location.hash, 'link'),
    reached ? h('p', { class: 'faint local' }, t(`share.${reached}`)) : null,
    tale.at.up
      ? folded('animation', t('share.animation'), animationPart(table, unseen, captions, leave.signal, offer))
      : null,
    folded(
      'record',
      t('share.record'),
      copyField(t('share.position'), state.position, 'position'),
      copyField(t('share.record'), text, 'record'),
      h('div', { class: 'row' }, saving(t('share.download'), `${tale.game}.txt`, record)),
    ),
    embedPart(table, base),
    importPart(tale, (found) => {
      box.close();
      open(found);
    }),
  );
  box.addEventListener('close', () => leave.abort());
  // Drawn where style sheets reach it, which is when the dialog is there.
  one('.picture', box).replaceWith(picturePart(table, unseen));
}

/**
 * A place to paste a position or a record.
 *
 * @param {Tale} tale the game that a position is of
 * @param {(tale: Tale) => void} open
 */
function importPart({ game, options }, open) {
  const label = t('share.paste');
  const given = { name: 'paste', 'aria-label': label, placeholder: label };
  const area = h('textarea', { ...given, rows: '4', spellcheck: 'false' });
  const said = h('p', { class: 'why', role: 'alert' });
  const read = async () => {
    const text = area.value.trim();
    said.textContent = text ? '' : t('share.nothing');
    if (!text) return;
    try {
      open(await readPasted(text, game, options));
    } catch (error) {
      if (error instanceof Error) said.textContent = error.message;
    }
  };
  const opens = h('div', { class: 'row end' }, button(t('share.open'), null, read, { cls: 'open' }));
  return folded('import', t('share.import'), area, said, opens);
}

/**
 * The server says what the text is: records, or a position, which is a record without turns.
 *
 * @param {string} text
 * @param {string} game
 * @param {Record<string, string>} options
 */
async function readPasted(text, game, options) {
  const { records, problems } = await ask('records/read', { text, game, options });
  const [found] = records;
  if (!found) throw new Error(problems.length ? t('share.problem', { ...problems[0] }) : t('share.nothing'));
  const { white, black, turns, result } = found;
  const resigned = result?.reason !== 'resigned' ? null : result.winner === 'w' ? 'b' : 'w';
  const tale = new Tale({ ...found, mode: 'study', resigned });
  if (turns.length || white !== '?' || black !== '?') tale.names = { w: white, b: black };
  return tale.follow(turns, null);
}
