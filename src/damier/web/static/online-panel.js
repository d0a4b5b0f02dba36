// Below the moves: what the two say to each other, the name one plays under, and planned answers.

import { button, h } from './dom.js';
import { t } from './i18n.js';
import { nameForm, seatNote, wasNamed } from './online-identity.js';
import { Planning, setLines } from './online-plan.js';

/** @import { OnlineTable } from './online-table.js' */

const PHRASES = ['hello', 'luck', 'well-played', 'thanks', 'sorry', 'wait', 'oops', 'bye'];
const LAST = 4; // phrases that are shown

export class Panel {
  /** @param {OnlineTable} table */
  constructor(table) {
    this.table = table;
    this.said = h('ol', { class: 'talk', role: 'log', 'aria-label': t('online.said') });
    this.say = h('details', { class: 'say' }, h('summary', {}, t('online.say')), this.phrases());
    this.lines = h('section', { class: 'lines', 'aria-label': t('online.plan') });
    this.name = h('div', { class: 'naming' });
    this.shown = 0; // phrases so far
    this.element = h('div', { class: 'far' }, this.name, this.lines, this.said, this.say);
  }

  phrases() {
    const say = (/** @type {string} */ phrase) => () => {
      this.table.act({ kind: 'phrase', phrase });
      this.say.open = false;
      this.say.querySelector('summary')?.focus({ preventScroll: true });
    };
    return h(
      'div',
      { class: 'row' },
      PHRASES.map((phrase) => button(t(`online.phrase.${phrase}`), null, say(phrase), { cls: 'phrase' })),
    );
  }

  render() {
    const { table } = this;
    const { panel, you, planning } = table;
    const { match } = table.following;
    if (!this.element.parentElement) panel.querySelector('.turns')?.after(this.element);
    this.say.hidden = !you || match.status === 'waiting';
    if (match.phrases.length !== this.shown) {
      this.shown = match.phrases.length;
      this.said.replaceChildren(...match.phrases.slice(-LAST).map((one) => this.phrase(one)));
    }
    this.said.hidden = !this.shown;
    this.renderLines(!!you && table.isOn && match.clock.kind !== 'live' && !planning);
    if (you && !wasNamed() && !this.name.firstChild) {
      const form = nameForm(t('online.name.as'), () => this.name.replaceChildren());
      this.name.append(form, seatNote()); // who has just come learns where the seat is kept
    }
  }

  /** @param {import('./online.js').Said} said */
  phrase({ by, phrase }) {
    const text = t(`online.phrase.${phrase}`);
    return h('li', {}, h('i', { class: `dot ${by}` }), h('b', {}, this.table.nameOf(by)), ' ', text);
  }

  /** @param {boolean} can */
  renderLines(can) {
    const { table } = this;
    const { match } = table.following;
    this.lines.hidden = !can;
    if (!can) return;
    const mine = table.state.side === table.you;
    const kind = `${mine} ${JSON.stringify(match.lines)}`;
    if (this.lines.dataset.kind === kind) return;
    this.lines.dataset.kind = kind;
    const rows = match.lines.map((line, k) => {
      const remove = () =>
        setLines(
          table,
          match.lines.filter((_, other) => other !== k),
        );
      const text = line.map((turn, at) => (at % 2 ? h('b', {}, turn) : turn)).flatMap((part) => [part, ' ']);
      const cross = button(t('online.plan.remove', { line: line.join(' ') }), 'cross', remove, {
        quiet: true,
      });
      return h('li', {}, h('span', {}, text), cross);
    });
    const add = () => new Planning(table);
    this.lines.replaceChildren(
      ...(rows.length ? [h('h3', {}, t('online.plan')), h('ol', {}, rows)] : []),
      ...(mine ? [] : [button(t('online.plan.add'), 'plus', add, { cls: 'plan' })]),
    );
  }
}
