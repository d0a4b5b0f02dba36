// Texts of the review of mistakes: the task, the hint, the verdict on the player's move, and the summary.

import { t } from '../core/i18n.js';
import { nextStepText, stepCells } from '../play/hints.js';
import { ownMistakeStore } from '../train/own-mistakes.js';
import { valueText } from './value-text.js';

/** @import { Prompt } from '../play/prompt-text.js' */
/** @import { MistakeReview, PuzzleOutcome } from './mistake-review.js' */

/**
 * @param {Api.MoveAnalysis} value
 * @param {Api.MoveAnalysis} best
 */
const isBest = (value, best) =>
  value.turn === best.turn || (!!best.outcome && isSameValue(value, best) && value.risk === best.risk);

/** @type {(a: Api.MoveAnalysis, b: Api.MoveAnalysis) => boolean} */
const isSameValue = (a, b) => a.outcome === b.outcome && a.distance === b.distance;

/**
 * Return the text in place of the prompt; null while the player enters a move without a hint.
 *
 * @param {MistakeReview} review
 * @returns {Prompt | null}
 */
export function mistakePrompt(review) {
  const { stage } = review;
  if (stage === 'end') return summary(review);
  const head = t('mistakes.number', { number: review.at + 1, of: review.puzzles.length });
  if (review.isAway) return { head, text: t('mistakes.away') };
  if (stage !== 'find') return { head, ...verdictText(review) };
  const { remaining, hints } = review;
  const { moveInput } = review.table;
  if (moveInput?.choice) return null;
  if (moveInput?.begun || moveInput?.from) {
    if (hints < 2 || !remaining.length) return null;
    return { head, text: moveInput.begun ? nextStepText(remaining) : wholeHintText(review) };
  }
  return { head, text: taskText(review), note: hints ? hintText(review) : '' };
}

/** @param {MistakeReview} review */
function taskText({ mistake, analysis }) {
  const { node, side, kind } = mistake;
  const suffix = analysis.ownSides.length === 1 ? '.you' : '';
  const details = { turn: node.move, side: t(`side.${side}`), kind: t(`review.${kind}`) };
  const goal = kind === 'missed' || kind === 'late' ? `.${kind}` : '';
  return `${t(`mistakes.played${suffix}`, details)} ${t(`mistakes.find${goal}`)}`;
}

/** @param {MistakeReview} review */
function hintText(review) {
  const { best, pawn, mistake, hints } = review;
  if (hints > 1) return wholeHintText(review);
  const result = t('mistakes.hint', { value: valueText(best, mistake.side) });
  return `${result} ${t(pawn ? 'mistakes.hint.pawn' : 'mistakes.hint.more', { cell: pawn })}`;
}

/** @param {MistakeReview} review */
const wholeHintText = ({ remaining: [next] }) =>
  next ? t('train.hint.move', { move: stepCells(next) }) : '';

/**
 * @param {MistakeReview} review
 * @returns {Prompt}
 */
function verdictText(review) {
  const { stage, mistake, best, explanation } = review;
  const played = review.valueOf(mistake.node.move) ?? mistake.played;
  const value = stage === 'solution' ? best : stage === 'why' ? played : review.tried;
  if (stage === 'judging' || !value) return { text: t('mistakes.judging') };
  const details = {
    turn: value.turn,
    best: best.turn,
    value: valueText(value, mistake.side),
    played: played.turn,
  };
  const isTheBest = stage === 'found' && isBest(value, best);
  const text = t(`mistakes.${isTheBest ? 'best' : verdictKey(review, value)}`, details);
  const line = [value.turn, ...(review.shownNode?.path.slice(mistake.before.ply + 1) ?? [])];
  const why = explanation?.turn === value.turn ? `${explanation.text} ` : '';
  return {
    text: stage === 'why' || stage === 'wrong' ? `${text} ${why}`.trim() : text,
    note: line.length > 1 ? t('mistakes.line', { line: line.join('  ') }) : betterMoveText(review, value),
  };
}

/**
 * @param {MistakeReview} review
 * @param {Api.MoveAnalysis} value
 */
function verdictKey({ stage, mistake }, { turn, outcome }) {
  if (stage === 'wrong' && turn === mistake.node.move) return 'wrong.same';
  if (mistake.kind === 'missed' && outcome === 'draw' && stage !== 'found') return `${stage}.missed`;
  return stage;
}

/**
 * Return a note on the best move, if the player's move is good but not the best.
 *
 * @param {MistakeReview} review
 * @param {Api.MoveAnalysis} value
 */
function betterMoveText({ best, stage, mistake }, value) {
  if (stage !== 'found' || isBest(value, best)) return '';
  return t('mistakes.quicker', { turn: best.turn, value: valueText(best, mistake.side) });
}

/**
 * @param {MistakeReview} review
 * @returns {Prompt}
 */
function summary(review) {
  const { puzzles } = review;
  const count = puzzles.length;
  if (!count) return { head: t('mistakes.none'), text: t('mistakes.none.text') };
  const countOf = (/** @type {PuzzleOutcome} */ outcome) =>
    puzzles.filter(({ done }) => done === outcome).length;
  const head = t(countOf('found') === count ? 'mistakes.end.all' : 'mistakes.end');
  const parts = /** @type {const} */ (['found', 'hinted', 'shown', 'skipped']).flatMap((done) =>
    countOf(done) ? [t(`mistakes.end.${done}`, { count: countOf(done) })] : [],
  );
  const sent = puzzles.filter(({ fault }) => ownMistakeStore.has(review.toOwnMistake(fault))).length;
  const note = sent ? t('mistakes.end.sent', { count: sent }) : t('mistakes.end.kind');
  return { head, text: parts.join(' '), note };
}
