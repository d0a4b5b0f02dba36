// The first page: five cards with living boards, and the games kept.

import { ask, gameList } from './api.js';
import { describe } from './address.js';
import { applied, Board, readRows } from './board.js';
import { button, calm, h, wait } from './dom.js';
import { ago, t } from './i18n.js';
import { games } from './store.js';
import { level, Tale } from './tale.js';

// Where a miniature begins in the games that begin with an empty board.
const BEGUN = {
  chefa: ['b2', 'd4', 'b4', 'd2', 'c1', 'e3'],
  badia: ['b1', 'd1', 'b5', 'd5', 'a2', 'e2', 'a4', 'e4'],
  seega: ['a1+b2', 'c2+c4', 'a4+e1', 'b4+d5', 'a2+e3', 'd2+d4'],
};

export async function home(actions) {
  const { games: list } = await gameList();
  const giveUp = new AbortController();
  const cards = list.map((game) => card(game, actions, giveUp.signal));
  const element = h('div', { class: 'home' },
    h('div', { class: 'welcome' }, h('h1', {}, t('home.title')), h('p', {}, t('home.text'))),
    h('ul', { class: 'cards' }, cards), kept(actions));
  return { element, leave: () => giveUp.abort() };
}

function card(game, actions, signal) {
  const board = new Board(game.board, { still: true, name: game.name });
  live(game, board, signal);
  const title = t(`game.${game.name}`);
  return h('li', { class: `card ${game.name}` },
    h('a', { href: `#/rules/${game.name}`, class: 'mini', tabindex: '-1', 'aria-hidden': 'true' }, board.element),
    h('div', { class: 'about' }, h('h2', {}, title), h('p', {}, t(`game.${game.name}.about`))),
    h('div', { class: 'row' },
      h('button', { type: 'button', class: 'main', onclick: () => actions.begin(game.name), 'aria-label': t('home.play', { game: title }) }, t('action.play')),
      h('button', { type: 'button', onclick: () => actions.choose(game.name), 'aria-label': t('home.choose', { game: title }) }, t('action.choose')),
      h('a', { class: 'button', href: `#/rules/${game.name}`, 'aria-label': t('home.rules', { game: title }) }, t('action.rules'))));
}

// Some turns at random, again and again, while the card can be seen.
async function live(game, board, signal) {
  let turns = BEGUN[game.name] ?? [];
  const restart = async () => {
    const { position } = turns.length ? await ask('state', { game: game.name, turns }, signal) : { position: game.start };
    board.show(readRows(position, game.board), false);
  };
  await restart().catch(() => {});
  if (calm()) return;
  let seen = false;
  const watcher = new IntersectionObserver(([entry]) => (seen = entry.isIntersecting));
  watcher.observe(board.element);
  signal.addEventListener('abort', () => watcher.disconnect());
  await wait(600 + 2500 * Math.random(), signal);
  while (!signal.aborted) {
    if (seen && document.visibilityState === 'visible') {
      try {
        const state = await ask('state', { game: game.name, turns }, signal);
        if (state.result || turns.length >= 60) {
          await wait(2500, signal);
          turns = BEGUN[game.name] ?? [];
          await restart();
        } else turns = await randomTurn(game, state, turns, board, signal);
      } catch {
        if (signal.aborted) return;
      }
    }
    await wait(1600 + 900 * Math.random(), signal);
  }
}

async function randomTurn(game, state, turns, board, signal) {
  let marks = readRows(state.position, state.board);
  let { steps } = state;
  const begun = [];
  for (;;) {
    const taking = steps.filter((n) => n.takes.length);
    const among = taking.length ? taking : steps;
    const node = among[Math.floor(Math.random() * among.length)];
    begun.push(node.step);
    marks = applied(marks, node.set);
    board.show(marks);
    if (node.turn !== null) return [...turns, node.turn];
    steps = node.then ?? (await ask('state', { game: game.name, turns, begun }, signal)).steps;
    await wait(420, signal);
    if (signal.aborted) return turns;
  }
}

function kept(actions) {
  const list = h('ul', { class: 'kept' });
  const section = h('section', { 'aria-label': t('kept.title') }, h('h2', {}, t('kept.title')), list);
  const draw = () => {
    const all = games.all();
    section.hidden = !all.length;
    list.replaceChildren(...all.slice(0, 20).map((game) => {
      const tale = Tale.from(game);
      const about = tale.mode === 'study' ? t('kept.study') : [tale.players.w, tale.players.b].map((p) => (level(p) ? t('name.level', { level: level(p) }) : t('name.person'))).join(' – ');
      return h('li', {}, h('a', { href: describe(tale), onclick: () => actions.resume(game.id) }, h('b', {}, t(`game.${game.game}`)), h('span', {}, about), h('span', { class: 'faint' }, `${t('kept.turns', { count: game.turns.length })} · ${game.finished ? t('kept.over') : t('kept.open')} · ${ago(game.updated)}`)),
        button(t('kept.remove'), null, () => (games.remove(game.id), draw()), { cls: 'remove' }));
    }));
  };
  draw();
  return section;
}

