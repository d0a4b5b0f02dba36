// Summary of a game above the prompt: its name, its aim with a small picture, and a link to the rules.

import { Board } from '../board/board.js';
import { root } from '../core/address.js';
import { request } from '../core/api.js';
import { h, icon } from '../core/dom.js';
import { gameName, t, tg } from '../core/i18n.js';
import { savedGames, settings } from '../core/storage.js';
import { arrowsOf } from '../study/value-text.js';

/** @import { GameTree } from '../core/game-tree.js' */

/**
 * Return whether the player has not played this game before.
 *
 * @param {GameTree} tree
 */
const isFirstGame = ({ game, id }) =>
  !savedGames.all().some((saved) => saved.game === game && saved.id !== id && saved.turns.length > 3);

/**
 * Draw the game's example of its aim: a won game, or a capture about to be made.
 *
 * @param {Api.GameDescription} game
 */
async function drawAim({ name, look }) {
  if (!look.aim) return null;
  const state = await request('state', { game: name, ...look.aim });
  const { last, result } = state;
  const board = new Board(state.board, { name, look }, { still: true });
  board.show(state.cells_before ?? state.cells, false);
  const takes = last.flatMap((step) => step.takes);
  board.mark(last.length ? { takes, arrows: arrowsOf(last, 'best') } : { pattern: result?.cells });
  return board.element;
}

/**
 * Return a link to the lessons, which is offered in the first game only.
 *
 * @param {Api.GameDescription} game
 * @param {GameTree} tree
 */
function lessonOffer({ name, lessons }, tree) {
  const key = `offered.${name}`;
  const known = settings.get(key) ?? (settings.get(`lessons.${name}`) ? '' : tree.id);
  if (!lessons || !isFirstGame(tree) || known !== tree.id) return null;
  settings.set(key, tree.id);
  return h('a', { class: 'offer', href: `${root}#/learn/${name}` }, t('lesson.offer'));
}

/**
 * @param {Api.GameDescription} game
 * @param {GameTree} tree
 */
export function gameSummary(game, tree) {
  const { name } = game;
  const first = isFirstGame(tree);
  const rules = `${root}#/rules/${name}`;
  const shown = h('a', { class: 'miniature', href: rules, tabindex: '-1', 'aria-hidden': 'true' });
  drawAim(game).then(
    (drawn) => (drawn ? shown.append(drawn) : shown.remove()),
    () => shown.remove(),
  );
  return h(
    'section',
    { class: `aim${first ? ' first' : ''}`, 'aria-label': t('aim.label') },
    shown,
    h('div', {}, h('h2', {}, gameName(name)), h('p', {}, tg(name, 'aim', {}, ''))),
    h(
      'a',
      { class: 'button', href: rules, title: t('home.rules', { game: gameName(name) }) },
      icon('book'),
      h('span', {}, t('action.rules')),
    ),
    lessonOffer(game, tree),
  );
}
