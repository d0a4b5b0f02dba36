// The list of turns, White's beside Black's, with its branches; the way through it; and the place to
// type a turn, which is never disabled: the focus would be lost, and letters typed on would be taken
// for shortcuts.

import { button, h, one } from './dom.js';
import { t } from './i18n.js';

/** @import { Table } from './play.js' */
/** @import { Node } from './tale.js' */

const MARKS = { blunder: '??', mistake: '?', inaccuracy: '?!', missed: '=', late: '' };

/** @param {Table} table */
export function moveList(table) {
  const { panel, tale } = table;
  if (!panel.firstChild) build(table);
  const items = walk(tale.root, table);
  const none = h('p', { class: 'faint' }, t('moves.none'));
  const list = one('.turns', panel);
  const had = list.contains(document.activeElement);
  list.replaceChildren(...(items.length ? [...sides(), ...items] : [none]));
  const here = had && list.querySelector('[aria-current]');
  if (here instanceof HTMLElement) here.focus({ preventScroll: true });
  if (panel.isConnected) showHere(panel);
  else requestAnimationFrame(() => showHere(panel)); // when it has its place on the page
  for (const [k, way] of table.element.querySelectorAll('.ways button').entries()) {
    way.toggleAttribute('disabled', k < 2 ? !tale.at.up : !tale.at.kids.length);
  }
}

/**
 * The list alone is scrolled: on a phone the board would go out of sight with the page.
 *
 * @param {HTMLElement} panel
 */
function showHere(panel) {
  const list = one('.turns', panel);
  const here = list.querySelector('[aria-current]');
  if (!(here instanceof HTMLElement)) return;
  const head = one('.side', list).offsetHeight; // it stays at the top
  const end = here.offsetTop + here.offsetHeight - list.clientHeight;
  list.scrollTop = Math.max(Math.min(list.scrollTop, here.offsetTop - head), end);
}

// Whose column is whose.
const sides = () =>
  /** @type {const} */ (['w', 'b']).map((side) =>
    h('span', { class: `side ${side}` }, h('i', { class: `dot ${side}` }), t(`side.${side}`)),
  );

/**
 * @param {Node} node
 * @param {Table} table
 */
function walk(node, table) {
  /** @type {HTMLElement[]} */
  const items = [];
  let here = node;
  while (here.kids.length) {
    const [main, ...others] = here.kids;
    items.push(turn(main, table));
    for (const other of others) {
      items.push(h('span', { class: 'branch' }, '(', [turn(other, table), ...walk(other, table)], ')'));
    }
    here = main;
  }
  return items;
}

/**
 * @param {Node} node
 * @param {Table} table
 */
function turn(node, table) {
  const fault = table.study?.faults?.find((f) => f.node === node);
  return h(
    'button',
    {
      type: 'button',
      class: `turn ${node.mover}${fault ? ` ${fault.kind}` : ''}`,
      'aria-current': node === table.tale.at ? 'step' : null,
      onclick: () => table.go(node),
    },
    h('span', { class: 'ply' }, `${node.ply}.`),
    node.turn,
    fault ? h('span', { class: 'mark' }, MARKS[fault.kind]) : null,
  );
}

/** @param {Table} table */
function build(table) {
  const { panel, tale, study } = table;
  const quiet = { quiet: true };
  const ways = h(
    'div',
    { class: 'ways' },
    button(t('moves.first'), 'first', () => table.go(tale.root), quiet),
    button(t('moves.prev'), 'prev', () => table.go(tale.at.up), quiet),
    button(t('moves.next'), 'next', () => table.go(tale.at.kids[0]), quiet),
    button(t('moves.last'), 'last', () => table.go(tale.tip), quiet),
  );
  const label = t('moves.typed');
  const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', maxlength: '200' };
  const input = h('input', { type: 'text', ...plain, placeholder: label, 'aria-label': label });
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const { value } = input;
    input.value = '';
    input.focus();
    if (!(await table.typed(value))) input.value ||= value; // to be mended, unless one typed on
  };
  const typed = h('form', { class: 'typed', onsubmit }, input);
  typed.append(button(t('moves.play'), 'check', () => typed.requestSubmit(), quiet));
  const turns = h('div', { class: 'turns', role: 'group', 'aria-label': t('moves.label') });
  if (study) {
    panel.append(study.list, study.graph, study.reviewed, turns, typed);
    table.stage.append(ways); // at hand while the page is scrolled
  } else panel.append(turns, ways, typed);
}
