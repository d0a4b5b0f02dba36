// The table: one game on the screen, who acts on it, and what is said about it.

import { describe } from './address.js';
import { ask, gameList } from './api.js';
import { Bars } from './bars.js';
import { applied, Board, readRows, STEP_MS } from './board.js';
import { button, calm, h, wait } from './dom.js';
import { raw, t } from './i18n.js';
import { asked, reasonNamed, reasonWhy } from './prompt.js';
import { sound } from './sound.js';
import { games, settings } from './store.js';
import { lineArrows, Study } from './study.js';
import { level, Tale } from './tale.js';
import { Walker } from './walker.js';
import { moveList } from './moves.js';

// The cells that a turn changed, other than by capturing.
const lastCells = (steps) => [...new Set(steps.flatMap((step) => Object.keys(step.set).filter((cell) => !step.takes.includes(cell))))];

export class Table {
  constructor(tale, actions) {
    this.tale = tale;
    this.actions = actions; // what leads elsewhere: newGame, menu, study, playHere
    this.shown = 0; // counts what is shown, so that a late answer is not
    this.paused = false;
    this.hint = null;
    this.bars = new Bars(this);
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
    this.element = h('div', { class: `play ${tale.mode}` }, h('h1', { class: 'unseen' }, t(`game.${tale.game}`)), this.stage, this.askBox, this.buttons, this.panel, this.live);
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
    this.rules = (await gameList()).games.find((game) => game.name === this.tale.game);
    await this.show(this.tale.at, { moved: false });
    this.prepare();
  }

  // The first time on a machine the engine is compiled: say so while it lasts.
  async prepare() {
    const shown = this.element;
    for (;;) {
      const { ready } = await ask('warm', { game: this.tale.game });
      if (this.answered) return; // it is at work already
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
    this.pending = true;
    const late = this.board && setTimeout(() => shown === this.shown && (this.renderAsk(), moveList(this)), 400);
    const state = await this.stateOf(node).finally(() => clearTimeout(late));
    if (shown !== this.shown) return;
    this.pending = false;
    if (!this.board) this.makeBoard(state);
    this.state = state;
    this.hint = null;
    this.say('');
    const followed = (this.followed = new AbortController());
    if (moved && forward && !played) await this.follow(state, shown, followed.signal);
    if (shown !== this.shown) return;
    this.followed = null;
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
    if (followed.early) this.click(followed.early);
  }

  makeBoard(state) {
    this.board = new Board(state.board, { label: t('board.label', { game: t(`game.${state.game}`) }), name: state.game });
    this.board.flip(this.tale.flipped);
    this.board.onCell = (cell) => this.click(cell);
    this.board.onPoint = (cell) => this.point(cell);
    this.board.onDrop = (from, to) => this.drop(from, to);
    this.board.canDrag = (cell) => !!this.walker && (this.walker.origins.has(cell) || this.marks[cell] === this.state.side);
    this.board.onDrag = (cell) => {
      if (this.walker?.origins.has(cell) && !this.walker.begun) {
        this.walker.origin = cell;
        this.render();
      }
    };
    this.element.style.setProperty('--shape', this.board.shape);
    this.field.append(this.board.element);
  }

  // Show the last turn step by step, so that it can be followed; a click does not wait for it.
  async follow(state, shown, hurry) {
    let marks = readRows(state.before, state.board);
    const steps = state.last.filter((step) => step.kind !== 'stop');
    for (const [k, step] of steps.entries()) {
      marks = applied(marks, step.set);
      this.board.show(marks);
      this.board.mark({ last: lastCells([step]), taken: step.takes });
      sound(step.takes.length ? 'take' : 'step');
      if (!calm() && k < steps.length - 1) await wait(STEP_MS + 160, hurry);
      if (shown !== this.shown) return;
    }
    if (!calm()) await wait(STEP_MS, hurry);
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
        this.say('');
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
    if (this.pending || this.result() || this.behind) return false;
    return this.tale.mode === 'study' || this.tale.players[this.state.side] === 'human';
  }

  nameOf(side) {
    return this.bars.nameOf(side);
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
      this.answered = true;
      this.unready = false;
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
    if (error.name !== 'AbortError') this.say(error.message);
  }

  // Why something does not happen. A new element each time: said, and seen, again.
  say(text) {
    this.why.replaceChildren(...(text ? [h('span', {}, text)] : []));
  }

  // ---- what the player does ----------------------------------------------------------------

  click(cell) {
    if (this.followed) {
      this.followed.early = cell;
      this.followed.abort();
      return;
    }
    if (!this.walker) {
      this.say(this.waitingReason());
      return;
    }
    if (this.walker.click(cell)) return;
    sound('no');
    this.sayWhy(cell);
  }

  // Pointing at a target shows what would be captured there.
  point(cell) {
    const { walker, board } = this;
    if (!walker || walker.choice || !board.view) return;
    const takes = [...new Set(walker.waysTo(cell).flatMap((way) => way.takes))];
    if (takes.join() !== (board.view.takes ?? []).join()) board.mark({ ...board.view, takes });
  }

  drop(from, to) {
    if (!this.walker || this.walker.drop(from, to)) return;
    if (!this.walker.begun && this.marks[from] === this.state.side) this.walker.origin = this.walker.origins.has(from) ? from : null;
    sound('no');
    this.sayWhy(to, from);
    this.render();
  }

  async sayWhy(cell, from = this.walker?.from) {
    const { walker } = this;
    const found = reasonWhy(this, cell, from);
    if (found !== null) {
      this.say(found);
      return;
    }
    try {
      const { key } = await ask('why', { ...this.tale.request, origin: from ?? cell, target: cell });
      if (walker === this.walker) this.say(reasonNamed(this, key, from ?? cell));
    } catch (error) {
      this.complain(error);
    }
  }

  waitingReason() {
    if (this.pending) return t('ask.busy');
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
      this.say(this.waitingReason());
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
    this.thinking?.abort();
    const shown = ++this.shown; // an answer under way comes too late
    const mine = async (node) => this.humans.length !== 1 || tale.players[(await this.stateOf(node)).side] === 'human';
    let node = tale.tip;
    if (!tale.resigned) {
      do node = node.up;
      while (node && !(await mine(node)));
    }
    if (shown !== this.shown) return;
    if (node) {
      node.kids = [];
      this.reopen(node);
    } else {
      await this.show(tale.tip, { moved: false });
      this.say(t('why.no-back'));
    }
  }

  // The game goes on from there.
  reopen(node) {
    this.tale.resigned = null;
    this.tale.finished = false;
    return this.show(node);
  }

  // From an earlier position: what came after is taken back.
  playOn() {
    this.tale.at.kids = [];
    this.reopen(this.tale.at);
  }

  restart() {
    this.tale.root.kids = [];
    this.reopen(this.tale.root);
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
    if (!this.walker || this.walker.begun) {
      this.say(this.walker ? t('why.begun') : this.waitingReason());
      return;
    }
    if (this.hint) {
      this.hint.whole = true;
      this.render();
      return;
    }
    const { walker } = this;
    this.say(t('hint.thinking'));
    try {
      const found = await ask('analysis', { ...this.tale.request, seconds: 1 });
      if (walker !== this.walker || walker.begun) return;
      this.say('');
      walker.origin = walker.choice = null;
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
      ArrowUp: () => this.board.focus(this.board.stop),
      ArrowDown: () => this.board.focus(this.board.stop),
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

  // ---- drawing -----------------------------------------------------------------------------

  save() {
    if (this.tale.at !== this.tale.root || this.tale.root.kids.length || games.get(this.tale.id)) games.put(JSON.parse(JSON.stringify(this.tale)));
    history.replaceState({ id: this.tale.id }, '', describe(this.tale));
  }

  render() {
    this.renderBoard();
    this.bars.render();
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
    view.taken = begun ? [] : state.last.flatMap((step) => step.takes).filter((cell) => !this.marks[cell]);
    view.last = begun ? [] : lastCells(state.last);
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

  renderAsk() {
    const { walker } = this;
    const result = this.result();
    if (!walker || walker.nodes.length) this.renderPrompt(); // else the next question comes at once
    this.askBox.classList.toggle('over', !!result && !this.pending);
    this.askBox.classList.toggle('drawn', !!result && !result.winner);
    const buttons = [];
    if (walker?.choice) {
      for (const node of walker.choice) {
        const b = button(t(`choice.${node.by}`, { count: node.takes.length, cells: node.takes.join(', ') }), null, () => walker.take(node), { cls: `choice by-${node.by}` });
        b.prepend(h('i', { 'aria-hidden': 'true' }, node.by)); // the letter that the pawns bear
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

  renderPrompt() {
    const { head, text, note } = asked(this);
    const said = [head && h('strong', {}, head), text, note && h('small', {}, note)].filter(Boolean).flatMap((part) => [part, ' ']);
    if (this.prompt.textContent !== said.map((part) => part.textContent ?? part).join('')) this.prompt.replaceChildren(...said);
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
