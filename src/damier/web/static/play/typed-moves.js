// Typed moves: letters of the player's language, and the moves that an error message names.

import { captureLetter, tg, valuesWithText } from '../core/i18n.js';

/**
 * Return a typed move with the letters of the notation: in French, É stands for W.
 *
 * @param {string} game
 * @param {string} text
 */
export function standardNotation(game, text) {
  let turn = text;
  for (const by of valuesWithText(game, 'letter')) {
    const letter = captureLetter(game, by);
    if (letter !== by) turn = turn.replaceAll(new RegExp(`(?<=\\d)${letter}`, 'giu'), by);
  }
  return turn;
}

/**
 * Return the complete moves in a list that may end with dots.
 *
 * @param {string} list
 */
export const movesIn = (list) => list.replace(/\s*…$/, '').split(', ').filter(Boolean);

/**
 * Return the label of a move to choose: with the name of the capture by which it differs from others.
 *
 * @param {string} game
 * @param {string} move
 */
export function typedMoveLabel(game, move) {
  const by = valuesWithText(game, 'letter').find((letter) => move.endsWith(letter));
  return by ? tg(game, `choice.${by}`, { cells: move }, move) : move;
}
