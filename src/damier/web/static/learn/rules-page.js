// Rules page: text and diagrams of the rulebook, and small positions to try.

import { Board } from '../board/board.js';
import { addressOf } from '../core/address.js';
import { findGame, request } from '../core/api.js';
import { button, getElement, h, icon } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { gameName, t, tg } from '../core/i18n.js';
import { BoardInput } from '../play/board-input.js';
import { moveInputButtons } from '../play/prompt-box.js';
import { valueText } from '../study/value-text.js';
import { inline, markdown } from './markdown.js';

/** @import { Address } from '../core/address.js' */
/** @import { BoardGame } from '../board/board.js' */
/** @import { Actions } from '../main.js' */

/**
 * Build a diagram of the rulebook.
 *
 * @param {BoardGame} game
 * @param {Api.RulesDiagram} part
 */
function diagram(game, part) {
  const newBoard = (/** @type {boolean} */ still) => {
    const created = new Board(part.board, game, {
      label: t('board.label', { game: gameName(game.name) }),
      still,
    });
    created.element.classList.add('coordinates');
    created.show(part.cells, false);
    return created;
  };
  const board = newBoard(!part.tries.length);
  board.mark({ last: part.marked, arrows: part.arrows.map(([from, to]) => ({ from, to, kind: 'best' })) });
  const study = new GameTree({ game: game.name, options: part.options, start: part.position, mode: 'study' });
  const row = h('div', { class: 'row' });
  const side = h('span', { class: 'side' }, t('rules.side', { side: t(`side.${part.side}`) }));
  const caption = h('figcaption', {}, side, ' ', inline(part.caption), row);
  const box = h('figure', { class: 'diagram' }, board.element, caption);
  if (part.tries.length) enableMoves(game.name, part, board, box);
  else {
    const here = button(t('rules.here'), 'play', () => {
      const live = newBoard(false);
      board.element.replaceWith(live.element);
      here.disabled = true; // it stays, so that a second click presses nothing else
      live.button(live.tabCell).focus({ preventScroll: true });
      enableMoves(game.name, part, live, box);
    });
    row.append(here);
  }
  row.append(h('a', { class: 'button', href: addressOf(study) }, t('rules.open')));
  return box;
}

/**
 * Let the reader play a move; in an exercise, it must be one of the moves in the rulebook.
 *
 * @param {string} game
 * @param {Api.RulesDiagram} part
 * @param {Board} board
 * @param {HTMLElement} box
 */
async function enableMoves(game, part, board, box) {
  const message = h('p', { class: 'feedback', role: 'status' });
  const row = h('div', { class: 'row' });
  box.append(message, row);
  const { tries, options } = part;
  const start = { game, options, start: part.position, turns: [] };
  const state = await request('state', start);
  const showMessage = (/** @type {string} */ text) => {
    message.textContent = text;
  };
  const input = new BoardInput({
    position: () => start,
    onMove: (turn) => {
      const right = tries.includes(turn);
      showMessage(t(!tries.length ? 'rules.played' : right ? 'rules.right' : 'rules.wrong', { turn }));
      box.classList.toggle('right', right);
    },
    onChange: () => draw(),
    onSelect: () => draw(),
    onRefused: showMessage,
    onError: (error) => showMessage(error instanceof Error ? error.message : ''),
    idle: { click: () => {}, canDrag: () => false, drag: () => {}, drop: () => {} },
  });
  const solve = () => showMessage(t('rules.solution.is', { turn: tries.join(' · ') }));
  const again = () => {
    input.begin(state);
    showMessage(t('rules.try'));
    draw();
  };
  const draw = () => {
    const { move } = input;
    if (!move) return;
    board.show(move.marks, true, move.last);
    board.mark(move.view);
    row.replaceChildren(
      ...moveInputButtons(game, move, board),
      button(t('rules.again'), 'restart', again, { cls: 'quiet' }),
      ...(tries.length ? [button(t('rules.solution'), null, solve, { cls: 'quiet' })] : []),
    );
  };
  input.attach(board);
  again();
}

/**
 * Replace the command-line names of options, and the numbers of rules, by the words of the page.
 *
 * @param {string} text
 * @param {Api.GameDescription} game
 */
function useOptionNames(text, { name: game, options, presets }) {
  /**
   * @param {string} line
   * @param {string | undefined} about the option whose values the line or table row lists, if any
   */
  const line = (line, about) =>
    line.replace(/`(\w+)(?:=([^`]+))?`/g, (match, key, value) => {
      const size = /^\d+x\d+$/.test(value ?? key) ? (value ?? key).replace('x', '\u00a0×\u00a0') : null;
      if (size && value === undefined) return size;
      if (value === undefined && key in presets) return `**${tg(game, `preset.${key}`, {}, key)}**`;
      if (!options.some(({ name }) => name === key)) return match;
      const option = tg(game, `option.${key}`, {}, key);
      if (value === undefined) return `**${option}**`;
      const valueName = size ?? tg(game, `option.${key}.${value}`, {}, value);
      return `**${about === key ? valueName : t('rules.option', { option, value: valueName })}**`;
    });
  return text
    .replace(/\b[A-Z]{2}-(\d+)\b/g, '$1')
    .split('\n')
    .map((textLine) => line(textLine, /^(?: *- `(?=\w+[=`])|\|.*?`(?=\w+=))(\w+)/.exec(textLine)?.[1]))
    .join('\n');
}

/**
 * Build the section on the value of the game with perfect play.
 *
 * @param {Api.RulesResponse} page
 */
function valueSection({ game, worth: gameValue }) {
  const known = gameValue?.bound ? 'open' : gameValue ? 'known' : 'unknown';
  const text = t(`rules.value.${known}`, gameValue ? { value: valueText(gameValue) } : {});
  const look = h('a', { class: 'button', href: `#/play/${game}?mode=study` }, t('rules.value.look'));
  return h(
    'section',
    {},
    h('h2', {}, t('rules.value')),
    h('p', {}, `${text} ${tg(game, 'worth', {}, '')}`),
    h(
      'div',
      { class: 'row' },
      look,
      h('a', { class: 'button', href: `#/lab/${game}` }, icon('chart'), t('lab')),
    ),
  );
}

/**
 * Build the rules page of a game.
 *
 * @param {Address} address
 * @param {Actions} actions
 */
export async function rulesPage(address, actions) {
  const page = await request(`rules/${encodeURIComponent(address.game)}`);
  const game = await findGame(page.game);
  if (!game) throw new Error(page.game);
  const games = page.games.map((name) => {
    const current = name === page.game ? 'page' : null;
    return h('a', { href: `#/rules/${name}`, 'aria-current': current }, gameName(name));
  });
  const contents = page.sections.map(({ key, title }) => {
    const onclick = (/** @type {Event} */ event) => {
      event.preventDefault();
      getElement(`#s-${key}`, article).scrollIntoView();
      getElement(`#s-${key} h2`, article).focus();
    };
    return h('a', { href: location.hash, onclick }, title);
  });
  const sections = page.sections.map(({ key, title, parts }) =>
    h(
      'section',
      { id: `s-${key}` },
      h('h2', { tabindex: '-1' }, title),
      parts.map((part) =>
        typeof part === 'string' ? markdown(useOptionNames(part, game)) : diagram(game, part),
      ),
    ),
  );
  const play = t('home.play', { game: gameName(page.game) });
  const article = h(
    'article',
    { class: `rules ${page.game}` },
    h('h1', {}, page.title),
    h('div', { class: 'opening' }, markdown(page.opening)),
    h(
      'div',
      { class: 'row' },
      button(play, 'play', () => actions.openCurrentGame(page.game), { cls: 'main' }),
      game.lessons
        ? h('a', { class: 'button', href: `#/learn/${page.game}` }, icon('hint'), t('lesson.by-doing'))
        : null,
    ),
    h('nav', { class: 'toc', 'aria-label': t('rules.contents') }, contents),
    sections,
    valueSection(page),
  );
  const links = h('nav', { class: 'games', 'aria-label': t('rules.games') }, games);
  return { element: h('div', { class: 'rulebook' }, links, article), leave() {} };
}
