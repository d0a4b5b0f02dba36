// Mode of a table on which an online game is played: moves come from the server and are sent to it. The
// player's own move is shown at once, and taken back with a message if the server refuses it.

import { root } from '../core/address.js';
import { confirmAction } from '../core/confirm.js';
import { button, h, icon } from '../core/dom.js';
import { GameTree } from '../core/game-tree.js';
import { formatDate, gameName, t, tg } from '../core/i18n.js';
import { playSound } from '../core/sound.js';
import { GameEnd } from '../play/game-over.js';
import { commonShortcut } from '../play/keyboard.js';
import { MoveColours } from '../play/move-colours.js';
import { loadGame, Table } from '../play/table.js';
import { Clocks, deadlineText, spokenTimeLeft, timeControlText, timeOfDay } from './clocks.js';
import { ConditionalMoves } from './conditional-moves.js';
import { connection } from './connection.js';
import { onlineMenu } from './menu.js';
import { Offers } from './offers.js';
import { onlineBarParts } from './player-bars.js';
import { Premoves } from './premoves.js';
import { OnlinePanel } from './side-panel.js';

/** @import { View } from '../board/board.js' */
/** @import { Actions } from '../main.js' */
/** @import { Person } from '../play/player-names.js' */
/** @import { TableMode } from '../play/table.js' */
/** @import { Prompt } from '../play/prompt-text.js' */
/** @import { FollowedGame } from './followed-game.js' */

const INACTIVITY_LIMIT_MS = 60 * 86_400_000; // after which the server closes a game without a clock

/** @param {Online.GameView} onlineGame */
const playerNames = ({ seats }) => ({
  w: seats.w?.name ?? t('online.nobody'),
  b: seats.b?.name ?? t('online.nobody'),
});

/**
 * Return the game tree of an online game.
 *
 * @param {FollowedGame} followedGame
 */
function gameTreeOf({ onlineGame, turns }) {
  const { game, options, start, you, id, status } = onlineGame;
  const players = { w: you === 'w' ? 'human' : 'far', b: you === 'b' ? 'human' : 'far' };
  return new GameTree({
    ...{ game, options, start, players, id: `online-${id}` },
    names: playerNames(onlineGame),
    flipped: you === 'b',
    finished: status === 'over' || status === 'aborted',
  }).addMoves(turns, null);
}

/**
 * Return the options of a game that differ from the defaults, as text.
 *
 * @param {{ game: string, options: Record<string, string>, start?: string | null }} onlineGame
 */
export function rulesText({ game, options, start }) {
  const words = (/** @type {[string, string]} */ [name, value]) =>
    t('rules.option', {
      option: tg(game, `option.${name}`, {}, name),
      value: tg(game, `option.${name}.${value}`, {}, value.replace('x', ' × ')),
    });
  const parts = Object.entries(options).map(words);
  if (start) parts.push(t('online.set-up'));
  return parts.join(' · ');
}

/** @implements {TableMode} */
export class OnlineMode {
  /**
   * @param {Table} table
   * @param {FollowedGame} followedGame
   * @param {() => void} onSent called when a move is being sent
   */
  constructor(table, followedGame, onSent) {
    this.table = table;
    this.onSent = onSent;
    this.followedGame = followedGame;
    this.kind = `play online${this.you ? '' : ' watching'}`;
    /** @type {string | null} */
    this.earlyClick = null; // a cell clicked while a request is pending
    /** @type {ConditionalMoves | null} */
    this.conditional = null;
    this.clocks = new Clocks(
      () => this.onlineGame.clock,
      (side, left) => this.onLowTime(side, left),
    );
    this.end = new GameEnd(table);
    this.colours = new MoveColours(table, false);
    this.premoves = new Premoves(this);
    this.offers = new Offers(this);
    this.terms = h('p', {});
    this.sidePanel = new OnlinePanel(this);
    this.bars = onlineBarParts(this);
    this.promptParts = { below: [this.offers.element, this.end.reason.element, this.colours.legend] };
    this.idle = {
      click: (/** @type {string} */ cell) => this.onIdleClick(cell),
      canDrag: (/** @type {string} */ cell) => this.premoves.canDrag(cell),
      drag: (/** @type {string} */ cell) => this.premoves.drag(cell),
      drop: (/** @type {string} */ from, /** @type {string} */ to) => this.premoves.drop(from, to),
    };
  }

  /** @type {(side: Online.Side) => Person} */
  personOf = (side) => (side === this.you ? 'you' : 'name');

  get onlineGame() {
    return this.followedGame.onlineGame;
  }

  get you() {
    return this.onlineGame.you;
  }

  /** @returns {Online.Side} */
  get opponent() {
    return this.you === 'w' ? 'b' : 'w';
  }

  get isPlaying() {
    return this.onlineGame.status === 'playing';
  }

  layout() {
    const { name } = this.table.game;
    const rules = `${root}#/rules/${name}`;
    const header = h(
      'section',
      { class: 'aim match', 'aria-label': t('online.terms') },
      h('div', {}, h('h2', {}, gameName(name)), this.terms),
      h(
        'a',
        { class: 'button', href: rules, title: t('home.rules', { game: gameName(name) }) },
        icon('book'),
        h('span', {}, t('action.rules')),
      ),
    );
    return this.table.parts(header);
  }

  interrupt() {
    this.colours.stop();
  }

  leave() {
    this.interrupt();
    this.clocks.leave();
  }

  save() {} // the server stores the game

  renderTerms() {
    const { onlineGame } = this;
    const { watchers } = onlineGame.presence;
    const parts = [
      rulesText(onlineGame),
      timeControlText(onlineGame.clock),
      t(onlineGame.rated ? 'online.rated' : 'online.casual'),
      ...this.hintNotes(),
      watchers ? t('online.watchers', { count: watchers }) : '',
      this.you ? '' : t(this.isPlaying ? 'online.seats-taken' : 'online.watching'),
    ];
    this.terms.textContent = parts.filter(Boolean).join(' · ');
  }

  // How often each player has asked for help, as text.
  hintNotes() {
    const sides = /** @type {const} */ (['w', 'b']);
    return sides
      .filter((side) => this.onlineGame.hints[side])
      .map((side) =>
        t('online.hints', { name: this.table.nameOf(side), count: this.onlineGame.hints[side] }),
      );
  }

  // ---- server events -------------------------------------------------------------------------

  /**
   * @param {string} kind
   * @param {Online.GameEvent | null} event
   * @param {Api.StateResponse | null} state after a move
   */
  onGameChange(kind, event, state) {
    const { table, onlineGame } = this;
    this.clocks.tick();
    if (kind === 'watchers' || kind === 'came' || kind === 'left') {
      if (!table.isBusy) {
        table.playerBars.render();
        this.renderPrompt();
      }
      this.renderTerms();
      const name = table.nameOf(this.opponent);
      if (kind !== 'watchers' && this.you) table.announce(t(`online.${kind}`, { name }));
      return;
    }
    table.tree.setNames(playerNames(onlineGame));
    if (event?.kind === 'hint' && event.by && event.by !== this.you)
      table.announce(t('online.hint-taken', { name: table.nameOf(event.by) }));
    if (kind === 'phrase') this.sidePanel.render();
    else this.catchUp(event, state);
  }

  /**
   * Show the server's moves and those being sent.
   *
   * @param {Online.GameEvent | null} event
   * @param {Api.StateResponse | null} state after the last move
   */
  catchUp(event, state) {
    const { table } = this;
    const tree = this.conditional?.gameTree ?? table.tree;
    const before = tree.tip;
    const isBrowsing = tree.current !== before;
    let node = tree.root;
    for (const turn of this.followedGame.turns) {
      const next = node.addMove(turn);
      node.replaceChildren([next]);
      node = next;
    }
    node.removeChildren();
    const stored = node.line[this.onlineGame.turns.length];
    if (state && !stored.state) stored.setState(state); // saves a request
    if (this.conditional && node !== before) {
      this.conditional.stop(t('online.plan.overtaken'));
    } else if (isBrowsing && node.line.includes(tree.current)) this.refresh();
    else if (node === tree.current) this.refresh();
    else {
      const isOpponentsMove = event?.kind === 'turn' && event.by === this.opponent && !!this.you;
      if (isOpponentsMove && this.premoves.chosen) this.premoves.play(node);
      else {
        this.premoves.clear();
        table.show(node);
      }
      if (isOpponentsMove && document.hidden) playSound('turn');
    }
  }

  onShown() {
    const { earlyClick } = this;
    this.earlyClick = null;
    if (earlyClick) this.table.input.click(earlyClick);
    this.colours.load();
  }

  // Show changes other than moves; a move being entered is left alone.
  refresh() {
    const { table } = this;
    if (table.isBusy || this.conditional) return;
    const result = table.result();
    if (this.canAct() === !!table.moveInput && (!result || table.tree.finished)) table.render();
    else {
      const isNew = result && !table.tree.finished;
      table.refresh();
      if (isNew) this.end.celebrate(result);
    }
  }

  /**
   * @param {string} message
   * @param {Online.PlayerAction} act
   */
  onRefused(message, act) {
    const { table } = this;
    const turn = act.kind === 'turn';
    if (turn) this.catchUp(null, null);
    else connection.subscribe(this.onlineGame.id, null); // to show the game as the server has it
    playSound('no');
    const showMessage = () => table.showMessage(turn ? t('online.refused', { message }) : message);
    if (table.model.isPending)
      setTimeout(showMessage, 600); // after the move that is being shown
    else showMessage();
  }

  /**
   * @param {Online.Side} side
   * @param {number} left
   */
  onLowTime(side, left) {
    if (side !== this.you) return;
    playSound('low');
    this.table.announce(t('online.clock.low', { left: spokenTimeLeft(left) }));
  }

  // ---- state of the game ---------------------------------------------------------------------

  canAct() {
    const { model } = this.table;
    if (model.isPending) return false;
    if (this.conditional) return !model.state.result;
    return this.isPlaying && !model.isBehind && !this.table.result() && model.state.side === this.you;
  }

  outcome() {
    if (this.conditional || this.table.model.isBehind) return null;
    const { result, status } = this.onlineGame;
    if (result) return { ...result, cells: [] };
    return status === 'aborted' ? { winner: null, reason: 'aborted', cells: [], text: '' } : null;
  }

  /**
   * @param {Api.ResultDescription} result
   * @param {boolean} forward
   */
  onResult(result, forward) {
    if (!this.conditional) this.end.onResult(result, forward);
  }

  /** @param {Api.ResultDescription} result */
  gameOverPrompt(result) {
    const { rating_changes: changes } = this.onlineGame;
    if (result.reason === 'aborted') return { head: t('online.aborted'), text: t('online.aborted.text') };
    const prompt = this.end.prompt(result);
    if (!changes) return prompt;
    const sides = /** @type {const} */ (['w', 'b']);
    const note = sides.map((side) => {
      const [before, after] = [changes[side].before, changes[side].after].map((rating) =>
        Math.round(rating.points),
      );
      const by = after - before;
      return t('online.rating', {
        name: this.table.nameOf(side),
        after,
        by: `${by < 0 ? '−' : '+'}${Math.abs(by)}`,
      });
    });
    return { ...prompt, note: note.join(' · ') };
  }

  /** @returns {Prompt | null} */
  prompt() {
    const { model, moveInput } = this.table;
    const { tree } = model;
    if (model.isPending) return { text: t('ask.busy') };
    const result = this.table.result();
    if (result) return this.gameOverPrompt(result);
    if (model.isBehind) return { text: t('ask.behind', { ply: tree.current.ply, of: tree.tip.ply }) };
    return moveInput ? null : (this.premoves.prompt() ?? this.waitingPrompt());
  }

  /** @returns {Prompt} */
  waitingPrompt() {
    if (this.followedGame.isSending && connection.isLost) return { text: t('online.kept') };
    const name = this.table.nameOf(this.table.state.side);
    const text = t('online.ask.waiting', { name });
    const { deadline, kind } = this.onlineGame.clock;
    if (this.you && !this.onlineGame.presence[this.opponent]) return { text, note: this.absenceNote(name) };
    return {
      text,
      note: kind === 'days' && deadline ? t('online.until', { time: deadlineText(deadline) }) : '',
    };
  }

  /**
   * Say that the opponent is absent, and when the game ends if they do not return.
   *
   * @param {string} name
   */
  absenceNote(name) {
    const { clock, turns, updated } = this.onlineGame;
    const isFirstMove = turns.length < 2;
    if (clock.kind === 'none') {
      return t('online.absent.unlimited', { name, date: formatDate(updated + INACTIVITY_LIMIT_MS) });
    }
    if (!clock.deadline) return t('online.absent', { name });
    const key = clock.kind === 'live' && isFirstMove ? 'online.absent.abort' : 'online.absent.win';
    const time = clock.kind === 'live' ? timeOfDay(clock.deadline) : deadlineText(clock.deadline);
    return t(key, { name, time });
  }

  ending() {
    return this.end.ending();
  }

  waitingReason() {
    const { model } = this.table;
    if (model.isPending) return t('ask.busy');
    if (this.table.result()) return t('why.over');
    if (model.isBehind) return t('online.why.behind');
    return this.you ? t('why.wait', { name: this.table.nameOf(model.state.side) }) : t('online.why.watching');
  }

  // ---- player actions ------------------------------------------------------------------------

  /**
   * @param {string} turn
   * @param {boolean} played
   */
  onMove(turn, played) {
    if (!this.conditional) this.sendMove(turn);
    this.table.show(this.table.tree.current.addMove(turn), { played });
  }

  /**
   * @param {string} turn
   * @param {boolean} [premove] whether it was chosen before the opponent's move
   */
  sendMove(turn, premove = false) {
    this.followedGame.sendAction({ kind: 'turn', turn, premove });
    this.onSent();
  }

  /** @param {Online.PlayerAction} act */
  sendAction(act) {
    if (!this.followedGame.sendAction(act)) this.table.showMessage(t('online.not-now'));
  }

  resign() {
    const text = t(this.onlineGame.rated ? 'online.resign.rated' : 'online.resign.text');
    confirmAction(t('menu.resign'), text, () => this.sendAction({ kind: 'resign' }));
  }

  // Announce both clocks to screen readers.
  announceClocks() {
    const sides = /** @type {const} */ (['w', 'b']);
    const parts = sides.flatMap((side) => {
      const left = this.clocks.timeLeft(side);
      return left === null
        ? []
        : [t('online.clock.of', { name: this.table.nameOf(side), left: spokenTimeLeft(left) })];
    });
    this.table.announce(parts.join(' ') || t('online.pace.none'));
  }

  /** @param {string} cell */
  onIdleClick(cell) {
    if (this.table.model.isPending) this.earlyClick = cell;
    else if (this.premoves.areAllowed) this.premoves.choose(cell);
    else this.table.showMessage(this.waitingReason());
  }

  cancel() {
    return this.premoves.cancel();
  }

  enterAction() {
    return this.table.moveInput?.end ? () => this.table.input.endMove() : null;
  }

  /** @param {string} key */
  shortcut(key) {
    if (key === 'c') return () => this.announceClocks();
    if (key === 'u' && this.you)
      return () => {
        if (this.isPlaying) this.sendAction({ kind: 'offer', what: 'takeback' });
      };
    return commonShortcut(this.table, key);
  }

  // ---- conditional moves ---------------------------------------------------------------------

  // Let the player enter a line of conditional moves.
  beginConditionalMoves() {
    this.conditional = new ConditionalMoves(this);
    this.conditional.begin();
  }

  endConditionalMoves() {
    this.conditional = null;
  }

  // ---- drawing -------------------------------------------------------------------------------

  /** @param {View} view */
  decorate(view) {
    return this.premoves.decorate({ ...view, values: view.values ?? this.colours.badges });
  }

  onRender() {
    this.clocks.tick();
    this.renderTerms();
    this.offers.render();
    this.end.renderReason();
    this.colours.renderLegend();
    this.sidePanel.render();
  }

  // Render the prompt after a change of the connection.
  renderPrompt() {
    this.table.renderPrompt();
    this.offers.render();
  }

  promptButtons() {
    const { table, premoves } = this;
    if (this.conditional) return this.conditional.buttons();
    if (table.model.isBehind)
      return [button(t('action.to-game'), 'last', () => table.go(table.tree.tip), { cls: 'main' })];
    const result = table.result();
    const list = this.offers.buttons();
    if (result) return [...list, ...this.gameOverButtons(result)];
    if (premoves.chosen)
      list.push(button(t('online.premove.cancel'), 'cross', () => premoves.cancel(), { cls: 'unpremove' }));
    return list;
  }

  /** @param {Api.ResultDescription} result */
  gameOverButtons({ winner }) {
    const { onlineGame, table, you } = this;
    const list = [];
    if (onlineGame.rematch) {
      const href = `${root}#/online/${onlineGame.rematch}`;
      list.push(h('a', { class: 'button main', href }, icon('play'), t('online.to-rematch')));
    } else if (you && onlineGame.status === 'over' && !onlineGame.offers.length) {
      const offer = () => this.sendAction({ kind: 'offer', what: 'rematch' });
      list.push(button(t('action.rematch'), 'restart', offer, { cls: 'main rematch' }));
    }
    if (table.tree.tip.parent) {
      const lost = you && winner && winner !== you ? you : null;
      const review = () => table.actions.analyse(table, 'review', lost);
      list.push(button(t('action.review'), 'chart', review, { cls: 'review' }));
    }
    return list;
  }

  actionButtons() {
    const { onlineGame, table, you } = this;
    const { actions, tree } = table;
    const offer = (/** @type {'draw' | 'takeback'} */ what) => () => this.sendAction({ kind: 'offer', what });
    /** @type {HTMLElement[]} */
    const list = [];
    if (you && this.isPlaying && !table.state.result) {
      const begun = onlineGame.turns.length > 1;
      if (!onlineGame.rated)
        list.push(button(t('action.back'), 'back', offer('takeback'), { cls: 'take-back' }));
      list.push(button(t('online.draw'), 'draw', offer('draw'), { cls: 'offer-draw' }));
      if (begun) list.push(button(t('menu.resign'), 'flag', () => this.resign(), { cls: 'resign' }));
      else {
        const abort = () => this.sendAction({ kind: 'abort' });
        list.push(button(t('online.abort'), 'cross', abort, { cls: 'abort' }));
      }
    } else {
      const newGame = () => {
        location.hash = `#/friend/${tree.game}`;
      };
      list.push(button(t('action.new'), 'plus', newGame, { cls: 'new' }));
      if (!onlineGame.rated || !this.isPlaying)
        list.push(button(t('action.analyse'), 'chart', () => actions.analyse(table), { cls: 'analyse' }));
    }
    list.push(button(t('action.share'), 'share', () => actions.share(table), { cls: 'share' }));
    list.push(button(t('action.more'), 'more', () => onlineMenu(this), { cls: 'menu' }));
    return list;
  }
}

/**
 * Open the table of an online game.
 *
 * @param {FollowedGame} followedGame
 * @param {Actions} actions
 * @param {() => void} onSent called when a move is being sent
 */
export async function openOnlineTable(followedGame, actions, onSent) {
  const loaded = await loadGame(gameTreeOf(followedGame));
  const table = new Table(loaded, actions, (table) => new OnlineMode(table, followedGame, onSent));
  await table.refresh();
  return table.mode;
}
