// Setting up any position: tap to place, and the text beside it.

import { link } from './address.js';
import { ask, gameNamed } from './api.js';
import { Board } from './board.js';
import { button, h, typedIn } from './dom.js';
import { nameOf, t, tg, valuesOf } from './i18n.js';
import { askNewGame, pick, picks } from './newgame.js';
import { Tale } from './tale.js';

/** @import { Place } from './address.js' */

/** @typedef {'w' | 'b'} Side */
/** @typedef {Side | '.' | null} Brush What a tap puts: null for the next of empty, white, black. */

const BRUSHES = /** @type {const} */ ([
  [null, 'setup.cycle'],
  ['w', 'side.w'],
  ['b', 'side.b'],
  ['.', 'cell.empty'],
]);

class Setup {
  /**
   * @param {Place} found
   * @param {Api.StateOut} begin
   * @param {Board} board
   * @param {(tale: Tale) => void} open
   */
  constructor(found, begin, board, open) {
    this.base = { game: found.game, options: found.options };
    this.board = board;
    this.open = open;
    /** @type {Brush} */
    this.brush = null;
    this.cells = begin.cells;
    this.side = begin.side;
    this.fields = begin.fields;
    /** @type {string | null} */
    this.position = null; // the text, where it is a good one
    this.asked = 0; // counts questions, so that a late answer is not shown
    /** @type {HTMLButtonElement[]} */
    this.uses = []; // what can be done with a good position
    const label = t('share.position');
    const plain = { spellcheck: 'false', maxlength: '200', 'aria-label': label };
    this.text = h('input', { class: 'position', name: 'position', ...plain });
    this.said = h('p', { class: 'why', role: 'alert' });
    this.good = h('p', { class: 'faint', role: 'status' });
    this.controls = h('div', { class: 'setup-fields' });
    this.text.addEventListener('change', () => this.read(this.text.value.trim()));
    board.onCell = (cell) => this.tap(cell);
    this.element = this.page(label);
    this.draw();
    this.read(begin.position);
  }

  leave() {
    this.asked++;
  }

  /** @param {string} label */
  page(label) {
    const { base, board } = this;
    const { game } = base;
    /** @param {(start: string) => void} does */
    const use = (does) => () => this.position !== null && does(this.position);
    const play = use((start) => askNewGame(game, this.open, { start, options: base.options }));
    const study = use((start) => this.open(new Tale({ ...base, start, mode: 'study' })));
    this.uses = [
      button(t('setup.play'), 'play', play, { cls: 'new' }),
      button(t('action.analyse'), 'chart', study, { cls: 'analyse' }),
    ];
    const empty = () => {
      this.cells = {};
      this.changed();
    };
    const element = h(
      'div',
      { class: 'play setup' },
      h('div', { class: 'stage' }, h('div', { class: 'field' }, board.element)),
      h(
        'section',
        { class: 'ask' },
        h('h1', {}, t('setup.title', { game: nameOf(game) })),
        h('p', { class: 'prompt' }, t('setup.text')),
        this.said,
        this.good,
      ),
      h(
        'div',
        { class: 'actions' },
        ...this.uses,
        button(t('setup.start'), 'restart', () => this.read(null)),
        button(t('setup.empty'), null, empty),
      ),
      h(
        'section',
        { class: 'panel' },
        this.controls,
        h('label', { class: 'copy' }, h('span', {}, label), this.text),
      ),
    );
    element.style.setProperty('--shape', String(board.shape));
    return element;
  }

  /** @param {string} cell */
  tap(cell) {
    const now = this.cells[cell];
    const next = this.brush ?? (now === 'w' ? 'b' : now === 'b' ? '.' : 'w');
    const { [cell]: _, ...others } = this.cells;
    this.cells = next === '.' ? others : { ...others, [cell]: next };
    this.changed();
  }

  /**
   * Show what a text says, or the start; where it says nothing good, only what is wrong with it.
   *
   * @param {string | null} position
   */
  async read(position) {
    const asked = ++this.asked;
    try {
      const state = await ask('state', { ...this.base, start: position });
      if (asked !== this.asked) return;
      this.cells = state.cells;
      this.side = state.side;
      this.fields = state.fields;
      this.tell(state.position, '', state.result);
    } catch (error) {
      if (asked === this.asked && error instanceof Error) this.tell(position ?? '', error.message, null);
    }
  }

  // What stands there is another position: the server writes it.
  async changed() {
    const asked = ++this.asked;
    this.draw();
    try {
      const { cells, side, fields } = this;
      const found = await ask('position', { ...this.base, cells, side, fields });
      if (asked !== this.asked) return;
      this.fields = found.fields;
      this.tell(found.position, found.problem, found.result);
    } catch (error) {
      if (asked === this.asked && error instanceof Error) this.said.textContent = error.message;
    }
  }

  /**
   * @param {string} position
   * @param {string} problem
   * @param {Api.ResultOut | null} result
   */
  tell(position, problem, result) {
    const { game, options } = this.base;
    const address = link('setup', game, [...Object.entries(options), ['from', position]]);
    history.replaceState(history.state, '', address);
    const marks = Object.values(this.cells);
    // Where a side has no pawns, an end is not that of a game.
    const none = !!result && !(marks.includes('w') && marks.includes('b'));
    this.position = problem || none ? null : position;
    this.text.value = position;
    this.said.textContent = problem;
    const good = result ? result.text : t('setup.good', { side: t(`side.${this.side}`) });
    this.good.textContent = problem ? '' : none ? t('setup.no-game') : good;
    for (const use of this.uses) use.disabled = this.position === null;
    this.draw();
  }

  draw() {
    const { board, controls } = this;
    board.show(this.cells, false);
    board.mark({});
    const focused = document.activeElement?.getAttribute('name');
    const had = focused && controls.contains(document.activeElement);
    const brushes = BRUSHES.map(([value, label]) =>
      pick('brush', t(label), this.brush === value, () => {
        this.brush = value;
      }),
    );
    const sides = /** @type {const} */ (['w', 'b']).map((value) =>
      pick('side', t(`side.${value}`), this.side === value, () => {
        this.side = value;
        this.changed();
      }),
    );
    controls.replaceChildren(
      picks(t('setup.brush'), brushes),
      picks(t('setup.side'), sides),
      ...Object.entries(this.fields).map(([name, value]) => this.field(name, value)),
    );
    const again = had && controls.querySelector(`[name="${focused}"]:is(:checked, :not([type='radio']))`);
    if (again instanceof HTMLElement) again.focus();
  }

  /**
   * A field of the position: chosen from a list where the game has words for its values.
   *
   * @param {string} name
   * @param {string} value
   */
  field(name, value) {
    const { game } = this.base;
    const onchange = (/** @type {Event} */ event) => {
      this.fields = { ...this.fields, [name]: typedIn(event).trim() || '-' };
      this.changed();
    };
    const values = valuesOf(game, `field.${name}`);
    const words = (/** @type {string} */ v) => tg(game, `field.${name}.${v}`);
    const input = values.length
      ? h(
          'select',
          { name, onchange },
          values.map((v) => h('option', { value: v, selected: v === value }, words(v))),
        )
      : h('input', { name, value, maxlength: '20', onchange });
    return h('label', { class: 'field-row' }, h('span', {}, tg(game, `field.${name}`, {}, name)), input);
  }
}

/**
 * @param {Place} found
 * @param {(tale: Tale) => void} open
 */
export async function setUp(found, open) {
  const begin = await ask('state', { game: found.game, options: found.options, start: found.start });
  const game = await gameNamed(found.game);
  if (!game) throw new Error(found.game);
  const board = new Board(begin.board, game, { label: t('setup.board') });
  board.element.classList.add('coordinates');
  return new Setup(found, begin, board, open);
}
