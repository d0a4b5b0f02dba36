// The list of turns with its branches, the way through it, and the place to type a turn.

import { button, h } from './dom.js';
import { t } from './i18n.js';

export function moveList(table) {
  const { panel, tale } = table;
  if (!panel.firstChild) build(table);
  const list = panel.querySelector('.turns');
  const items = [];
  walk(tale.root, table, items);
  list.replaceChildren(...(items.length ? items : [h('p', { class: 'faint' }, t('moves.none'))]));
  showHere(panel);
  const [first, prev, next, last] = panel.querySelectorAll('.ways button');
  first.disabled = prev.disabled = !tale.at.up;
  next.disabled = last.disabled = !tale.at.kids.length;
  panel.querySelector('.typed input').disabled = !table.canAct();
}

// The list alone is scrolled: on a phone the board would go out of sight with the page.
export function showHere(panel) {
  const list = panel.querySelector('.turns');
  const here = list.querySelector('[aria-current]');
  if (here) list.scrollTop = Math.max(Math.min(list.scrollTop, here.offsetTop), here.offsetTop + here.offsetHeight - list.clientHeight);
}

function walk(node, table, items) {
  let here = node;
  while (here.kids.length) {
    const [main, ...others] = here.kids;
    items.push(turn(main, table));
    for (const other of others) {
      const branch = [turn(other, table)];
      walk(other, table, branch);
      items.push(h('span', { class: 'branch' }, '(', branch, ')'));
    }
    here = main;
  }
}

function turn(node, table) {
  const { tale, study } = table;
  const fault = study?.faults?.find((f) => f.node === node);
  const mark = { blunder: '??', mistake: '?', slip: '?!' }[fault?.kind] ?? '';
  return h('button', {
    type: 'button', class: `turn${fault ? ` ${fault.kind}` : ''}`, 'aria-current': node === tale.at ? 'step' : null,
    onclick: () => table.go(node),
  }, h('span', { class: 'ply' }, `${node.ply}.`), node.turn, mark ? h('span', { class: 'mark' }, mark) : null);
}

function build(table) {
  const { panel, tale, study } = table;
  const ways = h('div', { class: 'ways' },
    button(t('moves.first'), 'first', () => table.go(tale.root), { quiet: true }),
    button(t('moves.prev'), 'prev', () => table.go(tale.at.up), { quiet: true }),
    button(t('moves.next'), 'next', () => table.go(tale.at.kids[0]), { quiet: true }),
    button(t('moves.last'), 'last', () => table.go(tale.tip), { quiet: true }));
  const input = h('input', { type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', maxlength: '200', placeholder: t('moves.typed'), 'aria-label': t('moves.typed') });
  const typed = h('form', { class: 'typed', onsubmit: async (event) => {
    event.preventDefault();
    if (await table.typed(input.value)) input.value = '';
    input.focus();
  } }, input, button(t('moves.play'), 'check', () => typed.requestSubmit(), { quiet: true }));
  const turns = h('div', { class: 'turns', role: 'group', 'aria-label': t('moves.label') });
  if (study) panel.append(study.list, study.graph, study.reviewed, ways, turns, typed);
  else panel.append(turns, ways, typed);
}
