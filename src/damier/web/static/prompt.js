// What the player is asked to do, in one line: made from the steps that may follow.

import { h } from './dom.js';
import { hasOwn, t, tg } from './i18n.js';
import { difficulty } from './worth.js';

/** @import { Table } from './play.js' */
/** @import { Walker } from './walker.js' */
/** @typedef {{ head?: string, text: string, note?: string }} Asked */

/**
 * A heading at the end, the sentence, and what is good to know besides.
 *
 * @param {Table} table
 * @returns {Asked}
 */
function asked(table) {
  const { state, walker, tale, hint } = table;
  const result = table.result();
  if (table.pending) return { text: t('ask.busy') };
  const told = table.study?.learning?.asked();
  if (told) return told;
  if (result) return table.ended(result);
  if (table.behind) return { text: t('ask.behind', { ply: tale.at.ply, of: tale.tip.ply }) };
  if (!walker) return table.waiting();
  if (hint)
    return { text: advice(hint), note: hint.hasty ? t('value.hasty') : difficulty(hint.best, state.side) };
  return { text: question(table, walker), note: note(table.state, walker) };
}

/** @param {NonNullable<Table['hint']>} hint */
const advice = ({ best, whole }) =>
  whole ? t('hint.line', { line: best.line.join('  ') || best.turn }) : t('hint.turn', { turn: best.turn });

/**
 * Who plays alone is asked without a name before it.
 *
 * @param {Table} table
 * @param {Walker} walker
 */
function question({ state, bars }, walker) {
  const name = bars.nameOf(state.side);
  const text = tg(state.game, `ask.${kindOfQuestion(state, walker)}`, { name, cell: walker.from ?? '' });
  const colon = /^\s?:\s/;
  const rest = text.slice(name.length);
  if (bars.personOf(state.side) !== 'you' || !text.startsWith(name) || !colon.test(rest)) return text;
  const bare = rest.replace(colon, '');
  return bare[0].toUpperCase() + bare.slice(1);
}

/**
 * @param {Api.StateOut} state
 * @param {Walker} walker
 */
export function kindOfQuestion({ game, must }, walker) {
  const { kinds, from, nodes } = walker;
  if (walker.choice) return 'choice';
  if (kinds.has('pass')) return 'pass';
  if (kinds.has('drop')) return 'drop';
  if (kinds.has('take')) return 'take';
  if (kinds.has('put')) return from ? 'put' : 'put.which';
  if (kinds.has('place')) {
    if (walker.begun) return 'place.next';
    return nodes.some((n) => n.kind === 'place' && n.turn === null) ? 'place.first' : 'place';
  }
  if (walker.begun && nodes.some((n) => n.takes.length))
    return kinds.has('stop') ? 'go-on.may' : 'go-on.must';
  if (from) return nodes.some((n) => n.kind === 'swap' && n.origin === from) ? 'target.swap' : 'target';
  if (must && (must === 'capture' || hasOwn(game, `ask.${must}`))) return must;
  return kinds.has('swap') ? 'move.swap' : 'move';
}

/**
 * @param {Api.StateOut} state
 * @param {Walker} walker
 */
function note({ reminder, occurrences }, walker) {
  if (walker.begun || walker.from) return '';
  return reminder || (occurrences === 2 && walker.kinds.has('move') ? t('note.again') : '');
}

/**
 * Said only when it changes: it is read aloud.
 *
 * @param {Table} table
 * @param {HTMLElement} prompt
 */
export function renderPrompt(table, prompt) {
  const { head, text, note: more } = asked(table);
  const parts = [head ? h('strong', {}, head) : '', text, more ? h('small', {}, more) : ''];
  const said = parts.filter((part) => part !== '').flatMap((part) => [part, ' ']);
  const words = said.map((part) => (part instanceof Node ? part.textContent : part)).join('');
  if (prompt.textContent !== words) prompt.replaceChildren(...said);
}
