// Dialog that asks the player to confirm an action.

import { button, dialog, h } from './dom.js';
import { t } from './i18n.js';

/**
 * Ask the player to confirm an action that cannot be undone.
 *
 * @param {string} title
 * @param {string} text
 * @param {() => void} action
 */
export function confirmAction(title, text, action) {
  const confirm = () => {
    box.close();
    action();
  };
  const row = h(
    'div',
    { class: 'row end' },
    button(t('action.cancel'), null, () => box.close(), { cls: 'cancel' }),
    button(title, null, confirm, { cls: 'main confirm' }),
  );
  const box = dialog(title, t('action.close'), h('p', {}, text), row);
}
