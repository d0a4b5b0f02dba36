// A game's rules: text and diagrams from the rulebook, and small positions to try in place.

import { ask } from './api.js';
import { Board, readRows } from './board.js';
import { button, h } from './dom.js';
import { t } from './i18n.js';
import { describe } from './address.js';
import { label } from './study.js';
import { Tale } from './tale.js';
import { Walker } from './walker.js';

// The little of Markdown that the rulebook uses, as elements.
function inline(text) {
  const parts = [];
  for (const piece of text.split(/(\*\*.+?\*\*|`[^`]+`|\*[^*]+\*|\[[^\]]+\]\([^)\s]+\))/)) {
    if (!piece) continue;
    const link = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(piece);
    if (piece.startsWith('**')) parts.push(h('strong', {}, inline(piece.slice(2, -2))));
    else if (piece.startsWith('`')) parts.push(h('code', {}, piece.slice(1, -1)));
    else if (/^\*[^*]/.test(piece)) parts.push(h('em', {}, inline(piece.slice(1, -1))));
    else if (link) parts.push(/^(https?:|#)/.test(link[2]) ? h('a', { href: link[2], rel: 'noreferrer' }, link[1]) : link[1]);
    else parts.push(piece);
  }
  return parts;
}

export function markdown(text) {
  const found = [];
  for (const block of text.split(/\n\s*\n/)) {
    const lines = block.split('\n').filter((line) => line.trim());
    if (!lines.length) continue;
    const heading = /^(#{3,5}) (.*)$/.exec(lines[0]);
    if (heading) {
      found.push(h(`h${heading[1].length}`, {}, inline(heading[2])));
      lines.shift();
      if (!lines.length) continue;
    }
    if (/^\|/.test(lines[0])) found.push(table(lines));
    else if (/^([-*]|\d+\.) /.test(lines[0])) found.push(list(lines));
    else found.push(h('p', {}, inline(lines.join(' '))));
  }
  return found;
}

function list(lines) {
  const items = [];
  for (const line of lines) {
    const item = /^([-*]|\d+\.) (.*)$/.exec(line);
    if (item) items.push(item[2]);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return h(/^\d/.test(lines[0]) ? 'ol' : 'ul', {}, items.map((item) => h('li', {}, inline(item))));
}

function table(lines) {
  const cells = (line) => line.replace(/^\||\|$/g, '').split('|').map((c) => c.trim());
  const [head, , ...rows] = lines;
  return h('div', { class: 'scroll', tabindex: '0', role: 'group' }, h('table', {}, h('thead', {}, h('tr', {}, cells(head).map((c) => h('th', {}, inline(c))))), h('tbody', {}, rows.map((row) => h('tr', {}, cells(row).map((c) => h('td', {}, inline(c))))))));
}

function diagram(game, part) {
  const box = h('figure', { class: 'diagram' });
  const newBoard = (still) => {
    const made = new Board(part.board, { name: game, label: t('board.label', { game: t(`game.${game}`) }), still });
    made.element.classList.add('coordinates');
    return made;
  };
  const board = newBoard(!part.tries.length);
  const view = { last: part.marked, arrows: part.arrows.map(([a, b]) => [a, b, 'best']) };
  board.show(readRows(part.position, part.board), false);
  board.mark(view);
  const side = part.position.split(' ')[1];
  const open = h('a', { class: 'button', href: describe(new Tale({ game, options: part.options, start: part.position, mode: 'study' })) }, t('rules.open'));
  box.append(board.element, h('figcaption', {}, h('span', { class: 'side' }, t('rules.side', { side: t(`side.${side}`) })), ' ', inline(part.caption), h('div', { class: 'row' }, open)));
  if (part.tries.length) tryOut(game, part, board, box);
  else {
    const here = button(t('rules.here'), 'play', () => {
      const live = newBoard(false);
      board.element.replaceWith(live.element);
      here.remove();
      tryOut(game, part, live, box);
    });
    open.before(here);
  }
  return box;
}

// The reader plays a turn; where one is to be found, it is one of those that the rulebook names.
async function tryOut(game, part, board, box) {
  const said = h('p', { class: 'said', role: 'status' });
  const row = h('div', { class: 'row' });
  box.append(said, row);
  const start = { game, options: part.options, start: part.position, turns: [] };
  const state = await ask('state', start);
  const marks = readRows(part.position, part.board);
  let walker;
  const draw = () => {
    board.show(walker.marks);
    board.mark({ ...walker.view, arrows: [] });
    const buttons = [];
    for (const node of walker.choice ?? []) buttons.push(button(t(`choice.${node.by}`, { count: node.takes.length, cells: node.takes.join(', ') }), null, () => walker.take(node), { cls: 'choice' }));
    const end = walker.stop ?? walker.pass;
    if (end) buttons.push(button(t(walker.stop ? 'action.end-turn' : 'action.pass'), 'check', () => walker.take(end), { cls: 'main' }));
    buttons.push(button(t('rules.again'), 'restart', again, { cls: 'quiet' }));
    if (part.tries.length) buttons.push(button(t('rules.solution'), null, () => (said.textContent = t('rules.solution.is', { turn: part.tries.join(' · ') })), { cls: 'quiet' }));
    row.replaceChildren(...buttons);
  };
  const again = () => {
    walker = new Walker(state, marks, {
      more: async (begun) => (await ask('state', { ...start, begun })).steps,
      done: (turn) => {
        const right = part.tries.includes(turn);
        said.textContent = t(!part.tries.length ? 'rules.played' : right ? 'rules.right' : 'rules.wrong', { turn });
        box.classList.toggle('right', right);
      },
      change: draw,
    });
    said.textContent = t('rules.try');
    draw();
  };
  board.onCell = (cell) => walker.click(cell);
  board.onDrop = (a, b) => walker.drop(a, b);
  board.canDrag = (cell) => walker.origins.has(cell);
  again();
}

export async function rulesPage(found, actions) {
  const page = await ask(`rules/${encodeURIComponent(found.game)}`);
  const name = t(`game.${page.game}`);
  const links = h('nav', { class: 'games', 'aria-label': t('rules.games') }, page.games.map((game) => h('a', { href: `#/rules/${game}`, 'aria-current': game === page.game ? 'page' : null }, t(`game.${game}`))));
  const jump = (key) => (event) => {
    event.preventDefault();
    article.querySelector(`#s-${key}`).scrollIntoView();
    article.querySelector(`#s-${key} h2`).focus();
  };
  const toc = h('nav', { class: 'toc', 'aria-label': t('rules.contents') }, page.sections.map((section) => h('a', { href: location.hash, onclick: jump(section.key) }, section.title)));
  const article = h('article', { class: `rules ${page.game}` },
    h('h1', {}, page.title), h('div', { class: 'opening' }, markdown(page.opening)),
    h('div', { class: 'row' }, button(t('home.play', { game: name }), 'play', () => actions.begin(page.game), { cls: 'main' })), toc,
    page.sections.map((section) => h('section', { id: `s-${section.key}` }, h('h2', { tabindex: '-1' }, section.title), section.parts.map((part) => (typeof part === 'string' ? markdown(part) : diagram(page.game, part))))),
    h('section', {}, h('h2', {}, t('rules.worth')), h('p', {}, page.worth ? t('rules.worth.known', { value: label(page.worth) }) : t('rules.worth.unknown'), page.game === 'badia' ? ` ${t('rules.worth.badia')}` : null), h('div', { class: 'row' }, h('a', { class: 'button', href: `#/play/${page.game}?mode=study` }, t('rules.worth.look')))));
  return { element: h('div', { class: 'book' }, links, article), leave() {} };
}
