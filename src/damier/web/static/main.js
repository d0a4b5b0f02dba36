// Entry script: the router, and the actions that lead from one page to another.

import { applyAppearance } from './board/appearance.js';
import { addressOf, BadLink, link, parseAddress, root } from './core/address.js';
import { gameList, RequestError } from './core/api.js';
import { button, h } from './core/dom.js';
import { GameTree, gameTreeFrom, levelOf } from './core/game-tree.js';
import { t } from './core/i18n.js';
import { dismissNotice, offerUndo } from './core/notice.js';
import { savedGames, settings } from './core/storage.js';
import { registerServiceWorker } from './core/updates.js';
import { home } from './home/home-page.js';
import { drawFrame, hideRulesLink, main, setPageTitle, setTheme } from './home/page-frame.js';
import { stateOf } from './play/game-model.js';
import { newGameTree, openNewGameDialog, savedChoices } from './play/new-game.js';

/** @import { Address } from './core/address.js' */
/** @import { SavedGame } from './core/game-tree.js' */
/** @import { Table } from './play/table.js' */
/** @typedef {{ element: HTMLElement, leave: () => void }} Page What is on the screen. */
/** @typedef {typeof actions} Actions What leads from one page to another. */
/** @typedef {'review' | 'practise'} AnalysisStart The action with which an analysis begins. */

/**
 * Open a table; its modules are loaded on first use.
 *
 * @param {GameTree} tree
 */
const loadTable = async (tree) => (await import('./play/open-table.js')).openTable(tree, actions);

/** @type {Page | null} */
let shown = null;
let navigationCount = 0;
// ---- games -----------------------------------------------------------------------------------

/**
 * @param {GameTree} tree
 * @param {{ push?: boolean, then?: AnalysisStart, loser?: 'w' | 'b' | null }} [how]
 */
async function openGame(tree, { push = true, then, loser = null } = {}) {
  if (push) history.pushState({ id: tree.id }, '', addressOf(tree));
  /** @type {Table | null} */
  let table = null;
  await showPage(async () => {
    setPageTitle('play', tree.game);
    table = await loadTable(tree);
    return table;
  });
  if (then && table && shown === table) await /** @type {Table} */ (table).mode.begin?.(then, loser);
}

/** @param {SavedGame} game */
const isByMessage = ({ players }) => players?.w === 'friend' || players?.b === 'friend';

/**
 * Return the last unfinished game, or a new one with the last choices.
 *
 * @param {string} game
 */
function currentOrNewGame(game) {
  const saved = savedGames
    .all()
    .find((g) => g.game === game && g.mode === 'play' && !g.finished && !isByMessage(g));
  return saved ? GameTree.from(saved) : newGameTree(game);
}

const actions = {
  setPageTitle,

  /** @param {string} game */
  openCurrentGame(game) {
    openGame(currentOrNewGame(game));
  },

  /**
   * Start a new game against the computer.
   *
   * @param {string} game
   * @param {number} strength
   */
  startAtLevel(game, strength) {
    settings.set(`new.${game}`, { ...savedChoices(game), against: 'computer', level: strength });
    openGame(newGameTree(game));
  },

  /** @param {string} game */
  chooseNewGame(game) {
    openNewGameDialog(game, openGame);
  },

  openGame: (/** @type {GameTree} */ tree) => openGame(tree),

  /** @param {string} game */
  playFriend(game) {
    location.hash = `#/friend/${game}`;
  },

  /** @param {string} id */
  resumeGame(id) {
    const saved = savedGames.get(id);
    if (saved) openGame(GameTree.from(saved));
  },

  /**
   * Start a new game with the same players and rules and changed colours.
   *
   * @param {Table} table
   * @param {number} [strength] of the computer, if another
   */
  playAgain({ model }, strength) {
    const { tree, humans } = model;
    const chosen = savedChoices(tree.game);
    const left = tree.mode === 'play' && !tree.finished ? savedGames.get(tree.id) : null;
    if (tree.mode === 'play') {
      const levels = [tree.players.w, tree.players.b].map(levelOf).filter(Boolean);
      const second = humans.length === 2 ? tree.swapped : tree.players.w !== 'human';
      settings.set(`new.${tree.game}`, {
        ...chosen,
        next: humans.length ? (second ? 'w' : 'b') : chosen.next,
        options: tree.options,
        against: ['watch', 'computer', 'people'][humans.length],
        level: strength ?? levels[0] ?? chosen.level,
        other: levels[1] ?? chosen.other,
      });
    }
    const begun = newGameTree(tree.game);
    openGame(begun).then(() => {
      if (!left) return;
      offerUndo(t('undo.new'), () => {
        savedGames.remove(begun.id);
        settings.set(`new.${tree.game}`, chosen);
        openGame(GameTree.from(left), { push: false });
      });
    });
  },

  /**
   * @param {Table} table
   * @param {AnalysisStart} [then]
   * @param {'w' | 'b' | null} [loser] who wants to see where the game was lost
   */
  analyse(table, then, loser = null) {
    const { tree } = table;
    if (!table.result()) {
      tree.stopCounting(); // analysis is help
      table.save();
    }
    const { game, options, start } = tree;
    const id = `study-${tree.id}`; // a game has one analysis, which keeps its branches
    const saved = savedGames.get(id);
    const copy = saved ? GameTree.from(saved) : new GameTree({ game, options, start, mode: 'study', id });
    copy.setNames({ w: table.nameOf('w'), b: table.nameOf('b') });
    copy.flip(tree.flipped);
    copy.addMoves(tree.tip.path, null).current.promote();
    copy.addMoves(tree.tip.path, tree.current.ply);
    openGame(copy, { then, loser });
  },

  /** @param {Table} table */
  playFromPosition({ tree }) {
    openNewGameDialog(tree.game, openGame, {
      options: tree.options,
      start: tree.start,
      turns: tree.current.path,
    });
  },

  /** @param {Table} table */
  editPosition({ tree, state }) {
    location.hash = link('setup', tree.game, [...Object.entries(tree.options), ['from', state.position]]);
  },

  /** @param {Table} table */
  async share(table) {
    const { shareDialog } = await import('./share/share-dialog.js'); // loaded on demand: it is large
    await shareDialog(table, openGame).catch((error) => table.showError(error));
  },

  /** @param {Table} table */
  async openMenu(table) {
    const { openGameMenu } = await import('./play/menu.js');
    openGameMenu(table);
  },
};

// ---- addresses -------------------------------------------------------------------------------

/** @param {() => Promise<Page>} make */
async function showPage(make) {
  const ownCount = ++navigationCount;
  dismissNotice();
  shown?.leave();
  shown = null;
  const loading = h('p', { class: 'faint loading' }, t('loading'));
  const loadingTimer = setTimeout(() => main.replaceChildren(loading), 400);
  const next = await make().catch(errorPage);
  clearTimeout(loadingTimer);
  if (ownCount !== navigationCount) {
    next.leave();
    return;
  }
  shown = next;
  main.replaceChildren(next.element);
  scrollTo(0, 0);
}

/**
 * @param {any} error
 * @returns {Page}
 */
function errorPage(error) {
  hideRulesLink();
  if (!(error instanceof RequestError || error instanceof BadLink)) console.warn(error);
  const { ply, stored } = error.details ?? {};
  const cut = t(ply ? 'wrong.cut' : 'wrong.start', { ply });
  const row = h('div', { class: 'row' });
  if (Number.isInteger(ply)) row.append(button(cut, null, () => openUpToPly(ply), { cls: 'main' }));
  if (stored)
    row.append(button(t('message.stored'), 'play', () => actions.resumeGame(stored), { cls: 'main' }));
  row.append(h('a', { class: 'button', href: `${root}#/` }, t('wrong.home')));
  const element = h(
    'div',
    { class: 'wrong' },
    h('h1', {}, t('wrong.title')),
    h('p', {}, t('wrong.text')),
    h('p', { class: 'message' }, error.message),
    row,
  );
  return { element, leave() {} };
}

/** @param {number} ply */
function openUpToPly(ply) {
  const found = parseAddress(location.hash);
  location.hash = addressOf(gameTreeFrom({ ...found, turns: found.turns.slice(0, ply), at: null }));
}

/** @param {string} message */
const showBadLink = (message) => showPage(() => Promise.reject(new BadLink(message)));

const PAGES = ['rules', 'learn', 'begin', 'setup', 'play', 'message'];
const ONLINE = ['online', 'lobby', 'mine', 'player', 'take']; // pages of online play

async function route() {
  let found;
  try {
    found = parseAddress(location.hash);
  } catch {
    return showBadLink(t('wrong.encoding'));
  }
  const here = [root, `${root}index.html`].includes(location.pathname);
  const page = here ? found.page : location.pathname;
  setPageTitle(page, ['rules', 'learn', 'setup', 'lab'].includes(page) ? found.game : '');
  if (page === 'home') return showPage(() => home(actions));
  if (page === 'progress')
    return showPage(async () => (await import('./learn/statistics-page.js')).progressPage(found, actions));
  if (page === 'lab') return showPage(async () => (await import('./lab/lab-page.js')).labPage(found));
  if (PAGES.includes(page) && (!found.game || found.start === '')) return showBadLink(t('wrong.short'));
  if (page === 'rules')
    return showPage(async () => (await import('./learn/rules-page.js')).rulesPage(found, actions));
  if (page === 'learn')
    return showPage(async () => (await import('./learn/lesson.js')).lessonPage(found, actions));
  if (page === 'begin') return openGame(currentOrNewGame(found.game), { push: false });
  if (page === 'setup')
    return showPage(async () =>
      (await import('./play/position-editor.js')).openPositionEditor(found, openGame),
    );
  if (page === 'play') return openLink(found);
  if (page === 'message') return openMessage(found);
  if (page === 'friend')
    return showPage(async () => (await import('./play/friend-page.js')).friendPage(found, actions));
  if (page === 'train')
    return showPage(async () => (await import('./train/training-page.js')).trainPage(found, actions));
  if (ONLINE.includes(page) && (await gameList()).online)
    return showPage(async () => (await import('./online/routes.js')).openOnlinePage(found, actions));
  return showBadLink(t('wrong.page', { page }));
}

/**
 * Return what is wrong with a link that the server accepts, or an empty text.
 *
 * @param {Address} found
 */
async function problemOf({ at, turns, players }) {
  const { levels } = await gameList();
  const count = turns.length;
  if (at !== null && !(Number.isInteger(at) && at >= 0 && at <= count)) return t('wrong.at', { count });
  const known = ['human', ...Array.from({ length: levels }, (_, k) => `level:${k + 1}`)];
  const player = [players.w, players.b].find((p) => !known.includes(p));
  return player === undefined ? '' : t('wrong.player', { player });
}

/**
 * Open the game of a link. A stored game is continued with its branches.
 *
 * @param {Address} found
 */
async function openLink(found) {
  const here = (/** @type {GameTree} */ tree) => addressOf(tree) === location.hash;
  const saved = history.state?.id ? savedGames.get(history.state.id) : null;
  const same = saved ?? savedGames.all().find((g) => g.mode === found.mode && here(GameTree.from(g)));
  const ownTree = same && GameTree.from(same);
  if (ownTree && here(ownTree)) return openGame(ownTree, { push: false });
  return showPage(async () => {
    const cut = found.turns.indexOf('');
    if (cut >= 0) throw new BadLink(t('wrong.short'), { ply: cut });
    const problem = await problemOf(found);
    if (problem) throw new BadLink(problem);
    const tree = gameTreeFrom(found);
    tree.flip(found.players.w !== 'human' && found.players.b === 'human');
    await stateOf(tree, tree.tip); // check all moves, also those after the position shown
    const table = await loadTable(tree);
    setPageTitle('play', tree.game);
    return table;
  });
}

/**
 * Open the game of a friend's link.
 *
 * @param {Address} found
 */
async function openMessage(found) {
  await showPage(async () => {
    const { gameOfLink } = await import('./play/message-link.js');
    const { tree, isOlder } = await gameOfLink(found);
    const last = tree.current;
    if (last.parent) tree.goTo(last.parent); // the friend's move is shown
    const table = await loadTable(tree);
    setPageTitle('play', tree.game);
    if (last.parent) await table.show(last);
    if (isOlder) table.showMessage(t('message.older'));
    return table;
  });
}

setTheme(settings.get('theme'));
applyAppearance();
addEventListener('popstate', route);
addEventListener('unhandledrejection', (event) => {
  if (event.reason?.name === 'AbortError') event.preventDefault();
});
await drawFrame(route);
await route();
document.body.dataset.ready = 'yes';
registerServiceWorker().catch(console.warn); // optional
