// Taking a game elsewhere: its address, its position, its record; and bringing one in.

import { ask } from './api.js';
import { button, dialog, h } from './dom.js';
import { t } from './i18n.js';
import { Tale } from './tale.js';

/** @import { Table } from './play.js' */

/**
 * @param {string} label
 * @param {string} text
 * @param {string} name
 */
function copyField(label, text, name) {
  const given = { readonly: true, name, 'aria-label': label, value: text };
  const box = text.includes('\n') ? h('textarea', { ...given, rows: '7' }) : h('input', given);
  const copy = button(t('share.copy'), null, async () => {
    box.select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      document.execCommand('copy');
    }
    copy.textContent = t('share.copied');
  });
  return h('div', { class: 'copy' }, h('span', {}, label), box, copy);
}

const DRAWN = ['display', 'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'opacity'];
const ASKED = '.source, .target, .take, .value, .pointer'; // what is said to the player, not of the game
const WRITTEN = ['font-family', 'font-size', 'font-weight', 'text-anchor'];

/**
 * A drawing that needs no style sheet, as the address of a file.
 *
 * @param {SVGSVGElement} svg
 */
function picture(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const [shown, made] = [svg, copy].map((root) => [...root.querySelectorAll('*')]);
  for (const [k, element] of shown.entries()) {
    const style = getComputedStyle(element);
    const names = element instanceof SVGTextElement ? [...DRAWN, ...WRITTEN] : DRAWN;
    made[k].removeAttribute('style');
    for (const name of names) made[k].setAttribute(name, style.getPropertyValue(name));
    if (style.transform !== 'none') made[k].setAttribute('transform', style.transform);
  }
  for (const mark of copy.querySelectorAll(ASKED)) mark.remove();
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const text = new XMLSerializer().serializeToString(copy);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

/**
 * @param {Table} table
 * @param {(tale: Tale) => void} open
 */
export async function shareDialog(table, open) {
  const { tale, state } = table;
  const result = table.result();
  const { text } = await ask('records/write', {
    ...tale.requestAt(tale.tip),
    white: table.nameOf('w'),
    black: table.nameOf('b'),
    date: new Date().toISOString().slice(0, 10),
    ...(result?.reason === 'resigned' && { winner: result.winner, reason: 'resigned' }),
  });
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  const file = h('a', { class: 'button', download: `${tale.game}.txt`, href }, t('share.download'));
  const drawn = { download: `${tale.game}.svg`, href: picture(table.board.svg) };
  const image = h('a', { class: 'button', ...drawn }, t('share.picture'));
  const here = /^(localhost|127\.|\[::1\])/.test(location.hostname);
  const box = dialog(
    t('share.title'),
    t('action.close'),
    copyField(t('share.link'), location.href, 'link'),
    here ? h('p', { class: 'faint local' }, t('share.local')) : null,
    copyField(t('share.position'), state.position, 'position'),
    copyField(t('share.record'), text, 'record'),
    h('div', { class: 'row' }, file, image),
    importPart(tale, (found) => {
      box.close();
      open(found);
    }),
  );
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
  return h('section', { class: 'import' }, h('h3', {}, t('share.import')), area, said, opens);
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
  const tale = new Tale({ game: found.game, options: found.options, start: found.start, mode: 'study' });
  const { white, black, turns } = found;
  if (turns.length || white !== '?' || black !== '?') tale.names = { w: white, b: black };
  return tale.follow(turns, null);
}
