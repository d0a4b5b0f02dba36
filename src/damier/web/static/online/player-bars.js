// Parts of the player bars of an online game: presence, ratings and clocks.

import { root } from '../core/address.js';
import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';

/** @import { PlayerBarParts } from '../play/player-bars.js' */
/** @import { OnlineMode } from './mode.js' */

/**
 * Return a player's rating as text; a question mark means provisional.
 *
 * @param {Online.SeatedPlayer} seat
 */
export const ratingText = ({ points: rating, provisional }) =>
  rating === null ? '' : `${Math.round(rating)}${provisional ? '?' : ''}`;

/**
 * @param {OnlineMode} mode
 * @returns {PlayerBarParts}
 */
export const onlineBarParts = (mode) => ({
  name(side, spoken) {
    const { onlineGame, table } = mode;
    const seat = onlineGame.seats[side];
    if (!seat) return h('bdi', { class: 'player-name' }, table.nameOf(side));
    const isPresent = onlineGame.presence[side];
    const rating = ratingText(seat);
    const label = [spoken, rating, t(isPresent ? 'online.here' : 'online.not-here')]
      .filter(Boolean)
      .join(', ');
    return h(
      'a',
      {
        class: 'player-name',
        href: `${root}#/player/${seat.id}`,
        'aria-label': label,
        title: t('online.player'),
      },
      h('span', { class: `presence ${isPresent ? 'present' : ''}`, 'aria-hidden': 'true' }),
      h('bdi', { class: 'person' }, table.nameOf(side)),
      isPresent || !mode.isPlaying ? null : h('small', { class: 'absent' }, t('online.away')),
      rating ? h('small', {}, rating) : null,
    );
  },
  extra: (side) => [mode.clocks.elements[side]],
});
