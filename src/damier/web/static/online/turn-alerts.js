// Alerts that it is the player's turn: page title, sound, browser notification, and a badge on the
// link to online play.

import { root } from '../core/address.js';
import { dialog, h, icon } from '../core/dom.js';
import { gameName, isolated, language, t } from '../core/i18n.js';
import { playSound } from '../core/sound.js';
import { identity, settings } from '../core/storage.js';
import { connection, requestOnline } from './connection.js';

/** @import { Item } from '../play/menu.js' */

const isSupported = () => 'Notification' in window;
const isEnabled = () =>
  isSupported() && Notification.permission === 'granted' && settings.get('notify', false);

/**
 * Return the menu item that turns notifications on or off. Browsers ask for permission only on a click.
 *
 * @returns {Item | null}
 */
export function notifyItem() {
  if (!isSupported()) return null;
  const toggle = async () => {
    const on = !isEnabled() && (await Notification.requestPermission()) === 'granted';
    settings.set('notify', on);
  };
  return [t(isEnabled() ? 'online.notify.off' : 'online.notify.on'), 'bell', toggle, 'notify'];
}

/**
 * Show a browser notification that it is the player's turn.
 *
 * @param {string} game
 * @param {string} id
 * @param {string} name the opponent's
 */
function notify(game, id, name) {
  if (!isEnabled() || !document.hidden) return;
  try {
    const body = t('online.notify.text', { name });
    const shown = new Notification(`${gameName(game)}: ${t('home.your-move')}`, { body, tag: id });
    shown.onclick = () => {
      focus();
      location.hash = `#/online/${id}`;
      shown.close();
    };
  } catch {
    // Phones show notifications of installed pages only.
  }
}

/**
 * Set the page title to the players, or to an alert on the player's turn.
 *
 * @param {Online.GameView} onlineGame
 * @param {boolean} isYourTurn
 */
export function setOnlineTitle({ game, seats }, isYourTurn) {
  const names = `${isolated(seats.w?.name ?? '?')} – ${isolated(seats.b?.name ?? '?')}`;
  const title = gameName(game);
  document.title = isYourTurn ? `● ${t('home.your-move')} ${title}` : `${title} · ${names}`;
}

/** @type {Map<string, string>} */
const waitingGames = new Map(); // the games in which it is the player's turn: name by id
const badge = h('b', { class: 'badge', hidden: true });
/** @type {HTMLAnchorElement | null} */
let onlineLink = null;

/** @param {Online.GameSummary} summary */
const isPlayersTurn = ({ status, to_move, your }) => status === 'playing' && !!your && to_move === your;

/** Show the number of waiting games. */
function drawBadge() {
  const count = waitingGames.size;
  badge.hidden = !count;
  badge.textContent = String(count);
  if (!onlineLink) return;
  onlineLink.setAttribute('aria-label', count ? t('online.badge', { count }) : t('online.title'));
  onlineLink.href = `${root}#/${count ? 'mine' : 'lobby'}`;
}

/**
 * Alert the player to a game that is not on the screen.
 *
 * @param {Online.GameSummary} summary
 */
function onGameChanged(summary) {
  const wasWaiting = waitingGames.has(summary.id);
  if (isPlayersTurn(summary)) waitingGames.set(summary.id, summary.game);
  else waitingGames.delete(summary.id);
  drawBadge();
  if (!isPlayersTurn(summary) || wasWaiting) return;
  const other = summary.seats[summary.your === 'w' ? 'b' : 'w'];
  notify(summary.game, summary.id, other?.name ?? '');
  if (!location.hash.endsWith(summary.id)) playSound('turn');
}

/**
 * Update the badge for the game on the screen.
 *
 * @param {Online.GameView} onlineGame
 * @param {boolean} isYourTurn
 */
export function updateWaitingGame({ id, game, seats, you }, isYourTurn) {
  const wasWaiting = waitingGames.has(id);
  if (isYourTurn) waitingGames.set(id, game);
  else waitingGames.delete(id);
  drawBadge();
  if (isYourTurn && !wasWaiting) notify(game, id, seats[you === 'w' ? 'b' : 'w']?.name ?? '');
}

connection.addEventListener('mine', (event) => onGameChanged(/** @type {CustomEvent} */ (event).detail));
connection.addEventListener('welcome', loadWaitingGames);
connection.addEventListener('forgotten', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  dialog(
    t('online.forgotten'),
    t('action.close'),
    h('p', {}, detail),
    h('p', {}, t('online.forgotten.text')),
  );
});

/** Load the games in which it is the player's turn. */
async function loadWaitingGames() {
  if (!identity.get()) return;
  const { games } = await requestOnline('me/games?over=false');
  waitingGames.clear();
  for (const summary of /** @type {Online.GameSummary[]} */ (games))
    if (isPlayersTurn(summary)) waitingGames.set(summary.id, summary.game);
  drawBadge();
}

/**
 * Show the link to online play with the number of games in which it is the player's turn.
 *
 * @param {HTMLAnchorElement} link
 */
export function showOnlineLink(link) {
  onlineLink = link;
  link.replaceChildren(icon('people'), badge);
  drawBadge();
  if (connection.sentLanguage && connection.sentLanguage !== language) connection.reconnect();
  if (identity.get()) connection.connect();
}
