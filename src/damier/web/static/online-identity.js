// Who one is, without an account: a name and a secret that this browser keeps. It can be taken along
// to another device, and is gone when the browser forgets it.

import { root } from './address.js';
import { askAs, gameList } from './api.js';
import { button, dialog, h, SVG } from './dom.js';
import { t } from './i18n.js';
import { call, line } from './online.js';
import { copyField, handingText } from './share.js';
import { identity, settings } from './store.js';

/** @import { Identity } from './store.js' */

const LONGEST = 30;

// A friendly name for who has not chosen one.
export function someName() {
  const names = t('online.name.some').split(', ');
  const pick = names[Math.floor(Math.random() * names.length)];
  return `${pick} ${10 + Math.floor(90 * Math.random())}`;
}

export const wasNamed = () => !identity.get() || settings.get('named', false);

/**
 * The identity of this browser; made if there is none.
 *
 * @param {string} [name]
 * @returns {Promise<Identity>}
 */
export async function ensured(name = '') {
  const known = identity.get();
  if (known) {
    if (name && name !== known.name) await rename(name);
    return identity.get() ?? known;
  }
  const made = await askAs(null, 'online/identities', { name: name || someName() });
  identity.set(made);
  if (name) settings.set('named', true);
  line.again();
  return made;
}

/** @param {string} name */
async function rename(name) {
  const known = identity.get();
  if (!known) return;
  const { name: now } = await call('me', { name });
  identity.set({ ...known, name: now });
  settings.set('named', true);
  line.again(); // whoever is at a table with one then reads the name anew
}

/**
 * A field for one's name, with one already in it.
 *
 * @returns {HTMLInputElement}
 */
export function nameField() {
  const value = identity.get()?.name ?? someName();
  const plain = { autocomplete: 'nickname', spellcheck: 'false', maxlength: String(LONGEST) };
  return h('input', { name: 'name', ...plain, value, required: true, 'aria-label': t('online.name') });
}

/**
 * A field for one's name that is kept at once.
 *
 * @param {string} label
 * @param {() => void} done
 */
export function nameForm(label, done) {
  const input = nameField();
  const said = h('p', { class: 'why', role: 'alert' });
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (!name) return;
    try {
      await ensured(name);
      settings.set('named', true);
      done();
    } catch (error) {
      if (error instanceof Error) said.textContent = error.message;
    }
  };
  const form = h('form', { class: 'name-form', onsubmit }, h('span', {}, label), input);
  form.append(
    button(t('online.name.keep'), 'check', () => form.requestSubmit(), { quiet: true, cls: 'keep' }),
    said,
  );
  return form;
}

// Where others find the page.
export const base = async () => (await gameList()).public ?? new URL('.', location.href).href;

/**
 * A picture of an address, for the camera of a phone.
 *
 * @param {string} address
 */
export function qrCode(address) {
  const image = h('img', { class: 'qr', alt: t('online.qr'), width: '200', height: '200' });
  call('qr', { text: address }).then(
    ({ svg }) => {
      const whole = svg.replace('<svg', `<svg xmlns="${SVG}"`); // it was made to stand in a page
      image.src = URL.createObjectURL(new Blob([whole], { type: 'image/svg+xml' }));
    },
    () => image.remove(),
  );
  return image;
}

/**
 * An address to hand on: to copy, to send, to photograph.
 *
 * @param {string} label
 * @param {string} address
 */
export const handOn = (label, address) =>
  h(
    'div',
    { class: 'hand-on' },
    qrCode(address),
    h('div', {}, copyField(label, address, 'link'), handingText(address)),
  );

// The link that makes another device the same player.
export async function takeAlong() {
  await ensured();
  const box = dialog(t('online.take'), t('action.close'));
  const draw = async () => {
    const address = `${await base()}#/take/${identity.get()?.secret}`;
    box.querySelector('.taking')?.remove();
    const renew = async () => {
      const { secret } = await call('me/secret', {});
      const known = identity.get();
      if (known) identity.set({ ...known, secret });
      line.again();
      await draw();
    };
    box.append(
      h(
        'div',
        { class: 'taking' },
        h('p', {}, t('online.take.text')),
        h('p', { class: 'warning' }, t('online.take.warning')),
        handOn(t('online.take.link'), address),
        h('p', { class: 'faint' }, t('online.take.renew.text')),
        button(t('online.take.renew'), 'restart', renew, { cls: 'renew' }),
      ),
    );
  };
  await draw();
}

/**
 * Somebody comes with the link of a player: from now on this browser is that player too.
 *
 * @param {string} secret
 */
export async function takePage(secret) {
  const me = await askAs(secret, 'online/me');
  history.replaceState(null, '', `${root}#/take`); // no secret stays in the address
  const known = identity.get();
  const other = known && known.id !== me.id ? known : null;
  const take = () => {
    identity.set({ id: me.id, secret, name: me.name });
    settings.set('named', true);
    line.again();
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
      button(t('online.taken.yes', { name: me.name }), 'check', take, { cls: 'main yes' }),
      other ? button(t('online.take'), 'share', takeAlong) : null,
      h('a', { class: 'button', href: `${root}#/` }, t('action.cancel')),
    ),
  );
}

// What everybody should know before sitting down: where the seat is kept.
export const seatNote = () =>
  h(
    'p',
    { class: 'faint seat-note' },
    t('online.seat'),
    ' ',
    button(t('online.take'), 'share', takeAlong, { cls: 'quiet take-along' }),
  );
