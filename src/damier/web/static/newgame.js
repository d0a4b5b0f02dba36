// Beginning a game: against whom, with which colour, by which rules.

import { gameList } from './api.js';
import { button, dialog, h } from './dom.js';
import { has, t } from './i18n.js';
import { settings } from './store.js';
import { Tale } from './tale.js';

const DEFAULTS = { against: 'computer', level: 2, other: 4, colour: 'alternate', options: {} };

export const chosenFor = (game) => ({ ...DEFAULTS, ...settings.get(`new.${game}`, {}) });

const keep = (game, chosen) => settings.set(`new.${game}`, chosen);

// Who begins: by lot the first time, then in turn.
function colourFor(game, chosen) {
  if (chosen.colour !== 'alternate') return chosen.colour;
  const next = chosen.next ?? (Math.random() < 0.5 ? 'w' : 'b');
  keep(game, { ...chosen, next: next === 'w' ? 'b' : 'w' });
  return next;
}

export function newTale(game, from = {}) {
  const chosen = chosenFor(game);
  const options = from.options ?? chosen.options;
  const players = { w: 'human', b: 'human' };
  const mine = chosen.against === 'watch' ? 'w' : colourFor(game, chosen);
  if (chosen.against === 'computer') players[mine === 'w' ? 'b' : 'w'] = `level:${chosen.level}`;
  else if (chosen.against === 'watch') Object.assign(players, { w: `level:${chosen.level}`, b: `level:${chosen.other}` });
  const tale = new Tale({ game, options, start: from.start ?? null, players });
  tale.flipped = chosen.against === 'computer' && mine === 'b';
  tale.swapped = chosen.against === 'people' && mine === 'b';
  if (from.turns) tale.follow(from.turns, null);
  return tale;
}

const choice = (name, value, label, checked, onchange) =>
  h('label', { class: 'pick' }, h('input', { type: 'radio', name, value, checked, onchange }), h('span', {}, label));

// Other children, and the focus where it was.
function refill(box, children) {
  const name = box.contains(document.activeElement) && document.activeElement.name;
  box.replaceChildren(...children);
  if (name) box.querySelector(`[name="${name}"]:is(:checked, select, [type=number])`)?.focus();
}

// Ask how to play; `begin(tale)` is called with the new game.
export async function askNewGame(game, begin, from = {}) {
  const { games, levels } = await gameList();
  const rules = games.find((g) => g.name === game);
  const chosen = chosenFor(game);
  const options = { ...(from.options ?? chosen.options) };
  const body = h('div', { class: 'new-game' });
  const strength = (key, label) => {
    const shown = h('output', {}, levelText(chosen[key]));
    const slide = h('input', { type: 'range', min: '1', max: String(levels), value: String(chosen[key]), 'aria-label': label, name: key });
    slide.addEventListener('input', () => {
      chosen[key] = Number(slide.value);
      shown.textContent = levelText(chosen[key]);
    });
    return h('label', { class: 'slide' }, h('span', {}, label), slide, shown);
  };
  const ruled = from.turns ? h('p', { class: 'faint' }, t('new.from-here')) : rulesPart(rules, options);
  const draw = () => {
    const against = h('fieldset', {}, h('legend', {}, t('new.against')), h('div', { class: 'picks' }, ['computer', 'people', 'watch'].map((kind) => choice('against', kind, t(`new.against.${kind}`), chosen.against === kind, () => ((chosen.against = kind), draw())))));
    const parts = [against];
    if (chosen.against === 'computer') parts.push(strength('level', t('new.level')));
    if (chosen.against !== 'watch') {
      parts.push(h('fieldset', {}, h('legend', {}, t(chosen.against === 'people' ? 'new.colour.first' : 'new.colour')), h('div', { class: 'picks' }, ['alternate', 'w', 'b'].map((kind) => choice('colour', kind, t(`new.colour.${kind}`), chosen.colour === kind, () => ((chosen.colour = kind), (chosen.next = undefined)))))));
    } else {
      parts.push(strength('level', t('side.w')), strength('other', t('side.b')));
    }
    parts.push(ruled);
    parts.push(h('div', { class: 'row end' }, button(t('new.begin'), 'play', () => {
      keep(game, { ...chosen, options: from.turns ? chosen.options : options });
      box.close();
      begin(newTale(game, { ...from, options }));
    }, { cls: 'main begin' })));
    refill(body, parts);
  };
  const box = dialog(t('new.title', { game: t(`game.${game}`) }), t('action.close'), body);
  draw();
}

export const levelText = (level) => t('new.level.text', { level, words: t(`level.${level}`) });

function rulesPart(rules, options) {
  const part = h('details', { class: 'options' }, h('summary', {}, t('new.rules')));
  const list = h('div');
  const draw = () => {
    const presets = Object.entries(rules.presets);
    const rows = [];
    if (presets.length > 1) {
      const same = (values) => rules.options.every((o) => (options[o.name] ?? o.default) === (values[o.name] ?? o.default));
      rows.push(h('fieldset', {}, h('legend', {}, t('new.preset')), h('div', { class: 'picks' }, presets.map(([name, values]) => choice('preset', name, t(`preset.${rules.name}.${name}`), same(values), () => {
        for (const key of Object.keys(options)) delete options[key];
        Object.assign(options, values);
        draw();
      })))));
    }
    for (const option of rules.options) rows.push(optionRow(rules.name, option, options, draw));
    refill(list, rows);
  };
  draw();
  part.append(list);
  part.open = Object.keys(options).length > 0;
  return part;
}

function optionRow(game, option, options, draw) {
  const key = `option.${game}.${option.name}`;
  const id = `o-${option.name}`;
  const value = options[option.name] ?? option.default;
  const set = (now) => {
    if (now === option.default) delete options[option.name];
    else options[option.name] = now;
    draw();
  };
  let input;
  if (option.values.length) {
    const name = (v) => (has(`${key}.${v}`) ? t(`${key}.${v}`) : v.replace('x', ' × '));
    input = h('select', { id, name: option.name, onchange: (e) => set(e.target.value) }, option.values.map((v) => h('option', { value: v, selected: v === value }, name(v))));
  } else {
    input = h('input', { id, name: option.name, type: 'number', min: '0', max: String(option.most), value, onchange: (e) => set(String(Math.max(0, Math.min(option.most, Math.round(Number(e.target.value) || 0))))) });
  }
  return h('div', { class: 'option' }, h('label', { for: id }, t(key)), input, h('p', { class: 'faint' }, t(`${key}.why`)));
}
