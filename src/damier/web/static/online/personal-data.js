// What a player may do with the data that the server stores: save it, and delete it with the identity.

import { RequestError, requestAs } from '../core/api.js';
import { confirmAction } from '../core/confirm.js';
import { button, h, saveFile } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { identity, settings } from '../core/storage.js';
import { connection, outbox, requestOnline } from './connection.js';

// Delete the identity on the server, then in this browser.
async function deleteIdentity() {
  const current = identity.get();
  if (!current) return;
  try {
    await requestAs(current.secret, 'online/me', null, undefined, 'DELETE');
  } catch (error) {
    // Unknown: an earlier attempt succeeded, but its response was lost.
    if (!(error instanceof RequestError && error.status === 401)) throw error;
  }
  outbox.clear();
  identity.forget();
  settings.set('named', null);
  connection.reconnect();
}

/**
 * Build the buttons that save the player's data and delete the identity.
 *
 * @param {() => void} onDeleted
 */
export function personalDataControls(onDeleted) {
  const errorText = h('p', { class: 'message', role: 'alert' });
  const attempt = async (/** @type {() => Promise<void>} */ action) => {
    errorText.textContent = '';
    try {
      await action();
    } catch (error) {
      if (error instanceof Error) errorText.textContent = error.message;
    }
  };
  const save = async () => {
    const text = JSON.stringify(await requestOnline('me/data'), null, 1);
    saveFile('damier.json', new Blob([text], { type: 'application/json' }));
  };
  const remove = async () => {
    await deleteIdentity();
    onDeleted();
  };
  const confirmDeletion = () =>
    confirmAction(t('online.data.delete'), t('online.data.delete.text'), () => attempt(remove));
  return h(
    'div',
    { class: 'personal-data' },
    h(
      'div',
      { class: 'row' },
      button(t('online.data.save'), 'download', () => attempt(save), { cls: 'save-data' }),
      button(t('online.data.delete'), 'cross', confirmDeletion, { cls: 'delete-identity' }),
    ),
    errorText,
  );
}
