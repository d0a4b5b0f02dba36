// Beginning a game: against whom, with which colour, by which rules.

import { link } from './address.js';
import { ask, gameList } from './api.js';
import { button, dialog, h, typedIn } from './dom.js';
import { hasOwn, nameOf, t, tg } from './i18n.js';
import { settings } from './store.js';
import { Tale } from './tale.js';

/**
 * @typedef {object} Chosen How a game was begun last.
 * @property {'computer' | 'people' | 'far' | 'watch'} against `far`: somebody far away
 * @property {number} level
 * @property {number} other the level of the second, of two computers
 * @property {'alternate' | 'w' | 'b'} colour
 * @property {Record<string, string>} options
 * @property {'w' | 'b'} [next]
 */

/** @typedef {{ options?: Record<string, string>, start?: string | null, turns?: string[] }} From */

/** @type {Chosen} */
const DEFAULTS = { against: 'computer', level: 1, other: 4, colour: 'alternate', options: {} };
const AGAINST = /** @type {const} */ (['computer', 'people', 'far', 'watch']);
const COLOURS = /** @type {const} */ (['alternate', 'w', 'b']);

/**
 * @param {string} game
 * @returns {Chosen}
 */
export const chosenFor = (game) => ({ ...DEFAULTS, ...settings.get(`new.${game}`, {}) });

/**
 * @param {string} game
 * @param {Chosen} chosen
 */
const keep = (game, chosen) => settings.set(`new.${game}`, chosen);

/**
 * Who begins: by lot the first time, of two people the first, then in turn.
 *
 * @param {string} game
 * @param {Chosen} chosen
 */
function colourFor(game, chosen) {
  if (chosen.colour !== 'alternate') return chosen.colour;
  const lot = chosen.against !== 'people' && Math.random() < 0.5 ? 'b' : 'w';
  const next = chosen.next ?? lot;
  keep(game, { ...chosen, next: next === 'w' ? 'b' : 'w' });
  return next;
}

/**
 * @param {string} game
 * @param {From} [from]
 */
export function newTale(game, from = {}) {
  const chosen = chosenFor(game);
  const options = from.options ?? chosen.options;
  const players = { w: 'human', b: 'human' };
  const mine = chosen.against === 'watch' ? 'w' : colourFor(game, chosen);
  if (chosen.against === 'computer') players[mine === 'w' ? 'b' : 'w'] = `level:${chosen.level}`;
  else if (chosen.against === 'watch') {
    Object.assign(players, { w: `level:${chosen.level}`, b: `level:${chosen.other}` });
  }
  const tale = new Tale({ game, options, start: from.start ?? null, players });
  tale.flipped = chosen.against === 'computer' && mine === 'b';
  tale.swapped = chosen.against === 'people' && mine === 'b';
  if (from.turns) tale.follow(from.turns, null);
  if (from.turns?.length) tale.counts = false;
  return tale;
}

/**
 * One of several, as a button that stays pressed.
 *
 * @param {string} name
 * @param {string} label
 * @param {boolean} checked
 * @param {() => void} onchange
 */
export const pick = (name, label, checked, onchange) =>
  h(
    'label',
    { class: 'pick' },
    h('input', { type: 'radio', name, checked, onchange: () => onchange() }),
    h('span', {}, label),
  );

/**
 * @param {string} label
 * @param {HTMLElement[]} list
 */
export const picks = (label, list) =>
  h('fieldset', {}, h('legend', {}, label), h('div', { class: 'picks' }, list));

/**
 * Other children, and the focus where it was.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement[]} children
 */
export function refill(box, children) {
  const { activeElement } = document;
  const name = box.contains(activeElement) && activeElement?.getAttribute('name');
  box.replaceChildren(...children);
  const found = name && box.querySelector(`[name="${name}"]:is(:checked, select, [type=number])`);
  if (found instanceof HTMLElement) found.focus();
}

/** @param {number} level */
const levelText = (level) => t('new.level.text', { level, words: t(`level.${level}`) });

/**
 * @param {Chosen} chosen
 * @param {'level' | 'other'} key
 * @param {string} label
 * @param {number} levels
 */
function strength(chosen, key, label, levels) {
  const shown = h('output', {}, levelText(chosen[key]));
  const slide = h('input', { type: 'range', name: key, min: '1', max: String(levels), 'aria-label': label });
  slide.value = String(chosen[key]);
  slide.addEventListener('input', () => {
    chosen[key] = Number(slide.value);
    shown.textContent = levelText(chosen[key]);
  });
  return h('label', { class: 'slide' }, h('span', {}, label), slide, shown);
}

/**
 * Ask how to play; `begin(tale)` is called with the new game.
 *
 * @param {string} game
 * @param {(tale: Tale) => void} begin
 * @param {From} [from]
 */
export async function askNewGame(game, begin, from = {}) {
  const { games, levels, online } = await gameList();
  const rules = games.find((g) => g.name === game);
  if (!rules) return;
  const chosen = chosenFor(game);
  const options = { ...(from.options ?? chosen.options) };
  const body = h('div', { class: 'new-game' });
  const ruled = from.turns ? h('p', { class: 'faint' }, t('new.from-here')) : rulesPart(rules, options);
  const start = () => {
    box.close();
    if (chosen.against === 'far') {
      farAway(game, options, from);
      return;
    }
    keep(game, { ...chosen, options: from.turns ? chosen.options : options });
    begin(newTale(game, { ...from, options }));
  };
  const draw = () => {
    const against = AGAINST.filter((kind) => online || kind !== 'far').map((kind) =>
      pick('against', t(`new.against.${kind}`), chosen.against === kind, () => {
        chosen.against = kind;
        draw();
      }),
    );
    const row = h('div', { class: 'row end' }, button(t('new.begin'), 'play', start, { cls: 'main begin' }));
    refill(body, [picks(t('new.against'), against), ...opponent(chosen, levels), ruled, row]);
  };
  const box = dialog(t('new.title', { game: nameOf(game) }), t('action.close'), body);
  draw();
}

/**
 * The rest is asked where games with somebody far away are begun.
 *
 * @param {string} game
 * @param {Record<string, string>} options
 * @param {From} from
 */
async function farAway(game, options, { start = null, turns = [] }) {
  const parts = Object.entries(options);
  const begun = turns.length ? (await ask('state', { game, options, start, turns })).position : start;
  if (begun) parts.push(['from', begun]);
  location.hash = link('friend', game, parts);
}

/**
 * How strong the computer is, and who has which colour.
 *
 * @param {Chosen} chosen
 * @param {number} levels
 */
function opponent(chosen, levels) {
  if (chosen.against === 'far') return [];
  if (chosen.against === 'watch') {
    return [strength(chosen, 'level', t('side.w'), levels), strength(chosen, 'other', t('side.b'), levels)];
  }
  const list = COLOURS.map((kind) =>
    pick('colour', t(`new.colour.${kind}`), chosen.colour === kind, () => {
      chosen.colour = kind;
      chosen.next = undefined;
    }),
  );
  if (chosen.against === 'people') return [picks(t('new.colour.first'), list)];
  return [strength(chosen, 'level', t('new.level'), levels), picks(t('new.colour'), list)];
}

/**
 * @param {Api.GameOut} rules
 * @param {Record<string, string>} options
 * @param {() => void} [changed]
 */
export function rulesPart(rules, options, changed) {
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
      pick('preset', tg(rules.name, `preset.${name}`, {}, name), same(values), () => {
        for (const key of Object.keys(options)) delete options[key];
        Object.assign(options, values);
        draw();
      }),
    );
    if (all.length > 1) rows.unshift(picks(t('new.preset'), all));
    refill(list, rows);
  };
  draw();
  const part = h('details', { class: 'options' }, h('summary', {}, t('new.rules')), list);
  part.open = Object.keys(options).length > 0;
  part.hidden = !rules.options.length;
  return part;
}

/**
 * @param {string} game
 * @param {Api.OptionOut} option
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
  // The size of a board needs no words.
  const words = (/** @type {string} */ v) =>
    tg(game, `${key}.${v}`, {}, v.replace(/^(\d+)x(\d+)$/, '$1 × $2'));
  const round = (/** @type {string} */ v) => String(Math.max(0, Math.min(most, Math.round(Number(v) || 0))));
  const input = values.length
    ? h(
        'select',
        { id, name, onchange: (/** @type {Event} */ event) => set(typedIn(event)) },
        values.map((v) => h('option', { value: v, selected: v === value }, words(v))),
      )
    : h('input', {
        id,
        name,
        value,
        type: 'number',
        min: '0',
        max: String(most),
        onchange: (/** @type {Event} */ event) => set(round(typedIn(event))),
      });
  const why = hasOwn(game, `${key}.why`) ? h('p', { class: 'faint' }, tg(game, `${key}.why`)) : null;
  return h('div', { class: 'option' }, h('label', { for: id }, tg(game, key, {}, name)), input, why);
}
