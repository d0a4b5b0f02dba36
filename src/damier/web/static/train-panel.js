// Beside the puzzle: the player's rating and its course, what to train, runs, and the progress as a
// file.

import { link } from './address.js';
import { gameList } from './api.js';
import { button, h, icon, s, saving, typedIn } from './dom.js';
import { nameOf, number, raw, t } from './i18n.js';
import { due, LEANS, tagsOf } from './train-choice.js';
import { MINE, ownMistakes } from './train-mine.js';
import { training } from './train-progress.js';

/** @import { Trainer } from './train.js' */
/** @import { Own, Tried } from './train-progress.js' */

const SHOWN = 60; // of the ratings in the picture
const LATELY = 12; // of the puzzles tried
const UNSURE = 110; // a deviation from which on a rating is a guess

/**
 * A theme or a kind of puzzle, in words.
 *
 * @param {string} tag
 * @param {string[]} kinds
 */
export const tagName = (tag, kinds) => raw(`puzzle.${kinds.includes(tag) ? 'kind' : 'theme'}.${tag}`);

export const KINDS = ['win', 'win-in', 'draw', 'avoid', 'most'];

/** @param {Own} own */
export const standing = ({ rating: { points, deviation } }) =>
  `${Math.round(points)}${deviation > UNSURE ? '?' : ''}`;

/**
 * A change of a rating.
 *
 * @param {number} by
 */
export function signed(by) {
  const whole = Math.round(by);
  const sign = whole < 0 ? '−' : '+';
  return h('b', { class: whole < 0 ? 'down' : 'up' }, `${sign}${Math.abs(whole)}`);
}

/**
 * The course of a rating, as a line.
 *
 * @param {Tried[]} tried
 */
function course(tried) {
  const points = tried.flatMap((one) => (one.points === null ? [] : [one.points])).slice(-SHOWN);
  if (points.length < 2) return null;
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const [wide, high] = [240, 64];
  const x = (/** @type {number} */ k) => 4 + (k * (wide - 8)) / (points.length - 1);
  const y = (/** @type {number} */ value) => high - 6 - ((value - least) * (high - 12)) / (most - least || 1);
  const line = points.map((value, k) => `${x(k).toFixed(1)},${y(value).toFixed(1)}`);
  const label = t('train.course', {
    first: Math.round(points[0]),
    last: Math.round(points[points.length - 1]),
    least: Math.round(least),
    most: Math.round(most),
  });
  const area = `${x(0)},${high} ${line.join(' ')} ${x(points.length - 1)},${high}`;
  const [cx, cy] = line[line.length - 1].split(',');
  return s(
    'svg',
    { class: 'course', viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': label },
    s('polygon', { points: area }),
    s('polyline', { points: line.join(' ') }),
    s('circle', { cx, cy, r: 4 }),
  );
}

/**
 * Puzzles that were tried, each with a link to it.
 *
 * @param {{ game: string, id: string, right: boolean }[]} tried
 */
export function marksOf(tried) {
  const marks = tried.map(({ game, id, right }) => {
    const label = t(right ? 'train.mark.right' : 'train.mark.wrong');
    const look = { class: right ? 'hit' : 'miss', title: label, 'aria-label': label };
    const href = game === MINE ? `#/train/${MINE}` : link('train', `${game}/${id}`, []);
    return h('li', {}, h('a', { href, ...look }, right ? '✓' : '✗'));
  });
  return h('ul', { class: 'lately', 'aria-label': t('train.lately') }, marks);
}

/**
 * @param {Trainer} trainer
 * @param {string} game
 */
function rating({ change }, game) {
  const own = training.of(game);
  const lately = own.tried.slice(-LATELY);
  const by = change && change.game === game ? change.by : 0;
  const marks = lately.length ? marksOf(lately.map((one) => ({ ...one, game }))) : null;
  if (game === MINE) return marks; // they have no difficulty to measure strength by
  return h(
    'section',
    { class: 'standing', 'aria-label': t('train.rating') },
    h(
      'p',
      {},
      h('span', { class: 'faint' }, t('train.rating.of', { game: nameOf(game) })),
      h('b', { class: 'points' }, standing(own)),
      by ? signed(by) : null,
    ),
    course(own.tried),
    marks,
  );
}

/**
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} options value and words
 * @param {string} chosen
 * @param {(value: string) => void} does
 */
function select(name, label, options, chosen, does) {
  const onchange = (/** @type {Event} */ event) => does(typedIn(event));
  const list = options.map(([value, words]) => h('option', { value, selected: value === chosen }, words));
  return h('label', { class: 'field-row' }, h('span', {}, label), h('select', { name, onchange }, list));
}

/**
 * @param {Trainer} trainer
 * @param {'from' | 'to'} name
 */
function bound(trainer, name) {
  const { wanted } = trainer;
  const set = (/** @type {Event} */ event) =>
    trainer.want({ [name]: Number(typedIn(event)) || wanted[name] });
  const label = t(`train.${name}`);
  const given = { type: 'number', name, min: '0', max: '4000', step: '50', value: wanted[name] };
  return h('label', {}, h('span', {}, label), h('input', { ...given, onchange: set }));
}

/** @param {Trainer} trainer */
async function gamePicker(trainer) {
  const { games } = await gameList();
  const options = games.map(({ name }) => /** @type {[string, string]} */ ([name, nameOf(name)]));
  const mine = trainer.wanted.game === MINE || ownMistakes().next;
  const more = mine ? [/** @type {[string, string]} */ ([MINE, t('train.mine')])] : [];
  const all = [/** @type {[string, string]} */ (['', t('train.all')]), ...options, ...more];
  return select('game', t('train.game'), all, trainer.wanted.game, (game) =>
    trainer.want({ game, themes: [] }),
  );
}

/** @param {Trainer} trainer */
function themes(trainer) {
  const { wanted, list } = trainer;
  /** @type {Map<string, number>} */
  const counts = new Map(wanted.themes.map((tag) => [tag, 0]));
  for (const tag of list.flatMap(tagsOf)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const place = (/** @type {string} */ tag) => (KINDS.includes(tag) ? KINDS.indexOf(tag) : KINDS.length);
  const order = [...counts.keys()].sort(
    (a, b) => place(a) - place(b) || tagName(a, KINDS).localeCompare(tagName(b, KINDS)),
  );
  const chip = (/** @type {string} */ tag) => {
    const set = (/** @type {Event} */ event) => {
      const { checked } = /** @type {HTMLInputElement} */ (event.target);
      const others = wanted.themes.filter((one) => one !== tag);
      trainer.want({ themes: checked ? [...others, tag] : others });
    };
    const input = h('input', { type: 'checkbox', name: `theme-${tag}`, onchange: set });
    input.checked = wanted.themes.includes(tag);
    const count = h('small', {}, number(counts.get(tag) ?? 0));
    return h('label', { class: 'pick' }, input, h('span', {}, tagName(tag, KINDS), count));
  };
  if (!order.length) return null;
  return h('fieldset', {}, h('legend', {}, t('train.themes')), h('div', { class: 'picks' }, order.map(chip)));
}

/** @param {Trainer} trainer */
function filter(trainer) {
  const { wanted } = trainer;
  const leans = [...Object.keys(LEANS), 'range'].map(
    (lean) => /** @type {[string, string]} */ ([lean, t(`train.difficulty.${lean}`)]),
  );
  const difficulty = select('difficulty', t('train.difficulty'), leans, wanted.difficulty, (value) =>
    trainer.want({ difficulty: value }),
  );
  const chosen = wanted.themes.length + (wanted.difficulty === 'mine' ? 0 : 1);
  const range = h('div', { class: 'range' }, bound(trainer, 'from'), bound(trainer, 'to'));
  return h(
    'details',
    { class: 'filter', open: trainer.filtering, ontoggle: trainer.toggled },
    h('summary', {}, t('train.filter'), chosen ? h('small', {}, ` · ${chosen}`) : null),
    ...[difficulty, wanted.difficulty === 'range' ? range : null, themes(trainer)],
  );
}

/** @param {Trainer} trainer */
function runs(trainer) {
  const begin = (/** @type {'streak' | 'timed'} */ kind) => {
    const best = training.all.best[`${kind}.${trainer.wanted.game || 'all'}`];
    const made = button(t(`train.${kind}`), kind === 'streak' ? 'chart' : 'play', () => trainer.begin(kind), {
      cls: kind,
    });
    made.title = t(`train.${kind}.text`);
    if (best) made.append(h('small', {}, t('train.best', { score: number(best) })));
    return made;
  };
  return h('div', { class: 'runs' }, begin('streak'), begin('timed'));
}

/** @param {Trainer} trainer */
function keeping(trainer) {
  const says = h('p', { role: 'status' }, trainer.notice);
  const file = async (/** @type {string} */ text) => new Blob([text], { type: 'application/json' });
  const { unread } = training;
  const input = h('input', { type: 'file', accept: '.json,application/json', name: 'progress' });
  input.addEventListener('change', async () => {
    const [file] = input.files ?? [];
    if (file) trainer.take(await file.text());
  });
  return h(
    'details',
    { class: 'keeping', open: !!trainer.notice },
    h('summary', {}, t('train.progress')),
    h('p', { class: 'faint' }, t('train.progress.text')),
    says,
    h(
      'div',
      { class: 'row' },
      saving(t('train.export'), 'damier-training.json', () => file(JSON.stringify(training.all))),
      h('label', { class: 'button import' }, icon('share'), h('span', {}, t('train.import')), input),
      unread ? saving(t('train.unread'), 'damier-training-unread.json', () => file(unread)) : null,
    ),
  );
}

/**
 * Everything beside the puzzle.
 *
 * @param {Trainer} trainer
 */
export async function panelOf(trainer) {
  const { wanted, run } = trainer;
  const picker = await gamePicker(trainer);
  const isMine = wanted.game === MINE;
  const game = isMine ? MINE : (trainer.solver.puzzle?.game ?? wanted.game);
  const { due: waiting } = ownMistakes();
  const toMine = t('train.mine.due', { count: waiting });
  const missed = Object.entries(training.all.games).filter(([name]) => name !== MINE);
  const back = missed.reduce((n, [, own]) => n + due(own, Date.now()).length, 0);
  if (run && !run.over) return [h('p', { class: 'faint' }, t(`train.${run.kind}.text`))];
  return [
    game ? rating(trainer, game) : null,
    back ? h('p', { class: 'due' }, t('train.due', { count: back })) : null,
    waiting && !isMine ? h('a', { class: 'due', href: `#/train/${MINE}` }, toMine) : null,
    picker,
    isMine ? null : runs(trainer),
    h('a', { class: 'button day', href: '#/train/day' }, icon('sun'), h('span', {}, t('train.day'))),
    isMine ? null : filter(trainer),
    keeping(trainer),
  ];
}
