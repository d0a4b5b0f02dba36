// Identity of the player without an account: a name and a secret stored in this browser. It can be
// transferred to another device, and is lost when the browser's storage is cleared.

import { root } from '../core/address.js';
import { requestAs } from '../core/api.js';
import { button, dialog, h, SVG } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { identity, settings } from '../core/storage.js';
import { publicAddress } from '../share/public-address.js';
import { copyField, shareLinkButton } from '../share/share-dialog.js';
import { connection, requestOnline } from './connection.js';

/** @import { Identity } from '../core/storage.js' */

const MAX_NAME_LENGTH = 30;

// Return a random friendly name.
export function randomName() {
  const names = t('online.name.some').split(', ');
  const pick = names[Math.floor(Math.random() * names.length)];
  return `${pick} ${10 + Math.floor(90 * Math.random())}`;
}

/** Tell whether the player needs no reminder to choose a name. */
export const hasChosenName = () => !identity.get() || settings.get('named', false);

/**
 * Return the identity of this browser; create it if there is none.
 *
 * @param {string} [name]
 * @returns {Promise<Identity>}
 */
export async function ensureIdentity(name = '') {
  const current = identity.get();
  if (current) {
    if (name && name !== current.name) await rename(name);
    return identity.get() ?? current;
  }
  const created = await requestAs(null, 'online/identities', { name: name || randomName() });
  identity.set(created);
  if (name) settings.set('named', true);
  connection.reconnect();
  return created;
}

/**
 * Change the player's name on the server.
 *
 * @param {string} name
 */
async function rename(name) {
  const current = identity.get();
  if (!current) return;
  const { name: now } = await requestOnline('me', { name });
  identity.set({ ...current, name: now });
  settings.set('named', true);
  connection.reconnect(); // opponents then load the new name
}

/**
 * Build a field for the player's name, filled in.
 *
 * @returns {HTMLInputElement}
 */
export function nameField() {
  const value = identity.get()?.name ?? randomName();
  const plain = { autocomplete: 'nickname', spellcheck: 'false', maxlength: String(MAX_NAME_LENGTH) };
  return h('input', { name: 'name', ...plain, value, required: true, 'aria-label': t('online.name') });
}

/**
 * Build a form that saves the player's name.
 *
 * @param {string} label
 * @param {() => void} onSaved
 */
export function nameForm(label, onSaved) {
  const input = nameField();
  const errorText = h('p', { class: 'message', role: 'alert' });
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (!name) return;
    try {
      await ensureIdentity(name);
      settings.set('named', true);
      onSaved();
    } catch (error) {
      if (error instanceof Error) errorText.textContent = error.message;
    }
  };
  const form = h('form', { class: 'name-form', onsubmit }, h('span', {}, label), input);
  form.append(
    button(t('online.name.keep'), 'check', () => form.requestSubmit(), { quiet: true, cls: 'keep' }),
    errorText,
  );
  return form;
}

/**
 * Build a QR code of an address.
 *
 * @param {string} address
 */
export function qrCode(address) {
  const image = h('img', { class: 'qr', alt: t('online.qr'), width: '200', height: '200' });
  requestOnline('qr', { text: address }).then(
    ({ svg }) => {
      const standalone = svg.replace('<svg', `<svg xmlns="${SVG}"`); // the server's SVG is meant for inlining
      image.src = URL.createObjectURL(new Blob([standalone], { type: 'image/svg+xml' }));
    },
    () => image.remove(),
  );
  return image;
}

/**
 * Build a box with an address to copy, send or scan.
 *
 * @param {string} label
 * @param {string} address
 */
export const linkToShare = (label, address) =>
  h(
    'div',
    { class: 'transfer' },
    qrCode(address),
    h('div', {}, copyField(label, address, 'link'), shareLinkButton(address)),
  );

// Show the link that transfers the identity to another device.
export async function showTransferDialog() {
  await ensureIdentity();
  const box = dialog(t('online.take'), t('action.close'));
  const draw = async () => {
    const address = `${(await publicAddress()).base}#/take/${identity.get()?.secret}`;
    box.querySelector('.taking')?.remove();
    const renew = async () => {
      const { secret } = await requestOnline('me/secret', {});
      const current = identity.get();
      if (current) identity.set({ ...current, secret });
      connection.reconnect();
      await draw();
    };
    box.append(
      h(
        'div',
        { class: 'taking' },
        h('p', {}, t('online.take.text')),
        h('p', { class: 'warning' }, t('online.take.warning')),
        linkToShare(t('online.take.link'), address),
        h('p', { class: 'faint' }, t('online.take.renew.text')),
        button(t('online.take.renew'), 'restart', renew, { cls: 'renew' }),
      ),
    );
  };
  await draw();
}

/**
 * Build the page opened by a transfer link, which makes this browser the same player.
 *
 * @param {string} secret
 */
export async function transferPage(secret) {
  const me = await requestAs(secret, 'online/me');
  history.replaceState(null, '', `${root}#/take`); // remove the secret from the address
  const current = identity.get();
  const other = current && current.id !== me.id ? current : null;
  const take = () => {
    identity.set({ id: me.id, secret, name: me.name });
    settings.set('named', true);
    connection.reconnect();
    location.hash = '#/mine';
  };
  return h(
    'div',
    { class: 'page narrow become' },
    h('h1', {}, t('online.taken', { name: me.name })),
    h('p', {}, t('online.taken.text', { name: me.name })),
    other ? h('p', { class: 'warning' }, t('online.taken.other', { name: other.name })) : null,
    h(
      'div',
      { class: 'row' },
      button(t('online.taken.yes', { name: me.name }), 'check', take, { cls: 'main confirm' }),
      other ? button(t('online.take'), 'share', showTransferDialog) : null,
      h('a', { class: 'button', href: `${root}#/` }, t('action.cancel')),
    ),
  );
}

// Build the note that the identity is stored in this browser only.
export const identityNote = () =>
  h(
    'p',
    { class: 'faint seat-note' },
    t('online.seat'),
    ' ',
    button(t('online.take'), 'share', showTransferDialog, { cls: 'quiet take-along' }),
  );
