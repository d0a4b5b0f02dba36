// Panel beside the puzzle: rating and its history, filter, runs, export and import of the progress.

import { link } from '../core/address.js';
import { gameList } from '../core/api.js';
import { button, h, icon, inputValue, s, saveButton } from '../core/dom.js';
import { formatNumber, gameName, rawText, t } from '../core/i18n.js';
import { dueMistakes, OWN_MISTAKES } from './mistake-puzzles.js';
import { trainingStore } from './progress.js';
import { DIFFICULTY_OFFSETS, dueReviews, tagsOf } from './puzzle-choice.js';

/** @import { Trainer } from './training-page.js' */
/** @import { GameProgress, PuzzleAttempt } from './progress.js' */

const MAX_CHART_POINTS = 60;
const MAX_LISTED_ATTEMPTS = 12;
const MIN_UNCERTAIN_DEVIATION = 110; // ratings with a larger deviation are shown with a question mark

/**
 * Return the name of a theme or kind of puzzle.
 *
 * @param {string} tag
 * @param {string[]} kinds
 */
export const tagName = (tag, kinds) => rawText(`puzzle.${kinds.includes(tag) ? 'kind' : 'theme'}.${tag}`);

export const KINDS = ['win', 'win-in', 'draw', 'avoid', 'most'];

const PROVISIONAL_PUZZLES = 5; // rated puzzles before a rating is shown

/**
 * Return how many rated puzzles are missing until the rating is shown.
 *
 * @param {GameProgress} progress
 */
export const puzzlesToRating = ({ tried }) =>
  Math.max(0, PROVISIONAL_PUZZLES - tried.filter(({ points }) => points !== null).length);

/**
 * Return a rating as text: a dash while it is hidden; a question mark means provisional.
 *
 * @param {GameProgress} progress
 */
export const progressRatingText = (progress) => {
  const { points, deviation } = progress.rating;
  if (puzzlesToRating(progress)) return '–';
  return `${Math.round(points)}${deviation > MIN_UNCERTAIN_DEVIATION ? '?' : ''}`;
};

/**
 * Show a change of a rating.
 *
 * @param {number} by
 */
export function ratingChange(by) {
  const rounded = Math.round(by);
  const sign = rounded < 0 ? '−' : '+';
  return h('b', { class: rounded < 0 ? 'decrease' : 'increase' }, `${sign}${Math.abs(rounded)}`);
}

/**
 * Draw the history of a rating as a line chart.
 *
 * @param {PuzzleAttempt[]} tried
 */
function ratingChart(tried) {
  const points = tried
    .flatMap((attempt) => (attempt.points === null ? [] : [attempt.points]))
    .slice(-MAX_CHART_POINTS);
  if (points.length < 2) return null;
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const [width, height] = [240, 64];
  const x = (/** @type {number} */ k) => 4 + (k * (width - 8)) / (points.length - 1);
  const y = (/** @type {number} */ value) =>
    height - 6 - ((value - least) * (height - 12)) / (most - least || 1);
  const line = points.map((value, k) => `${x(k).toFixed(1)},${y(value).toFixed(1)}`);
  const label = t('train.chart', {
    first: Math.round(points[0]),
    last: Math.round(points[points.length - 1]),
    least: Math.round(least),
    most: Math.round(most),
  });
  const area = `${x(0)},${height} ${line.join(' ')} ${x(points.length - 1)},${height}`;
  const [cx, cy] = line[line.length - 1].split(',');
  return s(
    'svg',
    { class: 'rating-chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    s('polygon', { points: area }),
    s('polyline', { points: line.join(' ') }),
    s('circle', { cx, cy, r: 4 }),
  );
}

/**
 * List attempted puzzles, each with a link.
 *
 * @param {{ game: string, id: string, right: boolean }[]} tried
 */
export function attemptList(tried) {
  const marks = tried.map(({ game, id, right }) => {
    const label = t(right ? 'train.mark.right' : 'train.mark.wrong');
    const look = { class: right ? 'solved' : 'failed', title: label, 'aria-label': label };
    const href = game === OWN_MISTAKES ? `#/train/${OWN_MISTAKES}` : link('train', `${game}/${id}`, []);
    return h('li', {}, h('a', { href, ...look }, right ? '✓' : '✗'));
  });
  return h('ul', { class: 'recent-attempts', 'aria-label': t('train.recent') }, marks);
}

/**
 * Build the section with the rating and recent attempts.
 *
 * @param {Trainer} trainer
 * @param {string} game
 */
function ratingSection({ change }, game) {
  const progress = trainingStore.forGame(game);
  const left = puzzlesToRating(progress);
  const recent = progress.tried.slice(-MAX_LISTED_ATTEMPTS);
  const by = change && change.game === game ? change.by : 0;
  const marks = recent.length ? attemptList(recent.map((attempt) => ({ ...attempt, game }))) : null;
  if (game === OWN_MISTAKES) return marks; // own mistakes have no rating
  return h(
    'section',
    { class: 'rating-summary', 'aria-label': t('train.rating') },
    h(
      'p',
      {},
      h('span', { class: 'faint' }, t('train.rating.of', { game: gameName(game) })),
      h('b', { class: 'points' }, progressRatingText(progress)),
      by && !left ? ratingChange(by) : null,
    ),
    left ? h('p', { class: 'faint' }, t('train.provisional', { count: left })) : ratingChart(progress.tried),
    marks,
  );
}

/**
 * Build a labelled list.
 *
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} options value and words
 * @param {string} chosen
 * @param {(value: string) => void} onChoose
 */
function select(name, label, options, chosen, onChoose) {
  const onchange = (/** @type {Event} */ event) => onChoose(inputValue(event));
  const list = options.map(([value, words]) => h('option', { value, selected: value === chosen }, words));
  return h('label', { class: 'field-row' }, h('span', {}, label), h('select', { name, onchange }, list));
}

/**
 * Build the field for a bound of the rating range.
 *
 * @param {Trainer} trainer
 * @param {'from' | 'to'} name
 */
function pointsField(trainer, name) {
  const { filter } = trainer;
  const set = (/** @type {Event} */ event) =>
    trainer.setFilter({ [name]: Number(inputValue(event)) || filter[name] });
  const label = t(`train.${name}`);
  const given = { type: 'number', name, min: '0', max: '4000', step: '50', value: filter[name] };
  return h('label', {}, h('span', {}, label), h('input', { ...given, onchange: set }));
}

/**
 * Build the list of games.
 *
 * @param {Trainer} trainer
 */
async function gamePicker(trainer) {
  const { games } = await gameList();
  const options = games.map(({ name }) => /** @type {[string, string]} */ ([name, gameName(name)]));
  const showsOwnMistakes = trainer.filter.game === OWN_MISTAKES || dueMistakes().next;
  const more = showsOwnMistakes ? [/** @type {[string, string]} */ ([OWN_MISTAKES, t('train.mine')])] : [];
  const all = [/** @type {[string, string]} */ (['', t('train.all')]), ...options, ...more];
  return select('game', t('train.game'), all, trainer.filter.game, (game) =>
    trainer.setFilter({ game, themes: [] }),
  );
}

/**
 * Build the checkboxes for kinds and themes.
 *
 * @param {Trainer} trainer
 */
function themePicks(trainer) {
  const { filter, list } = trainer;
  /** @type {Map<string, number>} */
  const counts = new Map(filter.themes.map((tag) => [tag, 0]));
  for (const tag of list.flatMap(tagsOf)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const place = (/** @type {string} */ tag) => (KINDS.includes(tag) ? KINDS.indexOf(tag) : KINDS.length);
  const order = [...counts.keys()].sort(
    (a, b) => place(a) - place(b) || tagName(a, KINDS).localeCompare(tagName(b, KINDS)),
  );
  const chip = (/** @type {string} */ tag) => {
    const set = (/** @type {Event} */ event) => {
      const { checked } = /** @type {HTMLInputElement} */ (event.target);
      const others = filter.themes.filter((theme) => theme !== tag);
      trainer.setFilter({ themes: checked ? [...others, tag] : others });
    };
    const input = h('input', { type: 'checkbox', name: `theme-${tag}`, onchange: set });
    input.checked = filter.themes.includes(tag);
    const count = h('small', {}, formatNumber(counts.get(tag) ?? 0));
    return h('label', { class: 'pick' }, input, h('span', {}, tagName(tag, KINDS), count));
  };
  if (!order.length) return null;
  return h('fieldset', {}, h('legend', {}, t('train.themes')), h('div', { class: 'picks' }, order.map(chip)));
}

/**
 * Build the section for difficulty and themes.
 *
 * @param {Trainer} trainer
 */
function filterSection(trainer) {
  const { filter } = trainer;
  const difficulties = [...Object.keys(DIFFICULTY_OFFSETS), 'range'].map(
    (difficulty) => /** @type {[string, string]} */ ([difficulty, t(`train.difficulty.${difficulty}`)]),
  );
  const difficulty = select('difficulty', t('train.difficulty'), difficulties, filter.difficulty, (value) =>
    trainer.setFilter({ difficulty: value }),
  );
  const chosen = filter.themes.length + (filter.difficulty === 'mine' ? 0 : 1);
  const range = h('div', { class: 'range' }, pointsField(trainer, 'from'), pointsField(trainer, 'to'));
  return h(
    'details',
    { class: 'filter', open: trainer.isFilterOpen, ontoggle: trainer.onFilterToggle },
    h('summary', {}, t('train.filter'), chosen ? h('small', {}, ` · ${chosen}`) : null),
    ...[difficulty, filter.difficulty === 'range' ? range : null, themePicks(trainer)],
  );
}

/**
 * Build the buttons that start a run.
 *
 * @param {Trainer} trainer
 */
function runButtons(trainer) {
  const begin = (/** @type {'streak' | 'timed'} */ kind) => {
    const best = trainingStore.all.best[`${kind}.${trainer.filter.game || 'all'}`];
    const startButton = button(
      t(`train.${kind}`),
      kind === 'streak' ? 'chart' : 'play',
      () => trainer.startRun(kind),
      {
        cls: kind,
      },
    );
    startButton.title = t(`train.${kind}.text`);
    if (best) startButton.append(h('small', {}, t('train.best', { score: formatNumber(best) })));
    return startButton;
  };
  return h('div', { class: 'runs' }, begin('streak'), begin('timed'));
}

/**
 * Build the section that exports and imports the progress.
 *
 * @param {Trainer} trainer
 */
function progressFileSection(trainer) {
  const notice = h('p', { role: 'status' }, trainer.notice);
  const file = async (/** @type {string} */ text) => new Blob([text], { type: 'application/json' });
  const { unread } = trainingStore;
  const input = h('input', { type: 'file', accept: '.json,application/json', name: 'progress' });
  input.addEventListener('change', async () => {
    const [file] = input.files ?? [];
    if (file) trainer.importProgress(await file.text());
  });
  return h(
    'details',
    { class: 'progress-file', open: !!trainer.notice },
    h('summary', {}, t('train.progress')),
    h('p', { class: 'faint' }, t('train.progress.text')),
    notice,
    h(
      'div',
      { class: 'row' },
      saveButton(t('train.export'), 'damier-training.json', () => file(JSON.stringify(trainingStore.all))),
      h('label', { class: 'button import' }, icon('share'), h('span', {}, t('train.import')), input),
      unread ? saveButton(t('train.unread'), 'damier-training-unread.json', () => file(unread)) : null,
    ),
  );
}

/**
 * Build all parts of the panel.
 *
 * @param {Trainer} trainer
 */
export async function panelParts(trainer) {
  const { filter, run } = trainer;
  const picker = await gamePicker(trainer);
  const isOwnMistakes = filter.game === OWN_MISTAKES;
  const game = isOwnMistakes ? OWN_MISTAKES : (trainer.solver?.puzzle.game ?? filter.game);
  const { due: mistakeCount } = dueMistakes();
  const mistakesText = t('train.mine.due', { count: mistakeCount });
  const missed = Object.entries(trainingStore.all.games).filter(([name]) => name !== OWN_MISTAKES);
  const reviewCount = missed.reduce((n, [, progress]) => n + dueReviews(progress, Date.now()).length, 0);
  if (run && !run.over) return [h('p', { class: 'faint' }, t(`train.${run.kind}.text`))];
  return [
    game ? ratingSection(trainer, game) : null,
    reviewCount ? h('p', { class: 'due' }, t('train.due', { count: reviewCount })) : null,
    mistakeCount && !isOwnMistakes
      ? h('a', { class: 'due', href: `#/train/${OWN_MISTAKES}` }, mistakesText)
      : null,
    picker,
    isOwnMistakes ? null : runButtons(trainer),
    h('a', { class: 'button day', href: '#/train/day' }, icon('sun'), h('span', {}, t('train.day'))),
    isOwnMistakes ? null : filterSection(trainer),
    progressFileSection(trainer),
  ];
}
