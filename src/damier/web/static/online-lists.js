// Lists of games: the lobby, one's own, and a player's page.

import { link, root } from './address.js';
import { ask, gameNamed } from './api.js';
import { Board } from './board.js';
import { button, h, icon } from './dom.js';
import { ago, nameOf, number, t } from './i18n.js';
import { call, line } from './online.js';
import { points } from './online-bars.js';
import { moment, paceText } from './online-clock.js';
import { ensured, nameForm, seatNote, takeAlong } from './online-identity.js';
import { rulesText } from './online-table.js';
import { identity } from './store.js';
import { Tale } from './tale.js';

/** @import { Brief, Player, Seat } from './online.js' */

const PICTURED = 12; // games of a list that are shown with their boards

/** @param {string} page */
const here = (page) =>
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

/** @param {Seat | null} seat */
const named = (seat) => (seat ? [seat.name, points(seat)].filter(Boolean).join(' ') : t('online.nobody'));

/** @param {Brief} brief */
const terms = (brief) =>
  [rulesText(brief), paceText(brief.clock), t(brief.rated ? 'online.rated' : 'online.casual')]
    .filter(Boolean)
    .join(' · ');

/**
 * The board as it stands.
 *
 * @param {Brief} brief
 * @param {AbortSignal} signal
 */
function miniature({ game, options, position, your }, signal) {
  const mini = h('span', { class: 'mini', 'aria-hidden': 'true' });
  const show = async () => {
    const [state, found] = await Promise.all([
      ask('state', { game, options, start: position }, signal),
      gameNamed(game),
    ]);
    if (!found) return;
    const board = new Board(state.board, found, { still: true });
    board.flip(your === 'b');
    board.show(state.cells, false);
    mini.append(board.element);
  };
  show().catch(() => {});
  return mini;
}

/**
 * What is the matter with a game: whose turn, until when, how it ended.
 *
 * @param {Brief} brief
 */
function matter({ status, to_move, your, deadline, result, clock, updated }) {
  if (status === 'waiting') return t('online.list.waiting');
  if (status === 'aborted') return t('online.aborted');
  if (status === 'over' && result) {
    const key = !result.winner ? 'drawn' : your ? (result.winner === your ? 'won' : 'lost') : '';
    return [key ? t(`online.list.${key}`) : '', result.text, ago(updated)].filter(Boolean).join(' · ');
  }
  const mine = your && to_move === your;
  const turn = mine ? t('home.your-move') : t('rules.side', { side: t(`side.${to_move}`) });
  return clock.kind === 'days' && deadline
    ? `${turn} ${t('online.until', { time: moment(deadline) })}`
    : turn;
}

/**
 * @param {Brief} brief
 * @param {AbortSignal | null} signal for a picture; without, none is shown
 */
function row(brief, signal) {
  const { id, game, seats, status, to_move: to, your, turns } = brief;
  const ripe = status === 'playing' && !!your && to === your;
  const players = `${named(seats.w)} – ${named(seats.b)}`;
  const counted = turns ? t('kept.turns', { count: turns }) : '';
  return h(
    'li',
    { class: `brief${ripe ? ' ripe' : ''}`, 'data-game': id },
    h(
      'a',
      { href: `${root}#/online/${id}` },
      signal ? miniature(brief, signal) : null,
      h(
        'span',
        { class: 'about' },
        h('b', {}, nameOf(game)),
        h('span', {}, players),
        h('span', { class: 'matter' }, matter(brief)),
        h('span', { class: 'faint' }, [terms(brief), counted].filter(Boolean).join(' · ')),
      ),
    ),
    status === 'over' ? afterwards(brief) : null,
  );
}

/**
 * What can be done with a game that is over: its record, and a study of it here.
 *
 * @param {Brief} brief
 */
function afterwards({ id, game, seats, result }) {
  const record = async () => {
    const { text } = await call(`games/${id}/record`);
    const href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    h('a', { href, download: `${game}-${id}.txt` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  };
  const review = async () => {
    const match = await call(`games/${id}`);
    const tale = new Tale({ game, options: match.options, start: match.start, mode: 'study' });
    tale.names = { w: seats.w?.name ?? '?', b: seats.b?.name ?? '?' };
    tale.follow(match.turns, null);
    /** @type {[string, string][]} */
    const parts = Object.entries(tale.options);
    if (tale.start) parts.push(['from', tale.start]);
    parts.push(['turns', match.turns.join('_')], ['mode', 'study']);
    location.hash = link('play', game, parts);
  };
  const about = { game: nameOf(game), reason: result?.text ?? '' };
  const made = [
    button(t('online.list.record', about), 'download', record, { quiet: true, cls: 'record' }),
    button(t('online.list.review', about), 'chart', review, { quiet: true, cls: 'review' }),
  ];
  return h('span', { class: 'row' }, made);
}

/**
 * @param {HTMLElement} list
 * @param {Brief[]} briefs
 * @param {string} none
 * @param {AbortSignal | null} signal
 */
function fill(list, briefs, none, signal) {
  const rows = briefs.map((brief, k) => row(brief, k < PICTURED ? signal : null));
  list.replaceChildren(...(rows.length ? rows : [h('li', { class: 'none faint' }, none)]));
}

// ---- the lobby -------------------------------------------------------------------------------

/**
 * A game that waits for anybody: one click, and one is in.
 *
 * @param {Brief} brief
 * @param {(error: unknown) => void} complain
 */
function offer(brief, complain) {
  const { id, game, creator, colour } = brief;
  const mine = creator.id === identity.get()?.id;
  const own = colour === 'lot' ? t('online.new.colour.lot') : t(`side.${colour === 'w' ? 'b' : 'w'}`);
  const join = async () => {
    try {
      await ensured();
      await call(`games/${id}/join`, {});
      location.hash = `#/online/${id}`;
    } catch (error) {
      complain(error);
    }
  };
  const label = t('online.lobby.join', { game: nameOf(game), name: creator.name });
  const play = h(
    'button',
    { type: 'button', class: 'main join', onclick: join, 'aria-label': label },
    icon('play'),
    h('span', {}, t('action.play')),
  );
  const go = h('a', { class: 'button', href: `${root}#/online/${id}` }, t('online.lobby.yours'));
  return h(
    'li',
    { class: 'brief', 'data-game': id },
    h(
      'span',
      { class: 'about' },
      h('b', {}, nameOf(game)),
      h('a', { href: `${root}#/player/${creator.id}` }, named(creator)),
      h('span', { class: 'matter' }, terms(brief)),
      h(
        'span',
        { class: 'faint' },
        mine ? t('online.list.waiting') : t('online.lobby.colour', { colour: own }),
      ),
      brief.rated && brief.solved ? h('span', { class: 'faint' }, t('online.solved.rated')) : null,
    ),
    mine ? go : play,
  );
}

export async function lobbyPage() {
  const list = h('ul', { class: 'briefs offers', 'aria-live': 'polite' });
  const said = h('p', { class: 'why', role: 'alert' });
  const complain = (/** @type {unknown} */ error) => {
    if (error instanceof Error) said.textContent = error.message;
  };
  const draw = (/** @type {Brief[]} */ entries) => {
    const focused = document.activeElement?.closest('[data-game]')?.getAttribute('data-game');
    const rows = entries.map((brief) => offer(brief, complain));
    list.replaceChildren(
      ...(rows.length ? rows : [h('li', { class: 'none faint' }, t('online.lobby.none'))]),
    );
    const row = rows.find(({ dataset }) => dataset.game === focused);
    row?.querySelector('button')?.focus({ preventScroll: true });
  };
  draw((await call('lobby')).entries);
  const leave = line.watchLobby(draw);
  const element = h(
    'div',
    { class: 'page lobby' },
    here('lobby'),
    h('h1', {}, t('online.lobby')),
    h('p', {}, t('online.lobby.text')),
    h(
      'div',
      { class: 'row' },
      h('a', { class: 'button', href: `${root}#/friend?open=yes` }, icon('plus'), t('online.lobby.offer')),
    ),
    said,
    list,
    seatNote(),
  );
  return { element, leave };
}

// ---- one's own -------------------------------------------------------------------------------

export async function minePage() {
  const giveUp = new AbortController();
  const on = h('ul', { class: 'briefs' });
  const over = h('ul', { class: 'briefs' });
  const more = h('div', { class: 'row' });
  const load = async () => {
    const { games } = identity.get() ? await call('me/games?over=false') : { games: [] };
    fill(on, games, t('online.mine.none'), giveUp.signal);
  };
  const older = async (/** @type {number | null} */ before) => {
    if (!identity.get()) return;
    const asked = before === null ? '' : `&before=${before}`;
    const { games, before: next } = await call(`me/games?over=true${asked}`);
    if (before === null) fill(over, games, t('online.mine.none-over'), giveUp.signal);
    else over.append(...games.map((/** @type {Brief} */ brief) => row(brief, null)));
    more.replaceChildren(...(next ? [button(t('online.mine.more'), null, () => older(next))] : []));
  };
  await Promise.all([load(), older(null)]);
  const again = () => load().catch(console.warn);
  line.addEventListener('mine', again);
  line.addEventListener('welcome', again);
  line.open();
  const element = h(
    'div',
    { class: 'page mine' },
    here('mine'),
    h('h1', {}, t('online.mine')),
    h('section', { 'aria-label': t('online.mine.on') }, h('h2', {}, t('online.mine.on')), on),
    h('section', { 'aria-label': t('online.mine.over') }, h('h2', {}, t('online.mine.over')), over, more),
    h('section', { 'aria-label': t('online.me') }, h('h2', {}, t('online.me')), me(), seatNote()),
  );
  const leave = () => {
    giveUp.abort();
    line.removeEventListener('mine', again);
    line.removeEventListener('welcome', again);
  };
  return { element, leave };
}

// Who one is here.
function me() {
  const known = identity.get();
  const box = h('div', { class: 'me' });
  const draw = () => box.replaceChildren(nameForm(t('online.name'), () => said()));
  const said = () => {
    draw();
    box.append(h('p', { role: 'status' }, t('online.name.kept')));
  };
  draw();
  if (known) box.append(h('a', { href: `${root}#/player/${known.id}` }, t('online.me.page')));
  return box;
}

// ---- a player --------------------------------------------------------------------------------

/** @param {Player} player */
function ratings({ ratings: list }) {
  if (!list.length) return h('p', { class: 'faint' }, t('online.player.unrated'));
  const rows = list.map(({ game, pace, points: known, deviation, provisional, games }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, nameOf(game)),
      h('td', {}, t(`online.player.pace.${pace}`)),
      h('td', { class: 'number' }, `${Math.round(known)}${provisional ? '?' : ''}`),
      h('td', { class: 'number faint' }, `± ${Math.round(2 * deviation)}`),
      h('td', { class: 'number' }, number(games)),
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

/** @param {Player} player */
function results({ results: list }) {
  if (!list.length) return null;
  const rows = list.map(({ game, won, drawn, lost }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, nameOf(game)),
      [won, drawn, lost].map((count) => h('td', { class: 'number' }, number(count))),
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

/** @param {string} id */
export async function playerPage(id) {
  const giveUp = new AbortController();
  const path = `players/${encodeURIComponent(id)}`;
  const [player, { games }] = await Promise.all([call(path), call(`${path}/games`)]);
  const list = h('ul', { class: 'briefs' });
  const mine = identity.get()?.id === player.id;
  // Whether a game was won is said to its own players on their own pages alone.
  const shown = games.map((/** @type {Brief} */ brief) => (mine ? brief : { ...brief, your: null }));
  fill(list, shown, t('online.mine.none-over'), giveUp.signal);
  const since = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long' });
  const element = h(
    'div',
    { class: 'page player' },
    here(''),
    h('h1', {}, player.name),
    player.bot ? h('p', {}, t('online.player.bot')) : null,
    h('p', { class: 'faint' }, t('online.player.since', { date: since.format(player.created) })),
    mine
      ? h('div', { class: 'row' }, button(t('online.take'), 'share', takeAlong, { cls: 'take-along' }))
      : null,
    h(
      'section',
      { 'aria-label': t('online.player.ratings') },
      h('h2', {}, t('online.player.ratings')),
      ratings(player),
    ),
    h(
      'section',
      { 'aria-label': t('online.player.results') },
      h('h2', {}, t('online.player.results')),
      results(player),
    ),
    h('section', { 'aria-label': t('online.player.list') }, h('h2', {}, t('online.player.list')), list),
  );
  return { element, leave: () => giveUp.abort() };
}
