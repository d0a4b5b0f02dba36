// The two names beside the board, with who is there, ratings and clocks; and the box that asks, with
// what the other offers.

import { root } from './address.js';
import { Asking } from './asking.js';
import { Bars } from './bars.js';
import { button, h, icon } from './dom.js';
import { t } from './i18n.js';
import { hour } from './online-clock.js';

/** @import { OnlineTable } from './online-table.js' */
/** @import { Seat, Side } from './online.js' */

/** @param {Seat} seat */
export const points = ({ points: known, provisional }) =>
  known === null ? '' : `${Math.round(known)}${provisional ? '?' : ''}`;

export class OnlineBars extends Bars {
  /** @param {OnlineTable} table */
  constructor(table) {
    super(table);
    this.far = table;
  }

  /** @param {Side} side */
  personOf(side) {
    return side === this.far.you ? 'you' : 'name';
  }

  /**
   * @param {Side} side
   * @param {string} said
   */
  who(side, said) {
    const { match } = this.far.following;
    const seat = match.seats[side];
    if (!seat) return h('span', { class: 'who' }, this.nameOf(side));
    const here = match.presence[side];
    const known = points(seat);
    const label = [said, known, t(here ? 'online.here' : 'online.not-here')].filter(Boolean).join(', ');
    return h(
      'a',
      { class: 'who', href: `${root}#/player/${seat.id}`, 'aria-label': label, title: t('online.player') },
      h('span', { class: `presence ${here ? 'here' : ''}`, 'aria-hidden': 'true' }),
      h('span', { class: 'person' }, this.nameOf(side)),
      known ? h('small', {}, known) : null,
    );
  }

  /** @param {Side} side */
  more(side) {
    return [this.far.clocks.faces[side]];
  }
}

export class OnlineAsking extends Asking {
  /** @param {OnlineTable} table */
  constructor(table) {
    super(table);
    this.far = table;
    this.offer = h('p', { class: 'offer', role: 'alert' });
    this.prompt.after(this.offer);
  }

  render() {
    const { far } = this;
    super.render();
    const said = far.planning ? far.planning.said() : far.behind ? '' : this.offered();
    if (this.offer.textContent !== said) this.offer.textContent = said;
    this.offer.classList.toggle('plain-note', !far.planning && !far.following.match.offers.length);
  }

  // What the other offers, and what one has offered oneself.
  offered() {
    const { following, you, isOn } = this.far;
    if (!you) return '';
    const other = you === 'w' ? 'b' : 'w';
    const name = this.far.nameOf(other);
    const { kind, running, deadline } = following.match.clock;
    const first = isOn && kind === 'live' && !running && deadline;
    const theirs = following.offersOf(other).map((what) => t(`online.offer.${what}`, { name }));
    const mine = following.offersOf(you).map((what) => t(`online.offer.${what}.mine`));
    const due = first ? [t('online.first', { time: hour(deadline) })] : [];
    return [...theirs, ...mine, ...due].join(' ');
  }

  // Buttons that answer an offer, or take one's own back.
  answersToOffers() {
    const { following, you } = this.far;
    if (!you) return [];
    const other = you === 'w' ? 'b' : 'w';
    const theirs = following.offersOf(other).flatMap((what) => {
      const accept = () => this.far.act({ kind: 'accept', what });
      const decline = () => this.far.act({ kind: 'decline', what });
      return [
        button(t('online.accept'), 'check', accept, { cls: `main accept ${what}` }),
        button(t('online.decline'), 'cross', decline, { cls: `decline ${what}` }),
      ];
    });
    const mine = following.offersOf(you).map((what) => {
      const withdraw = () => this.far.act({ kind: 'decline', what });
      return button(t('online.withdraw'), 'cross', withdraw, { cls: `quiet withdraw ${what}` });
    });
    return [...theirs, ...mine];
  }

  /**
   * @param {Api.ResultOut | null} result
   * @returns {HTMLElement[]}
   */
  ways(result) {
    const { far } = this;
    if (far.planning) return far.planning.ways();
    if (far.behind) {
      return [button(t('action.to-game'), 'last', () => far.go(far.tale.tip), { cls: 'main' })];
    }
    const list = this.answersToOffers();
    if (result) return [...list, ...this.afterwards(result)];
    if (far.premove) {
      list.push(button(t('online.premove.cancel'), 'cross', () => far.cancel(), { cls: 'unpremove' }));
    }
    return list;
  }

  /** @param {Api.ResultOut} result */
  afterwards({ winner }) {
    const { far } = this;
    const { match } = far.following;
    const { tale, actions, you } = far;
    const list = [];
    if (match.rematch) {
      const href = `${root}#/online/${match.rematch}`;
      list.push(h('a', { class: 'button main', href }, icon('play'), t('online.to-rematch')));
    } else if (you && match.status === 'over' && !match.offers.length) {
      const offer = () => far.act({ kind: 'offer', what: 'rematch' });
      list.push(button(t('action.rematch'), 'restart', offer, { cls: 'main rematch' }));
    }
    if (tale.tip.up) {
      const lost = you && winner && winner !== you ? you : null;
      list.push(
        button(t('action.review'), 'chart', () => actions.study(far, 'review', lost), { cls: 'review' }),
      );
    }
    return list;
  }
}
