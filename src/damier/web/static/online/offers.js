// Offers of a draw, a takeback or a rematch, and the buttons that answer them.

import { button, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { timeOfDay } from './clocks.js';

/** @import { OnlineMode } from './mode.js' */

export class Offers {
  /** @param {OnlineMode} mode */
  constructor(mode) {
    this.mode = mode;
    this.element = h('p', { class: 'offer', role: 'alert' });
  }

  render() {
    const { mode, element } = this;
    const { conditional } = mode;
    const text = conditional ? conditional.promptText() : mode.table.model.isBehind ? '' : this.text();
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle('plain-note', !conditional && !mode.onlineGame.offers.length);
  }

  // Return the text of open offers, and the deadline of the first move.
  text() {
    const { followedGame, onlineGame, you, isPlaying, opponent, table } = this.mode;
    if (!you) return '';
    const name = table.nameOf(opponent);
    const { kind, running, deadline } = onlineGame.clock;
    const first = isPlaying && kind === 'live' && !running && deadline;
    const opponentOffers = followedGame.offersOf(opponent).map((what) => t(`online.offer.${what}`, { name }));
    const ownOffers = followedGame.offersOf(you).map((what) => t(`online.offer.${what}.mine`));
    const deadlineText = first ? [t('online.first', { time: timeOfDay(deadline) })] : [];
    return [...opponentOffers, ...ownOffers, ...deadlineText].join(' ');
  }

  // Build the buttons that accept, decline or withdraw an offer.
  buttons() {
    const { mode } = this;
    if (!mode.you) return [];
    const opponentOffers = mode.followedGame.offersOf(mode.opponent).flatMap((what) => {
      const accept = () => mode.sendAction({ kind: 'accept', what });
      const decline = () => mode.sendAction({ kind: 'decline', what });
      return [
        button(t('online.accept'), 'check', accept, { cls: `main accept ${what}` }),
        button(t('online.decline'), 'cross', decline, { cls: `decline ${what}` }),
      ];
    });
    const ownOffers = mode.followedGame.offersOf(mode.you).map((what) => {
      const withdraw = () => mode.sendAction({ kind: 'decline', what });
      return button(t('online.withdraw'), 'cross', withdraw, { cls: `quiet withdraw ${what}` });
    });
    return [...opponentOffers, ...ownOffers];
  }
}
