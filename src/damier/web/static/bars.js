// The two names beside the board: who is to move, what is in hand, who has won.

import { h, one } from './dom.js';
import { t } from './i18n.js';
import { settings } from './store.js';
import { level } from './tale.js';
import { tray } from './tray.js';

/** @import { Table } from './play.js' */
/** @typedef {'w' | 'b'} Side */

export class Bars {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.w = h('div', { class: 'bar' });
    this.b = h('div', { class: 'bar' });
  }

  /**
   * Names are remembered by who plays, not by colour: two people change colours from game to game.
   *
   * @param {Side} side
   */
  key(side) {
    const { tale, humans } = this.table;
    if (tale.mode === 'study') return null;
    const strength = level(tale.players[side]);
    if (strength) return `level${strength}`;
    return humans.length === 2 && (side === 'b') !== tale.swapped ? 'friend' : 'me';
  }

  /**
   * @param {Side} side
   * @returns {string}
   */
  nameOf(side) {
    const { tale, humans } = this.table;
    if (tale.names) return tale.names[side];
    const key = this.key(side);
    if (!key) return t(`side.${side}`);
    const kept = settings.get('names', {})[key];
    if (kept) return kept;
    const strength = level(tale.players[side]);
    if (strength) return t('name.level', { level: strength });
    return t(humans.length === 2 ? `name.two.${key}` : 'name.me');
  }

  /**
   * How a sentence speaks of a player: to `you`, of `computer` by its level, else by name.
   *
   * @param {Side} side
   */
  personOf(side) {
    const name = this.nameOf(side);
    const strength = level(this.table.tale.players[side]);
    if (name === t('name.me')) return 'you';
    return strength && name === t('name.level', { level: strength }) ? 'computer' : 'name';
  }

  /**
   * A sentence about a player; the computer, unless it was given a name, has one of its own.
   *
   * @param {string} key
   * @param {Side} side
   */
  say(key, side) {
    if (this.personOf(side) !== 'computer') return t(key, { name: this.nameOf(side) });
    return t(`${key}.computer`, { level: level(this.table.tale.players[side]) });
  }

  /**
   * @param {Side} side
   * @param {string} name
   */
  rename(side, name) {
    const { tale } = this.table;
    const key = this.key(side);
    if (tale.names) tale.names = { ...tale.names, [side]: name || t(`side.${side}`) };
    else if (key) settings.set('names', { ...settings.get('names', {}), [key]: name });
    this.table.save();
    this.table.render();
  }

  render() {
    const { board, field, stage } = this.table;
    const [above, below] = board.flipped ? [this.w, this.b] : [this.b, this.w];
    if (stage.firstChild !== above) {
      stage.prepend(above);
      field.after(below); // the field stays: moving it would lose the focus
    }
    this.renderOne('w');
    this.renderOne('b');
  }

  /** @param {Side} side */
  renderOne(side) {
    const { state, thinking, marks } = this.table;
    const result = this.table.result();
    const bar = this[side];
    if (bar.querySelector('input')) return; // a name is being typed
    const turn = !result && state.side === side;
    const won = result?.winner === side;
    const count = Object.values(marks).filter((mark) => mark === side).length;
    const pawns = t('bar.pawns', { count });
    const who = [this.nameOf(side), t(`side.${side}`), ...(turn ? [t('bar.to-move')] : [])].join(', ');
    bar.className = `bar${turn ? ' turn' : ''}${won ? ' winner' : ''}`;
    bar.replaceChildren(
      h('span', { class: `dot ${side}`, 'aria-hidden': 'true' }),
      this.who(side, who),
      turn && thinking ? h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')) : '',
      won ? h('span', { class: 'won' }, t(this.personOf(side) === 'you' ? 'bar.won.you' : 'bar.won')) : '',
      h('span', { class: 'spring' }),
      state.captures ? h('span', { class: 'unseen' }, pawns) : '',
      tray('hand', side, state.hands?.[side] ?? 0) ?? '',
      (state.captures && tray('captured', side === 'w' ? 'b' : 'w', this.captured(side))) || '',
      ...this.more(side),
    );
  }

  /**
   * The name, and what happens when it is pressed.
   *
   * @param {Side} side
   * @param {string} said
   * @returns {HTMLElement}
   */
  who(side, said) {
    const { tale } = this.table;
    return h(
      'button',
      {
        type: 'button',
        class: 'who',
        title: t('name.change'),
        'aria-label': `${said}. ${t('name.change')}`,
        onclick: () => this.edit(side),
        disabled: tale.mode === 'study' && !tale.names,
      },
      this.nameOf(side),
    );
  }

  /**
   * What another kind of table shows at the end.
   *
   * @param {Side} _side
   * @returns {HTMLElement[]}
   */
  more(_side) {
    return [];
  }

  /**
   * How many pawns a side has captured: those that the other began with and has no longer.
   *
   * @param {Side} side
   */
  captured(side) {
    const { state, marks, begun } = this.table;
    const other = side === 'w' ? 'b' : 'w';
    const left = Object.values(marks).filter((mark) => mark === other).length;
    return begun[other] - left - (state.hands?.[other] ?? 0);
  }

  /** @param {Side} side */
  edit(side) {
    const label = t('name.change');
    const input = h('input', {
      class: 'who',
      value: this.nameOf(side),
      maxlength: '30',
      'aria-label': label,
    });
    let over = false;
    const finish = (/** @type {boolean} */ keep, /** @type {boolean} */ stay) => {
      if (over) return;
      over = true;
      const name = input.value.trim();
      input.remove();
      if (keep) this.rename(side, name);
      else this.render();
      if (stay) one('.who', this[side]).focus({ preventScroll: true });
    };
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault(); // the button that comes back is not pressed as well
      finish(event.key === 'Enter', true);
    });
    input.addEventListener('blur', () => finish(true, false));
    one('.who', this[side]).replaceWith(input);
    input.focus();
    input.select();
  }
}
