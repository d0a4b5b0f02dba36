// What is said of a game that is over: who has won, how, and what the player may take from it.

import { calm, h } from './dom.js';
import { hasOwn, listed, t, tg } from './i18n.js';
import { results } from './results.js';
import { settings } from './store.js';
import { level } from './tale.js';

/** @import { Side, Table } from './play.js' */
/** @import { Asked } from './prompt.js' */

const SPARKS = 14;

/**
 * The one person who plays here, against the computer or somebody elsewhere.
 *
 * @param {Table} table
 * @returns {Side | null}
 */
const alone = ({ humans, tale }) => (tale.mode === 'play' && humans.length === 1 ? humans[0] : null);

/**
 * @param {Table} table
 * @param {Api.ResultOut} result
 * @returns {Asked}
 */
export function ended(table, result) {
  const me = alone(table);
  const lost = me && result.winner && result.winner !== me ? lesson(table, result, me) : '';
  return { head: verdict(table, result), text: result.text, note: table.won || lost || pawns(table, result) };
}

/**
 * @param {Table} table
 * @param {Api.ResultOut} result
 */
function verdict(table, { winner }) {
  if (table.tale.mode !== 'play') return '';
  if (!winner) return t('end.draw');
  return winner === alone(table) ? t('end.you') : table.bars.say('end.name', winner);
}

/**
 * How many pawns a side has on the board.
 *
 * @param {Table} table
 * @param {Side} side
 */
const count = ({ marks }, side) => Object.values(marks).filter((mark) => mark === side).length;

/**
 * The pawns, where a game counts them at an end of its own.
 *
 * @param {Table} table
 * @param {Api.ResultOut} result
 */
function pawns(table, { reason }) {
  const { game } = table.state;
  if (!hasOwn(game, `reason.${reason}`)) return '';
  return tg(game, 'end.count', { w: count(table, 'w'), b: count(table, 'b') }, '');
}

/**
 * What happened to the pawns of who lost, in one sentence.
 *
 * @param {Table} table
 * @param {Api.ResultOut} result
 * @param {Side} me
 */
function lesson(table, { reason, cells }, me) {
  const { game } = table.state;
  const blow = heaviest(table, me);
  const key = `lost.${reason}`;
  const details = {
    cells: listed(cells),
    mine: count(table, me),
    theirs: count(table, me === 'w' ? 'b' : 'w'),
    ...blow,
  };
  const plain = tg(game, key, details, '');
  return blow.taken > 1 ? tg(game, `${key}.blow`, details, plain) : plain;
}

/**
 * The move that took most pawns of a side, as far as the game was watched.
 *
 * @param {Table} table
 * @param {Side} side
 */
function heaviest({ tale }, side) {
  const blows = tale.line.map(({ state, mover, ply }) => {
    const takes = mover === side ? [] : (state?.last.flatMap((step) => step.takes) ?? []);
    return { ply, taken: takes.length };
  });
  return blows.reduce((best, blow) => (blow.taken > best.taken ? blow : best));
}

/**
 * Keep the result of a game that was played here.
 *
 * @param {Table} table
 * @param {Api.ResultOut} result
 */
export function remember({ tale, humans }, { winner, reason }) {
  if (!humans.length) return;
  const { id, game, options, counts } = tale;
  const [side] = humans; // of two people, White
  const strength = level(tale.players[side === 'w' ? 'b' : 'w']);
  const score = winner ? (winner === side ? 1 : 0) : 0.5;
  const row = { id, game, options, level: strength, side, score, turns: tale.tip.ply, reason, counts };
  results.put({ ...row, at: Date.now() });
}

/**
 * A moment for who has just won: how often the computer was beaten, and some pawns that dance.
 *
 * @param {Table} table
 * @param {Api.ResultOut} result
 */
export function celebrate(table, { winner }) {
  const { tale, stage } = table;
  const me = alone(table);
  if (!me || winner !== me) return;
  const strength = level(tale.players[me === 'w' ? 'b' : 'w']);
  if (strength) {
    const key = `wins.${tale.game}`;
    const before = settings.get(key, {});
    const wins = (before[strength] ?? 0) + 1;
    settings.set(key, { ...before, [strength]: wins });
    table.won = t(wins === 1 ? 'end.won.first' : 'end.won', { wins, level: strength });
  }
  if (calm()) return;
  const sparks = Array.from({ length: SPARKS }, (_, k) => {
    const spark = h('i', { class: `dot ${me}` });
    spark.style.setProperty('--way', `${(360 / SPARKS) * (k + Math.random())}deg`);
    spark.style.setProperty('--far', String(0.6 + 0.4 * Math.random()));
    return spark;
  });
  const burst = h('div', { class: 'burst', 'aria-hidden': 'true' }, sparks);
  burst.addEventListener('animationend', () => burst.remove());
  stage.append(burst);
}
