// The frame: where one is, the language, the theme, and what to show for each address.

import { describe, link, parse, root } from './address.js';
import { gameList, gameNamed, onAway, Refused } from './api.js';
import { applyAppearance, askAppearance } from './appearance.js';
import { button, h, icon } from './dom.js';
import { home } from './home.js';
import { language, nameOf, preferred, speak, t } from './i18n.js';
import { menu } from './menu.js';
import { askNewGame, chosenFor, newTale } from './newgame.js';
import { dismiss, offerUndo } from './notice.js';
import { Table, taleFrom } from './play.js';
import { progress } from './progress.js';
import { sound } from './sound.js';
import { games, settings } from './store.js';
import { level, Tale } from './tale.js';
import { keepUpdated } from './updates.js';

/** @import { Place } from './address.js' */
/** @typedef {{ element: HTMLElement, leave: () => void }} Page What is on the screen. */
/** @typedef {typeof actions} Actions What leads from one page to another. */
/** @typedef {'review' | 'learn'} Next What an analysis begins with. */

/** @type {Page | null} */
let shown = null;
let count = 0;
const main = h('main', { id: 'main', tabindex: '-1' });
const where = h('a', { class: 'where', hidden: true });
const away = h('p', { class: 'away', role: 'alert', hidden: true });

onAway((gone) => {
  away.hidden = !gone;
  const inside = document.documentElement.dataset.inside !== undefined;
  away.textContent = gone ? t(inside ? 'away.inside' : 'away') : '';
});

/** @param {string} game */
const begins = (game) => `${root}#/begin/${game}`;

// ---- games -----------------------------------------------------------------------------------

/**
 * Say in the frame which game is shown, and lead to its rules.
 *
 * @param {string} page
 * @param {string} [game]
 */
function entitle(page, game = '') {
  document.title = game ? `${nameOf(game)} · Damier` : 'Damier';
  document.body.dataset.page = page;
  const current = page === 'train' ? `${root}#/train` : begins(game);
  for (const to of document.querySelectorAll('.top nav a')) {
    if (to.getAttribute('href') === current) to.setAttribute('aria-current', 'true');
    else to.removeAttribute('aria-current');
  }
  where.hidden = !game || page === 'rules';
  where.href = `${root}#/rules/${game}`;
  const name = h('b', {}, nameOf(game));
  where.replaceChildren(name, icon('book'), h('span', {}, t('action.rules')));
  where.title = t('home.rules', { game: nameOf(game) });
}

/**
 * @param {Tale} tale
 * @param {{ push?: boolean, then?: Next, loser?: 'w' | 'b' | null }} [how]
 */
async function openTale(tale, { push = true, then, loser = null } = {}) {
  if (push) history.pushState({ id: tale.id }, '', describe(tale));
  const table = new Table(tale, actions);
  await show(async () => {
    entitle('play', tale.game);
    await table.open();
    return table;
  });
  if (then && shown === table) table.study?.[then](loser);
}

/**
 * The game begun last, or a new one as the last was chosen.
 *
 * @param {string} game
 */
function lastOrNew(game) {
  const kept = games.all().find((g) => g.game === game && g.mode === 'play' && !g.finished);
  return kept ? Tale.from(kept) : newTale(game);
}

const actions = {
  entitle,

  /** @param {string} game */
  begin(game) {
    openTale(lastOrNew(game));
  },

  /**
   * A new game against the computer.
   *
   * @param {string} game
   * @param {number} strength
   */
  beginAt(game, strength) {
    settings.set(`new.${game}`, { ...chosenFor(game), against: 'computer', level: strength });
    openTale(newTale(game));
  },

  /** @param {string} game */
  choose(game) {
    askNewGame(game, openTale);
  },

  /** @param {string} id */
  resume(id) {
    const kept = games.get(id);
    if (kept) openTale(Tale.from(kept));
  },

  /**
   * New game: with the same players and rules, colours changing.
   *
   * @param {Table} table
   * @param {number} [strength] of the computer, if another
   */
  again({ tale, humans }, strength) {
    const chosen = chosenFor(tale.game);
    const left = tale.mode === 'play' && !tale.finished ? games.get(tale.id) : null;
    if (tale.mode === 'play') {
      const levels = [tale.players.w, tale.players.b].map(level).filter(Boolean);
      const second = humans.length === 2 ? tale.swapped : tale.players.w !== 'human';
      settings.set(`new.${tale.game}`, {
        ...chosen,
        next: humans.length ? (second ? 'w' : 'b') : chosen.next,
        options: tale.options,
        against: ['watch', 'computer', 'people'][humans.length],
        level: strength ?? levels[0] ?? chosen.level,
        other: levels[1] ?? chosen.other,
      });
    }
    const begun = newTale(tale.game);
    openTale(begun).then(() => {
      if (!left) return;
      offerUndo(t('undo.new'), () => {
        games.remove(begun.id);
        settings.set(`new.${tale.game}`, chosen);
        openTale(Tale.from(left), { push: false });
      });
    });
  },

  /**
   * @param {Table} table
   * @param {Next} [then]
   * @param {'w' | 'b' | null} [loser] who wants to see where the game was lost
   */
  study(table, then, loser = null) {
    const { tale } = table;
    if (!table.result()) {
      tale.counts = false; // who looks up what a move is worth is helped
      table.save();
    }
    const { game, options, start } = tale;
    const id = `study-${tale.id}`; // a game has one analysis, with what was tried in it
    const kept = games.get(id);
    const copy = kept ? Tale.from(kept) : new Tale({ game, options, start, mode: 'study', id });
    copy.names = { w: table.nameOf('w'), b: table.nameOf('b') };
    copy.flipped = tale.flipped;
    copy.follow(tale.tip.path, null).at.promote();
    copy.follow(tale.tip.path, tale.at.ply);
    openTale(copy, { then, loser });
  },

  /** @param {Table} table */
  playHere({ tale }) {
    askNewGame(tale.game, openTale, { options: tale.options, start: tale.start, turns: tale.at.path });
  },

  /** @param {Table} table */
  setUp({ tale, state }) {
    location.hash = link('setup', tale.game, [...Object.entries(tale.options), ['from', state.position]]);
  },

  /** @param {Table} table */
  async share(table) {
    const { shareDialog } = await import('./share.js'); // with all that draws pictures
    await shareDialog(table, openTale).catch((error) => table.complain(error));
  },

  /** @param {Table} table */
  menu(table) {
    menu(table);
  },
};

// ---- addresses -------------------------------------------------------------------------------

/** @param {() => Promise<Page>} make */
async function show(make) {
  const mine = ++count;
  dismiss();
  shown?.leave();
  shown = null;
  const loading = h('p', { class: 'faint loading' }, t('loading'));
  const gone = setTimeout(() => main.replaceChildren(loading), 400);
  const next = await make().catch(wrong);
  clearTimeout(gone);
  if (mine !== count) {
    next.leave();
    return;
  }
  shown = next;
  main.replaceChildren(next.element);
  scrollTo(0, 0);
}

// A link that cannot be opened, or from some turn on only.
class BadLink extends Error {
  /**
   * @param {string} message
   * @param {{ ply?: number }} [details]
   */
  constructor(message, details = {}) {
    super(message);
    this.details = details;
  }
}

/**
 * @param {any} error
 * @returns {Page}
 */
function wrong(error) {
  where.hidden = true;
  if (!(error instanceof Refused || error instanceof BadLink)) console.warn(error);
  const ply = error.details?.ply;
  const cut = t(ply ? 'wrong.cut' : 'wrong.start', { ply });
  const row = h('div', { class: 'row' });
  if (Number.isInteger(ply)) row.append(button(cut, null, () => cutAt(ply), { cls: 'main' }));
  row.append(h('a', { class: 'button', href: `${root}#/` }, t('wrong.home')));
  const element = h(
    'div',
    { class: 'wrong' },
    h('h1', {}, t('wrong.title')),
    h('p', {}, t('wrong.text')),
    h('p', { class: 'why' }, error.message),
    row,
  );
  return { element, leave() {} };
}

/** @param {number} ply */
function cutAt(ply) {
  const found = parse(location.hash);
  location.hash = describe(taleFrom({ ...found, turns: found.turns.slice(0, ply), at: null }));
}

/** @param {string} said */
const refuse = (said) => show(() => Promise.reject(new BadLink(said)));

const PAGES = ['rules', 'learn', 'begin', 'setup', 'play'];
const ONLINE = ['online', 'friend', 'lobby', 'mine', 'player', 'take']; // where people play far apart

async function route() {
  let found;
  try {
    found = parse(location.hash);
  } catch {
    return refuse(t('wrong.encoding'));
  }
  const here = [root, `${root}index.html`].includes(location.pathname);
  const page = here ? found.page : location.pathname;
  entitle(page, ['rules', 'learn', 'setup'].includes(page) ? found.game : '');
  if (page === 'home') return show(() => home(actions));
  if (page === 'progress')
    return show(async () => (await import('./statistics.js')).progressPage(found, actions));
  if (PAGES.includes(page) && (!found.game || found.start === '')) return refuse(t('wrong.short'));
  if (page === 'rules') return show(async () => (await import('./rules.js')).rulesPage(found, actions));
  if (page === 'learn') return show(async () => (await import('./lesson.js')).lessonPage(found, actions));
  if (page === 'begin') return openTale(lastOrNew(found.game), { push: false });
  if (page === 'setup') return show(async () => (await import('./setup.js')).setUp(found, openTale));
  if (page === 'play') return openLink(found);
  if (page === 'train') return show(async () => (await import('./train.js')).trainPage(found, actions));
  if (ONLINE.includes(page) && (await gameList()).online)
    return show(async () => (await import('./online-pages.js')).open(found, actions));
  return refuse(t('wrong.page', { page }));
}

/**
 * What is wrong with a link although the server can read it, or nothing.
 *
 * @param {Place} found
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
 * A link to a game of ours goes on with it, branches and all; any other is opened as it says.
 *
 * @param {Place} found
 */
async function openLink(found) {
  const here = (/** @type {Tale} */ tale) => describe(tale) === location.hash;
  const kept = history.state?.id ? games.get(history.state.id) : null;
  const same = kept ?? games.all().find((g) => g.mode === found.mode && here(Tale.from(g)));
  const ours = same && Tale.from(same);
  if (ours && here(ours)) return openTale(ours, { push: false });
  return show(async () => {
    const cut = found.turns.indexOf('');
    if (cut >= 0) throw new BadLink(t('wrong.short'), { ply: cut });
    const problem = await problemOf(found);
    if (problem) throw new BadLink(problem);
    const tale = taleFrom(found);
    tale.flipped = found.players.w !== 'human' && found.players.b === 'human';
    const table = new Table(tale, actions);
    await table.stateOf(tale.tip); // every turn is good, also those after the place looked at
    await table.open();
    entitle('play', tale.game);
    return table;
  });
}

// ---- frame -----------------------------------------------------------------------------------

/** @param {string | null} chosen */
function theme(chosen) {
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function languageButton() {
  const other = language === 'fr' ? 'en' : 'fr';
  const made = button(
    other === 'fr' ? 'Français' : 'English',
    null,
    async () => {
      settings.set('language', other);
      await frame();
      route();
    },
    { cls: 'language' },
  );
  made.lang = other;
  made.append(h('abbr', { 'aria-hidden': 'true' }, other.toUpperCase())); // where there is no room
  return made;
}

function themeButton() {
  const shape = () => (isDark() ? 'sun' : 'moon');
  const toggle = () => {
    const next = isDark() ? 'light' : 'dark';
    settings.set('theme', next);
    theme(next);
    made.replaceChildren(icon(shape()));
  };
  const made = button(t('frame.theme'), shape(), toggle, { quiet: true, cls: 'theme' });
  return made;
}

function appearanceButton() {
  const open = async () => {
    const { games: list } = await gameList();
    askAppearance((await gameNamed(parse(location.hash).game)) ?? list[0]);
  };
  return button(t('look.title'), 'palette', open, { quiet: true, cls: 'appearance' });
}

function soundButton() {
  const isOn = () => settings.get('sound', false);
  const draw = () => {
    made.setAttribute('aria-pressed', String(isOn()));
    made.replaceChildren(icon(isOn() ? 'sound' : 'mute'));
  };
  const toggle = () => {
    settings.set('sound', !isOn());
    draw();
    sound('step');
  };
  const made = button(t('frame.sound'), null, toggle, { quiet: true, cls: 'sound' });
  draw();
  return made;
}

// The way to people far away; it says how many games wait for one's turn.
function lobbyLink() {
  const title = t('online.title');
  const made = h('a', { class: 'button lobby', href: `${root}#/lobby`, title, 'aria-label': title });
  made.append(icon('people'));
  import('./online-alert.js').then(({ attend }) => attend(made)).catch(console.warn);
  return made;
}

async function frame() {
  await speak(preferred());
  const { games: list, online } = await gameList();
  const links = list.map(({ name }) => h('a', { href: begins(name) }, nameOf(name)));
  links.push(h('a', { href: `${root}#/train`, class: 'training' }, t('train.title')));
  away.textContent = '';
  const mark = h('img', {
    src: new URL('icon.svg', import.meta.url).href,
    alt: '',
    width: '28',
    height: '28',
  });
  const header = h(
    'header',
    { class: 'top' },
    h(
      'a',
      { href: `${root}#/`, class: 'brand', 'aria-label': t('frame.home') },
      mark,
      h('span', {}, 'Damier'),
    ),
    h('nav', { 'aria-label': t('frame.games') }, links),
    where,
    h('span', { class: 'spring' }),
    online ? lobbyLink() : null,
    ...[languageButton(), appearanceButton(), soundButton(), themeButton()],
  );
  const jump = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.focus();
  };
  const skip = h('a', { class: 'skip', href: '#main', onclick: jump }, t('frame.skip'));
  document.body.replaceChildren(skip, header, away, progress, main);
}

theme(settings.get('theme'));
applyAppearance();
addEventListener('popstate', route);
addEventListener('unhandledrejection', (event) => {
  if (event.reason?.name === 'AbortError') event.preventDefault();
});
await frame();
await route();
document.body.dataset.ready = 'yes';
keepUpdated().catch(console.warn); // the page works without
