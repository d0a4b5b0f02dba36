// What the player is asked to do, in one line, and why a click did nothing.

import { has, t } from './i18n.js';

// A heading at the end, the sentence, and what is good to know besides.
export function asked(table) {
  const { state, walker, tale } = table;
  const result = table.result();
  if (table.pending) return { text: t('ask.busy') };
  if (result) return { head: verdict(table, result), text: result.text, note: counted(table, result) };
  if (table.behind) return { text: t('ask.behind', { ply: tale.at.ply, of: tale.tip.ply }) };
  const name = table.nameOf(state.side);
  if (!walker) return { text: table.paused ? t('ask.paused') : t(table.unready ? 'ask.preparing' : 'ask.thinking', { name }) };
  if (table.hint) {
    const { best, whole } = table.hint;
    return { text: whole ? t('hint.line', { line: best.line.join('  ') || best.turn }) : t('hint.turn', { turn: best.turn }) };
  }
  return { text: t(askKey(table), { name, cell: walker.from ?? '' }), note: note(table) };
}

function verdict(table, { winner }) {
  if (table.tale.mode !== 'play') return '';
  if (!winner) return t('end.draw');
  if (table.humans.length === 1 && table.humans[0] === winner) return t('end.you');
  return t('end.name', { name: table.nameOf(winner) });
}

const pawns = ({ marks }, side) => Object.values(marks).filter((mark) => mark === side).length;

// Seega's small victories go to who has more pawns.
function counted(table, { reason }) {
  if (table.state.game !== 'seega' || ['capture', 'resigned'].includes(reason)) return '';
  return t('end.count', { w: pawns(table, 'w'), b: pawns(table, 'b') });
}

function askKey({ state, walker }) {
  const { kinds } = walker;
  if (walker.choice) return 'ask.choice';
  if (kinds.has('pass')) return 'ask.pass';
  if (kinds.has('drop')) return 'ask.drop';
  if (kinds.has('put')) return walker.from ? `ask.put.${state.game}` : 'ask.put.which';
  if (kinds.has('place')) {
    if (state.game !== 'seega') return 'ask.place';
    return walker.begun ? 'ask.place.second' : 'ask.place.first';
  }
  if (walker.begun) return walker.stop ? 'ask.go-on.may' : 'ask.go-on.must';
  if (walker.from) return kinds.has('swap') && walker.nodes.some((n) => n.kind === 'swap' && n.origin === walker.from) ? 'ask.target.swap' : 'ask.target';
  if (state.fields.state === 'p') return 'ask.free';
  if (forced(state, walker)) return 'ask.capture';
  return kinds.has('swap') ? 'ask.move.swap' : 'ask.move';
}

// Every step captures because the rules say so, not by chance.
function forced({ game, options }, { nodes }) {
  const compulsory = game === 'seega' ? options.capture !== 'free' : options.capture === 'forced';
  return compulsory && nodes.length > 0 && nodes.every((n) => n.takes.length);
}

function note(table) {
  const { state, walker, marks } = table;
  const { fields, game, occurrences } = state;
  if (walker.begun || walker.from) return '';
  const mark = fields[state.side === 'w' ? 'white-mark' : 'black-mark'];
  if (mark && mark !== '-' && !walker.kinds.has('place') && !walker.kinds.has('drop')) return t('note.marked', { cell: mark });
  if (fields.ko && fields.ko !== '-') return t('note.ko', { swap: fields.ko });
  const count = Number(fields.count ?? 0);
  const few = game === 'fanorona' && ['w', 'b'].every((side) => pawns({ marks }, side) < 5);
  const [draw, stall] = [few ? limit(table, 'endgame_draw') : 0, limit(table, 'stall')];
  if (draw && count) return t('note.count.fanorona', { count, most: draw });
  if (stall && count >= 0.7 * stall) return t(`note.count.${game}`, { count, most: stall });
  return occurrences === 2 && walker.kinds.has('move') ? t('note.again') : '';
}

// What a rule option with a number is set to here.
function limit({ rules, tale }, name) {
  return Number(tale.options[name] ?? rules.options.find((option) => option.name === name)?.default ?? 0);
}

// Why a displacement is refused, by the key that the server gives.
export function reasonNamed({ state }, key, cell) {
  return has(`why.no.${key}`) ? t(`why.no.${key}`) : t(`why.reach.${state.game}`, { cell });
}

// A sentence, or null where the server knows better.
export function reasonWhy({ state, walker, marks }, cell, from) {
  const { kinds } = walker;
  const held = marks[cell];
  const enemy = state.side === 'w' ? 'b' : 'w';
  if (walker.choice) return t('why.choice');
  if (kinds.has('pass')) return t('why.pass');
  if (kinds.has('put')) {
    if (!walker.from) return t('why.put.which');
    if (cell === walker.from) return t('why.put.same');
    if (held) return t('why.occupied', { cell });
    return t(state.game === 'fraha' && cell !== 'c3' ? 'why.put.fraha' : 'why.put', { cell });
  }
  if (kinds.has('drop')) return held ? t('why.occupied', { cell }) : t('why.no.brings-back');
  if (kinds.has('place')) return held ? t('why.occupied', { cell }) : t('why.place', { cell });
  if (walker.begun) {
    if ((walker.last?.closed ?? []).includes(cell)) return t('why.closed', { cell });
    if (cell === walker.active) return t('why.active');
    return state.game === 'fanorona' ? t('why.chain.fanorona') : t('why.chain');
  }
  if (from && from !== cell && held !== state.side) return null;
  if (held === enemy) return t('why.enemy');
  if (!held) return t('why.empty');
  const mark = state.fields[state.side === 'w' ? 'white-mark' : 'black-mark'];
  if (mark === cell) return t('why.marked', { cell });
  if (forced(state, walker)) return t('why.capture');
  if (state.fields.state === 'p') return t('why.free');
  return t('why.stuck', { cell });
}

