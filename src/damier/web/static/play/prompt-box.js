// Prompt box beside the board: the prompt, a message on why a click did nothing, and buttons.

import { button, h } from '../core/dom.js';
import { captureLetter, t, tg } from '../core/i18n.js';

/** @import { Board } from '../board/board.js' */
/** @import { Prompt } from './prompt-text.js' */
/** @import { MoveInput } from './move-input.js' */

/**
 * Return a button that chooses a capture and names its cells; it also points to them on the board.
 *
 * @param {string} game
 * @param {Api.StepDescription} node
 * @param {MoveInput} moveInput
 * @param {Board} board
 */
function choiceButton(game, node, moveInput, board) {
  const details = { by: node.by, cells: node.takes.join(', ') };
  const text = tg(game, `choice.${node.by}`, details, t('choice', details));
  const choiceButton = button(text, null, () => moveInput.take(node), { cls: `choice by-${node.by}` });
  const letter = captureLetter(game, node.by ?? ''); // also shown on the pawns
  choiceButton.prepend(h('i', { 'aria-hidden': 'true' }, letter));
  const point = (/** @type {string[] | undefined} */ takes) => board.mark({ ...moveInput.view, takes });
  choiceButton.addEventListener('mouseenter', () => point(node.takes));
  choiceButton.addEventListener('mouseleave', () => moveInput.choice && point(moveInput.view.takes));
  return choiceButton;
}

/**
 * Return the buttons of a move being entered: the captures to choose from, ending the move, undoing it.
 *
 * @param {string} game
 * @param {MoveInput} moveInput
 * @param {Board} board
 * @returns {HTMLElement[]}
 */
export function moveInputButtons(game, moveInput, board) {
  if (moveInput.choice) {
    const buttons = moveInput.choice.map((node) => choiceButton(game, node, moveInput, board));
    return [...buttons, button(t('action.cancel'), 'cross', () => moveInput.cancel(), { quiet: true })];
  }
  const { end } = moveInput;
  const buttons = [];
  if (end) {
    const label = t(end.kind === 'stop' ? 'action.end-turn' : 'action.pass');
    buttons.push(button(label, 'check', () => moveInput.take(end), { cls: 'main end-turn' }));
  }
  if (moveInput.begun)
    buttons.push(button(t('action.undo-steps'), 'back', () => moveInput.undoAll(), { cls: 'quiet' }));
  return buttons;
}

/**
 * @typedef {object} PromptBoxContent
 * @property {Prompt | null} prompt null leaves it as it is
 * @property {'' | 'over' | 'drawn'} ending
 * @property {HTMLElement[]} buttons
 * @property {MoveInput | null} moveInput
 */

export class PromptBox {
  /** @param {{ above?: HTMLElement[], below?: HTMLElement[] }} [parts] more elements, around the prompt */
  constructor({ above = [], below = [] } = {}) {
    this.prompt = h('p', { class: 'prompt', role: 'status' });
    this.message = h('p', { class: 'message', role: 'alert' });
    this.buttons = h('div', { class: 'row' });
    this.element = h(
      'section',
      { class: 'prompt-box', 'aria-label': t('ask.label') },
      ...[above, this.prompt, below, this.message, this.buttons],
    );
  }

  /**
   * Show a message. A new element each time, so that the same text is announced again.
   *
   * @param {string} text
   */
  showMessage(text) {
    this.message.replaceChildren(...(text ? [h('span', {}, text)] : []));
  }

  /**
   * Offer moves below the message.
   *
   * @param {string[]} moves
   * @param {(move: string) => void} onChoose
   * @param {(move: string) => string} labelOf
   */
  showChoices(moves, onChoose, labelOf) {
    const buttons = moves.map((move) =>
      button(labelOf(move), null, () => onChoose(move), { cls: 'typed-choice' }),
    );
    this.message.append(h('span', { class: 'row' }, buttons));
  }

  // The button for the most likely action, or null.
  get mainButton() {
    const main = this.buttons.querySelector('.main');
    return main instanceof HTMLElement ? main : null;
  }

  /**
   * @param {PromptBoxContent} content
   * @param {Board} board
   */
  render({ prompt, ending, buttons, moveInput }, board) {
    if (prompt) this.renderPrompt(prompt);
    this.element.classList.toggle('over', ending !== '');
    this.element.classList.toggle('drawn', ending === 'drawn');
    this.replaceButtons(buttons, moveInput, board);
  }

  /**
   * Render the prompt. It changes only if the text does, because it is read aloud.
   *
   * @param {Prompt} prompt
   */
  renderPrompt({ head, text, note: more }) {
    const parts = [head ? h('strong', {}, head) : '', text, more ? h('small', {}, more) : ''];
    const children = parts.filter((part) => part !== '').flatMap((part) => [part, ' ']);
    const words = children.map((part) => (part instanceof Node ? part.textContent : part)).join('');
    if (this.prompt.textContent !== words) this.prompt.replaceChildren(...children);
  }

  /**
   * Replace the buttons; a focus on one of them moves to the board.
   *
   * @param {HTMLElement[]} list
   * @param {MoveInput | null} moveInput
   * @param {Board} board
   */
  replaceButtons(list, moveInput, board) {
    const { children } = this.buttons;
    if (list.length === children.length && list.every((one, k) => one === children[k])) return;
    const hadFocus = this.buttons.contains(document.activeElement);
    this.buttons.replaceChildren(...list);
    const [first] = children;
    if (moveInput?.choice && first instanceof HTMLElement) first.focus({ preventScroll: true });
    else if (hadFocus) board.button(moveInput?.active ?? board.tabCell).focus({ preventScroll: true });
  }
}
