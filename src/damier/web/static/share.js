// Taking a game elsewhere: its address, its position, its record; and bringing one in.

import { ask } from './api.js';
import { button, dialog, h } from './dom.js';
import { t } from './i18n.js';
import { Tale } from './tale.js';

function copyField(label, text, name) {
  const box = h(text.includes('\n') ? 'textarea' : 'input', { readonly: true, name, rows: text.includes('\n') ? '7' : null, 'aria-label': label, value: text });
  const copy = button(t('share.copy'), null, async () => {
    box.select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      document.execCommand('copy');
    }
    copy.textContent = t('share.copied');
  }, {});
  return h('div', { class: 'copy' }, h('span', {}, label), box, copy);
}

export async function shareDialog(table, open) {
  const { tale, state } = table;
  const result = table.result();
  const { text } = await ask('records/write', {
    ...tale.requestAt(tale.tip),
    white: table.nameOf('w'),
    black: table.nameOf('b'),
    date: new Date().toISOString().slice(0, 10),
    ...(result?.reason === 'resigned' ? { winner: result.winner, reason: 'resigned' } : {}),
  });
  const file = h('a', { class: 'button', download: `${tale.game}.txt`, href: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}` }, t('share.download'));
  const box = dialog(t('share.title'), t('action.close'),
    copyField(t('share.link'), location.href, 'link'),
    copyField(t('share.position'), state.position, 'position'),
    copyField(t('share.record'), text, 'record'),
    h('div', { class: 'row' }, file),
    importPart(tale.game, tale.options, (found) => {
      box.close();
      open(found);
    }));
}

// A place to paste a position or a record.
export function importPart(game, options, open) {
  const area = h('textarea', { rows: '4', name: 'paste', 'aria-label': t('share.paste'), placeholder: t('share.paste'), spellcheck: 'false' });
  const said = h('p', { class: 'why', role: 'alert' });
  const read = async () => {
    const text = area.value.trim();
    if (!text) return;
    try {
      open(await readPasted(text, game, options));
    } catch (error) {
      said.textContent = error.message;
    }
  };
  return h('section', { class: 'import' }, h('h3', {}, t('share.import')), area, said, h('div', { class: 'row end' }, button(t('share.open'), null, read, { cls: 'open' })));
}

async function readPasted(text, game, options) {
  if (!text.startsWith('[') && /^[wb.#]+\//.test(text)) {
    const tale = new Tale({ game, options, start: text, mode: 'study' });
    await ask('state', tale.request);
    return tale;
  }
  const { records, problems } = await ask('records/read', { text, game });
  if (!records.length) {
    const [first] = problems;
    throw new Error(first ? t('share.problem', first) : t('share.nothing'));
  }
  const [found] = records;
  const tale = new Tale({ game: found.game, options: found.options, start: found.start, mode: 'study' });
  tale.names = { w: found.white, b: found.black };
  return tale.follow(found.turns, null);
}
