// Page for two players: on this screen, by message, online, or in a local network.

import { root } from '../core/address.js';
import { gameList } from '../core/api.js';
import { button, h, loadStyleSheet } from '../core/dom.js';
import { gameName, t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { newMessageGame } from './message-link.js';
import { newGameTree, radioButton, radioGroup, replaceKeepingFocus, saveOpponent } from './new-game.js';
import { pasteLinkForm } from './paste-link.js';

/** @import { Address } from '../core/address.js' */
/** @import { Actions } from '../main.js' */
/** @import { Side } from './game-model.js' */

/**
 * Build the ways to play with a friend that need no server.
 *
 * @param {() => { game: string, options: Record<string, string>, start: string | null }} chosen
 * @param {Actions} actions
 */
function localOptions(chosen, actions) {
  const onScreen = () => {
    const { game, options, start } = chosen();
    saveOpponent(game, 'people');
    actions.openGame(newGameTree(game, { options, start }));
  };
  /** @param {Side} side */
  const byMessage = (side) => () => {
    const { game, options, start } = chosen();
    actions.openGame(newMessageGame(game, side, { options, start }));
  };
  return [
    h(
      'section',
      { class: 'play-option on-screen' },
      h('h2', {}, t('friend.screen')),
      h('p', {}, t('friend.screen.text')),
      h('div', { class: 'row' }, button(t('friend.screen.begin'), 'play', onScreen, { cls: 'main begin' })),
    ),
    h(
      'section',
      { class: 'play-option by-link' },
      h('h2', {}, t('friend.message')),
      h('p', {}, t('friend.message.text')),
      h(
        'div',
        { class: 'row' },
        button(t('friend.message.w'), 'link', byMessage('w'), { cls: 'main message-w' }),
        button(t('friend.message.b'), 'link', byMessage('b'), { cls: 'message-b' }),
      ),
      pasteLinkForm(),
    ),
  ];
}

const LAN_COMMAND = 'damier serve --lan';

/**
 * Return how to play in the local network; the command is not broken over two lines.
 *
 * @param {boolean} onSite whether this page is the static site
 */
function networkText(onSite) {
  const text = t(onSite ? 'friend.network.site' : 'friend.network.text', { command: LAN_COMMAND });
  const [before, after] = text.split(LAN_COMMAND);
  return [before, h('code', { class: 'command' }, LAN_COMMAND), after];
}

/**
 * Build the page.
 *
 * @param {Address} route
 * @param {Actions} actions
 */
export async function friendPage(route, actions) {
  const { games, online } = await gameList();
  document.title = `${t('friend.title')} · Damier`;
  const preferredGame = route.game || (online && settings.get('online.new', {}).game);
  const chosenGame = games.find(({ name }) => name === preferredGame) ?? games[0];
  let game = chosenGame.name;
  const fits = (/** @type {string} */ option) => chosenGame.options.some(({ name }) => name === option);
  const options = Object.fromEntries(Object.entries(route.options).filter(([option]) => fits(option)));
  // Options and a start belong to the game of the address.
  const chosen = () =>
    game === route.game ? { game, options, start: route.start } : { game, options: {}, start: null };
  const picks = h('div', { class: 'new-game' });
  /** @type {import('../online/new-game.js').OnlineGameForm | null} */
  let form = null; // for a game online
  const draw = () => {
    const buttons = games.map(({ name }) =>
      radioButton('friend-game', gameName(name), name === game, () => {
        game = name;
        form?.setGame(name);
        draw();
      }),
    );
    replaceKeepingFocus(picks, [radioGroup(t('friend.game'), buttons)]);
  };
  draw();
  const onSite = document.documentElement.dataset.siteVersion !== undefined;
  const element = h(
    'div',
    { class: 'two-players' },
    h('h1', {}, t('friend.title')),
    picks,
    localOptions(chosen, actions),
    online
      ? null
      : h(
          'section',
          { class: 'play-option remote' },
          h('h2', {}, t('friend.network')),
          h('p', {}, networkText(onSite)),
        ),
  );
  if (online) {
    const [{ OnlineGameForm }] = await Promise.all([
      import('../online/new-game.js'),
      loadStyleSheet('online.css'),
    ]);
    form = new OnlineGameForm(games, { ...route, game });
    element.append(h('section', { class: 'play-option remote' }, form.element));
  }
  return { element, leave() {} };
}

/**
 * Build the link to the page for two players.
 *
 * @param {string} game or empty for any
 */
export const friendLink = (game) => `${root}#/friend${game ? `/${game}` : ''}`;
