// Appearance of boards and pawns: chosen from samples, stored, and used on every page.

import { dialog, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { Board } from './board.js';

/** The first of each is what a new visitor sees. */
const CHOICES = { board: ['wood', 'stone', 'contrast'], pieces: ['turned', 'stone', 'contrast'] };

/** @typedef {keyof typeof CHOICES} Part */

const PARTS = /** @type {Part[]} */ (Object.keys(CHOICES));

/**
 * Return the chosen material of a part, or the default.
 *
 * @param {Part} part
 */
function currentChoice(part) {
  const saved = settings.get(`look.${part}`);
  if (CHOICES[part].includes(saved)) return saved;
  return matchMedia('(prefers-contrast: more)').matches ? 'contrast' : CHOICES[part][0];
}

/** Apply the chosen materials to the page. */
export function applyAppearance() {
  for (const part of PARTS) document.documentElement.dataset[part] = currentChoice(part);
}

/**
 * Describe a board of four cells, with lines where the game's board has lines.
 *
 * @param {Api.GameDescription} game
 * @returns {Api.BoardDescription}
 */
const sampleBoard = ({ board: { lines } }) => ({
  ranks: 2,
  files: 2,
  hexagonal: false,
  width: 2,
  height: 2,
  cells: ['a1', 'b1', 'a2', 'b2'],
  at: { a1: [0, 0], b1: [1, 0], a2: [0, 1], b2: [1, 1] },
  lines: lines.filter((line) => line.every((cell) => /^[ab][12]$/.test(cell))),
  places: {},
  arrows: [],
});

/**
 * Build a sample of a material.
 *
 * @param {Part} part
 * @param {string} value
 * @param {Api.GameDescription} game
 */
function createSample(part, value, game) {
  const board = new Board(sampleBoard(game), game, { still: true });
  board.show({ a2: 'b', b1: 'w' }, false);
  const box = h('span', { class: 'sample' }, board.element);
  box.dataset[part] = value;
  return box;
}

/**
 * Build the radio buttons for the material of a part.
 *
 * @param {Part} part
 * @param {Api.GameDescription} game
 */
function choiceFieldset(part, game) {
  const labels = CHOICES[part].map((value) => {
    const set = () => {
      settings.set(`look.${part}`, value);
      applyAppearance();
    };
    const checked = currentChoice(part) === value;
    const input = h('input', { type: 'radio', name: `look-${part}`, value, checked, onchange: set });
    return h(
      'label',
      { class: 'pick' },
      input,
      h('span', {}, createSample(part, value, game), t(`look.${part}.${value}`)),
    );
  });
  return h(
    'fieldset',
    { class: 'samples' },
    h('legend', {}, t(`look.${part}`)),
    h('div', { class: 'picks' }, labels),
  );
}

/**
 * Open the dialog for the materials.
 *
 * @param {Api.GameDescription} game whose board the samples show
 */
export function openAppearanceDialog(game) {
  dialog(
    t('look.title'),
    t('action.close'),
    PARTS.map((part) => choiceFieldset(part, game)),
    h('p', { class: 'faint' }, t('look.text')),
  );
}
