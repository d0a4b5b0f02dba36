// The first page: a card with a living board for each game, and the games kept.

import { describe } from './address.js';
import { ask, gameList } from './api.js';
import { applied, Board } from './board.js';
import { button, calm, h, wait } from './dom.js';
import { ago, nameOf, t, tg } from './i18n.js';
import { games } from './store.js';
import { level, Tale } from './tale.js';

/** @import { Marks } from './board.js' */
/** @import { Actions } from './main.js' */
/** @import { Kept } from './tale.js' */

const MOST_KEPT = 20;
const MOST_TURNS = 60; // of a miniature, before it begins again

/** @param {Actions} actions */
export async function home(actions) {
  const { games: list } = await gameList();
  const giveUp = new AbortController();
  const cards = list.map((game) => card(game, actions, giveUp.signal));
  const welcome = h('div', { class: 'welcome' }, h('h1', {}, t('home.title')), h('p', {}, t('home.text')));
  const element = h('div', { class: 'home' }, welcome, h('ul', { class: 'cards' }, cards), kept(actions));
  return { element, leave: () => giveUp.abort() };
}

/**
 * @param {Api.GameOut} game
 * @param {Actions} actions
 * @param {AbortSignal} signal
 */
function card({ name, board: description, look }, actions, signal) {
  const board = new Board(description, { name, look }, { still: true });
  live(name, look.miniature, board, signal);
  const title = { game: nameOf(name) };
  const rules = `#/rules/${name}`;
  const play = () => actions.begin(name);
  const choose = () => actions.choose(name);
  return h(
    'li',
    { class: `card ${name}` },
    h('a', { href: rules, class: 'mini', tabindex: '-1', 'aria-hidden': 'true' }, board.element),
    h('div', { class: 'about' }, h('h2', {}, title.game), h('p', {}, tg(name, 'about', {}, ''))),
    h(
      'div',
      { class: 'row' },
      h(
        'button',
        { type: 'button', class: 'main', onclick: play, 'aria-label': t('home.play', title) },
        t('action.play'),
      ),
      h(
        'button',
        { type: 'button', onclick: choose, 'aria-label': t('home.choose', title) },
        t('action.choose'),
      ),
      h('a', { class: 'button', href: rules, 'aria-label': t('home.rules', title) }, t('action.rules')),
    ),
  );
}

/**
 * Some turns at random, again and again, while the card can be seen.
 *
 * @param {string} game
 * @param {string[]} begun the turns that a miniature begins with
 * @param {Board} board
 * @param {AbortSignal} signal
 */
async function live(game, begun, board, signal) {
  let turns = begun;
  const restart = async () => {
    turns = begun;
    board.show((await ask('state', { game, turns }, signal)).cells, false);
  };
  await restart().catch(() => {});
  if (calm()) return;
  let seen = false;
  const watcher = new IntersectionObserver(([entry]) => {
    seen = entry.isIntersecting;
  });
  watcher.observe(board.element);
  signal.addEventListener('abort', () => watcher.disconnect());
  await wait(600 + 2500 * Math.random(), signal);
  while (!signal.aborted) {
    if (seen && document.visibilityState === 'visible') {
      try {
        const state = await ask('state', { game, turns }, signal);
        if (state.result || turns.length >= MOST_TURNS) {
          await wait(2500, signal);
          await restart();
        } else turns = await randomTurn(state, turns, board, signal);
      } catch {
        if (signal.aborted) return;
      }
    }
    await wait(1600 + 900 * Math.random(), signal);
  }
}

/**
 * @param {Api.StateOut} state
 * @param {string[]} turns
 * @param {Board} board
 * @param {AbortSignal} signal
 */
async function randomTurn({ game, cells, steps: first }, turns, board, signal) {
  /** @type {Marks} */
  let marks = cells;
  let steps = first;
  const begun = [];
  for (;;) {
    const taking = steps.filter((n) => n.takes.length);
    const among = taking.length ? taking : steps;
    const node = among[Math.floor(Math.random() * among.length)];
    begun.push(node.step);
    marks = applied(marks, node.set);
    board.show(marks);
    if (node.turn !== null) return [...turns, node.turn];
    steps = node.then ?? (await ask('state', { game, turns, begun }, signal)).steps;
    await wait(420, signal);
    if (signal.aborted) return turns;
  }
}

/** @param {Actions} actions */
function kept(actions) {
  const list = h('ul', { class: 'kept' });
  const section = h('section', { 'aria-label': t('kept.title') }, h('h2', {}, t('kept.title')), list);
  const draw = () => {
    const all = games.all();
    section.hidden = !all.length;
    list.replaceChildren(...all.slice(0, MOST_KEPT).map((game) => row(game, actions, draw)));
  };
  draw();
  return section;
}

/** @param {string} player */
const who = (player) => (level(player) ? t('name.level', { level: level(player) }) : t('name.person'));

/**
 * @param {Kept} game
 * @param {Actions} actions
 * @param {() => void} draw
 */
function row(game, actions, draw) {
  const tale = Tale.from(game);
  const about = tale.mode === 'study' ? t('kept.study') : `${who(tale.players.w)} – ${who(tale.players.b)}`;
  const turns = t('kept.turns', { count: game.turns.length });
  const how = [turns, t(game.finished ? 'kept.over' : 'kept.open'), ago(game.updated)].join(' · ');
  const remove = () => {
    games.remove(game.id);
    draw();
  };
  return h(
    'li',
    {},
    h(
      'a',
      { href: describe(tale), onclick: () => actions.resume(game.id) },
      h('b', {}, nameOf(game.game)),
      h('span', {}, about),
      h('span', { class: 'faint' }, how),
    ),
    button(t('kept.remove'), null, remove, { cls: 'remove' }),
  );
}
