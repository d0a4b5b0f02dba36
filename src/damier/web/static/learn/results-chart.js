// Chart of results: each game at its level, in the order of play.

import { h, s } from '../core/dom.js';
import { formatNumber, t } from '../core/i18n.js';
import { estimateLevel, MIN_GAMES } from './level-estimate.js';

/** @import { GameResult } from '../core/game-results.js' */

const HEIGHT = 190;
const [LEFT, RIGHT, TOP, BOTTOM] = [26, 10, 12, 12];
const MIN_GAP = 12; // pixels between two games
const MAX_GAMES = 80;
const OUTCOMES = /** @type {Record<number, 'won' | 'drawn' | 'lost'>} */ ({
  1: 'won',
  0.5: 'drawn',
  0: 'lost',
});

/**
 * Return the name of a score.
 *
 * @param {number} score
 */
export const resultKind = (score) => OUTCOMES[score];

// Draw one result: a disc for a win, a diamond for a draw, a ring for a loss.
/** @type {(kind: string, x: number, y: number) => SVGElement} */
function mark(kind, x, y) {
  if (kind !== 'drawn') return s('circle', { class: kind, cx: x, cy: y, r: kind === 'won' ? 5 : 4 });
  return s('path', { class: kind, d: `M${x} ${y - 6}l6 6-6 6-6-6z` });
}

/**
 * Build the chart with its legend; it is redrawn when its size changes.
 *
 * @param {GameResult[]} all games against levels, oldest first
 * @param {number} levels the number of levels
 * @param {boolean} line whether to draw the estimated level after each game
 */
export function drawResultsChart(all, levels, line) {
  const svg = s('svg', { class: 'results', role: 'img', height: HEIGHT });
  const draw = () => {
    const width = Math.max(240, svg.clientWidth || 600);
    const capacity = Math.floor((width - LEFT - RIGHT) / MIN_GAP);
    const rows = all.slice(-Math.min(MAX_GAMES, capacity));
    const first = all.length - rows.length;
    const step = Math.min(40, (width - LEFT - RIGHT) / Math.max(1, rows.length));
    const x = (/** @type {number} */ k) => LEFT + (k + 0.5) * step;
    const y = (/** @type {number} */ level) =>
      TOP + ((levels - level) / (levels - 1)) * (HEIGHT - TOP - BOTTOM);
    const inside = (/** @type {number} */ level) => y(Math.min(levels, Math.max(1, level)));
    svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    const grid = Array.from({ length: levels }, (_, k) => [
      s('line', { class: 'level', x1: LEFT, x2: width - RIGHT, y1: y(k + 1), y2: y(k + 1) }),
      s('text', { x: LEFT - 8, y: y(k + 1), 'dominant-baseline': 'central', text: formatNumber(k + 1) }),
    ]);
    const estimates = rows.flatMap((_, k) => {
      const counted = all.slice(0, first + k + 1).filter(({ counts }) => counts);
      return line && counted.length >= MIN_GAMES
        ? [`${x(k)},${inside(estimateLevel(counted).level).toFixed(1)}`]
        : [];
    });
    const path =
      estimates.length > 1 ? s('polyline', { class: 'level-summary', points: estimates.join(' ') }) : null;
    const marks = rows.map(({ level, score }, k) => mark(resultKind(score), x(k), y(level)));
    svg.replaceChildren(...grid.flat(), ...(path ? [path] : []), ...marks);
    const of = (/** @type {number} */ score) =>
      formatNumber(rows.filter((row) => row.score === score).length);
    const counts = { won: of(1), drawn: of(0.5), lost: of(0) };
    svg.setAttribute('aria-label', t('progress.picture', { count: rows.length, ...counts }));
  };
  draw();
  new ResizeObserver(draw).observe(svg);
  const sample = (/** @type {'won' | 'drawn' | 'lost'} */ kind) =>
    h(
      'span',
      {},
      s('svg', { viewBox: '0 0 14 14', 'aria-hidden': 'true' }, mark(kind, 7, 7)),
      t(`progress.${kind}`),
    );
  const dash = s(
    'svg',
    { viewBox: '0 0 24 14', 'aria-hidden': 'true' },
    s('path', { class: 'level-summary', d: 'M1 7h22' }),
  );
  const legend = [
    sample('won'),
    sample('drawn'),
    sample('lost'),
    line ? h('span', {}, dash, t('progress.line')) : null,
  ];
  return h('figure', {}, svg, h('figcaption', {}, legend));
}
