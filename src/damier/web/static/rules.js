// A game's rules: text and diagrams from the rulebook, and small positions to try in place.

import { describe } from './address.js';
import { ask, gameNamed } from './api.js';
import { choiceButton, endButton } from './asking.js';
import { Board } from './board.js';
import { button, h, icon, one } from './dom.js';
import { nameOf, t, tg } from './i18n.js';
import { inline, markdown } from './markdown.js';
import { Tale } from './tale.js';
import { Walker } from './walker.js';
import { label } from './worth.js';

/** @import { Place } from './address.js' */
/** @import { Named } from './board.js' */
/** @import { Actions } from './main.js' */

/**
 * @param {Named} game
 * @param {Api.DiagramOut} part
 */
function diagram(game, part) {
  const newBoard = (/** @type {boolean} */ still) => {
    const made = new Board(part.board, game, { label: t('board.label', { game: nameOf(game.name) }), still });
    made.element.classList.add('coordinates');
    made.show(part.cells, false);
    return made;
  };
  const board = newBoard(!part.tries.length);
  board.mark({ last: part.marked, arrows: part.arrows.map(([from, to]) => ({ from, to, kind: 'best' })) });
  const study = new Tale({ game: game.name, options: part.options, start: part.position, mode: 'study' });
  const row = h('div', { class: 'row' });
  const side = h('span', { class: 'side' }, t('rules.side', { side: t(`side.${part.side}`) }));
  const caption = h('figcaption', {}, side, ' ', inline(part.caption), row);
  const box = h('figure', { class: 'diagram' }, board.element, caption);
  if (part.tries.length) tryOut(game.name, part, board, box);
  else {
    const here = button(t('rules.here'), 'play', () => {
      const live = newBoard(false);
      board.element.replaceWith(live.element);
      here.disabled = true; // it stays: a second click must not press what would take its place
      live.button(live.stop).focus({ preventScroll: true });
      tryOut(game.name, part, live, box);
    });
    row.append(here);
  }
  row.append(h('a', { class: 'button', href: describe(study) }, t('rules.open')));
  return box;
}

/**
 * The reader plays a turn; where one is to be found, it is one of those that the rulebook names.
 *
 * @param {string} game
 * @param {Api.DiagramOut} part
 * @param {Board} board
 * @param {HTMLElement} box
 */
async function tryOut(game, part, board, box) {
  const said = h('p', { class: 'said', role: 'status' });
  const row = h('div', { class: 'row' });
  box.append(said, row);
  const { tries, options } = part;
  const start = { game, options, start: part.position, turns: [] };
  const walker = new Walker(await ask('state', start), {
    more: async (begun) => (await ask('state', { ...start, begun })).steps,
    done: (turn) => {
      const right = tries.includes(turn);
      said.textContent = t(!tries.length ? 'rules.played' : right ? 'rules.right' : 'rules.wrong', { turn });
      box.classList.toggle('right', right);
    },
    change: () => draw(),
  });
  const solve = () => {
    said.textContent = t('rules.solution.is', { turn: tries.join(' · ') });
  };
  const again = () => {
    walker.reset();
    said.textContent = t('rules.try');
    draw();
  };
  const draw = () => {
    board.show(walker.marks, true, walker.last);
    board.mark(walker.view);
    const end = endButton(walker, () => walker.end && walker.take(walker.end));
    row.replaceChildren(
      ...(walker.choice ?? []).map((node) => choiceButton(game, node, walker)),
      ...(end ? [end] : []),
      button(t('rules.again'), 'restart', again, { cls: 'quiet' }),
      ...(tries.length ? [button(t('rules.solution'), null, solve, { cls: 'quiet' })] : []),
    );
  };
  board.onCell = (cell) => walker.click(cell);
  board.onDrop = (a, b) => walker.drop(a, b);
  board.canDrag = (cell) => walker.origins.has(cell);
  again();
}

/**
 * The rulebook names options as they are typed in a terminal, and rules by number for programmers:
 * here both are in the words of the page.
 *
 * @param {string} text
 * @param {Api.GameOut} game
 */
function inWords(text, { name: game, options, presets }) {
  /**
   * @param {string} line
   * @param {string | undefined} about the option whose values the line lists
   */
  const line = (line, about) =>
    line.replace(/`(\w+)(?:=([^`]+))?`/g, (whole, key, value) => {
      const size = /^\d+x\d+$/.test(value ?? key) ? (value ?? key).replace('x', '\u00a0×\u00a0') : null;
      if (size && value === undefined) return size;
      if (value === undefined && key in presets) return `**${tg(game, `preset.${key}`, {}, key)}**`;
      if (!options.some(({ name }) => name === key)) return whole;
      const option = tg(game, `option.${key}`, {}, key);
      if (value === undefined) return `**${option}**`;
      const said = size ?? tg(game, `option.${key}.${value}`, {}, value);
      return `**${about === key ? said : t('rules.option', { option, value: said })}**`;
    });
  return text
    .replace(/\b[A-Z]{2}-(\d+)\b/g, '$1')
    .split('\n')
    .map((one) => line(one, /^ *- `(\w+)[=`]/.exec(one)?.[1]))
    .join('\n');
}

/** @param {Api.RulesOut} page */
function worth({ game, worth: known }) {
  const text = known ? t('rules.worth.known', { value: label(known) }) : t('rules.worth.unknown');
  const look = h('a', { class: 'button', href: `#/play/${game}?mode=study` }, t('rules.worth.look'));
  return h(
    'section',
    {},
    h('h2', {}, t('rules.worth')),
    h('p', {}, `${text} ${tg(game, 'worth', {}, '')}`),
    h('div', { class: 'row' }, look),
  );
}

/**
 * @param {Place} found
 * @param {Actions} actions
 */
export async function rulesPage(found, actions) {
  const page = await ask(`rules/${encodeURIComponent(found.game)}`);
  const game = await gameNamed(page.game);
  if (!game) throw new Error(page.game);
  const games = page.games.map((name) => {
    const current = name === page.game ? 'page' : null;
    return h('a', { href: `#/rules/${name}`, 'aria-current': current }, nameOf(name));
  });
  const contents = page.sections.map(({ key, title }) => {
    const onclick = (/** @type {Event} */ event) => {
      event.preventDefault();
      one(`#s-${key}`, article).scrollIntoView();
      one(`#s-${key} h2`, article).focus();
    };
    return h('a', { href: location.hash, onclick }, title);
  });
  const sections = page.sections.map(({ key, title, parts }) =>
    h(
      'section',
      { id: `s-${key}` },
      h('h2', { tabindex: '-1' }, title),
      parts.map((part) => (typeof part === 'string' ? markdown(inWords(part, game)) : diagram(game, part))),
    ),
  );
  const play = t('home.play', { game: nameOf(page.game) });
  const article = h(
    'article',
    { class: `rules ${page.game}` },
    h('h1', {}, page.title),
    h('div', { class: 'opening' }, markdown(page.opening)),
    h(
      'div',
      { class: 'row' },
      button(play, 'play', () => actions.begin(page.game), { cls: 'main' }),
      game.lessons
        ? h('a', { class: 'button', href: `#/learn/${page.game}` }, icon('hint'), t('lesson.by-doing'))
        : null,
    ),
    h('nav', { class: 'toc', 'aria-label': t('rules.contents') }, contents),
    sections,
    worth(page),
  );
  const links = h('nav', { class: 'games', 'aria-label': t('rules.games') }, games);
  return { element: h('div', { class: 'book' }, links, article), leave() {} };
}
