// The frame around every page: navigation, language, theme, appearance and sound.

import { openAppearanceDialog } from '../board/appearance.js';
import { gameOf, root } from '../core/address.js';
import { findGame, gameList, onServerUnavailable } from '../core/api.js';
import { button, h, icon } from '../core/dom.js';
import { gameName, language, preferredLanguage, setLanguage, t } from '../core/i18n.js';
import { labelLoadProgress, loadProgress } from '../core/load-progress.js';
import { playSound } from '../core/sound.js';
import { settings } from '../core/storage.js';

export const main = h('main', { id: 'main', tabindex: '-1' });
const rulesLink = h('a', { class: 'rules-link', hidden: true });
const connectionNotice = h('p', { class: 'server-unreachable', role: 'alert', hidden: true });

onServerUnavailable((isUnavailable) => {
  connectionNotice.hidden = !isUnavailable;
  const isSite = document.documentElement.dataset.siteVersion !== undefined;
  connectionNotice.textContent = isUnavailable ? t(isSite ? 'offline' : 'server-unreachable') : '';
});

/** @param {string} game */
const playAddress = (game) => `${root}#/begin/${game}`;

/**
 * Show in the frame which game is open, with a link to its rules.
 *
 * @param {string} page
 * @param {string} [game]
 */
export function setPageTitle(page, game = '') {
  document.title = game ? `${gameName(game)} · Damier` : 'Damier';
  document.body.dataset.page = page;
  const current = page === 'train' ? `${root}#/train` : playAddress(game);
  for (const to of document.querySelectorAll('.top nav a')) {
    if (to.getAttribute('href') === current) to.setAttribute('aria-current', 'true');
    else to.removeAttribute('aria-current');
  }
  rulesLink.hidden = !game || page === 'rules';
  rulesLink.href = `${root}#/rules/${game}`;
  const name = h('b', {}, gameName(game));
  rulesLink.replaceChildren(name, icon('book'), h('span', {}, t('action.rules')));
  rulesLink.title = t('home.rules', { game: gameName(game) });
}

// Hide the link to the rules of a game: a page with an error belongs to no game.
export function hideRulesLink() {
  rulesLink.hidden = true;
}

/** @param {string | null} chosen null: as the system has it */
export function setTheme(chosen) {
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** @param {() => void} onLanguageChange */
function languageButton(onLanguageChange) {
  const other = language === 'fr' ? 'en' : 'fr';
  const element = button(
    other === 'fr' ? 'Français' : 'English',
    null,
    async () => {
      settings.set('language', other);
      await drawFrame(onLanguageChange);
      onLanguageChange();
    },
    { cls: 'language' },
  );
  element.lang = other;
  element.append(h('abbr', { 'aria-hidden': 'true' }, other.toUpperCase())); // on narrow screens
  return element;
}

function themeButton() {
  const shape = () => (isDark() ? 'sun' : 'moon');
  const toggle = () => {
    const next = isDark() ? 'light' : 'dark';
    settings.set('theme', next);
    setTheme(next);
    element.replaceChildren(icon(shape()));
  };
  const element = button(t('frame.theme'), shape(), toggle, { quiet: true, cls: 'theme' });
  return element;
}

function appearanceButton() {
  const open = async () => {
    const { games: list } = await gameList();
    openAppearanceDialog((await findGame(gameOf(location.hash))) ?? list[0]);
  };
  return button(t('look.title'), 'palette', open, { quiet: true, cls: 'appearance' });
}

function soundButton() {
  const isOn = () => settings.get('sound', false);
  const draw = () => {
    element.setAttribute('aria-pressed', String(isOn()));
    element.replaceChildren(icon(isOn() ? 'sound' : 'mute'));
  };
  const toggle = () => {
    settings.set('sound', !isOn());
    draw();
    playSound('step');
  };
  const element = button(t('frame.sound'), null, toggle, { quiet: true, cls: 'sound' });
  draw();
  return element;
}

// Link to online play with the number of games in which it is the player's turn.
function lobbyLink() {
  const title = t('online.title');
  const element = h('a', { class: 'button lobby', href: `${root}#/lobby`, title, 'aria-label': title });
  element.append(icon('people'));
  import('../online/turn-alerts.js')
    .then(({ showOnlineLink }) => showOnlineLink(element))
    .catch(console.warn);
  return element;
}

/** @param {() => void} onLanguageChange called when all texts have to be drawn again */
export async function drawFrame(onLanguageChange) {
  await setLanguage(preferredLanguage());
  labelLoadProgress();
  const { games: list, online } = await gameList();
  const links = list.map(({ name }) => h('a', { href: playAddress(name) }, gameName(name)));
  links.push(h('a', { href: `${root}#/train`, class: 'training' }, t('train.title')));
  connectionNotice.textContent = '';
  const mark = h('img', {
    src: new URL('../icon.svg', import.meta.url).href,
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
    rulesLink,
    h('span', { class: 'spring' }),
    online ? lobbyLink() : null,
    ...[languageButton(onLanguageChange), appearanceButton(), soundButton(), themeButton()],
  );
  const jump = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.focus();
  };
  const skip = h('a', { class: 'skip', href: '#main', onclick: jump }, t('frame.skip'));
  document.body.replaceChildren(skip, header, connectionNotice, loadProgress, main);
}
