// Notice at the foot of the board or the page, with a button that undoes the last action for some seconds.

import { button, h } from './dom.js';
import { t } from './i18n.js';

const NOTICE_SECONDS = 12;

/** @type {HTMLElement | null} */
let shown = null;
let timer = 0;

export function dismissNotice() {
  clearTimeout(timer);
  shown?.remove();
  shown = null;
}

/**
 * @param {string} text
 * @param {() => void} undo
 */
export function offerUndo(text, undo) {
  dismissNotice();
  const back = () => {
    dismissNotice();
    undo();
  };
  shown = h(
    'div',
    { class: 'notice', role: 'status' },
    h('span', {}, text),
    button(t('undo'), 'back', back, { cls: 'undo' }),
  );
  (document.querySelector('main .stage') ?? document.body).append(shown);
  const wait = () => {
    // It stays while the button has the pointer or the focus.
    if (shown?.matches(':hover, :focus-within')) timer = setTimeout(wait, 1000);
    else dismissNotice();
  };
  timer = setTimeout(wait, 1000 * NOTICE_SECONDS);
}
