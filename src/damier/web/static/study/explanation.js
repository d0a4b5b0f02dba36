// Explanations of moves in words: a *Why?* button, and the text with its line.

import { request } from '../core/api.js';
import { button, h } from '../core/dom.js';
import { t } from '../core/i18n.js';

/** @import { GameNode, GameTree } from '../core/game-tree.js' */
/** @import { Side } from '../play/game-model.js' */
/** @import { Table } from '../play/table.js' */

const EXPLANATION_SECONDS = 0.5; // of search for a position that is in no table
const MAX_EXAMINED = 12; // moves of the loser among which the decisive mistake is sought

/**
 * Return the explanation of a move.
 *
 * @param {Omit<Api.ExplanationRequest, "turn">} game the request that describes the game before the move
 * @param {string} turn
 * @param {AbortSignal} [signal]
 */
export const requestExplanation = (game, turn, signal) =>
  request('explanation', { ...game, turn, seconds: EXPLANATION_SECONDS }, signal);

/** @param {Api.ExplanationResponse} explanation */
export const explanationText = ({ sentences }) => sentences.join(' ');

/** @typedef {{ game: Omit<Api.ExplanationRequest, 'turn'>, turn: string, head?: string }} ExplainedMove */

/**
 * Return a *Why?* button. A click replaces it by the explanation, whose line of moves can be unfolded.
 *
 * @param {() => ExplainedMove | Promise<ExplainedMove>} findMove returns the move to explain, with a
 *   request that describes the game before it
 * @param {(error: unknown) => void} showError
 */
export function whyButton(findMove, showError) {
  const text = h('p', { class: 'explanation', role: 'status' });
  const element = button(
    t('explanation.why'),
    'hint',
    async () => {
      element.disabled = true;
      try {
        const { game, turn, head } = await findMove();
        const found = await requestExplanation(game, turn);
        const line = h('details', {}, h('summary', {}, t('explanation.line')), found.line.join('  '));
        text.replaceChildren(...(head ? [h('strong', {}, head), ' '] : []), explanationText(found));
        if (found.line.length > 1) text.append(line);
        element.remove();
      } catch (error) {
        element.disabled = false;
        showError(error);
      }
    },
    { cls: 'quiet ask-why' },
  );
  return h('div', {}, element, text);
}

/** The reason why a game was lost: its decisive mistake, explained when the player asks. */
export class LossReason {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.element = h('div', { class: 'loss-reason', hidden: true });
    /** @type {GameNode | null} */
    this.end = null; // the lost position that the button is about
  }

  /** @param {Side | null} loser who can ask; null for nobody */
  render(loser) {
    const { table, element } = this;
    const { current } = table.tree;
    element.hidden = !loser;
    if (!loser || this.end === current) return;
    this.end = current;
    const findMove = async () => {
      const { move, before, ply } = await decisiveMove(table.tree, current, loser);
      return { game: before, turn: move, head: t('explanation.move', { ply, turn: move }) };
    };
    element.replaceChildren(whyButton(findMove, (error) => table.showError(error)));
  }
}

/**
 * Return the loser's last mistake; without one among the last moves, the last move. The positions are
 * examined from the end of the game.
 *
 * @param {GameTree} tree
 * @param {GameNode} end
 * @param {Side} loser
 */
async function decisiveMove(tree, end, loser) {
  let last = null;
  let count = 0;
  for (const node of end.line.toReversed()) {
    const before = node.parent;
    if (!before || count === MAX_EXAMINED) break;
    const state = before.state ?? (await request('state', tree.requestAt(before)));
    if (state.side !== loser) continue;
    count++;
    const found = { move: node.move, before: tree.requestAt(before), ply: node.ply };
    last ??= found;
    const values =
      before.values ?? (await request('analysis', { ...found.before, seconds: EXPLANATION_SECONDS }));
    const [best] = values.turns;
    const played = values.turns.find(({ turn }) => turn === node.move);
    if (played?.fault && best.outcome !== 'loss') return found;
  }
  if (!last) throw new Error('the loser has not moved');
  return last;
}
