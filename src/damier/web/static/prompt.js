// What the player is asked to do, in one line, and why a click did nothing.

import { raw, t } from './i18n.js';

export function asked(table) {
  const { state, walker, tale } = table;
  const result = table.result();
  if (result) return result.text;
  if (table.behind) return t('ask.behind', { ply: tale.at.ply, of: tale.tip.ply });
  const name = table.nameOf(state.side);
  if (!walker) return table.paused ? t('ask.paused') : t(table.unready ? 'ask.preparing' : 'ask.thinking', { name });
  if (table.hint) {
    const { best, whole } = table.hint;
    return whole ? t('hint.line', { line: best.line.join('  ') || best.turn }) : t('hint.turn', { turn: best.turn });
  }
  return [t(askKey(table), { name, cell: walker.from ?? '' }), note(table)].filter(Boolean).join(' ');
}

function askKey({ state, walker }) {
  const { kinds } = walker;
  if (walker.busy) return 'ask.busy';
  if (walker.choice) return 'ask.choice';
  if (kinds.has('pass')) return 'ask.pass';
  if (kinds.has('drop')) return 'ask.drop';
  if (kinds.has('put')) return walker.from ? `ask.put.${state.game}` : 'ask.put.which';
  if (kinds.has('place')) {
    if (state.game !== 'seega') return 'ask.place';
    return walker.begun ? 'ask.place.second' : 'ask.place.first';
  }
  if (walker.begun) {
    if (!walker.nodes.length) return 'ask.busy';
    return walker.stop ? 'ask.go-on.may' : 'ask.go-on.must';
  }
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

function note({ state, walker }) {
  if (walker.begun || walker.from) return '';
  const mark = state.fields[state.side === 'w' ? 'white-mark' : 'black-mark'];
  if (mark && mark !== '-' && !walker.kinds.has('place') && !walker.kinds.has('drop')) return t('note.marked', { cell: mark });
  if (state.fields.ko && state.fields.ko !== '-') return t('note.ko', { swap: state.fields.ko });
  return '';
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
    return held ? t('why.occupied', { cell }) : t('why.put', { cell });
  }
  if (kinds.has('drop')) return t('why.occupied', { cell });
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

