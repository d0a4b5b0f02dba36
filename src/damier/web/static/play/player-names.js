// Names of the players, and how sentences refer to them.

import { levelOf } from '../core/game-tree.js';
import { t } from '../core/i18n.js';
import { settings } from '../core/storage.js';

/** @import { GameTree } from '../core/game-tree.js' */
/** @import { Side } from './game-model.js' */
/** @typedef {'you' | 'computer' | 'side' | 'name'} Person How a sentence refers to a player. */

/**
 * Return who plays against whom.
 *
 * @param {GameTree} tree
 */
export function playersText(tree) {
  const names = new PlayerNames({ tree, humans: tree.humans });
  return `${names.nameOf('w')} – ${names.nameOf('b')}`;
}

export class PlayerNames {
  /**
   * @param {{ tree: GameTree, humans: Side[] }} model
   * @param {(side: Side) => Person} [personOf] if the names do not tell
   */
  constructor(model, personOf) {
    this.model = model;
    this.givenPerson = personOf;
  }

  /**
   * Return the storage key of a player's name. It depends on the player, not on the colour, because two
   * people change colours from game to game.
   *
   * @param {Side} side
   */
  key(side) {
    const { tree, humans } = this.model;
    if (tree.mode === 'study') return null;
    const strength = levelOf(tree.players[side]);
    if (strength) return `level${strength}`;
    if (tree.players[side] === 'friend') return 'friend';
    return humans.length === 2 && (side === 'b') !== tree.swapped ? 'friend' : 'me';
  }

  /**
   * @param {Side} side
   * @returns {string}
   */
  nameOf(side) {
    const { tree, humans } = this.model;
    if (tree.names) return tree.names[side];
    const key = this.key(side);
    if (!key) return t(`side.${side}`);
    const saved = settings.get('names', {})[key];
    if (saved) return saved;
    const strength = levelOf(tree.players[side]);
    if (strength) return t('name.level', { level: strength });
    if (tree.friendSide) return t(key === 'friend' ? 'name.friend' : 'name.me');
    return t(humans.length === 2 ? `name.two.${key}` : 'name.me');
  }

  /**
   * @param {Side} side
   * @returns {Person}
   */
  personOf(side) {
    if (this.givenPerson) return this.givenPerson(side);
    const name = this.nameOf(side);
    const strength = levelOf(this.model.tree.players[side]);
    if (name === t('name.me')) return 'you';
    if (strength && name === t('name.level', { level: strength })) return 'computer';
    return name === t(`side.${side}`) ? 'side' : 'name';
  }

  /**
   * Return a sentence about a player; there are other texts for a computer and for a side without a name.
   *
   * @param {string} key
   * @param {Side} side
   */
  sentence(key, side) {
    const person = this.personOf(side);
    if (person === 'computer') return t(`${key}.computer`, { level: levelOf(this.model.tree.players[side]) });
    return t(person === 'side' ? `${key}.${side}` : key, { name: this.nameOf(side) });
  }

  /** @param {Side} side */
  canRename(side) {
    return !!this.model.tree.names || this.key(side) !== null;
  }

  /**
   * @param {Side} side
   * @param {string} name
   */
  rename(side, name) {
    const { tree } = this.model;
    const key = this.key(side);
    if (tree.names) tree.setNames({ ...tree.names, [side]: name || t(`side.${side}`) });
    else if (key) settings.set('names', { ...settings.get('names', {}), [key]: name });
  }
}
