// End of a game: the result as text, an explanation of a loss, storing the result, and the celebration.

import { h, prefersReducedMotion } from '../core/dom.js';
import { gameResults } from '../core/game-results.js';
import { levelOf } from '../core/game-tree.js';
import { formatList, hasGameText, t, tg } from '../core/i18n.js';
import { playSound } from '../core/sound.js';
import { settings } from '../core/storage.js';
import { LossReason } from '../study/explanation.js';

/** @import { GameNode } from '../core/game-tree.js' */
/** @import { GameModel, Side } from './game-model.js' */
/** @import { Table } from './table.js' */
/** @import { Prompt } from './prompt-text.js' */

const SPARK_COUNT = 14;

/**
 * Return the side of the only person who plays here, or null.
 *
 * @param {GameModel} model
 * @returns {Side | null}
 */
const singlePlayer = ({ humans, tree }) => (tree.mode === 'play' && humans.length === 1 ? humans[0] : null);

/**
 * @param {Table} table
 * @param {Api.ResultDescription} result
 * @param {string} [victory] note on a victory just won
 * @returns {Prompt}
 */
export function gameOverPrompt(table, result, victory = '') {
  const { model } = table;
  const me = singlePlayer(model);
  const lost = me && result.winner && result.winner !== me ? lossText(model, result, me) : '';
  return {
    head: headline(table, result),
    text: result.text,
    note: victory || lost || pawnCountText(model, result),
  };
}

/**
 * @param {Table} table
 * @param {Api.ResultDescription} result
 */
function headline(table, { winner }) {
  if (table.tree.mode !== 'play') return '';
  if (!winner) return t('end.draw');
  return winner === singlePlayer(table.model) ? t('end.you') : table.names.sentence('end.name', winner);
}

/**
 * Return the pawn counts as text, if the game ended by a rule that compares them.
 *
 * @param {GameModel} model
 * @param {Api.ResultDescription} result
 */
function pawnCountText(model, { reason }) {
  const { game } = model.state;
  if (!hasGameText(game, `reason.${reason}`)) return '';
  return tg(game, 'end.count', { w: model.pawnsOnBoard('w'), b: model.pawnsOnBoard('b') }, '');
}

/**
 * Return one sentence on why the player lost.
 *
 * @param {GameModel} model
 * @param {Api.ResultDescription} result
 * @param {Side} me
 */
function lossText(model, { reason, cells }, me) {
  const { game } = model.state;
  const largest = largestCapture(model, me);
  const key = `lost.${reason}`;
  const details = {
    cells: formatList(cells),
    winner: t(`side.${me === 'w' ? 'b' : 'w'}`),
    mine: model.pawnsOnBoard(me),
    theirs: model.pawnsOnBoard(me === 'w' ? 'b' : 'w'),
    ...largest,
  };
  const plain = tg(game, key, details, '');
  return largest.taken > 1 ? tg(game, `${key}.largest`, details, plain) : plain;
}

/**
 * Return the move that captured most pawns of a side, among the positions loaded.
 *
 * @param {GameModel} model
 * @param {Side} side
 */
function largestCapture({ tree }, side) {
  const captures = tree.line.map(({ state, mover, ply }) => {
    const takes = mover === side ? [] : (state?.last.flatMap((step) => step.takes) ?? []);
    return { ply, taken: takes.length };
  });
  return captures.reduce((best, capture) => (capture.taken > best.taken ? capture : best));
}

/**
 * Store the result of a game that was played here.
 *
 * @param {GameModel} model
 * @param {Api.ResultDescription} result
 */
function saveResult({ tree, humans }, { winner, reason }) {
  if (!humans.length) return;
  const { id, game, options, countsForLevel: counts } = tree;
  const [side] = humans; // White, if two people played
  const strength = levelOf(tree.players[side === 'w' ? 'b' : 'w']);
  const score = winner ? (winner === side ? 1 : 0) : 0.5;
  const row = { id, game, options, level: strength, side, score, turns: tree.tip.ply, reason, counts };
  gameResults.put({ ...row, at: Date.now() });
}

/**
 * Celebrate the player's victory: count the wins against this level and show an animation. Return a note
 * on the victory.
 *
 * @param {Table} table
 * @param {Api.ResultDescription} result
 */
function celebrate({ model, stage }, { winner }) {
  const { tree } = model;
  const me = singlePlayer(model);
  if (!me || winner !== me) return '';
  let note = '';
  const strength = levelOf(tree.players[me === 'w' ? 'b' : 'w']);
  if (strength) {
    const key = `wins.${tree.game}`;
    const before = settings.get(key, {});
    const wins = (before[strength] ?? 0) + 1;
    settings.set(key, { ...before, [strength]: wins });
    note = t(wins === 1 ? 'end.won.first' : 'end.won', { wins, level: strength });
  }
  if (prefersReducedMotion()) return note;
  const sparks = Array.from({ length: SPARK_COUNT }, (_, k) => {
    const spark = h('i', { class: `dot ${me}` });
    spark.style.setProperty('--way', `${(360 / SPARK_COUNT) * (k + Math.random())}deg`);
    spark.style.setProperty('--far', String(0.6 + 0.4 * Math.random()));
    return spark;
  });
  const burst = h('div', { class: 'burst', 'aria-hidden': 'true' }, sparks);
  burst.addEventListener('animationend', () => burst.remove());
  stage.append(burst);
  return note;
}

/** The end of a game on a table: it is stored and celebrated once. */
export class GameEnd {
  /** @param {Table} table */
  constructor(table) {
    const { tip, resigned } = table.tree;
    this.table = table;
    this.opened = { tip, resigned }; // the game before any move was played here
    /** @type {{ node: GameNode, note: string } | null} */
    this.victory = null;
    this.reason = new LossReason(table);
  }

  // Offer the reason of a loss on the board to the player who has lost it here.
  renderReason() {
    const { table } = this;
    const { winner } = table.state.result ?? {};
    const me = singlePlayer(table.model);
    this.reason.render(me && winner && winner !== me && !table.model.isPending ? me : null);
  }

  /**
   * @param {Api.ResultDescription} result
   * @param {boolean} forward whether the last move led to it
   */
  onResult(result, forward) {
    const { table } = this;
    const { tree } = table;
    if (tree.finished) return;
    tree.finish();
    table.save();
    playSound('end');
    const { tip, resigned } = this.opened;
    if (tip !== tree.tip || resigned !== tree.resigned) saveResult(table.model, result);
    if (forward) this.celebrate(result);
  }

  /** @param {Api.ResultDescription} result */
  celebrate(result) {
    this.victory = { node: this.table.tree.current, note: celebrate(this.table, result) };
  }

  /** @param {Api.ResultDescription} result */
  prompt(result) {
    const { victory, table } = this;
    return gameOverPrompt(table, result, victory?.node === table.tree.current ? victory.note : '');
  }

  // How the prompt looks: in colour for a victory, grey for a draw or a loss.
  ending() {
    const result = this.table.result();
    if (!result || this.table.model.isPending) return '';
    const { humans } = this.table.model;
    const lost = humans.length && !humans.some((side) => side === result.winner);
    return !result.winner || lost ? 'drawn' : 'over';
  }
}
