// Field for a link of a game by message that was received elsewhere: on a page whose address works on this
// device only, or in an installed app, which messengers do not open.

import { h } from '../core/dom.js';
import { t } from '../core/i18n.js';

const MESSAGE_LINK = /#\/message\/\S+/;

// Build the field. It opens the game of a pasted link.
export function pasteLinkForm() {
  const label = t('message.paste');
  const plain = { type: 'text', name: 'received-link', autocomplete: 'off', spellcheck: 'false' };
  const input = h('input', { ...plain, 'aria-label': label, placeholder: label });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const refuse = (/** @type {string} */ key) => problem.replaceChildren(h('span', {}, t(key)));
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const [hash] = MESSAGE_LINK.exec(input.value) ?? [];
    if (!hash) refuse('message.not-a-link');
    else if (hash === location.hash) refuse('message.own');
    else location.hash = hash;
  };
  return h(
    'form',
    { class: 'paste-link', onsubmit },
    input,
    h('button', { class: 'open' }, t('share.open')),
    problem,
  );
}
