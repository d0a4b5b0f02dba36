// Prompt text: what the player can do next, derived from the legal steps.

import { hasGameText, t, tg } from '../core/i18n.js';
import { difficultyText } from '../study/value-text.js';

/** @import { GameModel } from './game-model.js' */
/** @import { Hint, Hints } from './hints.js' */
/** @import { MoveInput } from './move-input.js' */
/** @import { PlayerNames } from './player-names.js' */
/** @typedef {{ head?: string, text: string, note?: string }} Prompt */

/**
 * Return the prompt of a player who enters a move: the question for the next step, or a hint.
 *
 * @param {GameModel} model
 * @param {PlayerNames} names
 * @param {MoveInput} moveInput
 * @param {Hints} hints
 * @returns {Prompt}
 */
export function movePrompt({ state }, names, moveInput, { shown: hint, nextText }) {
  if (nextText) return { text: nextText, note: question(state, names, moveInput) };
  if (!hint) return { text: question(state, names, moveInput), note: note(state, moveInput) };
  const warning = hint.hasty ? t('value.hasty') : difficultyText(hint.best, state.side);
  return { text: hintText(hint), note: [hint.why, warning].filter(Boolean).join(' ') };
}

/** @param {Hint} hint */
const hintText = ({ best, whole }) =>
  whole ? t('hint.line', { line: best.line.join('  ') || best.turn }) : t('hint.turn', { turn: best.turn });

/**
 * Return the question for the next step. A single player is addressed without a name.
 *
 * @param {Api.StateResponse} state
 * @param {PlayerNames} names
 * @param {MoveInput} moveInput
 */
function question(state, names, moveInput) {
  const name = names.nameOf(state.side);
  const text = tg(state.game, `ask.${questionKind(state, moveInput)}`, { name, cell: moveInput.from ?? '' });
  const colon = /^\s?:\s/;
  const rest = text.slice(name.length);
  if (names.personOf(state.side) !== 'you' || !text.startsWith(name) || !colon.test(rest)) return text;
  const bare = rest.replace(colon, '');
  return bare[0].toUpperCase() + bare.slice(1);
}

/**
 * @param {Api.StateResponse} state
 * @param {MoveInput} moveInput
 */
export function questionKind({ game, must }, moveInput) {
  const { kinds, from, nodes } = moveInput;
  if (moveInput.choice) return 'choice';
  if (kinds.has('pass')) return 'pass';
  if (kinds.has('drop')) return 'drop';
  if (kinds.has('take')) return 'take';
  if (kinds.has('remove') && kinds.size === 1) return 'remove';
  if (from && nodes.some((n) => n.kind === 'remove' && n.origin === from)) return 'target.remove';
  if (kinds.has('put')) return from ? 'put' : 'put.which';
  if (kinds.has('place')) {
    if (moveInput.begun) return 'place.next';
    return nodes.some((n) => n.kind === 'place' && n.turn === null) ? 'place.first' : 'place';
  }
  if (moveInput.begun && nodes.some((n) => n.takes.length))
    return kinds.has('stop') ? 'go-on.may' : 'go-on.must';
  if (from) return nodes.some((n) => n.kind === 'swap' && n.origin === from) ? 'target.swap' : 'target';
  if (must && (must === 'capture' || hasGameText(game, `ask.${must}`))) return must;
  return kinds.has('swap') ? 'move.swap' : 'move';
}

/**
 * @param {Api.StateResponse} state
 * @param {MoveInput} moveInput
 */
function note({ reminder, occurrences }, moveInput) {
  if (moveInput.begun || moveInput.from) return '';
  return reminder || (occurrences === 2 && moveInput.kinds.has('move') ? t('note.again') : '');
}
