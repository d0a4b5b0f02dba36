// Setting up any position: tap to place, and the text beside it.

import { ask } from './api.js';
import { Board, readRows } from './board.js';
import { button, h } from './dom.js';
import { t } from './i18n.js';
import { askNewGame } from './newgame.js';
import { Tale } from './tale.js';

// Fields with a few values, chosen from a list.
const VALUES = { state: ['s', 'p', '-'], drop: ['-', 'd', 'D'] };
const NEXT = { undefined: 'w', w: 'b', b: undefined };

export async function setUp(found, open) {
  const base = { game: found.game, options: found.options };
  const begin = await ask('state', { ...base, start: found.start });
  const board = new Board(begin.board, { label: t('setup.board'), name: found.game });
  board.element.classList.add('coordinates');
  let brush = null; // what a tap puts: null for the next of empty, white, black
  let marks = readRows(begin.position, begin.board);
  let side = begin.side;
  const fields = { ...begin.fields };
  const text = h('input', { class: 'position', name: 'position', spellcheck: 'false', 'aria-label': t('share.position'), maxlength: '200' });
  const said = h('p', { class: 'why', role: 'alert' });
  const good = h('p', { class: 'faint', role: 'status' });
  const controls = h('div', { class: 'setup-fields' });
  let state = begin;

  const write = () => {
    const rows = [];
    for (let rank = begin.board.ranks; rank >= 1; rank--) {
      let row = '';
      for (let f = 0; f < begin.board.files; f++) {
        const cell = String.fromCharCode(97 + f) + rank;
        row += begin.board.cells.includes(cell) ? (marks[cell] ?? '.') : '#';
      }
      rows.push(row);
    }
    return [rows.join('/'), side, ...Object.values(fields)].join(' ');
  };
  const check = async (position) => {
    history.replaceState(history.state, '', `#/setup/${found.game}?${[...Object.entries(found.options), ['from', position]].map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join('&')}`);
    try {
      state = await ask('state', { ...base, start: position });
      said.textContent = '';
      good.textContent = state.result ? state.result.text : t('setup.good', { side: t(`side.${state.side}`) });
      return true;
    } catch (error) {
      state = null;
      good.textContent = '';
      said.textContent = error.message;
      return false;
    }
  };
  const fieldInput = (name, value) => {
    const set = (e) => ((fields[name] = e.target.value.trim() || '-'), changed());
    if (!VALUES[name]) return h('input', { name, value, maxlength: '20', onchange: set });
    return h('select', { name, onchange: set }, VALUES[name].map((v) => h('option', { value: v, selected: v === value }, t(`field.${name}.${v}`))));
  };
  // Pawns on the board are not in hand: Seega's hands get smaller, by two as they are placed.
  const emptyHands = () => {
    for (const [mark, name] of [['w', 'white-hand'], ['b', 'black-hand']]) {
      const most = begin.pawns - Object.values(marks).filter((m) => m === mark).length;
      if (Number(fields[name]) > most) fields[name] = String(Math.max(0, most - (most % 2)));
    }
  };
  const draw = () => {
    board.show(marks, false);
    board.mark({});
    const pick = (value, label) => h('label', { class: 'pick' }, h('input', { type: 'radio', name: 'brush', checked: brush === value, onchange: () => (brush = value) }), h('span', {}, label));
    controls.replaceChildren(
      h('fieldset', {}, h('legend', {}, t('setup.brush')), h('div', { class: 'picks' }, pick(null, t('setup.cycle')), pick('w', t('side.w')), pick('b', t('side.b')), pick('.', t('cell.empty')))),
      h('fieldset', {}, h('legend', {}, t('setup.side')), h('div', { class: 'picks' }, ['w', 'b'].map((value) => h('label', { class: 'pick' }, h('input', { type: 'radio', name: 'side', checked: side === value, onchange: () => ((side = value), changed()) }), h('span', {}, t(`side.${value}`)))))),
      ...Object.entries(fields).map(([name, value]) => h('label', { class: 'field-row' }, h('span', {}, t(`field.${name}`)), fieldInput(name, value))));
  };
  const changed = () => {
    text.value = write();
    draw();
    return check(text.value);
  };
  board.onCell = (cell) => {
    const next = brush === null ? NEXT[marks[cell]] : brush === '.' ? undefined : brush;
    marks = { ...marks };
    if (next) marks[cell] = next;
    else delete marks[cell];
    emptyHands();
    changed();
  };
  const take = (position) => {
    marks = readRows(position.position, begin.board);
    side = position.side;
    Object.assign(fields, position.fields);
    draw();
  };
  text.addEventListener('change', async () => {
    if (await check(text.value.trim())) take(state);
  });
  text.value = begin.position;
  draw();
  check(begin.position);
  const set = (position) => async () => {
    text.value = position;
    if (await check(position)) take(state);
  };
  const use = (what) => () => state && what(state.position);
  const element = h('div', { class: 'play setup' },
    h('div', { class: 'stage' }, h('div', { class: 'field' }, board.element)),
    h('section', { class: 'ask' }, h('h1', {}, t('setup.title', { game: t(`game.${found.game}`) })), h('p', { class: 'prompt' }, t('setup.text')), said, good),
    h('div', { class: 'actions' }, button(t('setup.play'), 'play', use((start) => askNewGame(found.game, open, { start, options: found.options })), { cls: 'new' }), button(t('action.analyse'), 'chart', use((start) => open(new Tale({ ...base, start, mode: 'study' }))), { cls: 'analyse' }), button(t('setup.start'), 'restart', async () => set((await ask('state', base)).position)(), {}), button(t('setup.empty'), null, () => ((marks = {}), changed()), {})),
    h('section', { class: 'panel' }, controls, h('label', { class: 'copy' }, h('span', {}, t('share.position')), text)));
  element.style.setProperty('--shape', board.shape);
  return { element, leave() {} };
}
