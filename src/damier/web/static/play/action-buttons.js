// Row of buttons below the prompt.

import { h } from '../core/dom.js';

export class ActionButtons {
  constructor() {
    this.element = h('div', { class: 'actions' });
    this.shown = ''; // the labels of the buttons
  }

  /**
   * Replace the buttons if their labels differ; the focus stays at the same place.
   *
   * @param {HTMLElement[]} list
   */
  show(list) {
    const { element } = this;
    const labels = list.map((b) => b.textContent).join();
    if (this.shown === labels) return;
    const focused = [...element.children].indexOf(/** @type {Element} */ (document.activeElement));
    this.shown = labels;
    element.replaceChildren(...list);
    if (focused >= 0) list[focused]?.focus();
  }
}
