// Lists of online games: the lobby, the player's games, and the page of a player.

import { Board } from '../board/board.js';
import { addressOf, root } from '../core/address.js';
import { findGame, request } from '../core/api.js';
import { button, h, icon, saveFile } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { formatAge, formatDay, formatNumber, gameName, isolated, t } from '../core/i18n.js';
import { identity } from '../core/storage.js';
import { deadlineText, timeControlText } from './clocks.js';
import { connection, requestOnline } from './connection.js';
import { ensureIdentity, identityNote, nameForm, showTransferDialog } from './identity.js';
import { rulesText } from './mode.js';
import { personalDataControls } from './personal-data.js';
import { ratingText } from './player-bars.js';

const MAX_MINIATURES = 12; // boards shown per list

/** @param {string} page */
const onlineNav = (page) =>
  h(
    'nav',
    { class: 'online-nav', 'aria-label': t('online.title') },
    [
      ['lobby', t('online.lobby')],
      ['mine', t('online.mine')],
      ['friend', t('online.friend')],
    ].map(([name, label]) =>
      h('a', { href: `${root}#/${name}`, 'aria-current': name === page ? 'page' : null }, label),
    ),
  );

/** @param {Online.SeatedPlayer | null} seat */
const playerText = (seat) =>
  seat ? [isolated(seat.name), ratingText(seat)].filter(Boolean).join(' ') : t('online.nobody');

/** @param {Online.GameSummary} summary */
const termsText = (summary) =>
  [rulesText(summary), timeControlText(summary.clock), t(summary.rated ? 'online.rated' : 'online.casual')]
    .filter(Boolean)
    .join(' · ');

/**
 * Build a small board with the current position.
 *
 * @param {Online.GameSummary} summary
 * @param {AbortSignal} signal
 */
function miniature({ game, options, position, your }, signal) {
  const mini = h('span', { class: 'miniature', 'aria-hidden': 'true' });
  const show = async () => {
    const [state, description] = await Promise.all([
      request('state', { game, options, start: position }, signal),
      findGame(game),
    ]);
    if (!description) return;
    const board = new Board(state.board, description, { still: true });
    board.flip(your === 'b');
    board.show(state.cells, false);
    mini.append(board.element);
  };
  show().catch(() => {});
  return mini;
}

/**
 * Return the status of a game: side to move and deadline, or result.
 *
 * @param {Online.GameSummary} summary
 */
function statusText({ status, to_move, your, deadline, result, clock, updated }) {
  if (status === 'waiting') return t('online.list.waiting');
  if (status === 'aborted') return t('online.aborted');
  if (status === 'over' && result) {
    const key = !result.winner ? 'drawn' : your ? (result.winner === your ? 'won' : 'lost') : '';
    return [key ? t(`online.list.${key}`) : '', result.text, formatAge(updated)].filter(Boolean).join(' · ');
  }
  const isYourTurn = your && to_move === your;
  const turn = isYourTurn ? t('home.your-move') : t('rules.side', { side: t(`side.${to_move}`) });
  return clock.kind === 'days' && deadline
    ? `${turn} ${t('online.until', { time: deadlineText(deadline) })}`
    : turn;
}

/**
 * Build the row of a game.
 *
 * @param {Online.GameSummary} summary
 * @param {AbortSignal | null} signal of the small board; null for none
 */
function gameRow(summary, signal) {
  const { id, game, seats, status, to_move: to, your, turns } = summary;
  const isYourTurn = status === 'playing' && !!your && to === your;
  const players = `${playerText(seats.w)} – ${playerText(seats.b)}`;
  const movesText = turns ? t('saved.turns', { count: turns }) : '';
  return h(
    'li',
    { class: `game-row${isYourTurn ? ' your-turn' : ''}`, 'data-game': id },
    h(
      'a',
      { href: `${root}#/online/${id}` },
      signal ? miniature(summary, signal) : null,
      h(
        'span',
        { class: 'about' },
        h('b', {}, gameName(game)),
        h('span', {}, players),
        h('span', { class: 'game-status' }, statusText(summary)),
        h('span', { class: 'faint' }, [termsText(summary), movesText].filter(Boolean).join(' · ')),
      ),
    ),
    status === 'over' ? finishedGameButtons(summary) : null,
  );
}

/**
 * Build the buttons of a finished game: download its record, analyse it.
 *
 * @param {Online.GameSummary} summary
 */
function finishedGameButtons({ id, game, result }) {
  const record = async () => {
    const { text } = await requestOnline(`games/${id}/record`);
    saveFile(`${game}-${id}.txt`, new Blob([text], { type: 'text/plain' }));
  };
  const review = async () => {
    const match = await requestOnline(`games/${id}`);
    const { options, start, turns } = match;
    const tree = new GameTree({ game, options, start, mode: 'study' }).addMoves(turns, null);
    location.hash = addressOf(tree);
  };
  const about = { game: gameName(game), reason: result?.text ?? '' };
  const buttons = [
    button(t('online.list.record', about), 'download', record, { quiet: true, cls: 'record' }),
    button(t('online.list.review', about), 'chart', review, { quiet: true, cls: 'review' }),
  ];
  return h('span', { class: 'row' }, buttons);
}

/**
 * Replace the rows of a list.
 *
 * @param {HTMLElement} list
 * @param {Online.GameSummary[]} summaries
 * @param {string} none
 * @param {AbortSignal | null} signal
 */
function fillGameList(list, summaries, none, signal) {
  const rows = summaries.map((summary, k) => gameRow(summary, k < MAX_MINIATURES ? signal : null));
  list.replaceChildren(...(rows.length ? rows : [h('li', { class: 'empty-note faint' }, none)]));
}

// ---- lobby -----------------------------------------------------------------------------------

/**
 * Build the lobby row of an open game, with a button to join it.
 *
 * @param {Online.GameSummary} summary
 * @param {(error: unknown) => void} complain
 */
function lobbyEntry(summary, complain) {
  const { id, game, creator, colour } = summary;
  const isCreator = creator.id === identity.get()?.id;
  const own = colour === 'lot' ? t('online.new.colour.lot') : t(`side.${colour === 'w' ? 'b' : 'w'}`);
  const join = async () => {
    try {
      await ensureIdentity();
      await requestOnline(`games/${id}/join`, {});
      location.hash = `#/online/${id}`;
    } catch (error) {
      complain(error);
    }
  };
  const label = t('online.lobby.join', { game: gameName(game), name: creator.name });
  const play = h(
    'button',
    { type: 'button', class: 'main join', onclick: join, 'aria-label': label },
    icon('play'),
    h('span', {}, t('action.play')),
  );
  const go = h('a', { class: 'button', href: `${root}#/online/${id}` }, t('online.lobby.yours'));
  return h(
    'li',
    { class: 'game-row', 'data-game': id },
    h(
      'span',
      { class: 'about' },
      h('b', {}, gameName(game)),
      h('a', { href: `${root}#/player/${creator.id}` }, playerText(creator)),
      h('span', { class: 'game-status' }, termsText(summary)),
      h(
        'span',
        { class: 'faint' },
        isCreator ? t('online.list.waiting') : t('online.lobby.colour', { colour: own }),
      ),
      summary.rated && summary.solved ? h('span', { class: 'faint' }, t('online.solved.rated')) : null,
    ),
    isCreator ? go : play,
  );
}

/** Build the page of the lobby; it is updated by the server. */
export async function lobbyPage() {
  const list = h('ul', { class: 'game-rows offers', 'aria-live': 'polite' });
  const errorText = h('p', { class: 'message', role: 'alert' });
  const complain = (/** @type {unknown} */ error) => {
    if (error instanceof Error) errorText.textContent = error.message;
  };
  const draw = (/** @type {Online.GameSummary[]} */ entries) => {
    const focused = document.activeElement?.closest('[data-game]')?.getAttribute('data-game');
    const rows = entries.map((summary) => lobbyEntry(summary, complain));
    list.replaceChildren(
      ...(rows.length ? rows : [h('li', { class: 'empty-note faint' }, t('online.lobby.none'))]),
    );
    const row = rows.find(({ dataset }) => dataset.game === focused);
    row?.querySelector('button')?.focus({ preventScroll: true });
  };
  draw((await requestOnline('lobby')).entries);
  const leave = connection.watchLobby(draw);
  const element = h(
    'div',
    { class: 'page lobby' },
    onlineNav('lobby'),
    h('h1', {}, t('online.lobby')),
    h('p', {}, t('online.lobby.text')),
    h(
      'div',
      { class: 'row' },
      h('a', { class: 'button', href: `${root}#/friend?open=yes` }, icon('plus'), t('online.lobby.offer')),
    ),
    errorText,
    list,
    identityNote(),
  );
  return { element, leave };
}

// ---- the player's games ----------------------------------------------------------------------

/** Build the page with the player's games. */
export async function ownGamesPage() {
  const leaving = new AbortController();
  const on = h('ul', { class: 'game-rows' });
  const over = h('ul', { class: 'game-rows' });
  const more = h('div', { class: 'row' });
  const loadCurrent = async () => {
    const { games } = identity.get() ? await requestOnline('me/games?over=false') : { games: [] };
    fillGameList(on, games, t('online.mine.none'), leaving.signal);
  };
  const loadFinished = async (/** @type {number | null} */ before) => {
    if (!identity.get()) return;
    const query = before === null ? '' : `&before=${before}`;
    const { games, before: next } = await requestOnline(`me/games?over=true${query}`);
    if (before === null) fillGameList(over, games, t('online.mine.none-over'), leaving.signal);
    else over.append(...games.map((/** @type {Online.GameSummary} */ summary) => gameRow(summary, null)));
    more.replaceChildren(...(next ? [button(t('online.mine.more'), null, () => loadFinished(next))] : []));
  };
  await Promise.all([loadCurrent(), loadFinished(null)]);
  const reload = () =>
    loadCurrent().catch((error) => {
      if (error.status !== 401) console.warn(error); // the identity has just been deleted
    });
  connection.addEventListener('mine', reload);
  connection.addEventListener('welcome', reload);
  connection.connect();
  const me = h('section', { 'aria-label': t('online.me') }, h('h2', {}, t('online.me')));
  const onDeleted = () => {
    const notice = h('p', { class: 'deleted', role: 'status', tabindex: '-1' }, t('online.data.deleted'));
    me.replaceChildren(h('h2', {}, t('online.me')), notice);
    notice.focus();
    reload();
    fillGameList(over, [], t('online.mine.none-over'), leaving.signal);
    more.replaceChildren();
  };
  me.append(identityForm(), identityNote());
  if (identity.get()) me.append(personalDataControls(onDeleted));
  const element = h(
    'div',
    { class: 'page mine' },
    onlineNav('mine'),
    h('h1', {}, t('online.mine')),
    h('section', { 'aria-label': t('online.mine.on') }, h('h2', {}, t('online.mine.on')), on),
    h('section', { 'aria-label': t('online.mine.over') }, h('h2', {}, t('online.mine.over')), over, more),
    me,
  );
  const leave = () => {
    leaving.abort();
    connection.removeEventListener('mine', reload);
    connection.removeEventListener('welcome', reload);
  };
  return { element, leave };
}

// Build the form for the player's name.
function identityForm() {
  const known = identity.get();
  const box = h('div', { class: 'me' });
  const draw = () => box.replaceChildren(nameForm(t('online.name'), () => onSaved()));
  const onSaved = () => {
    draw();
    box.append(h('p', { role: 'status' }, t('online.name.kept')));
  };
  draw();
  if (known) box.append(h('a', { href: `${root}#/player/${known.id}` }, t('online.me.page')));
  return box;
}

// ---- page of a player ------------------------------------------------------------------------

/**
 * Build the table of a player's ratings.
 *
 * @param {Online.PlayerProfile} player
 */
function ratingsTable({ ratings: list }) {
  if (!list.length) return h('p', { class: 'faint' }, t('online.player.unrated'));
  const rows = list.map(({ game, pace, points: known, deviation, provisional, games }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, gameName(game)),
      h('td', {}, t(`online.player.pace.${pace}`)),
      h('td', { class: 'number' }, `${Math.round(known)}${provisional ? '?' : ''}`),
      h('td', { class: 'number faint' }, `± ${Math.round(2 * deviation)}`),
      h('td', { class: 'number' }, formatNumber(games)),
    ),
  );
  const heads = ['game', 'pace', 'points', 'deviation', 'games'].map((key) =>
    h('th', { scope: 'col' }, t(`online.player.${key}`)),
  );
  const note = list.some(({ provisional }) => provisional)
    ? h('p', { class: 'faint' }, t('online.player.provisional'))
    : null;
  const table = h('table', {}, h('thead', {}, h('tr', {}, heads)), h('tbody', {}, rows));
  return h('div', { class: 'scrolls' }, table, note);
}

/**
 * Build the table of a player's results.
 *
 * @param {Online.PlayerProfile} player
 */
function resultsTable({ results: list }) {
  if (!list.length) return null;
  const rows = list.map(({ game, won, drawn, lost }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, gameName(game)),
      [won, drawn, lost].map((count) => h('td', { class: 'number' }, formatNumber(count))),
    ),
  );
  const heads = ['game', 'won', 'drawn', 'lost'].map((key) =>
    h('th', { scope: 'col' }, t(`online.player.${key}`)),
  );
  return h(
    'div',
    { class: 'scrolls' },
    h('table', {}, h('thead', {}, h('tr', {}, heads)), h('tbody', {}, rows)),
  );
}

/**
 * Build the page of a player.
 *
 * @param {string} id
 */
export async function playerPage(id) {
  const leaving = new AbortController();
  const path = `players/${encodeURIComponent(id)}`;
  const [player, { games }] = await Promise.all([requestOnline(path), requestOnline(`${path}/games`)]);
  const list = h('ul', { class: 'game-rows' });
  const isSelf = identity.get()?.id === player.id;
  // Wins and losses are marked only on the player's own page.
  const shown = games.map((/** @type {Online.GameSummary} */ summary) =>
    isSelf ? summary : { ...summary, your: null },
  );
  fillGameList(list, shown, t('online.mine.none-over'), leaving.signal);
  const element = h(
    'div',
    { class: 'page player' },
    onlineNav(''),
    h('h1', {}, h('bdi', {}, player.name)),
    player.bot ? h('p', {}, t('online.player.bot')) : null,
    h('p', { class: 'faint' }, t('online.player.since', { date: formatDay(player.created) })),
    isSelf
      ? h(
          'div',
          { class: 'row' },
          button(t('online.take'), 'share', showTransferDialog, { cls: 'take-along' }),
        )
      : null,
    h(
      'section',
      { 'aria-label': t('online.player.ratings') },
      h('h2', {}, t('online.player.ratings')),
      ratingsTable(player),
    ),
    h(
      'section',
      { 'aria-label': t('online.player.results') },
      h('h2', {}, t('online.player.results')),
      resultsTable(player),
    ),
    h('section', { 'aria-label': t('online.player.list') }, h('h2', {}, t('online.player.list')), list),
  );
  return { element, leave: () => leaving.abort() };
}
