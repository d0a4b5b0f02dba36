// Move list in two columns with branches, buttons that step through it, and a field to type a move. The
// field is never disabled: it would lose the focus, and the next letters would act as shortcuts.

import { button, getElement, h } from '../core/dom.js';
import { t } from '../core/i18n.js';

/** @import { GameModel } from './game-model.js' */
/** @import { GameNode } from '../core/game-tree.js' */
/** @import { Mistake } from '../study/mistake-finder.js' */

/**
 * @typedef {object} MoveListListeners
 * @property {(node: GameNode | null | undefined) => void} onGo
 * @property {(text: string) => Promise<boolean>} onTyped plays a typed move; returns whether it is legal
 * @property {(node: GameNode) => Mistake | undefined} mistakeAt
 */

const MISTAKE_SIGNS = { blunder: '??', mistake: '?', inaccuracy: '?!', missed: '=', late: '' };

/**
 * Scroll the list, but not the page, to the current move.
 *
 * @param {HTMLElement} list
 */
function scrollToCurrent(list) {
  const here = list.querySelector('[aria-current]');
  if (!(here instanceof HTMLElement)) return;
  const head = getElement('.side', list).offsetHeight; // sticky
  const end = here.offsetTop + here.offsetHeight - list.clientHeight;
  list.scrollTop = Math.max(Math.min(list.scrollTop, here.offsetTop - head), end);
}

// Return the column headings.
const columnHeads = () =>
  /** @type {const} */ (['w', 'b']).map((side) =>
    h('span', { class: `side ${side}` }, h('i', { class: `dot ${side}` }), t(`side.${side}`)),
  );

/**
 * Build the buttons that step through the moves.
 *
 * @param {GameModel} model
 * @param {(node: GameNode | null | undefined) => void} onGo
 * @param {(node: GameNode) => GameNode | undefined} [nextOf]
 */
export function navigationButtons(model, onGo, nextOf = (node) => node.children[0]) {
  const quiet = { quiet: true };
  const buttons = [
    button(t('moves.first'), 'first', () => onGo(model.tree.root), quiet),
    button(t('moves.prev'), 'prev', () => onGo(model.tree.current.parent), quiet),
    button(t('moves.next'), 'next', () => onGo(nextOf(model.tree.current)), quiet),
    button(t('moves.last'), 'last', () => onGo(model.tree.tip), quiet),
  ];
  const element = h('div', { class: 'move-navigation' }, buttons);
  const render = () => {
    const { current } = model.tree;
    for (const [k, element] of buttons.entries()) {
      element.toggleAttribute('disabled', k < 2 ? !current.parent : !current.children.length);
    }
  };
  return { element, render };
}

/**
 * Return a legal move as an example of how moves are written; empty if the listed steps complete none.
 *
 * @param {Api.StepDescription[]} steps
 * @returns {string}
 */
const exampleMove = (steps) =>
  steps.find(({ turn }) => turn !== null)?.turn ?? (steps.length ? exampleMove(steps[0].then ?? []) : '');

/** Panel with the moves. */
export class MoveList {
  /**
   * @param {GameModel} model
   * @param {MoveListListeners} listeners
   */
  constructor(model, listeners) {
    this.model = model;
    this.listeners = listeners;
    this.navigation = navigationButtons(model, listeners.onGo);
    this.turns = h('div', { class: 'turns', role: 'group', 'aria-label': t('moves.label') });
    this.input = this.typedMoveInput();
    this.typed = this.typedMoveForm();
    this.element = h('section', { class: 'panel', 'aria-label': t('moves.label') });
    this.element.append(this.turns, this.navigation.element, this.typed);
    // Also when the list gets its layout, and when the parts above it grow.
    new ResizeObserver(() => scrollToCurrent(this.turns)).observe(this.turns);
  }

  render() {
    const { turns, element } = this;
    const items = this.moveButtons(this.model.tree.root);
    const none = h('p', { class: 'faint' }, t('moves.none'));
    const hadFocus = turns.contains(document.activeElement);
    turns.replaceChildren(...(items.length ? [...columnHeads(), ...items] : [none]));
    const here = hadFocus && turns.querySelector('[aria-current]');
    if (here instanceof HTMLElement) here.focus({ preventScroll: true });
    if (element.isConnected) scrollToCurrent(turns);
    this.navigation.render();
    const example = exampleMove(this.model.state?.steps ?? []);
    this.input.placeholder = example ? t('moves.typed.example', { turn: example }) : t('moves.typed');
  }

  /**
   * @param {GameNode} node
   * @returns {HTMLElement[]}
   */
  moveButtons(node) {
    /** @type {HTMLElement[]} */
    const items = [];
    let here = node;
    while (here.children.length) {
      const [main, ...others] = here.children;
      items.push(this.moveButton(main));
      for (const other of others) {
        items.push(
          h('span', { class: 'variation' }, '(', [this.moveButton(other), ...this.moveButtons(other)], ')'),
        );
      }
      here = main;
    }
    return items;
  }

  /** @param {GameNode} node */
  moveButton(node) {
    const fault = this.listeners.mistakeAt(node);
    return h(
      'button',
      {
        type: 'button',
        class: `turn ${node.mover}${fault ? ` ${fault.kind}` : ''}`,
        'aria-current': node === this.model.tree.current ? 'step' : null,
        onclick: () => this.listeners.onGo(node),
      },
      h('span', { class: 'ply' }, `${node.ply}.`),
      node.move,
      fault ? h('span', { class: 'mark' }, MISTAKE_SIGNS[fault.kind]) : null,
    );
  }

  typedMoveInput() {
    const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', maxlength: '200' };
    return h('input', { type: 'text', ...plain, 'aria-label': t('moves.typed') });
  }

  typedMoveForm() {
    const { input } = this;
    const onsubmit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const { value } = input;
      input.value = '';
      input.focus();
      if (await this.listeners.onTyped(value)) return;
      if (input.value) return; // the player types the next one
      input.value = value; // to be corrected, or replaced by typing
      if (document.activeElement === input) input.select();
    };
    const typed = h('form', { class: 'typed', onsubmit }, input);
    typed.append(button(t('moves.play'), 'check', () => typed.requestSubmit(), { quiet: true }));
    return typed;
  }
}
