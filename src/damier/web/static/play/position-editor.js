// Position editor: pawns are placed by taps, fields and text are edited beside the board.

import { Board } from '../board/board.js';
import { link } from '../core/address.js';
import { findGame, request } from '../core/api.js';
import { button, h, inputValue } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { gameName, t, tg, valuesWithText } from '../core/i18n.js';
import { openNewGameDialog, radioButton, radioGroup } from './new-game.js';

/** @import { Address } from '../core/address.js' */

/** @typedef {'w' | 'b'} Side */
/** @typedef {Side | '.' | null} Brush What a tap places: null to cycle through empty, white, black. */

const BRUSHES = /** @type {const} */ ([
  [null, 'setup.cycle'],
  ['w', 'side.w'],
  ['b', 'side.b'],
  ['.', 'setup.empty-cell'],
]);

/** Page of the position editor. */
class PositionEditor {
  /**
   * @param {Address} found
   * @param {Api.StateResponse} begin
   * @param {Board} board
   * @param {(tree: GameTree) => void} open
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
    this.position = null; // the notation, if the position is valid
    this.requestCount = 0; // number of requests: an outdated response is ignored
    /** @type {HTMLButtonElement[]} */
    this.useButtons = []; // buttons that need a valid position
    const label = t('share.position');
    const plain = { spellcheck: 'false', maxlength: '200', 'aria-label': label };
    this.text = h('input', { class: 'position', name: 'position', ...plain });
    this.problemText = h('p', { class: 'message', role: 'alert' });
    this.statusText = h('p', { class: 'faint', role: 'status' });
    this.controls = h('div', { class: 'setup-fields' });
    this.text.addEventListener('change', () => this.loadPosition(this.text.value.trim()));
    board.listen({ click: (cell) => this.tap(cell) });
    this.element = this.page(label);
    this.draw();
    this.loadPosition(begin.position);
  }

  leave() {
    this.requestCount++;
  }

  /** @param {string} label */
  page(label) {
    const { base, board } = this;
    const { game } = base;
    /** @param {(start: string) => void} action */
    const ifValid = (action) => () => this.position !== null && action(this.position);
    const play = ifValid((start) => openNewGameDialog(game, this.open, { start, options: base.options }));
    const study = ifValid((start) => this.open(new GameTree({ ...base, start, mode: 'study' })));
    this.useButtons = [
      button(t('setup.play'), 'play', play, { cls: 'new' }),
      button(t('action.analyse'), 'chart', study, { cls: 'analyse' }),
    ];
    const empty = () => {
      this.cells = {};
      this.writePosition();
    };
    const element = h(
      'div',
      { class: 'play setup' },
      h('div', { class: 'stage' }, h('div', { class: 'field' }, board.element)),
      h(
        'section',
        { class: 'prompt-box' },
        h('h1', {}, t('setup.title', { game: gameName(game) })),
        h('p', { class: 'prompt' }, t('setup.text')),
        this.problemText,
        this.statusText,
      ),
      h(
        'div',
        { class: 'actions' },
        ...this.useButtons,
        button(t('setup.start'), 'restart', () => this.loadPosition(null)),
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
    this.writePosition();
  }

  /**
   * Load a position from its notation, or the start if null; show the problem if it is invalid.
   *
   * @param {string | null} position
   */
  async loadPosition(position) {
    const requestId = ++this.requestCount;
    try {
      const state = await request('state', { ...this.base, start: position });
      if (requestId !== this.requestCount) return;
      this.cells = state.cells;
      this.side = state.side;
      this.fields = state.fields;
      this.showPosition(state.position, '', state.result);
    } catch (error) {
      if (requestId === this.requestCount && error instanceof Error)
        this.showPosition(position ?? '', error.message, null);
    }
  }

  // Let the server write the notation of the edited position.
  async writePosition() {
    const requestId = ++this.requestCount;
    this.draw();
    try {
      const { cells, side, fields } = this;
      const found = await request('position', { ...this.base, cells, side, fields });
      if (requestId !== this.requestCount) return;
      this.fields = found.fields;
      this.showPosition(found.position, found.problem, found.result);
    } catch (error) {
      if (requestId === this.requestCount && error instanceof Error)
        this.problemText.textContent = error.message;
    }
  }

  /**
   * @param {string} position
   * @param {string} problem
   * @param {Api.ResultDescription | null} result
   */
  showPosition(position, problem, result) {
    const { game, options } = this.base;
    const address = link('setup', game, [...Object.entries(options), ['from', position]]);
    history.replaceState(history.state, '', address);
    const marks = Object.values(this.cells);
    // A side without pawns: the result is not that of a game.
    const lacksPawns = !!result && !(marks.includes('w') && marks.includes('b'));
    this.position = problem || lacksPawns ? null : position;
    this.text.value = position;
    this.problemText.textContent = problem;
    const good = result ? result.text : t('setup.good', { side: t(`side.${this.side}`) });
    this.statusText.textContent = problem ? '' : lacksPawns ? t('setup.no-game') : good;
    for (const use of this.useButtons) use.disabled = this.position === null;
    this.draw();
  }

  draw() {
    const { board, controls } = this;
    board.show(this.cells, false);
    board.mark({});
    const focused = document.activeElement?.getAttribute('name');
    const hadFocus = focused && controls.contains(document.activeElement);
    const brushes = BRUSHES.map(([value, label]) =>
      radioButton('brush', t(label), this.brush === value, () => {
        this.brush = value;
      }),
    );
    const sides = /** @type {const} */ (['w', 'b']).map((value) =>
      radioButton('side', t(`side.${value}`), this.side === value, () => {
        this.side = value;
        this.writePosition();
      }),
    );
    controls.replaceChildren(
      radioGroup(t('setup.brush'), brushes),
      radioGroup(t('setup.side'), sides),
      ...Object.entries(this.fields).map(([name, value]) => this.field(name, value)),
    );
    const sameControl =
      hadFocus && controls.querySelector(`[name="${focused}"]:is(:checked, :not([type='radio']))`);
    if (sameControl instanceof HTMLElement) sameControl.focus();
  }

  /**
   * Build the input for a field of the position: a list where the game names its values.
   *
   * @param {string} name
   * @param {string} value
   */
  field(name, value) {
    const { game } = this.base;
    const onchange = (/** @type {Event} */ event) => {
      this.fields = { ...this.fields, [name]: inputValue(event).trim() || '-' };
      this.writePosition();
    };
    const values = valuesWithText(game, `field.${name}`);
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
 * Load the position that the address names and build the editor.
 *
 * @param {Address} found
 * @param {(tree: GameTree) => void} open
 */
export async function openPositionEditor(found, open) {
  const begin = await request('state', { game: found.game, options: found.options, start: found.start });
  const game = await findGame(found.game);
  if (!game) throw new Error(found.game);
  const board = new Board(begin.board, game, { label: t('setup.board') });
  board.element.classList.add('coordinates');
  return new PositionEditor(found, begin, board, open);
}
