// Embedded viewer of a position or game, for a frame in another page. It stores nothing, since a frame
// may have no storage.

import { Board, sideOf } from './board/board.js';
import { framesOf } from './board/frames.js';
import { gameOf, parseAddress } from './core/address.js';
import { findGame, onServerUnavailable, request } from './core/api.js';
import { button, h, icon, prefersReducedMotion, wait } from './core/dom.js';
import { gameName, setLanguage, t } from './core/i18n.js';

/** @import { Frame } from './board/frames.js' */

const MOVE_INTERVAL_MS = 1200; // between moves, when playing automatically
const STEP_INTERVAL_MS = 420; // between the steps of a move

/** Board with buttons that step through a game. */
class Viewer {
  /**
   * @param {Board} board
   * @param {Frame[]} frames
   * @param {Api.LineResponse} line
   */
  constructor(board, frames, line) {
    this.board = board;
    this.frames = frames;
    this.line = line;
    this.last = line.turns.length;
    this.ply = -1;
    this.displayCount = 0; // number of positions shown: an outdated animation stops
    this.playing = false;
    this.caption = h('p', { class: 'feedback', 'aria-live': 'polite' });
    const quietButton = { quiet: true };
    this.buttons = [
      button(t('moves.first'), 'first', () => this.go(0), quietButton),
      button(t('moves.prev'), 'prev', () => this.go(this.ply - 1), quietButton),
      button(t('embed.play'), 'play', () => this.toggle(), { quiet: true, cls: 'play' }),
      button(t('moves.next'), 'next', () => this.go(this.ply + 1), quietButton),
      button(t('moves.last'), 'last', () => this.go(this.last), quietButton),
    ];
    this.element = h(
      'main',
      { class: 'viewer' },
      h('div', { class: 'field' }, board.element),
      this.caption,
      this.last
        ? h('div', { class: 'move-navigation', role: 'group', 'aria-label': t('moves.label') }, this.buttons)
        : null,
    );
    board.svg.removeAttribute('aria-hidden');
    board.svg.setAttribute('role', 'img');
    document.onkeydown = (event) => this.handleKey(event);
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.last }[event.key];
    const onButton = event.target instanceof Element && event.target.closest('button, a');
    if (to !== undefined) this.go(to);
    else if (event.key === ' ' && !onButton) this.toggle();
    else return;
    event.preventDefault();
  }

  /** @param {boolean} playing */
  setPlaying(playing) {
    this.playing = playing;
    const control = this.buttons[2];
    const label = t(playing ? 'action.pause' : 'embed.play');
    control.replaceChildren(icon(playing ? 'pause' : 'play'));
    control.title = label;
    control.setAttribute('aria-label', label);
  }

  async toggle() {
    this.setPlaying(!this.playing);
    if (!this.playing) return;
    if (this.ply === this.last) await this.show(0);
    while (this.playing && this.ply < this.last) {
      const display = this.displayCount;
      await wait(MOVE_INTERVAL_MS);
      if (!this.playing || display !== this.displayCount) return;
      await this.show(this.ply + 1);
    }
    this.setPlaying(false);
  }

  /** @param {number} ply */
  go(ply) {
    this.setPlaying(false);
    return this.show(Math.min(this.last, Math.max(0, ply)));
  }

  /** @param {number} ply */
  async show(ply) {
    if (ply === this.ply) return;
    const display = ++this.displayCount;
    const isNext = ply === this.ply + 1;
    this.ply = ply;
    this.renderCaption();
    for (const frame of this.frames.filter((f) => f.ply === ply && (isNext || f.whole))) {
      this.board.show(frame.marks, isNext, frame.step);
      this.board.mark(frame.view);
      if (!frame.whole && !prefersReducedMotion()) await wait(STEP_INTERVAL_MS);
      if (display !== this.displayCount) return;
    }
  }

  renderCaption() {
    const { ply, last, line } = this;
    const { marks } = /** @type {Frame} */ (this.frames.findLast((f) => f.ply === ply));
    const end = ply === last && line.result ? ` ${line.result.text}` : '';
    const { turn, mover } = line.turns[ply - 1] ?? { turn: '', mover: line.side };
    const side = t(`side.${mover}`);
    const text = turn ? t('announce.turn', { side, turn }) : t('rules.side', { side });
    this.caption.replaceChildren(ply ? h('span', { class: 'faint' }, `${ply}/${last} `) : '', text + end);
    const cells = (/** @type {string} */ mark) =>
      `${t(`side.${mark}`)}: ${
        Object.keys(marks)
          .filter((cell) => sideOf(marks[cell]) === mark)
          .join(' ') || '–'
      }`;
    this.board.svg.setAttribute('aria-label', `${cells('w')}. ${cells('b')}.`);
    for (const [k, control] of this.buttons.entries()) {
      if (k !== 2) control.disabled = k < 2 ? !ply : ply === last;
    }
  }
}

/** Load the game that the address describes and build its viewer. */
async function createViewer() {
  const { game, options, start, turns, at } = parseAddress(location.hash);
  const line = await request('line', { game, options, start, turns }); // fails if there is no such game
  const description = /** @type {Api.GameDescription} */ (await findGame(game));
  const board = new Board(line.board, description, { still: true });
  const side = new URLSearchParams(location.search).get('view');
  board.flip(side === 'b');
  board.element.classList.add('coordinates');
  const viewer = new Viewer(board, framesOf(line), line);
  viewer.element.style.setProperty('--shape', String(board.shape));
  await viewer.show(Math.min(turns.length, Math.max(0, at ?? turns.length)) || 0);
  return viewer.element;
}

/** Build the page from the query and the address. */
async function start() {
  const query = new URLSearchParams(location.search);
  const theme = query.get('theme') ?? 'auto';
  const { dataset } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  for (const part of ['board', 'pieces']) dataset[part] = query.get(part) ?? '';
  const wanted = query.get('lang') ?? navigator.language.slice(0, 2);
  await setLanguage(wanted === 'fr' ? 'fr' : 'en');
  const errorPage = (/** @type {unknown} */ error) => {
    const message = error instanceof Error ? error.message : '';
    const reason = error instanceof URIError ? t('wrong.encoding') : message;
    return h('main', { class: 'wrong' }, h('p', {}, t('wrong.title')), reason);
  };
  const shown = await createViewer().catch(errorPage);
  const name = gameName(gameOf(location.hash));
  document.title = name ? `${name} · Damier` : 'Damier';
  const notice = h('p', { class: 'server-unreachable', role: 'alert', hidden: true }, t('embed.unreachable'));
  onServerUnavailable((isUnavailable) => {
    notice.hidden = !isUnavailable;
  });
  const to = { href: `./${location.hash}`, target: '_blank', rel: 'noopener' };
  const head = h('header', {}, h('h1', {}, name), h('a', to, t('embed.open'), icon('share')));
  document.body.replaceChildren(head, notice, shown);
  document.body.dataset.ready = 'yes';
}

addEventListener('hashchange', start);
await start();
