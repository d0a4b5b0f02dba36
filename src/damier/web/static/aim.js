// What the game on the table is about: its name, its aim in one line with a small picture, its rules.

import { root } from './address.js';
import { ask } from './api.js';
import { Board } from './board.js';
import { h, icon } from './dom.js';
import { nameOf, t, tg } from './i18n.js';
import { games, settings } from './store.js';
import { arrowsOf } from './worth.js';

/** @import { Tale } from './tale.js' */

/**
 * Whether the player has not played this game before.
 *
 * @param {Tale} tale
 */
const isFirst = ({ game, id }) =>
  !games.all().some((kept) => kept.game === game && kept.id !== id && kept.turns.length > 3);

/**
 * The picture: a game that is won, or a capture about to be made, as the game's own folder has it.
 *
 * @param {Api.GameOut} game
 */
async function picture({ name, look }) {
  if (!look.aim) return null;
  const state = await ask('state', { game: name, ...look.aim });
  const { last, result } = state;
  const board = new Board(state.board, { name, look }, { still: true });
  board.show(state.cells_before ?? state.cells, false);
  const takes = last.flatMap((step) => step.takes);
  board.mark(last.length ? { takes, arrows: arrowsOf(last, 'best') } : { pattern: result?.cells });
  return board.element;
}

/**
 * The lesson, offered in the first game and never again.
 *
 * @param {Api.GameOut} game
 * @param {Tale} tale
 */
function offer({ name, lessons }, tale) {
  const key = `offered.${name}`;
  const known = settings.get(key) ?? (settings.get(`lessons.${name}`) ? '' : tale.id);
  if (!lessons || !isFirst(tale) || known !== tale.id) return null;
  settings.set(key, tale.id);
  return h('a', { class: 'offer', href: `${root}#/learn/${name}` }, t('lesson.offer'));
}

/**
 * @param {Api.GameOut} game
 * @param {Tale} tale
 */
export function aimOf(game, tale) {
  const { name } = game;
  const first = isFirst(tale);
  const rules = `${root}#/rules/${name}`;
  const shown = h('a', { class: 'mini', href: rules, tabindex: '-1', 'aria-hidden': 'true' });
  picture(game).then(
    (drawn) => (drawn ? shown.append(drawn) : shown.remove()),
    () => shown.remove(),
  );
  return h(
    'section',
    { class: `aim${first ? ' first' : ''}`, 'aria-label': t('aim.label') },
    shown,
    h('div', {}, h('h2', {}, nameOf(name)), h('p', {}, tg(name, 'aim', {}, ''))),
    h(
      'a',
      { class: 'button', href: rules, title: t('home.rules', { game: nameOf(name) }) },
      icon('book'),
      h('span', {}, t('action.rules')),
    ),
    offer(game, tale),
  );
}
