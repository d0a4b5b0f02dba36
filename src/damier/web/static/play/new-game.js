// New game: the dialog for opponent, colour and rules, and the game made from its choices.

import { link } from '../core/address.js';
import { gameList, request } from '../core/api.js';
import { button, dialog, h, inputValue } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { gameName, hasGameText, t, tg } from '../core/i18n.js';
import { settings } from '../core/storage.js';

/**
 * @typedef {object} GameChoices The last choices in the dialog.
 * @property {'computer' | 'people' | 'message' | 'far' | 'watch'} against `message`: a friend who gets
 *   links; `far`: an online opponent
 * @property {number} level
 * @property {number} other the level of the second of two computers
 * @property {'alternate' | 'w' | 'b'} colour
 * @property {Record<string, string>} options
 * @property {'w' | 'b'} [next]
 */

/** @typedef {{ options?: Record<string, string>, start?: string | null, turns?: string[] }} StartingPoint */

/** @type {GameChoices} */
const DEFAULTS = { against: 'computer', level: 1, other: 4, colour: 'alternate', options: {} };
const OPPONENTS = /** @type {const} */ (['computer', 'people', 'message', 'far', 'watch']);
const COLOURS = /** @type {const} */ (['alternate', 'w', 'b']);

/**
 * Return the last choices for a game, or the defaults.
 *
 * @param {string} game
 * @returns {GameChoices}
 */
export const savedChoices = (game) => ({ ...DEFAULTS, ...settings.get(`new.${game}`, {}) });

/**
 * @param {string} game
 * @param {GameChoices} chosen
 */
const saveChoices = (game, chosen) => settings.set(`new.${game}`, chosen);

/**
 * Choose the opponent of the next game.
 *
 * @param {string} game
 * @param {GameChoices['against']} against
 */
export const saveOpponent = (game, against) => saveChoices(game, { ...savedChoices(game), against });

/**
 * Return the player's colour. It alternates from game to game; the first one is random, except between
 * two people.
 *
 * @param {string} game
 * @param {GameChoices} chosen
 */
function colourFor(game, chosen) {
  if (chosen.colour !== 'alternate') return chosen.colour;
  const firstColour = chosen.against !== 'people' && Math.random() < 0.5 ? 'b' : 'w';
  const next = chosen.next ?? firstColour;
  saveChoices(game, { ...chosen, next: next === 'w' ? 'b' : 'w' });
  return next;
}

/**
 * Create a game from the last choices.
 *
 * @param {string} game
 * @param {StartingPoint} [from]
 */
export function newGameTree(game, from = {}) {
  const chosen = savedChoices(game);
  const options = from.options ?? chosen.options;
  const players = { w: 'human', b: 'human' };
  const playerColour = chosen.against === 'watch' ? 'w' : colourFor(game, chosen);
  if (chosen.against === 'computer') players[playerColour === 'w' ? 'b' : 'w'] = `level:${chosen.level}`;
  else if (chosen.against === 'watch') {
    Object.assign(players, { w: `level:${chosen.level}`, b: `level:${chosen.other}` });
  }
  const start = from.start ?? null;
  const tree = new GameTree({
    ...{ game, options, start, players },
    flipped: chosen.against === 'computer' && playerColour === 'b',
    swapped: chosen.against === 'people' && playerColour === 'b',
    counts: start === null && !from.turns?.length,
  });
  return from.turns ? tree.addMoves(from.turns, null) : tree;
}

/**
 * Build a radio button shown as a toggle button.
 *
 * @param {string} name
 * @param {string} label
 * @param {boolean} checked
 * @param {() => void} onchange
 */
export const radioButton = (name, label, checked, onchange) =>
  h(
    'label',
    { class: 'pick' },
    h('input', { type: 'radio', name, checked, onchange: () => onchange() }),
    h('span', {}, label),
  );

/**
 * Build a group of radio buttons.
 *
 * @param {string} label
 * @param {HTMLElement[]} list
 */
export const radioGroup = (label, list) =>
  h('fieldset', {}, h('legend', {}, label), h('div', { class: 'picks' }, list));

/**
 * Replace the children of a box and keep the focus.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement[]} children
 */
export function replaceKeepingFocus(box, children) {
  const { activeElement } = document;
  const name = box.contains(activeElement) && activeElement?.getAttribute('name');
  box.replaceChildren(...children);
  const found = name && box.querySelector(`[name="${name}"]:is(:checked, select, [type=number])`);
  if (found instanceof HTMLElement) found.focus();
}

/** @param {number} level */
const levelText = (level) => t('new.level.text', { level, words: t(`level.${level}`) });

/**
 * Build the slider for a level of the computer.
 *
 * @param {GameChoices} chosen
 * @param {'level' | 'other'} key
 * @param {string} label
 * @param {number} levels
 */
function levelSlider(chosen, key, label, levels) {
  const shown = h('output', {}, levelText(chosen[key]));
  const slider = h('input', { type: 'range', name: key, min: '1', max: String(levels), 'aria-label': label });
  slider.value = String(chosen[key]);
  slider.addEventListener('input', () => {
    chosen[key] = Number(slider.value);
    shown.textContent = levelText(chosen[key]);
  });
  return h('label', { class: 'slider' }, h('span', {}, label), slider, shown);
}

/**
 * Open the dialog; `begin(tree)` is called with the new game.
 *
 * @param {string} game
 * @param {(tree: GameTree) => void} begin
 * @param {StartingPoint} [from]
 */
export async function openNewGameDialog(game, begin, from = {}) {
  const { games, levels, online } = await gameList();
  const rules = games.find((g) => g.name === game);
  if (!rules) return;
  const chosen = savedChoices(game);
  const options = { ...(from.options ?? chosen.options) };
  const body = h('div', { class: 'new-game' });
  const rulesSection = from.turns
    ? h('p', { class: 'faint' }, t('new.from-here'))
    : ruleOptions(rules, options);
  const start = async () => {
    box.close();
    if (chosen.against === 'far') {
      openOnlineForm(game, options, from);
      return;
    }
    saveChoices(game, { ...chosen, options: from.turns ? chosen.options : options });
    if (chosen.against === 'message') {
      const { newMessageGame } = await import('./message-link.js');
      begin(newMessageGame(game, colourFor(game, chosen), { ...from, options }));
    } else begin(newGameTree(game, { ...from, options }));
  };
  const draw = () => {
    const against = OPPONENTS.filter((kind) => online || kind !== 'far').map((kind) =>
      radioButton('against', t(`new.against.${kind}`), chosen.against === kind, () => {
        chosen.against = kind;
        draw();
      }),
    );
    const row = h('div', { class: 'row end' }, button(t('new.begin'), 'play', start, { cls: 'main begin' }));
    replaceKeepingFocus(body, [
      radioGroup(t('new.against'), against),
      ...opponentFields(chosen, levels),
      rulesSection,
      row,
    ]);
  };
  const box = dialog(t('new.title', { game: gameName(game) }), t('action.close'), body);
  draw();
}

/**
 * Open the form for an online game with the same options.
 *
 * @param {string} game
 * @param {Record<string, string>} options
 * @param {StartingPoint} from
 */
async function openOnlineForm(game, options, { start = null, turns = [] }) {
  const parts = Object.entries(options);
  const begun = turns.length ? (await request('state', { game, options, start, turns })).position : start;
  if (begun) parts.push(['from', begun]);
  location.hash = link('friend', game, parts);
}

/**
 * Build the fields for the computer's level and the player's colour.
 *
 * @param {GameChoices} chosen
 * @param {number} levels
 */
function opponentFields(chosen, levels) {
  if (chosen.against === 'far') return [];
  if (chosen.against === 'watch') {
    return [
      levelSlider(chosen, 'level', t('side.w'), levels),
      levelSlider(chosen, 'other', t('side.b'), levels),
    ];
  }
  const list = COLOURS.map((kind) =>
    radioButton('colour', t(`new.colour.${kind}`), chosen.colour === kind, () => {
      chosen.colour = kind;
      chosen.next = undefined;
    }),
  );
  if (chosen.against === 'people') return [radioGroup(t('new.colour.first'), list)];
  if (chosen.against === 'message') return [radioGroup(t('new.colour'), list)];
  return [levelSlider(chosen, 'level', t('new.level'), levels), radioGroup(t('new.colour'), list)];
}

/**
 * Build the fields for a game's presets and options.
 *
 * @param {Api.GameDescription} rules
 * @param {Record<string, string>} options
 * @param {() => void} [changed]
 */
export function ruleOptions(rules, options, changed) {
  const list = h('div');
  const draw = () => {
    changed?.();
    const presets = Object.entries(rules.presets);
    /** @type {HTMLElement[]} */
    const rows = rules.options.map((option) => optionRow(rules.name, option, options, draw));
    /** @param {Record<string, string>} values */
    const same = (values) =>
      rules.options.every((o) => (options[o.name] ?? o.default) === (values[o.name] ?? o.default));
    const all = presets.map(([name, values]) =>
      radioButton('preset', tg(rules.name, `preset.${name}`, {}, name), same(values), () => {
        for (const key of Object.keys(options)) delete options[key];
        Object.assign(options, values);
        draw();
      }),
    );
    if (all.length > 1) rows.unshift(radioGroup(t('new.preset'), all));
    replaceKeepingFocus(list, rows);
  };
  draw();
  const part = h('details', { class: 'options' }, h('summary', {}, t('new.rules')), list);
  part.open = Object.keys(options).length > 0;
  part.hidden = !rules.options.length;
  return part;
}

/**
 * Build the field for an option.
 *
 * @param {string} game
 * @param {Api.OptionDescription} option
 * @param {Record<string, string>} options
 * @param {() => void} draw
 */
function optionRow(game, option, options, draw) {
  const { name, most, values } = option;
  const key = `option.${name}`;
  const id = `o-${name}`;
  const value = options[name] ?? option.default;
  const set = (/** @type {string} */ now) => {
    if (now === option.default) delete options[name];
    else options[name] = now;
    draw();
  };
  // Sizes of boards need no translation.
  const words = (/** @type {string} */ v) =>
    tg(game, `${key}.${v}`, {}, v.replace(/^(\d+)x(\d+)$/, '$1 × $2'));
  const round = (/** @type {string} */ v) => String(Math.max(0, Math.min(most, Math.round(Number(v) || 0))));
  const input = values.length
    ? h(
        'select',
        { id, name, onchange: (/** @type {Event} */ event) => set(inputValue(event)) },
        values.map((v) => h('option', { value: v, selected: v === value }, words(v))),
      )
    : h('input', {
        id,
        name,
        value,
        type: 'number',
        min: '0',
        max: String(most),
        onchange: (/** @type {Event} */ event) => set(round(inputValue(event))),
      });
  const why = hasGameText(game, `${key}.why`) ? h('p', { class: 'faint' }, tg(game, `${key}.why`)) : null;
  return h('div', { class: 'option' }, h('label', { for: id }, tg(game, key, {}, name)), input, why);
}
