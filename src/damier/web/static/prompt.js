// What the player is asked to do, in one line: made from the steps that may follow.

import { h } from './dom.js';
import { hasOwn, t, tg } from './i18n.js';

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
  if (result) return { head: verdict(table, result), text: result.text, note: counted(table, result) };
  if (table.behind) return { text: t('ask.behind', { ply: tale.at.ply, of: tale.tip.ply }) };
  if (!walker) {
    if (table.paused) return { text: t('ask.paused') };
    return { text: table.bars.say(table.unready ? 'ask.preparing' : 'ask.thinking', state.side) };
  }
  if (hint?.whole) return { text: t('hint.line', { line: hint.best.line.join('  ') || hint.best.turn }) };
  if (hint) return { text: t('hint.turn', { turn: hint.best.turn }) };
  return { text: question(table, walker), note: note(table.state, walker) || aim(table, walker) };
}

/**
 * @param {Table} table
 * @param {Api.ResultOut} result
 */
function verdict(table, { winner }) {
  if (table.tale.mode !== 'play') return '';
  if (!winner) return t('end.draw');
  if (table.humans.length === 1 && table.humans[0] === winner) return t('end.you');
  return table.bars.say('end.name', winner);
}

/**
 * The pawns, where a game counts them at an end of its own.
 *
 * @param {Table} table
 * @param {Api.ResultOut} result
 */
function counted({ state, marks }, { reason }) {
  if (!hasOwn(state.game, `reason.${reason}`)) return '';
  const pawns = (/** @type {string} */ side) => Object.values(marks).filter((mark) => mark === side).length;
  return tg(state.game, 'end.count', { w: pawns('w'), b: pawns('b') }, '');
}

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
function kindOfQuestion({ game, must }, walker) {
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
 * What the game is about, when a player is asked for the first time.
 *
 * @param {Table} table
 * @param {Walker} walker
 */
function aim({ tale }, walker) {
  if (tale.mode !== 'play' || tale.start || tale.tip.ply > 1 || walker.begun || walker.from) return '';
  return tg(tale.game, 'aim', {}, '');
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
