// Links of games played by message: each link holds the whole game. A link is checked against the stored
// game, which it must continue.

import { BadLink } from '../core/address.js';
import { GameTree } from '../core/game-tree.js';
import { t } from '../core/i18n.js';
import { newId } from '../core/id.js';
import { savedGames, settings } from '../core/storage.js';
import { stateOf } from './game-model.js';

/** @import { Address } from '../core/address.js' */
/** @import { SavedGame } from '../core/game-tree.js' */
/** @import { Side } from './game-model.js' */

const ID_LENGTH = 13; // characters of an identifier: enough for the games of two friends

/** @param {Side} side */
const otherSide = (side) => (side === 'w' ? 'b' : 'w');

/** @param {Side} own */
const playersFor = (own) => ({ w: own === 'w' ? 'human' : 'friend', b: own === 'b' ? 'human' : 'friend' });

/**
 * Create a game by message.
 *
 * @param {string} game
 * @param {Side} own
 * @param {{ options?: Record<string, string>, start?: string | null, turns?: string[] }} [from]
 */
export function newMessageGame(game, own, { options = {}, start = null, turns = [] } = {}) {
  const id = newId().replaceAll('-', '').slice(0, ID_LENGTH);
  const tree = new GameTree({ game, options, start, players: playersFor(own), id, flipped: own === 'b' });
  return tree.addMoves(turns, null);
}

/** @param {string} id */
const sentKey = (id) => `sent.${id}`;

/**
 * Return how many moves the last link had that the player copied or shared; −1 without one.
 *
 * @param {string} id
 * @returns {number}
 */
export const sentPly = (id) => settings.get(sentKey(id), -1);

/**
 * @param {string} id
 * @param {number} ply
 */
export const rememberSent = (id, ply) => settings.set(sentKey(id), ply);

/**
 * Return whether the first list begins with the second.
 *
 * @param {string[]} list
 * @param {string[]} beginning
 */
const beginsWith = (list, beginning) => beginning.every((turn, k) => turn === list[k]);

/**
 * Return whether a stored game has the rules and the start of a link.
 *
 * @param {SavedGame} stored
 * @param {Address} found
 */
const isSameGame = (stored, { game, options, start }) =>
  stored.game === game &&
  (stored.start ?? null) === start &&
  JSON.stringify(Object.entries(stored.options ?? {}).sort()) ===
    JSON.stringify(Object.entries(options).sort());

/**
 * Return the game of a link: the stored one, continued by the friend's moves, or a new one. Throws
 * BadLink if the link does not continue the stored game.
 *
 * @param {Address} found
 * @returns {Promise<{ tree: GameTree, isOlder: boolean }>}
 */
export async function gameOfLink(found) {
  const { game, options, start, turns, by, id, resigned } = found;
  if (!id || (by !== 'w' && by !== 'b') || turns.includes('')) throw new BadLink(t('wrong.short'));
  const stored = savedGames.get(id);
  if (!stored) return { tree: await newGameOfLink(found, otherSide(by)), isOlder: false };
  const refuse = (/** @type {string} */ key) => new BadLink(t(key), { stored: id });
  const tree = GameTree.from(stored);
  const { friendSide } = tree;
  if (!friendSide || !isSameGame(stored, found)) throw refuse('message.other-game');
  const isOwn = by !== friendSide; // the player's own link
  const isOlder = beginsWith(stored.turns, turns);
  if (isOlder && (!resigned || resigned === tree.resigned)) {
    tree.goTo(tree.tip);
    return { tree, isOlder: !isOwn && turns.length < stored.turns.length };
  }
  if (isOwn || !beginsWith(turns, stored.turns) || tree.resigned) throw refuse('message.not-continued');
  const linked = new GameTree({ game, options, start }).addMoves(turns, null);
  const { movers } = await stateOf(linked, linked.tip);
  const added = movers.slice(stored.turns.length);
  if (added.some((side) => side !== friendSide) || (resigned && resigned !== friendSide))
    throw refuse('message.not-yours');
  tree.addMoves(turns, null);
  if (resigned) tree.resign(resigned);
  return { tree, isOlder: false };
}

/**
 * Return the game of the first link from a friend.
 *
 * @param {Address} found
 * @param {Side} own
 */
async function newGameOfLink({ game, options, start, turns, id, resigned }, own) {
  const tree = new GameTree({
    ...{ game, options, start, id, resigned },
    players: playersFor(own),
    flipped: own === 'b',
  }).addMoves(turns, null);
  await stateOf(tree, tree.tip); // check the moves
  return tree;
}
