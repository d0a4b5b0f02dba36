// The table: one game on the screen, who acts on it, and what is said about it.

import { describe } from './address.js';
import { ask } from './api.js';
import { applied, Board, readRows, STEP_MS } from './board.js';
import { button, calm, h, wait } from './dom.js';
import { raw, t } from './i18n.js';
import { asked, reasonWhy } from './prompt.js';
import { sound } from './sound.js';
import { games, settings } from './store.js';
import { lineArrows, Study } from './study.js';
import { Tale } from './tale.js';
import { Walker } from './walker.js';
import { moveList } from './moves.js';

export const level = (player) => (player.startsWith('level:') ? Number(player.slice(6)) : 0);

const HUMAN_NAMES = { w: 'me', b: 'friend' };

export class Table {
  constructor(tale, actions) {
    this.tale = tale;
    this.actions = actions; // what leads elsewhere: newGame, menu, study, playHere
    this.shown = 0; // counts what is shown, so that a late answer is not
    this.paused = false;
    this.hint = null;
    this.bars = { w: h('div', { class: 'bar' }), b: h('div', { class: 'bar' }) };
    this.field = h('div', { class: 'field' });
    this.stage = h('div', { class: 'stage' }, this.bars.b, this.field, this.bars.w);
    this.askBox = h('section', { class: 'ask', 'aria-label': t('ask.label') });
    this.prompt = h('p', { class: 'prompt', role: 'status' });
    this.why = h('p', { class: 'why', role: 'alert' });
    this.askButtons = h('div', { class: 'row' });
    this.askBox.append(this.prompt, this.why, this.askButtons);
    this.buttons = h('div', { class: 'actions' });
    this.panel = h('section', { class: 'panel', 'aria-label': t('moves.label') });
    this.live = h('p', { class: 'unseen', 'aria-live': 'polite' });
    this.element = h('div', { class: `play ${tale.mode}` }, this.stage, this.askBox, this.buttons, this.panel, this.live);
    if (tale.mode === 'study') this.study = new Study(this);
    this.keys = (event) => this.key(event);
    document.addEventListener('keydown', this.keys);
  }

  leave() {
    document.removeEventListener('keydown', this.keys);
    this.thinking?.abort();
    this.study?.leave();
    this.shown++;
  }

  // ---- what is shown -----------------------------------------------------------------------

  async open() {
    await this.show(this.tale.at, { moved: false });
    this.prepare();
  }

  // The first time on a machine the engine is compiled: say so while it lasts.
  async prepare() {
    const shown = this.element;
    for (;;) {
      const { ready } = await ask('warm', { game: this.tale.game });
      this.unready = !ready;
      if (this.thinking) this.renderAsk();
      if (ready) return;
      await wait(1500);
      if (shown.isConnected === false) return;
    }
  }

  async stateOf(node) {
    return (node.state ??= await ask('state', this.tale.requestAt(node)));
  }

  async show(node, { moved = true, played = false } = {}) {
    const shown = ++this.shown;
    this.thinking?.abort();
    this.thinking = this.walker = null;
    const forward = node.up === this.tale.at;
    this.tale.at = node;
    this.save();
    const state = await this.stateOf(node);
    if (shown !== this.shown) return;
    if (!this.board) this.makeBoard(state);
    this.state = state;
    this.hint = null;
    this.why.textContent = '';
    if (moved && forward && !played) await this.follow(state, shown);
    if (shown !== this.shown) return;
    this.marks = readRows(state.position, state.board);
    this.board.show(this.marks, moved);
    if (forward && node.turn) this.announce(state, node.turn);
    if (this.canAct()) this.walker = this.newWalker(state);
    if (this.result() && this.tale.mode === 'play' && !this.tale.finished) {
      this.tale.finished = true;
      this.save();
      sound('end');
    }
    this.render();
    this.study?.look();
    this.think();
  }

  makeBoard(state) {
    this.board = new Board(state.board, { label: t('board.label', { game: t(`game.${state.game}`) }), name: state.game });
    this.board.flip(this.tale.flipped);
    this.board.onCell = (cell) => this.click(cell);
    this.board.onDrop = (from, to) => this.drop(from, to);
    this.board.canDrag = (cell) => !!this.walker && (this.walker.origins.has(cell) || this.marks[cell] === this.state.side);
    this.board.onDrag = (cell) => {
      if (this.walker?.origins.has(cell) && !this.walker.begun) {
        this.walker.origin = cell;
        this.render();
      }
    };
    this.element.style.setProperty('--shape', state.board.files / state.board.ranks);
    this.field.append(this.board.element);
  }

  // Show the last turn step by step, so that it can be followed.
  async follow(state, shown) {
    let marks = readRows(state.before, state.board);
    const steps = state.last.filter((step) => step.kind !== 'stop');
    for (const [k, step] of steps.entries()) {
      marks = applied(marks, step.set);
      this.board.show(marks);
      this.board.mark({ last: [step.origin, step.target].filter(Boolean) });
      sound(step.takes.length ? 'take' : 'step');
      if (!calm() && k < steps.length - 1) await wait(STEP_MS + 160);
      if (shown !== this.shown) return;
    }
    if (!calm()) await wait(STEP_MS);
  }

  announce(state, turn) {
    const mover = this.sideBefore(state);
    const taken = state.last.reduce((n, step) => n + step.takes.length, 0);
    const text = taken ? t('said.turn-taking', { side: t(`side.${mover}`), turn, taken }) : t('said.turn', { side: t(`side.${mover}`), turn });
    this.live.textContent = state.result ? `${text} ${state.result.text}` : text;
  }

  sideBefore(state) {
    return state.before.split(' ')[1];
  }

  newWalker(state) {
    return new Walker(state, this.marks, {
      more: async (begun) => (await ask('state', { ...this.tale.request, begun })).steps,
      done: (turn) => this.played(turn),
      change: () => {
        const { last } = this.walker ?? {};
        this.marks = this.walker.marks;
        this.board.show(this.marks);
        if (last && last !== this.heard) sound(last.takes.length ? 'take' : 'step');
        this.heard = last;
        this.why.textContent = '';
        this.hint = null;
        this.render();
      },
    });
  }

  // ---- who acts ----------------------------------------------------------------------------

  result() {
    if (this.state?.result) return this.state.result;
    const { resigned } = this.tale;
    if (!resigned || this.tale.mode !== 'play') return null;
    const winner = resigned === 'w' ? 'b' : 'w';
    return { winner, reason: 'resigned', cells: [], text: raw(`result.${winner}`, { reason: raw('reason.resigned') }) };
  }

  get behind() {
    return this.tale.mode === 'play' && this.tale.at !== this.tale.tip;
  }

  canAct() {
    if (this.result() || this.behind) return false;
    return this.tale.mode === 'study' || this.tale.players[this.state.side] === 'human';
  }

  get humans() {
    return ['w', 'b'].filter((side) => this.tale.players[side] === 'human');
  }

  async think() {
    const { tale, state } = this;
    const strength = level(tale.players[state.side]);
    if (tale.mode !== 'play' || this.result() || this.behind || !strength || this.paused) return;
    const giveUp = (this.thinking = new AbortController());
    const pause = this.humans.length ? 450 : 100 + 2900 * (1 - settings.get('speed', 70) / 100) ** 2;
    try {
      const node = tale.at;
      const [found] = await Promise.all([
        ask('move', { ...tale.request, level: strength }, giveUp.signal),
        wait(calm() && this.humans.length ? 60 : pause, giveUp.signal),
      ]);
      if (giveUp.signal.aborted || tale.at !== node) return;
      const next = node.then(found.turn);
      next.state = found.state;
      this.thinking = null;
      await this.show(next);
    } catch (error) {
      if (!giveUp.signal.aborted) this.complain(error);
    }
  }

  played(turn) {
    this.heard = null;
    this.show(this.tale.at.then(turn), { played: true });
  }

  complain(error) {
    if (error.name === 'AbortError') return;
    this.why.textContent = error.message;
  }

  // ---- what the player does ----------------------------------------------------------------

  click(cell) {
    if (!this.walker) {
      this.why.textContent = this.waitingReason();
      return;
    }
    if (this.walker.click(cell)) return;
    sound('no');
    this.sayWhy(cell);
  }

  drop(from, to) {
    if (!this.walker) return;
    if (this.walker.drop(from, to)) return;
    if (!this.walker.begun && this.marks[from] === this.state.side) this.walker.origin = this.walker.origins.has(from) ? from : null;
    sound('no');
    this.sayWhy(to, from);
    this.render();
  }

  async sayWhy(cell, from = this.walker?.from) {
    const { walker } = this;
    const found = reasonWhy(this, cell, from);
    if (found !== null) {
      this.why.textContent = found;
      return;
    }
    const origin = from ?? cell;
    try {
      const { message } = await ask('why', { ...this.tale.request, origin, target: cell });
      if (walker === this.walker) this.why.textContent = message || t('why.other');
    } catch (error) {
      this.complain(error);
    }
  }

  waitingReason() {
    if (this.result()) return t('why.over');
    if (this.behind) return t('why.behind');
    return t('why.wait', { name: this.nameOf(this.state.side) });
  }

  endTurn() {
    const node = this.walker?.stop ?? this.walker?.pass;
    if (node) this.walker.take(node);
  }

  async typed(text) {
    const turn = text.trim();
    if (!turn) return false;
    if (!this.canAct()) {
      this.why.textContent = this.waitingReason();
      return false;
    }
    try {
      const node = this.tale.at;
      const state = await ask('play', { ...this.tale.request, turn });
      if (node !== this.tale.at) return false;
      this.marks = readRows(node.state.position, node.state.board);
      this.board.show(this.marks, false);
      const next = node.then(turn);
      next.state = state;
      await this.show(next);
      return true;
    } catch (error) {
      this.complain(error);
      return false;
    }
  }

  go(node) {
    if (node && node !== this.tale.at) this.show(node, { moved: node.up === this.tale.at || this.tale.at.up === node });
  }

  // Take back to where a person was last asked; in a game of two people one turn.
  async takeBack() {
    const { tale } = this;
    if (this.walker?.begun) {
      this.walker.reset();
      this.walker.change();
      return;
    }
    let node = tale.tip;
    if (!node.up) return;
    this.thinking?.abort();
    const shown = ++this.shown; // an answer under way comes too late
    do node = node.up;
    while (node.up && this.humans.length === 1 && tale.players[(await this.stateOf(node)).side] !== 'human');
    if (shown !== this.shown) return;
    tale.resigned = null;
    tale.finished = false;
    node.kids = [];
    this.show(node);
  }

  // From an earlier position: what came after is taken back.
  playOn() {
    this.tale.at.kids = [];
    this.tale.finished = false;
    this.tale.resigned = null;
    this.show(this.tale.at);
  }

  restart() {
    const { tale } = this;
    tale.root.kids = [];
    tale.resigned = null;
    tale.finished = false;
    this.show(tale.root);
  }

  resign() {
    const { tale } = this;
    if (this.result()) return;
    const { humans } = this;
    tale.resigned = humans.length === 1 ? humans[0] : this.state.side;
    tale.at = tale.tip;
    this.show(tale.at, { moved: false });
  }

  flip() {
    this.tale.flipped = !this.tale.flipped;
    this.board.flip(this.tale.flipped);
    this.save();
    this.render();
  }

  // First the turn, then the line.
  async askHint() {
    if (!this.canAct() || this.walker.begun) return;
    if (this.hint) {
      this.hint.whole = true;
      this.render();
      return;
    }
    const { walker } = this;
    this.why.textContent = t('hint.thinking');
    try {
      const found = await ask('analysis', { ...this.tale.request, seconds: 1 });
      if (walker !== this.walker) return;
      this.why.textContent = '';
      this.hint = { best: found.turns[0], whole: false };
      this.render();
    } catch (error) {
      this.complain(error);
    }
  }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const typing = event.target.closest('input, select, textarea');
    if (event.key === 'Escape') {
      if (typing) typing.blur();
      else if (this.walker?.cancel()) event.preventDefault();
      return;
    }
    if (typing) return;
    if (event.key === 'Enter') {
      const cell = event.target.dataset?.cell;
      const used = cell ? (this.board.view.targets ?? []).includes(cell) || (this.walker?.choice && (this.board.view.takes ?? []).includes(cell)) : event.target.closest('button, a, summary');
      if (!used && (this.walker?.stop || this.walker?.pass)) {
        event.preventDefault();
        this.endTurn();
      }
      return;
    }
    const { tale } = this;
    const does = {
      ArrowLeft: () => this.go(tale.at.up),
      ArrowRight: () => this.go(tale.at.kids[0]),
      Home: () => this.go(tale.root),
      End: () => this.go(tale.tip),
      PageUp: () => this.go(tale.at.up),
      PageDown: () => this.go(tale.at.kids[0]),
      a: () => this.chooseBy('A'),
      w: () => this.chooseBy('W'),
      h: () => this.askHint(),
      u: () => tale.mode === 'play' && this.takeBack(),
      f: () => this.flip(),
      n: () => this.actions.again(this),
      t: () => this.element.querySelector('.typed input')?.focus(),
    }[event.key];
    if (does) {
      event.preventDefault();
      does();
    }
  }

  chooseBy(by) {
    const node = this.walker?.choice?.find((n) => n.by === by);
    if (node) this.walker.take(node);
  }

  // ---- names -------------------------------------------------------------------------------

  nameKey(side) {
    if (this.tale.mode === 'study') return null;
    const strength = level(this.tale.players[side]);
    if (strength) return `level${strength}`;
    return this.humans.length === 2 ? HUMAN_NAMES[side] : 'me';
  }

  nameOf(side) {
    if (this.tale.names) return this.tale.names[side];
    const key = this.nameKey(side);
    if (!key) return t(`side.${side}`);
    const kept = settings.get('names', {})[key];
    if (kept) return kept;
    const strength = level(this.tale.players[side]);
    return strength ? t('name.level', { level: strength }) : t(`name.${key}`);
  }

  rename(side, name) {
    if (this.tale.names) this.tale.names = { ...this.tale.names, [side]: name || t(`side.${side}`) };
    else settings.set('names', { ...settings.get('names', {}), [this.nameKey(side)]: name });
    this.save();
    this.renderBars();
  }

  // ---- drawing -----------------------------------------------------------------------------

  save() {
    if (this.tale.at !== this.tale.root || this.tale.root.kids.length || games.get(this.tale.id)) games.put(JSON.parse(JSON.stringify(this.tale)));
    history.replaceState({ id: this.tale.id }, '', describe(this.tale));
  }

  render() {
    this.renderBoard();
    this.renderBars();
    this.renderAsk();
    this.renderButtons();
    moveList(this);
    this.study?.render();
  }

  renderBoard() {
    const { state, walker } = this;
    const result = this.result();
    const view = walker ? { ...walker.view } : { sources: [], targets: [] };
    const begun = walker?.begun;
    view.last = begun ? [] : state.last.flatMap((step) => [step.origin, step.target]).filter((c) => c && c !== null);
    if (walker?.begun) view.last = [];
    view.pattern = state.result ? state.result.cells : [];
    if (!result) {
      const { fields } = state;
      view.resting = ['white-mark', 'black-mark'].map((f) => fields[f]).filter((c) => c && c !== '-' && !begun);
      if (fields.ko && fields.ko !== '-') view.barred = [fields.ko.split('=')];
    }
    view.arrows = [...(this.study?.arrows ?? [])];
    if (this.hint) {
      const { best, whole } = this.hint;
      view.arrows = lineArrows(best, whole ? 4 : 1);
    }
    view.values ??= begun ? [] : this.study?.valuesOnBoard ?? [];
    this.board.mark(view);
    this.board.element.classList.toggle('coordinates', settings.get('coordinates', true));
  }

  renderBars() {
    const { state, tale } = this;
    const [above, below] = this.board.flipped ? ['w', 'b'] : ['b', 'w'];
    if (this.stage.firstChild !== this.bars[above]) {
      this.stage.prepend(this.bars[above]); // the field stays: moving it would lose the focus
      this.stage.append(this.bars[below]);
    }
    const result = this.result();
    for (const side of ['w', 'b']) {
      const count = Object.values(this.marks).filter((m) => m === side).length;
      const turn = !result && state.side === side;
      const name = h('button', {
        type: 'button', class: 'who', title: t('name.change'),
        'aria-label': `${this.nameOf(side)}, ${t(`side.${side}`)}${turn ? `, ${t('bar.to-move')}` : ''}. ${t('name.change')}`,
        onclick: () => this.editName(side), disabled: tale.mode === 'study' && !tale.names,
      }, this.nameOf(side));
      const thinks = turn && this.thinking ? h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')) : null;
      const hand = state.hands && state.hands[side] > 0 ? h('span', { class: 'hand' }, t('bar.hand', { count: state.hands[side] })) : null;
      const won = result && result.winner === side ? h('span', { class: 'won' }, t('bar.won')) : null;
      this.bars[side].className = `bar${turn ? ' turn' : ''}`;
      this.bars[side].replaceChildren(h('span', { class: `dot ${side}`, 'aria-hidden': 'true' }), name, ...[thinks, won, hand].filter(Boolean), h('span', { class: 'count', title: t('bar.pawns', { count }) }, h('span', { class: 'unseen' }, t('bar.pawns', { count })), h('span', { 'aria-hidden': 'true' }, `● ${count}`)));
    }
  }

  editName(side) {
    const input = h('input', { class: 'who', value: this.nameOf(side), maxlength: '30', 'aria-label': t('name.change') });
    const old = this.bars[side].querySelector('.who');
    let over = false;
    const finish = (keep) => {
      if (over) return;
      over = true;
      if (keep) this.rename(side, input.value.trim());
      else this.renderBars();
    };
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter' || event.key === 'Escape') finish(event.key === 'Enter');
    });
    input.addEventListener('blur', () => finish(true));
    old.replaceWith(input);
    input.focus();
    input.select();
  }

  renderAsk() {
    const { walker } = this;
    const result = this.result();
    const text = asked(this);
    if (this.prompt.textContent !== text) this.prompt.textContent = text;
    this.askBox.classList.toggle('over', !!result);
    const buttons = [];
    if (walker?.choice) {
      for (const node of walker.choice) {
        const b = button(t(`choice.${node.by}`, { count: node.takes.length, cells: node.takes.join(', ') }), null, () => walker.take(node), { cls: `choice by-${node.by}` });
        const point = (on) => this.board.mark({ ...walker.view, takes: on ? node.takes : walker.view.takes });
        b.addEventListener('mouseenter', () => point(true));
        b.addEventListener('mouseleave', () => walker.choice && point(false));
        buttons.push(b);
      }
      buttons.push(button(t('action.cancel'), null, () => walker.cancel(), { cls: 'quiet' }));
    } else if (walker?.stop) {
      buttons.push(button(t('action.end-turn'), 'check', () => this.endTurn(), { cls: 'main end-turn' }));
    } else if (walker?.pass) {
      buttons.push(button(t('action.pass'), 'check', () => this.endTurn(), { cls: 'main end-turn' }));
    }
    if (walker?.begun && !walker.choice) buttons.push(button(t('action.undo-steps'), 'back', () => (walker.reset(), walker.change()), { cls: 'quiet' }));
    if (result && this.tale.mode === 'play') {
      buttons.push(button(t('action.new'), 'plus', () => this.actions.again(this), { cls: 'main' }));
      if (this.tale.tip.up) buttons.push(button(t('action.review'), 'chart', () => this.actions.study(this, true), {}));
    } else if (this.behind) {
      buttons.push(button(t('action.to-game'), 'last', () => this.go(this.tale.tip), { cls: 'main' }));
      if (this.humans.length) buttons.push(button(t('action.play-on'), 'play', () => this.playOn(), {}));
    }
    const had = this.askButtons.contains(document.activeElement);
    this.askButtons.replaceChildren(...buttons);
    if (walker?.choice) this.askButtons.firstChild.focus({ preventScroll: true });
    else if (had) this.board.buttons.get(walker?.active ?? this.board.stop).focus({ preventScroll: true });
  }

  renderButtons() {
    const { tale } = this;
    const list = [];
    if (tale.mode === 'play') {
      const alone = !this.humans.length;
      list.push(button(t('action.new'), 'plus', () => this.actions.again(this), { cls: 'new' }));
      if (alone) {
        const label = t(this.paused ? 'action.go-on' : 'action.pause');
        list.push(button(label, this.paused ? 'play' : 'pause', () => this.togglePause(), {}));
        list.push(h('label', { class: 'speed' }, h('span', {}, t('action.speed')), h('input', { type: 'range', min: '0', max: '100', value: settings.get('speed', 70), oninput: (e) => settings.set('speed', Number(e.target.value)) })));
      } else {
        list.push(button(t('action.back'), 'back', () => this.takeBack(), { cls: 'take-back' }));
        list.push(button(t(this.hint && !this.hint.whole ? 'action.hint-line' : 'action.hint'), 'hint', () => this.askHint(), { cls: 'hint' }));
      }
      list.push(button(t('action.analyse'), 'chart', () => this.actions.study(this, false), { cls: 'analyse' }));
    } else {
      list.push(button(t('action.play-here'), 'play', () => this.actions.playHere(this), { cls: 'new' }));
      list.push(button(t('action.review'), 'chart', () => this.study.review(), { cls: 'review' }));
      list.push(button(t('action.set-up'), 'edit', () => this.actions.setUp(this), {}));
    }
    list.push(button(t('action.share'), 'share', () => this.actions.share(this), { cls: 'share' }));
    list.push(button(t('action.more'), 'more', () => this.actions.menu(this), { cls: 'menu' }));
    if (this.buttons.dataset.kind === list.map((b) => b.textContent).join()) return;
    const focused = [...this.buttons.children].indexOf(document.activeElement);
    this.buttons.dataset.kind = list.map((b) => b.textContent).join();
    this.buttons.replaceChildren(...list);
    if (focused >= 0) this.buttons.children[focused]?.focus();
  }

  togglePause() {
    this.paused = !this.paused;
    this.thinking?.abort();
    this.thinking = null;
    this.render();
    this.think();
  }
}

export function taleFrom(found) {
  const tale = new Tale(found);
  return tale.follow(found.turns, found.at);
}
