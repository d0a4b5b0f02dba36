// A picture of results: each game at the level it was played at, in the order of play.

import { h, s } from './dom.js';
import { number, t } from './i18n.js';
import { FEWEST, standing } from './standing.js';

/** @import { Outcome } from './results.js' */

const HIGH = 190;
const [LEFT, RIGHT, TOP, BOTTOM] = [26, 10, 12, 12];
const GAP = 12; // the least between two games
const MOST = 80;
const KINDS = /** @type {Record<number, 'won' | 'drawn' | 'lost'>} */ ({ 1: 'won', 0.5: 'drawn', 0: 'lost' });

/** @param {number} score */
export const kindOf = (score) => KINDS[score];

// Each result has a shape of its own: a disc, a square on its corner, a ring.
/** @type {(kind: string, x: number, y: number) => SVGElement} */
function mark(kind, x, y) {
  if (kind !== 'drawn') return s('circle', { class: kind, cx: x, cy: y, r: kind === 'won' ? 5 : 4 });
  return s('path', { class: kind, d: `M${x} ${y - 6}l6 6-6 6-6-6z` });
}

/**
 * @param {Outcome[]} all games against levels, oldest first
 * @param {number} levels how many there are
 * @param {boolean} line whether to draw the level at which the player stood after each game
 */
export function picture(all, levels, line) {
  const svg = s('svg', { class: 'results', role: 'img', height: HIGH });
  const draw = () => {
    const wide = Math.max(240, svg.clientWidth || 600);
    const room = Math.floor((wide - LEFT - RIGHT) / GAP);
    const rows = all.slice(-Math.min(MOST, room));
    const first = all.length - rows.length;
    const step = Math.min(40, (wide - LEFT - RIGHT) / Math.max(1, rows.length));
    const x = (/** @type {number} */ k) => LEFT + (k + 0.5) * step;
    const y = (/** @type {number} */ level) =>
      TOP + ((levels - level) / (levels - 1)) * (HIGH - TOP - BOTTOM);
    const inside = (/** @type {number} */ level) => y(Math.min(levels, Math.max(1, level)));
    svg.setAttribute('viewBox', `0 0 ${wide} ${HIGH}`);
    const grid = Array.from({ length: levels }, (_, k) => [
      s('line', { class: 'level', x1: LEFT, x2: wide - RIGHT, y1: y(k + 1), y2: y(k + 1) }),
      s('text', { x: LEFT - 8, y: y(k + 1), 'dominant-baseline': 'central', text: number(k + 1) }),
    ]);
    const stood = rows.flatMap((_, k) => {
      const known = all.slice(0, first + k + 1).filter(({ counts }) => counts);
      return line && known.length >= FEWEST ? [`${x(k)},${inside(standing(known).level).toFixed(1)}`] : [];
    });
    const path = stood.length > 1 ? s('polyline', { class: 'standing', points: stood.join(' ') }) : null;
    const marks = rows.map(({ level, score }, k) => mark(kindOf(score), x(k), y(level)));
    svg.replaceChildren(...grid.flat(), ...(path ? [path] : []), ...marks);
    const of = (/** @type {number} */ score) => number(rows.filter((row) => row.score === score).length);
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
    s('path', { class: 'standing', d: 'M1 7h22' }),
  );
  const legend = [
    sample('won'),
    sample('drawn'),
    sample('lost'),
    line ? h('span', {}, dash, t('progress.line')) : null,
  ];
  return h('figure', {}, svg, h('figcaption', {}, legend));
}
