// Saying that it is one's turn: in the title, by a sound, by a notice of the browser if that is
// allowed, and in the frame of every page.

import { root } from './address.js';
import { dialog, h, icon } from './dom.js';
import { language, nameOf, t } from './i18n.js';
import { call, line } from './online.js';
import { sound } from './sound.js';
import { identity, settings } from './store.js';

/** @import { Brief, Match } from './online.js' */
/** @import { Item } from './menu.js' */

const can = () => 'Notification' in window;
const isOn = () => can() && Notification.permission === 'granted' && settings.get('notify', false);

/**
 * Where the browser may be asked for notices: only by a click.
 *
 * @returns {Item | null}
 */
export function notifyItem() {
  if (!can()) return null;
  const toggle = async () => {
    const on = !isOn() && (await Notification.requestPermission()) === 'granted';
    settings.set('notify', on);
  };
  return [t(isOn() ? 'online.notify.off' : 'online.notify.on'), 'bell', toggle, 'notify'];
}

/**
 * @param {string} game
 * @param {string} id
 * @param {string} name the other's
 */
function notify(game, id, name) {
  if (!isOn() || !document.hidden) return;
  try {
    const body = t('online.notify.text', { name });
    const shown = new Notification(`${nameOf(game)}: ${t('home.your-move')}`, { body, tag: id });
    shown.onclick = () => {
      focus();
      location.hash = `#/online/${id}`;
      shown.close();
    };
  } catch {
    // Phones show notices of installed pages only.
  }
}

/**
 * The title of a page that shows a game.
 *
 * @param {Match} match
 * @param {boolean} mine whether it is one's turn
 */
export function entitled({ game, seats }, mine) {
  const names = `${seats.w?.name ?? '?'} – ${seats.b?.name ?? '?'}`;
  document.title = mine ? `● ${t('home.your-move')} ${nameOf(game)}` : `${nameOf(game)} · ${names}`;
}

/** @type {Map<string, string>} */
const waiting = new Map(); // games where it is one's turn
const badge = h('b', { class: 'badge', hidden: true });
/** @type {HTMLAnchorElement | null} */
let lead = null;

/** @param {Brief} brief */
const isMine = ({ status, to_move, your }) => status === 'playing' && !!your && to_move === your;

function drawBadge() {
  const count = waiting.size;
  badge.hidden = !count;
  badge.textContent = String(count);
  if (!lead) return;
  lead.setAttribute('aria-label', count ? t('online.badge', { count }) : t('online.title'));
  lead.href = `${root}#/${count ? 'mine' : 'lobby'}`;
}

/** @param {Brief} brief */
function onMine(brief) {
  const before = waiting.has(brief.id);
  if (isMine(brief)) waiting.set(brief.id, brief.game);
  else waiting.delete(brief.id);
  drawBadge();
  if (!isMine(brief) || before) return;
  const other = brief.seats[brief.your === 'w' ? 'b' : 'w'];
  notify(brief.game, brief.id, other?.name ?? '');
  if (!location.hash.endsWith(brief.id)) sound('turn');
}

/**
 * A game that is on the screen.
 *
 * @param {Match} match
 * @param {boolean} mine
 */
export function heed({ id, game, seats, you }, mine) {
  const before = waiting.has(id);
  if (mine) waiting.set(id, game);
  else waiting.delete(id);
  drawBadge();
  if (mine && !before) notify(game, id, seats[you === 'w' ? 'b' : 'w']?.name ?? '');
}

line.addEventListener('mine', (event) => onMine(/** @type {CustomEvent} */ (event).detail));
line.addEventListener('welcome', count);
line.addEventListener('forgotten', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  dialog(
    t('online.forgotten'),
    t('action.close'),
    h('p', {}, detail),
    h('p', {}, t('online.forgotten.text')),
  );
});

async function count() {
  if (!identity.get()) return;
  const { games } = await call('me/games?over=false');
  waiting.clear();
  for (const brief of /** @type {Brief[]} */ (games)) if (isMine(brief)) waiting.set(brief.id, brief.game);
  drawBadge();
}

/**
 * The way to online play in the frame, with the number of games that wait.
 *
 * @param {HTMLAnchorElement} link
 */
export function attend(link) {
  lead = link;
  link.replaceChildren(icon('people'), badge);
  drawBadge();
  if (line.spoken && line.spoken !== language) line.again();
  if (identity.get()) line.open();
}
