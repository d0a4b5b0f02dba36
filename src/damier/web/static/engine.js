// The computer at the table: getting it ready, its moves, its hints, and pausing it.

import { ask } from './api.js';
import { calm, wait } from './dom.js';
import { t } from './i18n.js';
import { settings } from './store.js';
import { level } from './tale.js';

/** @import { Table } from './play.js' */

/**
 * The first time on a machine the engine is compiled: say so while it lasts.
 *
 * @param {Table} table
 */
export async function prepare(table) {
  for (;;) {
    const { ready } = await ask('warm', { game: table.tale.game });
    if (table.answered) return; // it is at work already
    table.unready = !ready;
    if (table.thinking) table.asking.render();
    if (ready) return;
    await wait(1500);
    if (!table.element.isConnected) return;
  }
}

/**
 * Play, if it is the computer's turn.
 *
 * @param {Table} table
 */
export async function think(table) {
  const { tale, state } = table;
  const strength = level(tale.players[state.side]);
  if (tale.mode !== 'play' || table.result() || table.behind || !strength || table.paused) return;
  const giveUp = new AbortController();
  table.thinking = giveUp;
  const pause = table.humans.length ? 450 : 100 + 2900 * (1 - settings.get('speed', 70) / 100) ** 2;
  try {
    const node = tale.at;
    const [found] = await Promise.all([
      ask('move', { ...tale.request, level: strength }, giveUp.signal),
      wait(calm() && table.humans.length ? 60 : pause, giveUp.signal),
    ]);
    table.answered = true;
    table.unready = false;
    if (giveUp.signal.aborted || tale.at !== node) return;
    const next = node.after(found.turn);
    next.learn(found.state);
    table.thinking = null;
    await table.show(next);
  } catch (error) {
    if (!giveUp.signal.aborted) table.complain(error);
  }
}

/** @param {Table} table */
export function togglePause(table) {
  table.paused = !table.paused;
  table.thinking?.abort();
  table.thinking = null;
  table.render();
  think(table);
}

/**
 * First the turn, then the line.
 *
 * @param {Table} table
 */
export async function askHint(table) {
  const { walker } = table;
  if (table.study?.learning) {
    table.study.learning.hint();
    return;
  }
  if (!walker || walker.begun) {
    table.say(walker ? t('why.begun') : table.waitingReason());
    return;
  }
  if (table.hint) {
    table.hint.whole = true;
    table.render();
    return;
  }
  table.say(t('hint.thinking'));
  try {
    const found = await ask('analysis', { ...table.tale.request, seconds: 1 });
    if (walker !== table.walker || walker.begun) return;
    table.say('');
    walker.origin = walker.choice = null;
    table.tale.counts = false;
    table.hint = { best: found.turns[0], whole: false, hasty: found.hasty };
    table.render();
  } catch (error) {
    table.complain(error);
  }
}
