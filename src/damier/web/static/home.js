// The first page: the game under way, a card with a living board for each game, and the games kept.

import { describe, root } from './address.js';
import { ask, gameList } from './api.js';
import { applied, Board } from './board.js';
import { button, calm, h, icon, wait } from './dom.js';
import { ago, nameOf, t, tg, today } from './i18n.js';
import { results } from './results.js';
import { games } from './store.js';
import { level, Tale } from './tale.js';

/** @import { Marks } from './board.js' */
/** @import { Actions } from './main.js' */
/** @import { Kept } from './tale.js' */

const MOST_KEPT = 20;
const MOST_TURNS = 60; // of a miniature, before it begins again

/** @param {Actions} actions */
export async function home(actions) {
  const { games: list, online } = await gameList();
  const giveUp = new AbortController();
  const cards = list.map((game) => card(game, actions, giveUp.signal, online));
  const welcome = h('div', { class: 'welcome' }, h('h1', {}, t('home.title')), h('p', {}, t('home.text')));
  const open = games.all().find((g) => g.mode === 'play' && !g.finished);
  const game = open && list.find(({ name }) => name === open.game);
  const element = h(
    'div',
    { class: 'home' },
    welcome,
    online ? farAway() : null,
    game ? underWay(open, game, actions, giveUp.signal) : null,
    h('ul', { class: 'cards' }, cards),
    puzzleOfTheDay(list, giveUp.signal),
    kept(actions),
  );
  return { element, leave: () => giveUp.abort() };
}

// The ways to people far away.
function farAway() {
  const ways = [
    ['friend', t('online.friend'), 'link', 'main'],
    ['lobby', t('online.lobby'), 'people', ''],
    ['mine', t('online.mine'), 'play', ''],
  ];
  return h(
    'div',
    { class: 'row far-away' },
    ways.map(([page, label, shape, cls]) =>
      h('a', { class: `button ${cls}`, href: `${root}#/${page}` }, icon(shape), h('span', {}, label)),
    ),
  );
}

/**
 * The game that was being played: the board as it stands, and who is to move.
 *
 * @param {Kept} kept
 * @param {Api.GameOut} game
 * @param {Actions} actions
 * @param {AbortSignal} signal
 */
function underWay(kept, { name, look }, actions, signal) {
  const tale = Tale.from(kept);
  const people = [tale.players.w, tale.players.b].filter((player) => !level(player)).length;
  const turn = h('p', { class: 'turn' });
  const mini = h('div', { class: 'mini', 'aria-hidden': 'true' });
  const show = async () => {
    const state = await ask('state', tale.requestAt(tale.tip), signal);
    const board = new Board(state.board, { name, look }, { still: true });
    board.flip(tale.flipped);
    board.show(state.cells, false);
    board.mark({ last: [...new Set(state.last.flatMap((step) => Object.keys(step.set)))] });
    mini.append(board.element);
    const mine = people === 1 && !level(tale.players[state.side]);
    turn.textContent = mine ? t('home.your-move') : t('rules.side', { side: t(`side.${state.side}`) });
  };
  show().catch(() => {});
  const about = [opponents(tale), t('kept.turns', { count: kept.turns.length }), ago(kept.updated)];
  const go = () => actions.resume(kept.id);
  return h(
    'section',
    { class: 'under-way', 'aria-label': t('home.under-way') },
    mini,
    h(
      'div',
      { class: 'about' },
      h('p', { class: 'faint' }, t('home.under-way')),
      h('h2', {}, nameOf(name)),
      turn,
      h('p', { class: 'faint' }, about.join(' · ')),
    ),
    button(t('action.go-on'), 'play', go, { cls: 'main go-on' }),
  );
}

/**
 * The day's puzzle, the same for everyone; where no game has puzzles, nothing.
 *
 * @param {Api.GameOut[]} list
 * @param {AbortSignal} signal
 */
function puzzleOfTheDay(list, signal) {
  const date = today();
  const href = '#/train/day';
  const task = h('p', { class: 'turn' });
  const about = h('p', { class: 'faint' });
  const mini = h('a', { class: 'mini', href, tabindex: '-1', 'aria-hidden': 'true' });
  const section = h(
    'section',
    { class: 'today', 'aria-label': t('train.day') },
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
    const { game: name, id } = await ask('puzzles/daily', { date }, signal);
    const shown = await ask('puzzles/shown', { game: name, id, image: 0 }, signal);
    const { options, start } = shown;
    const state = await ask('state', { game: name, options, start }, signal);
    const look = list.find((one) => one.name === name)?.look;
    if (!look) throw new Error(name);
    const board = new Board(state.board, { name, look }, { still: true });
    board.flip(shown.side === 'b');
    board.show(state.cells, false);
    mini.append(board.element);
    task.textContent = shown.task;
    const { training } = await import('./train-progress.js');
    const solved = training.all.days[date];
    const how = solved === undefined ? [] : [t(`train.day.${solved ? 'solved' : 'missed'}`)];
    about.textContent = [nameOf(name), ...how].join(' · ');
  };
  show().catch(() => signal.aborted || section.remove());
  return section;
}

/**
 * @param {Api.GameOut} game
 * @param {Actions} actions
 * @param {AbortSignal} signal
 * @param {boolean} online
 */
function card({ name, board: description, look, lessons }, actions, signal, online) {
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
      online ? friendLink(name) : null,
    ),
  );
}

/** @param {string} game */
function learnLink(game) {
  const label = t('lesson.title', { game: nameOf(game) });
  return h('a', { class: 'button', href: `${root}#/learn/${game}`, 'aria-label': label }, t('action.learn'));
}

/**
 * A game of this kind with somebody far away.
 *
 * @param {string} name
 */
function friendLink(name) {
  const label = t('online.friend.game', { game: nameOf(name) });
  const to = { href: `${root}#/friend/${name}`, title: label, 'aria-label': label };
  const words = h('span', {}, t('online.friend.short'));
  return h('a', { class: 'button friend', ...to }, icon('people'), words);
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
  const progress = h(
    'a',
    { class: 'button own-progress', href: '#/progress' },
    icon('chart'),
    t('progress.title'),
  );
  const head = h('div', { class: 'row' }, h('h2', {}, t('kept.title')), progress);
  const section = h('section', { 'aria-label': t('kept.title') }, head, list);
  const draw = () => {
    const all = games.all();
    section.hidden = !all.length && !results.all().length;
    list.replaceChildren(...all.slice(0, MOST_KEPT).map((game) => row(game, actions, draw)));
  };
  draw();
  return section;
}

/** @param {string} player */
const who = (player) => (level(player) ? t('name.level', { level: level(player) }) : t('name.person'));

/** @param {Tale} tale */
const opponents = ({ players }) => `${who(players.w)} – ${who(players.b)}`;

/**
 * @param {Kept} game
 * @param {Actions} actions
 * @param {() => void} draw
 */
function row(game, actions, draw) {
  const tale = Tale.from(game);
  const about = tale.mode === 'study' ? t('kept.study') : opponents(tale);
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
