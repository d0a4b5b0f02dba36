// Renderer of the subset of Markdown used in the rulebook.

import { h } from '../core/dom.js';

const INLINE_MARKUP = /(\*\*.+?\*\*|`[^`]+`|\*[^*]+\*|\[[^\]]+\]\([^)\s]+\))/;

/**
 * Render inline markup.
 *
 * @param {string} text
 * @returns {(HTMLElement | string)[]}
 */
export function inline(text) {
  return text.split(INLINE_MARKUP).filter(Boolean).map(inlineElement);
}

/**
 * Render one piece of text with or without markup.
 *
 * @param {string} text
 */
function inlineElement(text) {
  const link = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(text);
  if (text.startsWith('**')) return h('strong', {}, inline(text.slice(2, -2)));
  if (text.startsWith('`')) return h('code', {}, text.slice(1, -1));
  if (/^\*[^*]/.test(text)) return h('em', {}, inline(text.slice(1, -1)));
  if (!link) return text;
  return /^(https?:|#)/.test(link[2]) ? h('a', { href: link[2], rel: 'noreferrer' }, link[1]) : link[1];
}

/**
 * Render a text as block elements.
 *
 * @param {string} text
 */
export function markdown(text) {
  /** @type {HTMLElement[]} */
  const elements = [];
  for (const block of text.split(/\n\s*\n/)) {
    const lines = block.split('\n').filter((line) => line.trim());
    const heading = /^(#{3,5}) (.*)$/.exec(lines[0] ?? '');
    if (heading) {
      const tag = /** @type {'h3' | 'h4' | 'h5'} */ (`h${heading[1].length}`);
      elements.push(h(tag, {}, inline(heading[2])));
      lines.shift();
    }
    if (!lines.length) continue;
    if (/^\|/.test(lines[0])) elements.push(table(lines));
    else if (/^([-*]|\d+\.) /.test(lines[0])) elements.push(list(lines));
    else elements.push(h('p', {}, inline(lines.join(' '))));
  }
  return elements;
}

const ITEM = /^([-*]|\d+\.) (.*)$/;

/**
 * Build a list. Indented lines continue an item, or are a list inside it.
 *
 * @param {string[]} lines
 * @returns {HTMLElement}
 */
function list(lines) {
  /** @type {{ text: string, inner: string[] }[]} */
  const items = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    const last = items.at(-1);
    if (item) items.push({ text: item[2], inner: [] });
    else if (last && (last.inner.length || ITEM.test(line.trim()))) last.inner.push(line);
    else if (last) last.text += ` ${line.trim()}`;
  }
  return h(
    /^\d/.test(lines[0]) ? 'ol' : 'ul',
    {},
    items.map(({ text, inner }) => h('li', {}, inline(text), inner.length ? list(outdented(inner)) : null)),
  );
}

/**
 * Remove the indentation of the first line from all lines.
 *
 * @param {string[]} lines
 */
function outdented(lines) {
  const indent = lines[0].length - lines[0].trimStart().length;
  return lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)));
}

/**
 * Render a table.
 *
 * @param {string[]} lines
 */
function table(lines) {
  /**
   * @param {string} line
   * @param {'th' | 'td'} tag
   */
  const row = (line, tag) => {
    const cells = line.replace(/^\||\|$/g, '').split('|');
    return h(
      'tr',
      {},
      cells.map((cell) => h(tag, {}, inline(cell.trim()))),
    );
  };
  const [head, , ...rows] = lines;
  const body = rows.map((line) => row(line, 'td'));
  const element = h('table', {}, h('thead', {}, row(head, 'th')), h('tbody', {}, body));
  return h('div', { class: 'scroll', tabindex: '0', role: 'group' }, element);
}
