// Home page: the unfinished game, a card with a moving board for each game, and the stored games.

import { applyChanges, Board } from '../board/board.js';
import { addressOf, root } from '../core/address.js';
import { gameList, request } from '../core/api.js';
import { button, h, icon, prefersReducedMotion, wait } from '../core/dom.js';
import { gameResults } from '../core/game-results.js';
import { GameTree } from '../core/game-tree.js';
import { formatAge, gameName, language, t, tg, todayUtc } from '../core/i18n.js';
import { savedGames } from '../core/storage.js';
import { playersText } from '../play/player-names.js';

/** @import { Marks } from '../board/board.js' */
/** @import { Actions } from '../main.js' */
/** @import { SavedGame } from '../core/game-tree.js' */

const MAX_LISTED_GAMES = 20;
const MAX_MINIATURE_MOVES = 60; // after which a miniature starts again

/** @param {Actions} actions */
export async function home(actions) {
  const { games: list, online } = await gameList();
  const leaving = new AbortController();
  const cards = list.map((game) => gameCard(game, actions, leaving.signal));
  const welcome = h('div', { class: 'welcome' }, h('h1', {}, t('home.title')), h('p', {}, t('home.text')));
  const open = savedGames.all().find((g) => g.mode === 'play' && !g.finished);
  const game = open && list.find(({ name }) => name === open.game);
  const element = h(
    'div',
    { class: 'home' },
    welcome,
    multiplayerLinks(online),
    game ? currentGameCard(open, game, actions, leaving.signal) : null,
    h('ul', { class: 'cards' }, cards),
    dailyPuzzle(list, leaving.signal),
    storedGames(actions),
    h('p', { class: 'documentation' }, h('a', { href: `${root}#/lab` }, t('home.lab'))),
    documentationLink(),
  );
  return { element, leave: () => leaving.abort() };
}

/** Build the link to the documentation, if it is part of this site. */
function documentationLink() {
  const { docs } = document.documentElement.dataset;
  if (docs === undefined) return null;
  const href = language === 'fr' ? `${docs}fr/index.fr.html` : `${docs}index.html`;
  return h('p', { class: 'documentation' }, h('a', { href }, t('home.documentation')));
}

/**
 * Build the links to games with other people.
 *
 * @param {boolean} online
 */
function multiplayerLinks(online) {
  const links = [['friend', t('friend.title'), 'people', online ? 'main' : '']];
  if (online) links.push(['lobby', t('online.lobby'), 'link', ''], ['mine', t('online.mine'), 'play', '']);
  return h(
    'div',
    { class: 'row multiplayer-links' },
    links.map(([page, label, shape, cls]) =>
      h('a', { class: `button ${cls}`, href: `${root}#/${page}` }, icon(shape), h('span', {}, label)),
    ),
  );
}

/**
 * Show the unfinished game: its board and the side to move.
 *
 * @param {SavedGame} saved
 * @param {Api.GameDescription} game
 * @param {Actions} actions
 * @param {AbortSignal} signal
 */
function currentGameCard(saved, { name, look }, actions, signal) {
  const tree = GameTree.from(saved);
  const people = tree.humans.length;
  const turn = h('p', { class: 'turn' });
  const mini = h('div', { class: 'miniature', 'aria-hidden': 'true' });
  const show = async () => {
    const state = await request('state', tree.requestAt(tree.tip), signal);
    const board = new Board(state.board, { name, look }, { still: true });
    board.flip(tree.flipped);
    board.show(state.cells, false);
    board.mark({ last: [...new Set(state.last.flatMap((step) => Object.keys(step.set)))] });
    mini.append(board.element);
    const isYourTurn = people === 1 && tree.players[state.side] === 'human';
    turn.textContent = isYourTurn ? t('home.your-move') : t('rules.side', { side: t(`side.${state.side}`) });
  };
  show().catch(() => {});
  const about = [
    playersText(tree),
    t('saved.turns', { count: saved.turns.length }),
    formatAge(saved.updated),
  ];
  const go = () => actions.resumeGame(saved.id);
  return h(
    'section',
    { class: 'current-game', 'aria-label': t('home.under-way') },
    mini,
    h(
      'div',
      { class: 'about' },
      h('p', { class: 'faint' }, t('home.under-way')),
      h('h2', {}, gameName(name)),
      turn,
      h('p', { class: 'faint' }, about.join(' · ')),
    ),
    button(t('action.go-on'), 'play', go, { cls: 'main resume' }),
  );
}

/**
 * Show the puzzle of the day; removed where no game has puzzles.
 *
 * @param {Api.GameDescription[]} list
 * @param {AbortSignal} signal
 */
function dailyPuzzle(list, signal) {
  const date = todayUtc();
  const href = '#/train/day';
  const task = h('p', { class: 'turn' });
  const about = h('p', { class: 'faint' });
  const mini = h('a', { class: 'miniature', href, tabindex: '-1', 'aria-hidden': 'true' });
  const section = h(
    'section',
    { class: 'daily-puzzle', 'aria-label': t('train.day') },
    mini,
    h('div', { class: 'about' }, h('h2', {}, t('train.day')), task, about),
    h(
      'div',
      { class: 'row' },
      h('a', { class: 'button main', href }, t('train.day.solve')),
      h('a', { class: 'button', href: '#/train' }, t('train.title')),
    ),
  );
  const show = async () => {
    const { game: name, id } = await request('puzzles/daily', { date }, signal);
    const shown = await request('puzzles/shown', { game: name, id, image: 0 }, signal);
    const { options, start } = shown;
    const state = await request('state', { game: name, options, start }, signal);
    const look = list.find((one) => one.name === name)?.look;
    if (!look) throw new Error(name);
    const board = new Board(state.board, { name, look }, { still: true });
    board.flip(shown.side === 'b');
    board.show(state.cells, false);
    mini.append(board.element);
    task.textContent = shown.task;
    const { trainingStore } = await import('../train/progress.js');
    const solved = trainingStore.all.days[date];
    const how = solved === undefined ? [] : [t(`train.day.${solved ? 'solved' : 'missed'}`)];
    about.textContent = [gameName(name), ...how].join(' · ');
  };
  show().catch(() => signal.aborted || section.remove());
  return section;
}

/**
 * Build the card of a game.
 *
 * @param {Api.GameDescription} game
 * @param {Actions} actions
 * @param {AbortSignal} signal
 */
function gameCard({ name, board: description, look, lessons }, actions, signal) {
  const board = new Board(description, { name, look }, { still: true });
  animateMiniature(name, look.miniature, board, signal);
  const title = { game: gameName(name) };
  const rules = `#/rules/${name}`;
  const play = () => actions.openCurrentGame(name);
  const choose = () => actions.chooseNewGame(name);
  return h(
    'li',
    { class: `card ${name}` },
    h('a', { href: rules, class: 'miniature', tabindex: '-1', 'aria-hidden': 'true' }, board.element),
    h('div', { class: 'about' }, h('h2', {}, title.game), h('p', {}, tg(name, 'aim', {}, ''))),
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
      lessons ? learnLink(name) : null,
      h('a', { class: 'button', href: rules, 'aria-label': t('home.rules', title) }, t('action.rules')),
      friendLink(name),
    ),
  );
}

/**
 * Build the link to the lessons of a game.
 *
 * @param {string} game
 */
function learnLink(game) {
  const label = t('lesson.title', { game: gameName(game) });
  return h('a', { class: 'button', href: `${root}#/learn/${game}`, 'aria-label': label }, t('action.learn'));
}

/**
 * Build the link to a game with a friend.
 *
 * @param {string} name
 */
function friendLink(name) {
  const label = t('friend.game-of', { game: gameName(name) });
  const to = { href: `${root}#/friend/${name}`, title: label, 'aria-label': label };
  const words = h('span', {}, t('friend.title'));
  return h('a', { class: 'button friend', ...to }, icon('people'), words);
}

/**
 * Play random moves on a miniature while it is visible.
 *
 * @param {string} game
 * @param {string[]} begun the moves that a miniature starts with
 * @param {Board} board
 * @param {AbortSignal} signal
 */
async function animateMiniature(game, begun, board, signal) {
  let turns = begun;
  const restart = async () => {
    turns = begun;
    board.show((await request('state', { game, turns }, signal)).cells, false);
  };
  await restart().catch(() => {});
  if (prefersReducedMotion()) return;
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
        const state = await request('state', { game, turns }, signal);
        if (state.result || turns.length >= MAX_MINIATURE_MOVES) {
          await wait(2500, signal);
          await restart();
        } else turns = await playRandomMove(state, turns, board, signal);
      } catch {
        if (signal.aborted) return;
      }
    }
    await wait(1600 + 900 * Math.random(), signal);
  }
}

/**
 * Play a random move step by step; return the moves with it.
 *
 * @param {Api.StateResponse} state
 * @param {string[]} turns
 * @param {Board} board
 * @param {AbortSignal} signal
 */
async function playRandomMove({ game, cells, steps: first }, turns, board, signal) {
  /** @type {Marks} */
  let marks = cells;
  let steps = first;
  const begun = [];
  for (;;) {
    const captures = steps.filter((n) => n.takes.length);
    const choices = captures.length ? captures : steps;
    const node = choices[Math.floor(Math.random() * choices.length)];
    begun.push(node.step);
    marks = applyChanges(marks, node.set);
    board.show(marks);
    if (node.turn !== null) return [...turns, node.turn];
    steps = node.then ?? (await request('state', { game, turns, begun }, signal)).steps;
    await wait(420, signal);
    if (signal.aborted) return turns;
  }
}

/**
 * Build the list of the games stored in the browser.
 *
 * @param {Actions} actions
 */
function storedGames(actions) {
  const list = h('ul', { class: 'saved-games' });
  const progress = h(
    'a',
    { class: 'button own-progress', href: '#/progress' },
    icon('chart'),
    t('progress.title'),
  );
  const head = h('div', { class: 'row' }, h('h2', {}, t('saved.title')), progress);
  const section = h('section', { 'aria-label': t('saved.title') }, head, list);
  const draw = () => {
    const all = savedGames.all();
    section.hidden = !all.length && !gameResults.all().length;
    list.replaceChildren(...all.slice(0, MAX_LISTED_GAMES).map((game) => storedGameRow(game, actions, draw)));
  };
  draw();
  return section;
}

/**
 * Build the row of a stored game.
 *
 * @param {SavedGame} game
 * @param {Actions} actions
 * @param {() => void} draw
 */
function storedGameRow(game, actions, draw) {
  const tree = GameTree.from(game);
  const about = tree.mode === 'study' ? t('saved.study') : playersText(tree);
  const turns = t('saved.turns', { count: game.turns.length });
  const how = [turns, t(game.finished ? 'saved.over' : 'saved.open'), formatAge(game.updated)].join(' · ');
  const remove = () => {
    savedGames.remove(game.id);
    draw();
  };
  return h(
    'li',
    {},
    h(
      'a',
      { href: addressOf(tree), onclick: () => actions.resumeGame(game.id) },
      h('b', {}, gameName(game.game)),
      h('span', {}, about),
      h('span', { class: 'faint' }, how),
    ),
    button(t('saved.remove'), null, remove, { cls: 'remove' }),
  );
}
