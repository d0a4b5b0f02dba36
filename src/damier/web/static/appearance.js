// What boards and pawns are made of: chosen from samples, remembered, and the same on every page.

import { Board } from './board.js';
import { dialog, h } from './dom.js';
import { t } from './i18n.js';
import { settings } from './store.js';

/** The first of each is what a new visitor sees. */
const CHOICES = { board: ['wood', 'stone', 'contrast'], pieces: ['turned', 'stone', 'contrast'] };

/** @typedef {keyof typeof CHOICES} Part */

const PARTS = /** @type {Part[]} */ (Object.keys(CHOICES));

/** @param {Part} part */
function chosen(part) {
  const kept = settings.get(`look.${part}`);
  if (CHOICES[part].includes(kept)) return kept;
  return matchMedia('(prefers-contrast: more)').matches ? 'contrast' : CHOICES[part][0];
}

export function applyAppearance() {
  for (const part of PARTS) document.documentElement.dataset[part] = chosen(part);
}

/**
 * Four cells with a pawn of each colour; of lines where the game's board is of lines.
 *
 * @param {Api.GameOut} game
 * @returns {Api.BoardOut}
 */
const corner = ({ board: { lines } }) => ({
  ranks: 2,
  files: 2,
  cells: ['a1', 'b1', 'a2', 'b2'],
  at: { a1: [0, 0], b1: [1, 0], a2: [0, 1], b2: [1, 1] },
  lines: lines.filter((line) => line.every((cell) => /^[ab][12]$/.test(cell))),
  places: {},
  arrows: [],
});

/**
 * @param {Part} part
 * @param {string} value
 * @param {Api.GameOut} game
 */
function sample(part, value, game) {
  const board = new Board(corner(game), game, { still: true });
  board.show({ a2: 'b', b1: 'w' }, false);
  const box = h('span', { class: 'sample' }, board.element);
  box.dataset[part] = value;
  return box;
}

/**
 * @param {Part} part
 * @param {Api.GameOut} game
 */
function choices(part, game) {
  const made = CHOICES[part].map((value) => {
    const set = () => {
      settings.set(`look.${part}`, value);
      applyAppearance();
    };
    const checked = chosen(part) === value;
    const input = h('input', { type: 'radio', name: `look-${part}`, value, checked, onchange: set });
    return h(
      'label',
      { class: 'pick' },
      input,
      h('span', {}, sample(part, value, game), t(`look.${part}.${value}`)),
    );
  });
  return h(
    'fieldset',
    { class: 'samples' },
    h('legend', {}, t(`look.${part}`)),
    h('div', { class: 'picks' }, made),
  );
}

/** @param {Api.GameOut} game whose board the samples are cut from */
export function askAppearance(game) {
  dialog(
    t('look.title'),
    t('action.close'),
    PARTS.map((part) => choices(part, game)),
    h('p', { class: 'faint' }, t('look.text')),
  );
}
