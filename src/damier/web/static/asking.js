// The box beside the board: what is asked, why a click did nothing, and the buttons that answer.

import { root } from './address.js';
import { button, h, icon } from './dom.js';
import { letter, t, tg } from './i18n.js';
import { renderPrompt } from './prompt.js';
import { earned, results } from './results.js';
import { playOn, takeBack } from './revise.js';
import { level } from './tale.js';

/** @import { Table } from './play.js' */
/** @import { Walker } from './walker.js' */

/**
 * A button for a way to capture, with what it captures.
 *
 * @param {string} game
 * @param {Api.StepOut} node
 * @param {Walker} walker
 */
export function choiceButton(game, node, walker) {
  const details = { by: node.by, cells: node.takes.join(', ') };
  const text = tg(game, `choice.${node.by}`, details, t('choice', details));
  return button(text, null, () => walker.take(node), { cls: `choice by-${node.by}` });
}

/**
 * @param {Walker} walker
 * @param {() => void} does
 */
export function endButton({ end }, does) {
  if (!end) return null;
  const label = t(end.kind === 'stop' ? 'action.end-turn' : 'action.pass');
  return button(label, 'check', does, { cls: 'main end-turn' });
}

export class Asking {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.prompt = h('p', { class: 'prompt', role: 'status' });
    this.why = h('p', { class: 'why', role: 'alert' });
    this.buttons = h('div', { class: 'row' });
    const label = t('ask.label');
    this.element = h('section', { class: 'ask', 'aria-label': label }, this.prompt, this.why, this.buttons);
  }

  /**
   * Why something does not happen. A new element each time: said, and seen, again.
   *
   * @param {string} text
   */
  say(text) {
    this.why.replaceChildren(...(text ? [h('span', {}, text)] : []));
  }

  render() {
    const { table } = this;
    const { walker, humans } = table;
    const result = table.result();
    // Where no step is left the next question comes at once.
    if (!walker || walker.nodes.length) renderPrompt(table, this.prompt);
    this.element.classList.toggle('over', !!result && !table.pending && !table.study?.learning);
    const lost = humans.length && !humans.some((side) => side === result?.winner);
    this.element.classList.toggle('drawn', !!result && (!result.winner || !!lost));
    this.present([...(walker ? this.answers(walker) : []), ...this.ways(result)]);
  }

  /**
   * Show other buttons; whoever was at one goes on where the game does.
   *
   * @param {HTMLElement[]} list
   */
  present(list) {
    const { walker, board } = this.table;
    const { children } = this.buttons;
    if (list.length === children.length && list.every((one, k) => one === children[k])) return;
    const had = this.buttons.contains(document.activeElement);
    this.buttons.replaceChildren(...list);
    const [first] = children;
    if (walker?.choice && first instanceof HTMLElement) first.focus({ preventScroll: true });
    else if (had) board.button(walker?.active ?? board.stop).focus({ preventScroll: true });
  }

  /** @param {Walker} walker */
  answers(walker) {
    if (walker.choice) {
      const buttons = walker.choice.map((node) => this.choice(walker, node));
      return [...buttons, button(t('action.cancel'), 'cross', () => walker.cancel(), { quiet: true })];
    }
    const undo = () => {
      walker.reset();
      walker.change();
    };
    return [
      endButton(walker, () => this.table.endTurn()),
      walker.begun ? button(t('action.undo-steps'), 'back', undo, { cls: 'quiet' }) : null,
    ].filter((b) => b !== null);
  }

  /**
   * @param {Walker} walker
   * @param {Api.StepOut} node
   */
  choice(walker, node) {
    const { board, state } = this.table;
    const made = choiceButton(state.game, node, walker);
    made.prepend(h('i', { 'aria-hidden': 'true' }, letter(state.game, node.by ?? ''))); // as on the pawns
    const point = (/** @type {string[] | undefined} */ takes) => board.mark({ ...walker.view, takes });
    made.addEventListener('mouseenter', () => point(node.takes));
    made.addEventListener('mouseleave', () => walker.choice && point(walker.view.takes));
    return made;
  }

  /**
   * Where to go from here, when nobody is asked for a turn.
   *
   * @param {Api.ResultOut | null} result
   * @returns {HTMLElement[]}
   */
  ways(result) {
    const { table } = this;
    const { tale } = table;
    if (table.study?.learning) return table.study.learning.buttons();
    if (result && tale.mode === 'play') return this.afterwards(result);
    if (!table.behind) return [];
    const back = button(t('action.to-game'), 'last', () => table.go(tale.tip), { cls: 'main' });
    if (!table.humans.length) return [back];
    return [back, button(t('action.play-on'), 'play', () => playOn(table))];
  }

  /**
   * What may come after the end: against the computer that depends on who has won, and how often.
   *
   * @param {Api.ResultOut} result
   * @returns {HTMLElement[]}
   */
  afterwards({ winner }) {
    const { table } = this;
    const { tale, actions, humans } = table;
    const alone = humans.length === 1 && winner !== null;
    const won = alone && winner === humans[0];
    const strength = level(tale.players[humans[0] === 'w' ? 'b' : 'w']);
    const list = [];
    if (won && strength < table.levels && earned(results.all(), tale.game, strength)) {
      const harder = t('action.next-level', { level: strength + 1 });
      list.push(button(harder, 'play', () => actions.again(table, strength + 1), { cls: 'main' }));
    }
    const label = t(won ? 'action.rematch' : alone ? 'action.try-again' : 'action.new');
    list.push(button(label, 'plus', () => actions.again(table), { cls: list.length ? '' : 'main' }));
    if (tale.tip.up) {
      const lost = alone && !won ? humans[0] : null;
      const review = t(lost ? 'action.show-me' : 'action.review');
      list.push(button(review, 'chart', () => actions.study(table, 'review', lost)));
      const learn = () => actions.study(table, 'learn', lost);
      if (humans.length) list.push(button(t('mistakes.learn'), 'hint', learn, { cls: 'learn' }));
    }
    if (alone && !won) {
      const href = `${root}#/${table.lessons ? 'learn' : 'rules'}/${tale.game}`;
      list.push(h('a', { class: 'button', href }, icon('book'), t('action.learn')));
    }
    if (tale.resigned) list.push(button(t('action.play-on'), 'play', () => takeBack(table)));
    return list;
  }
}
