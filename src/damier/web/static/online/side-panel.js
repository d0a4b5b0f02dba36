// Panel below the move list: phrases of both players, the player's name, and conditional moves.

import { button, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { setConditionalMoves } from './conditional-moves.js';
import { hasChosenName, identityNote, nameForm } from './identity.js';

/** @import { OnlineMode } from './mode.js' */

/** @type {Online.PhraseAction['phrase'][]} */
const PHRASES = ['hello', 'luck', 'well-played', 'thanks', 'sorry', 'wait', 'oops', 'bye'];
const MAX_SHOWN_PHRASES = 4;

/** Panel below the move list of an online game. */
export class OnlinePanel {
  /** @param {OnlineMode} mode */
  constructor(mode) {
    this.mode = mode;
    this.phraseList = h('ol', { class: 'phrase-log', role: 'log', 'aria-label': t('online.said') });
    this.phraseMenu = h(
      'details',
      { class: 'phrase-menu' },
      h('summary', {}, t('online.say')),
      this.phrases(),
    );
    this.lineList = h('section', { class: 'lines', 'aria-label': t('online.plan') });
    this.nameBox = h('div', { class: 'naming' });
    this.shownCount = 0; // the number of phrases shown
    this.element = h(
      'div',
      { class: 'online-panel' },
      this.nameBox,
      this.lineList,
      this.phraseList,
      this.phraseMenu,
    );
  }

  phrases() {
    const sendPhrase = (/** @type {Online.PhraseAction['phrase']} */ phrase) => () => {
      this.mode.sendAction({ kind: 'phrase', phrase });
      this.phraseMenu.open = false;
      this.phraseMenu.querySelector('summary')?.focus({ preventScroll: true });
    };
    return h(
      'div',
      { class: 'row' },
      PHRASES.map((phrase) =>
        button(t(`online.phrase.${phrase}`), null, sendPhrase(phrase), { cls: 'phrase' }),
      ),
    );
  }

  render() {
    const { onlineGame, table, you, conditional, isPlaying } = this.mode;
    if (!this.element.parentElement) table.moveList.turns.after(this.element);
    this.phraseMenu.hidden = !you || onlineGame.status === 'waiting';
    if (onlineGame.phrases.length !== this.shownCount) {
      this.shownCount = onlineGame.phrases.length;
      this.phraseList.replaceChildren(
        ...onlineGame.phrases.slice(-MAX_SHOWN_PHRASES).map((phrase) => this.phrase(phrase)),
      );
    }
    this.phraseList.hidden = !this.shownCount;
    this.renderLines(!!you && isPlaying && onlineGame.clock.kind !== 'live' && !conditional);
    if (you && !hasChosenName() && !this.nameBox.firstChild) {
      const form = nameForm(t('online.name.as'), () => this.nameBox.replaceChildren());
      this.nameBox.append(form, identityNote());
    }
  }

  /** @param {Online.PhraseSent} phrase */
  phrase({ by, phrase }) {
    const text = t(`online.phrase.${phrase}`);
    return h(
      'li',
      {},
      h('i', { class: `dot ${by}` }),
      h('b', {}, h('bdi', {}, by ? this.mode.table.nameOf(by) : '')),
      ' ',
      text,
    );
  }

  /** @param {boolean} enabled */
  renderLines(enabled) {
    const { mode } = this;
    const { onlineGame, table } = mode;
    this.lineList.hidden = !enabled;
    if (!enabled) return;
    const isYourTurn = table.state.side === mode.you;
    const kind = `${isYourTurn} ${JSON.stringify(onlineGame.lines)}`;
    if (this.lineList.dataset.kind === kind) return;
    this.lineList.dataset.kind = kind;
    const rows = onlineGame.lines.map((line, k) => {
      const remove = () =>
        setConditionalMoves(
          mode,
          onlineGame.lines.filter((_, other) => other !== k),
        );
      const text = line.map((turn, at) => (at % 2 ? h('b', {}, turn) : turn)).flatMap((part) => [part, ' ']);
      const cross = button(t('online.plan.remove', { line: line.join(' ') }), 'cross', remove, {
        quiet: true,
      });
      return h('li', {}, h('span', {}, text), cross);
    });
    const add = () => mode.beginConditionalMoves();
    this.lineList.replaceChildren(
      ...(rows.length ? [h('h3', {}, t('online.plan')), h('ol', {}, rows)] : []),
      ...(isYourTurn ? [] : [button(t('online.plan.add'), 'plus', add, { cls: 'plan' })]),
    );
  }
}
