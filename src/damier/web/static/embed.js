// A position or a game in a frame on somebody's page. Nothing is kept: a frame may have no storage.

import { parse } from './address.js';
import { ask, gameNamed, onAway } from './api.js';
import { Board } from './board.js';
import { button, calm, h, icon, wait } from './dom.js';
import { framesOf } from './frames.js';
import { nameOf, speak, t } from './i18n.js';

/** @import { Frame } from './frames.js' */

const PACE_MS = 1200; // from turn to turn, when it plays by itself
const STEP_MS = 420; // from step to step

class Viewer {
  /**
   * @param {Board} board
   * @param {Frame[]} frames
   * @param {Api.LineOut} line
   */
  constructor(board, frames, line) {
    this.board = board;
    this.frames = frames;
    this.line = line;
    this.last = line.turns.length;
    this.ply = -1;
    this.shown = 0; // counts what is shown, so that what comes late is not
    this.playing = false;
    this.said = h('p', { class: 'said', 'aria-live': 'polite' });
    const quiet = { quiet: true };
    this.ways = [
      button(t('moves.first'), 'first', () => this.go(0), quiet),
      button(t('moves.prev'), 'prev', () => this.go(this.ply - 1), quiet),
      button(t('embed.play'), 'play', () => this.toggle(), { quiet: true, cls: 'play' }),
      button(t('moves.next'), 'next', () => this.go(this.ply + 1), quiet),
      button(t('moves.last'), 'last', () => this.go(this.last), quiet),
    ];
    this.element = h(
      'main',
      { class: 'viewer' },
      h('div', { class: 'field' }, board.element),
      this.said,
      this.last
        ? h('div', { class: 'ways', role: 'group', 'aria-label': t('moves.label') }, this.ways)
        : null,
    );
    board.svg.removeAttribute('aria-hidden');
    board.svg.setAttribute('role', 'img');
    document.onkeydown = (event) => this.pressed(event);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.last }[event.key];
    const onButton = event.target instanceof Element && event.target.closest('button, a');
    if (to !== undefined) this.go(to);
    else if (event.key === ' ' && !onButton) this.toggle();
    else return;
    event.preventDefault();
  }

  /** @param {boolean} playing */
  play(playing) {
    this.playing = playing;
    const way = this.ways[2];
    const label = t(playing ? 'action.pause' : 'embed.play');
    way.replaceChildren(icon(playing ? 'pause' : 'play'));
    way.title = label;
    way.setAttribute('aria-label', label);
  }

  async toggle() {
    this.play(!this.playing);
    if (!this.playing) return;
    if (this.ply === this.last) await this.show(0);
    while (this.playing && this.ply < this.last) {
      const shown = this.shown;
      await wait(PACE_MS);
      if (!this.playing || shown !== this.shown) return;
      await this.show(this.ply + 1);
    }
    this.play(false);
  }

  /** @param {number} ply */
  go(ply) {
    this.play(false);
    return this.show(Math.min(this.last, Math.max(0, ply)));
  }

  /** @param {number} ply */
  async show(ply) {
    if (ply === this.ply) return;
    const mine = ++this.shown;
    const one = ply === this.ply + 1;
    this.ply = ply;
    this.say();
    for (const frame of this.frames.filter((f) => f.ply === ply && (one || f.whole))) {
      this.board.show(frame.marks, one, frame.step);
      this.board.mark(frame.view);
      if (!frame.whole && !calm()) await wait(STEP_MS);
      if (mine !== this.shown) return;
    }
  }

  say() {
    const { ply, last, line } = this;
    const { marks } = /** @type {Frame} */ (this.frames.findLast((f) => f.ply === ply));
    const end = ply === last && line.result ? ` ${line.result.text}` : '';
    const { turn, mover } = line.turns[ply - 1] ?? { turn: '', mover: line.side };
    const side = t(`side.${mover}`);
    const text = turn ? t('said.turn', { side, turn }) : t('rules.side', { side });
    this.said.replaceChildren(ply ? h('span', { class: 'faint' }, `${ply}/${last} `) : '', text + end);
    const cells = (/** @type {string} */ mark) =>
      `${t(`side.${mark}`)}: ${
        Object.keys(marks)
          .filter((cell) => marks[cell] === mark)
          .join(' ') || '–'
      }`;
    this.board.svg.setAttribute('aria-label', `${cells('w')}. ${cells('b')}.`);
    for (const [k, way] of this.ways.entries()) {
      if (k !== 2) way.disabled = k < 2 ? !ply : ply === last;
    }
  }
}

async function view() {
  const { game, options, start, turns, at } = parse(location.hash);
  const line = await ask('line', { game, options, start, turns }); // refused if there is no such game
  const known = /** @type {Api.GameOut} */ (await gameNamed(game));
  const board = new Board(line.board, known, { still: true });
  const side = new URLSearchParams(location.search).get('view');
  board.flip(side === 'b');
  board.element.classList.add('coordinates');
  const viewer = new Viewer(board, framesOf(line), line);
  viewer.element.style.setProperty('--shape', String(board.shape));
  await viewer.show(Math.min(turns.length, Math.max(0, at ?? turns.length)) || 0);
  return viewer.element;
}

async function start() {
  const asked = new URLSearchParams(location.search);
  const theme = asked.get('theme') ?? 'auto';
  const { dataset } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  for (const part of ['board', 'pieces']) dataset[part] = asked.get(part) ?? '';
  const wanted = asked.get('lang') ?? navigator.language.slice(0, 2);
  await speak(wanted === 'fr' ? 'fr' : 'en');
  const wrong = (/** @type {unknown} */ error) =>
    h('main', { class: 'wrong' }, h('p', {}, t('wrong.title')), error instanceof Error ? error.message : '');
  const shown = await view().catch(wrong);
  const { game } = parse(location.hash);
  document.title = `${nameOf(game)} · Damier`;
  const away = h('p', { class: 'away', role: 'alert', hidden: true }, t('embed.away'));
  onAway((gone) => {
    away.hidden = !gone;
  });
  const to = { href: `./${location.hash}`, target: '_blank', rel: 'noopener' };
  const head = h('header', {}, h('h1', {}, nameOf(game)), h('a', to, t('embed.open'), icon('share')));
  document.body.replaceChildren(head, away, shown);
  document.body.dataset.ready = 'yes';
}

addEventListener('hashchange', start);
await start();
