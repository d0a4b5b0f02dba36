// Player bars above and below the board: name, side to move, pawns in hand and captured, winner.

import { getElement, h } from '../core/dom.js';
import { t } from '../core/i18n.js';

/** @import { GameModel, Side } from './game-model.js' */
/** @import { PlayerNames } from './player-names.js' */

/**
 * @typedef {object} PlayerBarParts What tables show differently.
 * @property {(side: Side, spoken: string) => HTMLElement} [name] replaces the button with the name
 * @property {(side: Side) => HTMLElement[]} [extra] elements at the end of a bar
 */

/**
 * @typedef {object} PlayerBarListeners
 * @property {() => Api.ResultDescription | null} result
 * @property {() => boolean} isThinking whether the computer is choosing a move
 * @property {() => void} onRename
 */

const MAX_PAWNS_DRAWN = 6; // a number shows the count

/**
 * @param {'hand' | 'captured'} kind
 * @param {'w' | 'b'} mark the colour of the pawns
 * @param {number} count
 */
function pawnTray(kind, mark, count) {
  if (count <= 0) return null;
  const label = t(`bar.${kind}`, { count });
  const pawns = Array.from({ length: Math.min(count, MAX_PAWNS_DRAWN) }, () =>
    h('i', { class: `dot ${mark}` }),
  );
  return h(
    'span',
    { class: `tray ${kind}`, title: label },
    h('span', { class: 'visually-hidden' }, label),
    h('span', { class: 'pawn-pile', 'aria-hidden': 'true' }, pawns),
    h('b', { 'aria-hidden': 'true' }, count > 1 ? String(count) : ''),
  );
}

export class PlayerBars {
  /**
   * @param {GameModel} model
   * @param {PlayerNames} names
   * @param {PlayerBarListeners} listeners
   * @param {PlayerBarParts} [parts]
   */
  constructor(model, names, listeners, parts = {}) {
    this.model = model;
    this.names = names;
    this.listeners = listeners;
    this.parts = parts;
    this.w = h('div', { class: 'bar' });
    this.b = h('div', { class: 'bar' });
  }

  render() {
    const [above, below] = this.model.tree.flipped ? [this.w, this.b] : [this.b, this.w];
    const stage = this.w.parentElement;
    if (stage && stage.firstChild !== above) {
      stage.prepend(above);
      below.nextElementSibling?.after(below); // moving the board itself would lose the focus
    }
    this.renderSide('w');
    this.renderSide('b');
  }

  /** @param {Side} side */
  renderSide(side) {
    const { state } = this.model;
    const result = this.listeners.result();
    const { names, parts } = this;
    const bar = this[side];
    if (bar.querySelector('input')) return; // a name is being typed
    const turn = !result && state.side === side;
    const won = result?.winner === side;
    const pawns = t('bar.pawns', { count: this.model.pawnsOnBoard(side) });
    const spokenName = [names.nameOf(side), t(`side.${side}`), ...(turn ? [t('bar.to-move')] : [])].join(
      ', ',
    );
    bar.className = `bar${turn ? ' turn' : ''}${won ? ' winner' : ''}`;
    bar.replaceChildren(
      h('span', { class: `dot ${side}`, 'aria-hidden': 'true' }),
      parts.name?.(side, spokenName) ?? this.nameButton(side, spokenName),
      turn && this.listeners.isThinking()
        ? h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i'))
        : '',
      won ? h('span', { class: 'won' }, t(`bar.won.${names.personOf(side)}`)) : '',
      h('span', { class: 'spring' }),
      state.captures ? h('span', { class: 'visually-hidden' }, pawns) : '',
      pawnTray('hand', side, state.hands?.[side] ?? 0) ?? '',
      (state.captures && pawnTray('captured', side === 'w' ? 'b' : 'w', this.model.capturedBy(side))) || '',
      ...(parts.extra?.(side) ?? []),
    );
  }

  /**
   * Return the button with the name, which edits it.
   *
   * @param {Side} side
   * @param {string} label
   * @returns {HTMLElement}
   */
  nameButton(side, label) {
    return h(
      'button',
      {
        type: 'button',
        class: 'player-name',
        title: t('name.change'),
        'aria-label': `${label}. ${t('name.change')}`,
        onclick: () => this.editName(side),
        disabled: !this.names.canRename(side),
      },
      this.names.nameOf(side),
    );
  }

  /** @param {Side} side */
  editName(side) {
    const label = t('name.change');
    const input = h('input', {
      class: 'player-name',
      value: this.names.nameOf(side),
      maxlength: '30',
      'aria-label': label,
    });
    let over = false;
    const finish = (/** @type {boolean} */ save, /** @type {boolean} */ keepFocus) => {
      if (over) return;
      over = true;
      const name = input.value.trim();
      input.remove();
      if (save) {
        this.names.rename(side, name);
        this.listeners.onRename();
      } else this.render();
      if (keepFocus) getElement('.player-name', this[side]).focus({ preventScroll: true });
    };
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault(); // or the key would also press the button that replaces the field
      finish(event.key === 'Enter', true);
    });
    input.addEventListener('blur', () => finish(true, false));
    getElement('.player-name', this[side]).replaceWith(input);
    input.focus();
    input.select();
  }
}
