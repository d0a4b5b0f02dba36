// The table of a game with somebody far away: the same as any other, but that the turns come from the
// server and go to it. One's own is shown at once, and taken back with a word if it is refused.

import { fillActions } from './actions.js';
import { root } from './address.js';
import { button, h, icon } from './dom.js';
import { celebrate, ended } from './ending.js';
import { nameOf, t, tg } from './i18n.js';
import { line } from './online.js';
import { OnlineAsking, OnlineBars } from './online-bars.js';
import { Clocks, moment, paceText, spokenLeft } from './online-clock.js';
import { confirmed, onlineMenu } from './online-menu.js';
import { Panel } from './online-panel.js';
import { Planning } from './online-plan.js';
import { Table } from './play.js';
import { sound } from './sound.js';
import { Tale } from './tale.js';

/** @import { Actions } from './main.js' */
/** @import { Following } from './online-match.js' */
/** @import { Act, Match, Side, Told } from './online.js' */

/** @param {Match} match */
const namesIn = ({ seats }) => ({
  w: seats.w?.name ?? t('online.nobody'),
  b: seats.b?.name ?? t('online.nobody'),
});

/** @param {Following} following */
function taleOf({ match, turns }) {
  const { game, options, start, you, id, status } = match;
  const players = { w: you === 'w' ? 'human' : 'far', b: you === 'b' ? 'human' : 'far' };
  const tale = new Tale({ game, options, start, players, id: `online-${id}` });
  tale.names = namesIn(match);
  tale.flipped = you === 'b';
  tale.finished = status === 'over' || status === 'aborted';
  return tale.follow(turns, null);
}

/**
 * The rules of a game that differ from the usual, in words.
 *
 * @param {{ game: string, options: Record<string, string>, start?: string | null }} match
 */
export function rulesText({ game, options, start }) {
  const words = (/** @type {[string, string]} */ [name, value]) =>
    t('rules.option', {
      option: tg(game, `option.${name}`, {}, name),
      value: tg(game, `option.${name}.${value}`, {}, value.replace('x', ' × ')),
    });
  const said = Object.entries(options).map(words);
  if (start) said.push(t('online.set-up'));
  return said.join(' · ');
}

export class OnlineTable extends Table {
  /**
   * @param {Following} following
   * @param {Actions} actions
   */
  constructor(following, actions) {
    super(taleOf(following), { ...actions, menu: (/** @type {any} */ table) => onlineMenu(table) });
    this.following = following;
    /** @type {{ from: string | null, to: string } | null} */
    this.premove = null;
    /** @type {string | null} */
    this.picked = null; // a pawn chosen before its turn
    /** @type {string | null} */
    this.early = null; // a cell clicked while the server is asked what it means
    /** @type {Planning | null} */
    this.planning = null;
    this.clocks = new Clocks(
      () => this.following.match.clock,
      (side, left) => this.shortOfTime(side, left),
    );
    this.sent = () => {}; // called when something is on its way to the server
    this.terms = h('p', {});
    this.more = new Panel(this);
    this.element.classList.add('online');
    this.element.classList.toggle('watching', !this.you);
  }

  get you() {
    return this.following.match.you;
  }

  /** @returns {Side} */
  get other() {
    return this.you === 'w' ? 'b' : 'w';
  }

  get isOn() {
    return this.following.match.status === 'playing';
  }

  newBars() {
    return new OnlineBars(this);
  }

  newAsking() {
    return new OnlineAsking(this);
  }

  prepare() {} // nobody here plays with the computer

  leave() {
    super.leave();
    this.clocks.leave();
  }

  save() {} // the server keeps it, and the address is that of the game

  /** @param {Api.GameOut} game */
  about({ name }) {
    const rules = `${root}#/rules/${name}`;
    return h(
      'section',
      { class: 'aim match', 'aria-label': t('online.terms') },
      h('div', {}, h('h2', {}, nameOf(name)), this.terms),
      h(
        'a',
        { class: 'button', href: rules, title: t('home.rules', { game: nameOf(name) }) },
        icon('book'),
        h('span', {}, t('action.rules')),
      ),
    );
  }

  renderTerms() {
    const { match } = this.following;
    const { watchers } = match.presence;
    const said = [
      rulesText(match),
      paceText(match.clock),
      t(match.rated ? 'online.rated' : 'online.casual'),
      watchers ? t('online.watchers', { count: watchers }) : '',
      this.you ? '' : t('online.watching'),
    ];
    this.terms.textContent = said.filter(Boolean).join(' · ');
  }

  // ---- what comes from the server ------------------------------------------------------------

  /**
   * @param {string} kind
   * @param {Told | null} event
   */
  changed(kind, event) {
    const { match } = this.following;
    this.clocks.tick();
    if (kind === 'watchers' || kind === 'came' || kind === 'left') {
      if (!this.pending && !this.followed) this.bars.render();
      this.renderTerms();
      const name = this.nameOf(this.other);
      if (kind !== 'watchers' && this.you) this.live.textContent = t(`online.${kind}`, { name });
      return;
    }
    this.tale.names = namesIn(match);
    if (kind === 'phrase') {
      this.more.render();
      return;
    }
    if (kind === 'turn' || kind === 'game') this.catchUp(event);
    else this.refresh();
  }

  /**
   * The board as the server has it, and what is on its way to it.
   *
   * @param {Told | null} event
   */
  catchUp(event) {
    const tale = this.planning?.home ?? this.tale;
    const before = tale.tip;
    const looking = tale.at !== before;
    let node = tale.root;
    for (const turn of this.following.turns) {
      const next = node.after(turn);
      node.kids = [next];
      node = next;
    }
    node.kids = [];
    if (this.planning && node !== before) {
      this.planning.stop(t('online.plan.overtaken'));
    } else if (looking && node.line.includes(tale.at)) this.refresh();
    else if (node === tale.at) this.refresh();
    else {
      const theirs = event?.by === this.other && !!this.you;
      if (theirs && this.premove) this.playPremove(node);
      else {
        this.premove = this.picked = null;
        this.show(node);
      }
      if (theirs && document.hidden) sound('turn');
    }
  }

  /**
   * @param {import('./tale.js').Node} node
   * @param {{ moved?: boolean, played?: boolean }} [how]
   */
  async show(node, how) {
    await super.show(node, how);
    const { early } = this;
    this.early = null;
    if (early && !this.pending) this.click(early);
  }

  // Show what has changed besides the turns; a turn that is being made is left alone.
  refresh() {
    if (this.pending || this.followed || this.planning) return;
    if (this.canAct() === !!this.walker && (!this.result() || this.tale.finished)) this.render();
    else {
      const ends = !this.tale.finished && this.result();
      this.show(this.tale.at, { moved: false });
      if (ends) celebrate(this, ends);
    }
  }

  /**
   * @param {string} message
   * @param {Act} act
   */
  refused(message, act) {
    const turn = act.kind === 'turn';
    if (turn) this.catchUp(null);
    else line.ask(this.following.match.id, null); // as it is, whatever was shown beforehand
    sound('no');
    const say = () => this.say(turn ? t('online.refused', { message }) : message);
    if (this.pending)
      setTimeout(say, 600); // after what is being shown
    else say();
  }

  /**
   * @param {Side} side
   * @param {number} left
   */
  shortOfTime(side, left) {
    if (side !== this.you) return;
    sound('low');
    this.live.textContent = t('online.clock.low', { left: spokenLeft(left) });
  }

  // ---- who acts ------------------------------------------------------------------------------

  canAct() {
    if (this.planning) return !this.pending && !this.state.result;
    return !this.pending && this.isOn && !this.behind && !this.result() && this.state.side === this.you;
  }

  get behind() {
    return !this.planning && this.tale.at !== this.tale.tip;
  }

  /** @returns {Api.ResultOut | null} */
  result() {
    if (this.state.result) return this.state.result;
    if (this.planning || this.behind) return null;
    const { result, status } = this.following.match;
    if (result) return { ...result, cells: [] };
    return status === 'aborted' ? { winner: null, reason: 'aborted', cells: [], text: '' } : null;
  }

  /** @param {Api.ResultOut} result */
  ended(result) {
    const { match } = this.following;
    if (result.reason === 'aborted') return { head: t('online.aborted'), text: t('online.aborted.text') };
    const said = ended(this, result);
    const changes = match.rating_changes;
    if (!changes) return said;
    const sides = /** @type {const} */ (['w', 'b']);
    const note = sides.map((side) => {
      const [before, after] = [changes[side].before, changes[side].after].map((found) =>
        Math.round(found.points),
      );
      const by = after - before;
      return t('online.rating', {
        name: this.nameOf(side),
        after,
        by: `${by < 0 ? '−' : '+'}${Math.abs(by)}`,
      });
    });
    return { ...said, note: note.join(' · ') };
  }

  waiting() {
    const { match, sending } = this.following;
    if (this.premove) {
      const { from, to } = this.premove;
      return { text: t('online.premove.set', { turn: from ? `${from} → ${to}` : to }) };
    }
    if (this.picked) return { text: t('online.premove.target', { cell: this.picked }) };
    if (sending && line.cut) return { text: t('online.kept') };
    const text = t('online.ask.waiting', { name: this.nameOf(this.state.side) });
    const { deadline, kind } = match.clock;
    return { text, note: kind === 'days' && deadline ? t('online.until', { time: moment(deadline) }) : '' };
  }

  waitingReason() {
    if (this.pending) return t('ask.busy');
    if (this.result()) return t('why.over');
    if (this.behind) return t('online.why.behind');
    return this.you ? t('why.wait', { name: this.nameOf(this.state.side) }) : t('online.why.watching');
  }

  // ---- what the player does ------------------------------------------------------------------

  /** @param {string} turn */
  made(turn) {
    if (this.planning) return;
    this.following.act({ kind: 'turn', turn });
    this.sent();
  }

  /** @param {Act} act */
  act(act) {
    if (!this.following.act(act)) this.say(t('online.not-now'));
  }

  resign() {
    const text = t(this.following.match.rated ? 'online.resign.rated' : 'online.resign.text');
    confirmed(t('menu.resign'), text, () => this.act({ kind: 'resign' }));
  }

  /** @returns {[string, () => void][]} */
  get shortcuts() {
    /** @type {[string, () => void][]} */
    const own = [['u', () => this.isOn && this.act({ kind: 'offer', what: 'takeback' })]];
    return [['c', () => this.tellClocks()], ...(this.you ? own : [])];
  }

  // Both clocks, for who cannot see them.
  tellClocks() {
    const sides = /** @type {const} */ (['w', 'b']);
    const said = sides.flatMap((side) => {
      const left = this.clocks.left(side);
      return left === null ? [] : [t('online.clock.of', { name: this.nameOf(side), left: spokenLeft(left) })];
    });
    this.live.textContent = said.join(' ') || t('online.pace.none');
  }

  // ---- before its turn -----------------------------------------------------------------------

  get canPremove() {
    const open = this.isOn && !this.result() && !this.behind && !this.pending && !this.planning;
    return open && !!this.you && this.state.side !== this.you && this.following.match.clock.kind !== 'days';
  }

  /** @param {string} cell */
  click(cell) {
    if (this.pending) this.early = cell;
    else if (this.walker || this.followed || !this.canPremove) super.click(cell);
    else this.aim(cell);
  }

  /**
   * A pawn and where it is to go, or where one is to be placed; anything else gives up.
   *
   * @param {string} cell
   */
  aim(cell) {
    const { picked, premove, marks, state, you } = this;
    this.say('');
    this.picked = this.premove = null;
    if (marks[cell] === you) {
      if (cell !== picked && cell !== premove?.from) this.picked = cell;
    } else if (picked) this.premove = { from: picked, to: cell };
    else if (you && (state.hands?.[you] ?? 0) > 0 && !marks[cell]) {
      if (cell !== premove?.to) this.premove = { from: null, to: cell };
    } else if (!premove) this.say(t('online.premove.how'));
    this.render();
  }

  cancel() {
    if (!this.premove && !this.picked) return super.cancel();
    this.premove = this.picked = null;
    this.render();
    return true;
  }

  /** @param {string} cell */
  canDrag(cell) {
    return super.canDrag(cell) || (this.canPremove && this.marks[cell] === this.you);
  }

  /** @param {string} cell */
  drag(cell) {
    if (this.walker) super.drag(cell);
    else {
      this.premove = null;
      this.picked = cell;
      this.render();
    }
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  drop(from, to) {
    if (this.walker || !this.canPremove) super.drop(from, to);
    else {
      this.picked = from;
      this.aim(to);
    }
  }

  /**
   * The other has moved: what was chosen before is played at once if it can be.
   *
   * @param {import('./tale.js').Node} node
   */
  async playPremove(node) {
    const { premove } = this;
    if (!premove) return;
    this.premove = this.picked = null;
    const state = await this.stateOf(node);
    if (!node.line.includes(this.tale.tip)) return; // too late: something else has happened
    const ways = state.steps.filter(({ origin, target }) => origin === premove.from && target === premove.to);
    if (!ways.length || state.side !== this.you || state.result) {
      await this.show(node);
      if (!state.result) this.say(t('online.premove.dropped'));
      return;
    }
    const [{ turn }] = ways;
    if (ways.length > 1 || turn === null) {
      await this.show(node);
      this.walker?.choose(ways); // begun, and asked how it goes on
      return;
    }
    await this.show(node, { moved: false });
    this.made(turn);
    await this.show(node.after(turn));
  }

  // ---- drawing -------------------------------------------------------------------------------

  get view() {
    const view = super.view;
    const { premove, picked } = this;
    if (picked) view.selected = picked;
    if (premove) {
      const { from, to } = premove;
      view.arrows = [...(view.arrows ?? []), { from: from ?? to, to, kind: 'premove' }];
    }
    return view;
  }

  render() {
    super.render();
    this.clocks.tick();
    this.renderTerms();
    this.more.render();
  }

  renderButtons() {
    const { tale, actions, you } = this;
    const { match } = this.following;
    const offer = (/** @type {'draw' | 'takeback'} */ what) => () => this.act({ kind: 'offer', what });
    /** @type {HTMLElement[]} */
    const list = [];
    if (you && this.isOn && !this.state.result) {
      const begun = match.turns.length > 1;
      if (!match.rated) list.push(button(t('action.back'), 'back', offer('takeback'), { cls: 'take-back' }));
      list.push(button(t('online.draw'), 'draw', offer('draw'), { cls: 'offer-draw' }));
      if (begun) list.push(button(t('menu.resign'), 'flag', () => this.resign(), { cls: 'resign' }));
      else {
        const abort = () => this.act({ kind: 'abort' });
        list.push(button(t('online.abort'), 'cross', abort, { cls: 'abort' }));
      }
    } else {
      const anew = () => {
        location.hash = `#/friend/${tale.game}`;
      };
      list.push(button(t('action.new'), 'plus', anew, { cls: 'new' }));
      if (!match.rated || !this.isOn) {
        list.push(button(t('action.analyse'), 'chart', () => actions.study(this), { cls: 'analyse' }));
      }
    }
    list.push(button(t('action.share'), 'share', () => actions.share(this), { cls: 'share' }));
    list.push(button(t('action.more'), 'more', () => actions.menu(this), { cls: 'menu' }));
    fillActions(this.buttons, list);
  }
}
