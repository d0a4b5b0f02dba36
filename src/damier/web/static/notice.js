// A line at the foot of the page that says what was done, and undoes it for some seconds.

import { button, h } from './dom.js';
import { t } from './i18n.js';

const SECONDS = 12;

/** @type {HTMLElement | null} */
let shown = null;
let timer = 0;

export function dismiss() {
  clearTimeout(timer);
  shown?.remove();
  shown = null;
}

/**
 * @param {string} text
 * @param {() => void} undo
 */
export function offerUndo(text, undo) {
  dismiss();
  const back = () => {
    dismiss();
    undo();
  };
  shown = h(
    'div',
    { class: 'notice', role: 'status' },
    h('span', {}, text),
    button(t('undo'), 'back', back, { cls: 'undo' }),
  );
  document.body.append(shown);
  const wait = () => {
    // Who is about to press it is given the time to.
    if (shown?.matches(':hover, :focus-within')) timer = setTimeout(wait, 1000);
    else dismiss();
  };
  timer = setTimeout(wait, 1000 * SECONDS);
}
