// The frame: where one is, the language, the theme, and what to show for each address.

import { describe, parse } from './address.js';
import { gameList, onAway } from './api.js';
import { button, dialog, h, icon } from './dom.js';
import { home } from './home.js';
import { language, preferred, speak, t } from './i18n.js';
import { askNewGame, chosenFor, newTale } from './newgame.js';
import { Table, taleFrom } from './play.js';
import { rulesPage } from './rules.js';
import { setUp } from './setup.js';
import { shareDialog } from './share.js';
import { games, settings } from './store.js';
import { level, Tale } from './tale.js';

let shown = null; // the page on the screen: { element, leave }
let count = 0;
const main = h('main', { id: 'main', tabindex: '-1' });
const away = h('p', { class: 'away', role: 'alert', hidden: true });

onAway((gone) => {
  away.hidden = !gone;
  away.textContent = gone ? t('away') : '';
});

// ---- games -----------------------------------------------------------------------------------

function openTale(tale, { push = true } = {}) {
  if (push) history.pushState({ id: tale.id }, '', describe(tale));
  return show(async () => {
    const table = new Table(tale, actions);
    document.title = `${t(`game.${tale.game}`)} · Damier`;
    await table.open();
    return table;
  });
}

const actions = {
  // The game begun last, or a new one as the last was chosen.
  begin(game) {
    const kept = games.all().find((g) => g.game === game && g.mode === 'play' && !g.finished);
    openTale(kept ? Tale.from(kept) : newTale(game));
  },
  choose: (game) => askNewGame(game, openTale),
  resume(id) {
    const kept = games.get(id);
    if (kept) openTale(Tale.from(kept));
  },
  // New game: with the same players and rules, colours changing.
  again(table) {
    const { tale } = table;
    if (tale.mode === 'play') {
      const humans = table.humans.length;
      const chosen = chosenFor(tale.game);
      const levels = ['w', 'b'].map((side) => level(tale.players[side])).filter(Boolean);
      const second = humans === 2 ? tale.swapped : tale.players.w !== 'human';
      settings.set(`new.${tale.game}`, { ...chosen, next: humans ? (second ? 'w' : 'b') : chosen.next, options: tale.options, against: humans === 2 ? 'people' : humans ? 'computer' : 'watch', level: levels[0] ?? chosen.level, other: levels[1] ?? chosen.other });
    }
    openTale(newTale(tale.game));
  },
  async study(table, review) {
    const { tale } = table;
    const copy = new Tale({ game: tale.game, options: tale.options, start: tale.start, mode: 'study' });
    copy.names = { w: table.nameOf('w'), b: table.nameOf('b') };
    copy.flipped = tale.flipped;
    copy.follow(tale.tip.path, tale.at.ply);
    await openTale(copy);
    if (review) shown.study.review();
  },
  playHere(table) {
    const { tale } = table;
    askNewGame(tale.game, openTale, { options: tale.options, start: tale.start, turns: tale.at.path });
  },
  setUp(table) {
    const { tale, state } = table;
    const options = Object.entries(tale.options).map(([k, v]) => `${k}=${encodeURIComponent(v)}`);
    location.hash = `#/setup/${tale.game}?${[...options, `from=${encodeURIComponent(state.position)}`].join('&')}`;
  },
  share: (table) => shareDialog(table, openTale).catch((error) => table.complain(error)),
  menu: (table) => menu(table),
};

function menu(table) {
  const { tale } = table;
  const item = (label, name, does, cls = '') => button(label, name, () => (box.close(), does()), { cls });
  const list = [];
  list.push(item(t('menu.choose'), 'gear', () => actions.choose(tale.game), 'choose'));
  list.push(item(t('menu.flip'), 'flip', () => table.flip(), 'flip'));
  if (tale.mode === 'play') {
    list.push(item(t('menu.restart'), 'restart', () => table.restart(), 'restart'));
    if (!table.result() && table.humans.length) list.push(item(t('menu.resign'), 'flag', () => table.resign(), 'resign'));
  } else {
    list.push(item(t(settings.get('badges', true) ? 'menu.badges.off' : 'menu.badges.on'), 'chart', () => (settings.set('badges', !settings.get('badges', true)), table.render())));
    if (tale.at.up) list.push(item(t('menu.promote'), 'check', () => (tale.at.promote(), table.save(), table.render())), item(t('menu.cut'), null, () => { const { up } = tale.at; tale.at.cut(); table.show(up); }));
  }
  list.push(item(t('action.set-up'), 'edit', () => actions.setUp(table), 'set-up'));
  list.push(item(t(settings.get('coordinates', true) ? 'menu.names.off' : 'menu.names.on'), null, () => (settings.set('coordinates', !settings.get('coordinates', true)), table.render())));
  list.push(item(t('menu.rules'), 'book', () => (location.hash = `#/rules/${tale.game}`), 'rules'));
  const box = dialog(t('menu.title'), t('action.close'), h('div', { class: 'menu-list' }, list), h('p', { class: 'faint keys' }, t('menu.keys')));
}

// ---- addresses -------------------------------------------------------------------------------

async function show(make) {
  const mine = ++count;
  shown?.leave();
  shown = null;
  const gone = setTimeout(() => main.replaceChildren(h('p', { class: 'faint loading' }, t('loading'))), 400);
  let next;
  try {
    next = await make();
  } catch (error) {
    next = wrong(error);
  }
  clearTimeout(gone);
  if (mine !== count) {
    next.leave();
    return;
  }
  shown = next;
  main.replaceChildren(next.element);
  scrollTo(0, 0);
}

function wrong(error) {
  if (!error.key) console.warn(error);
  const ply = error.details?.ply;
  return {
    element: h('div', { class: 'wrong' }, h('h1', {}, t('wrong.title')), h('p', {}, t('wrong.text')), h('p', { class: 'why' }, error.message),
      h('div', { class: 'row' },
        Number.isInteger(ply) ? h('button', { type: 'button', class: 'main', onclick: () => cutAt(ply) }, t(ply ? 'wrong.cut' : 'wrong.start', { count: ply })) : null,
        h('a', { class: 'button', href: '/#/' }, t('wrong.home')))),
    leave() {},
  };
}

function cutAt(ply) {
  const found = parse(location.hash);
  location.hash = describe(taleFrom({ ...found, turns: found.turns.slice(0, ply), at: null }));
}

function route() {
  let found;
  try {
    found = parse(location.hash);
  } catch {
    return show(async () => {
      throw Object.assign(new Error(t('wrong.encoding')), { key: 'link' });
    });
  }
  document.title = 'Damier';
  if (location.pathname !== '/') found.page = location.pathname;
  const pages = {
    home: () => show(() => home(actions)),
    rules: () => show(() => rulesPage(found, actions)),
    setup: () => show(() => setUp(found, openTale)),
    play: () => openLink(found),
  };
  if (Object.hasOwn(pages, found.page)) return pages[found.page]();
  return show(async () => {
    throw Object.assign(new Error(t('wrong.page', { page: found.page })), { key: 'link' });
  });
}

// A link to a game of ours goes on with it, branches and all; any other is opened as it says.
async function openLink(found) {
  const kept = history.state?.id ? games.get(history.state.id) : null;
  const same = kept ?? games.all().find((g) => g.mode === found.mode && describe(Tale.from(g)) === location.hash);
  if (same && describe(Tale.from(same)) === location.hash) return openTale(Tale.from(same), { push: false });
  return show(async () => {
    const badAt = found.at !== null && !(Number.isInteger(found.at) && found.at >= 0 && found.at <= found.turns.length);
    const badPlayer = Object.values(found.players).find((p) => p !== 'human' && !/^level:[1-8]$/.test(p));
    if (badAt || badPlayer) throw Object.assign(new Error(badAt ? t('wrong.at', { count: found.turns.length }) : t('wrong.player', { player: badPlayer })), { key: 'link' });
    const tale = taleFrom(found);
    tale.flipped = found.players.w !== 'human' && found.players.b === 'human';
    const table = new Table(tale, actions);
    await table.stateOf(tale.tip); // every turn is good, also those after the place looked at
    await table.open();
    document.title = `${t(`game.${tale.game}`)} · Damier`;
    return table;
  });
}

// ---- frame -----------------------------------------------------------------------------------

function theme(chosen) {
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

async function frame() {
  await speak(preferred());
  const { games: list } = await gameList();
  const other = language === 'fr' ? 'en' : 'fr';
  const switchLanguage = button(other === 'fr' ? 'Français' : 'English', null, async () => {
    settings.set('language', other);
    await frame();
    route();
  }, { cls: 'language' });
  switchLanguage.lang = other;
  const themeButton = button(t('frame.theme'), isDark() ? 'sun' : 'moon', () => {
    const next = isDark() ? 'light' : 'dark';
    settings.set('theme', next);
    theme(next);
    themeButton.replaceChildren(icon(isDark() ? 'sun' : 'moon'));
  }, { quiet: true, cls: 'theme' });
  const soundButton = button(t('frame.sound'), settings.get('sound', false) ? 'sound' : 'mute', () => {
    const on = !settings.get('sound', false);
    settings.set('sound', on);
    soundButton.setAttribute('aria-pressed', on);
    soundButton.replaceChildren(icon(on ? 'sound' : 'mute'));
  }, { quiet: true, cls: 'sound' });
  soundButton.setAttribute('aria-pressed', settings.get('sound', false));
  away.textContent = '';
  const header = h('header', { class: 'top' },
    h('a', { href: '/#/', class: 'brand', 'aria-label': t('frame.home') }, h('img', { src: '/static/icon.svg', alt: '', width: '28', height: '28' }), h('span', {}, 'Damier')),
    h('nav', { 'aria-label': t('frame.games') }, list.map((game) => h('a', { href: '#/', onclick: (event) => (event.preventDefault(), actions.begin(game.name)) }, t(`game.${game.name}`)))),
    h('span', { class: 'spring' }), switchLanguage, soundButton, themeButton);
  document.body.replaceChildren(h('a', { class: 'skip', href: '#main', onclick: (e) => (e.preventDefault(), main.focus()) }, t('frame.skip')), header, away, main);
}

theme(settings.get('theme'));
addEventListener('popstate', route);
addEventListener('unhandledrejection', (event) => {
  if (event.reason?.name === 'AbortError') event.preventDefault();
});
await frame();
await route();
document.body.dataset.ready = 'yes';
