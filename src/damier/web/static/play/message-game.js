// Mode of a table on which a game is played by message: after each move the player sends a link to a
// friend, who opens it, replies, and sends a link back. No server stores the game.

import { addressOf } from '../core/address.js';
import { confirmAction } from '../core/confirm.js';
import { button, h } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { publicAddress } from '../share/public-address.js';
import { copyField, shareLinkButton } from '../share/share-dialog.js';
import { GameEnd } from './game-over.js';
import { gameSummary } from './game-summary.js';
import { commonShortcut } from './keyboard.js';
import { resignation } from './local-game.js';
import { rememberSent, sentPly } from './message-link.js';
import { pasteLinkForm } from './paste-link.js';
import { storeGame } from './table.js';

/** @import { View } from '../board/board.js' */
/** @import { Side } from './game-model.js' */
/** @import { Prompt } from './prompt-text.js' */
/** @import { Table, TableMode } from './table.js' */

/** @implements {TableMode} */
export class MessageGame {
  kind = 'play by-message';

  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.end = new GameEnd(table);
    this.linkBox = h('div', { class: 'message-link', hidden: true });
    this.linkShown = ''; // the address in the box
    this.replyForm = pasteLinkForm();
    this.promptParts = { below: [this.end.reason.element, this.linkBox, this.replyForm] };
  }

  layout() {
    return this.table.parts(gameSummary(this.table.game, this.table.tree));
  }

  interrupt() {}

  leave() {}

  /** @returns {Side} */
  get own() {
    return this.table.tree.friendSide === 'w' ? 'b' : 'w';
  }

  // Whether the friend is to move, or has to learn how the game ended.
  get isFriendsTurn() {
    const { tree, state } = this.table;
    const result = this.table.result();
    if (result) return tree.resigned ? tree.resigned === this.own : state.mover === this.own;
    return state.side !== this.own;
  }

  // Whether the link to the position shown has been copied or shared.
  get isSent() {
    const { tree } = this.table;
    return sentPly(tree.id) >= tree.tip.ply + (tree.resigned ? 1 : 0);
  }

  outcome() {
    const { resigned } = this.table.tree;
    return resigned ? resignation(resigned) : null;
  }

  canAct() {
    const { model } = this.table;
    return !model.isPending && !this.table.result() && !model.isBehind && model.state.side === this.own;
  }

  waitingReason() {
    const { model } = this.table;
    if (model.isPending) return t('ask.busy');
    if (this.table.result()) return t('why.over');
    return t(model.isBehind ? 'why.behind' : 'message.waiting');
  }

  /**
   * @param {string} turn
   * @param {boolean} played
   */
  onMove(turn, played) {
    this.table.show(this.table.tree.current.addMove(turn), { played });
  }

  /**
   * @param {Api.ResultDescription} result
   * @param {boolean} forward
   */
  onResult(result, forward) {
    this.end.onResult(result, forward);
  }

  onShown() {}

  save() {
    storeGame(this.table.tree);
  }

  /** @returns {Prompt | null} */
  prompt() {
    const { model, moveInput } = this.table;
    const { tree } = model;
    if (model.isPending) return { text: t('ask.busy') };
    const result = this.table.result();
    if (result) return this.end.prompt(result);
    if (model.isBehind) return { text: t('ask.behind', { ply: tree.current.ply, of: tree.tip.ply }) };
    if (moveInput) return null;
    if (this.isSent) return { head: t('message.friends-turn'), text: t('message.waiting') };
    return {
      head: t('message.send'),
      text: t(tree.tip.parent ? 'message.send.move' : 'message.send.invite'),
    };
  }

  ending() {
    return this.end.ending();
  }

  promptButtons() {
    const { table } = this;
    const { tree } = table;
    if (table.model.isBehind)
      return [button(t('action.to-game'), 'last', () => table.go(tree.tip), { cls: 'main' })];
    const isOver = !!table.result();
    /** @type {HTMLElement[]} */
    const list = [];
    const { mover } = table.state;
    const canUndo = tree.tip.parent && mover === this.own && this.isFriendsTurn && !this.isSent && !isOver;
    if (canUndo) list.push(button(t('action.back'), 'back', () => this.takeBack(), { cls: 'take-back' }));
    if (isOver && tree.tip.parent) {
      const review = () => table.actions.analyse(table, 'review', null);
      list.push(button(t('action.review'), 'chart', review));
    }
    return list;
  }

  // Take back the player's last move, which has not been sent.
  takeBack() {
    const { tree } = this.table;
    const { parent } = tree.tip;
    if (!parent) return;
    parent.removeChildren();
    tree.resume();
    this.table.show(parent);
  }

  actionButtons() {
    const { table } = this;
    const { actions } = table;
    const list = [button(t('action.new'), 'plus', () => actions.playFriend(table.tree.game), { cls: 'new' })];
    if (table.result())
      list.push(button(t('action.analyse'), 'chart', () => actions.analyse(table), { cls: 'analyse' }));
    else list.push(button(t('menu.resign'), 'flag', () => this.resign(), { cls: 'resign' }));
    list.push(button(t('action.share'), 'share', () => actions.share(table), { cls: 'share' }));
    list.push(button(t('action.more'), 'more', () => actions.openMenu(table), { cls: 'menu' }));
    return list;
  }

  resign() {
    confirmAction(t('menu.resign'), t('message.resign'), () => {
      this.table.tree.resign(this.own);
      this.table.refresh();
    });
  }

  onRender() {
    this.end.renderReason();
    this.renderLink().catch((error) => this.table.showError(error));
  }

  // Show the link to send while the friend has to see the position.
  async renderLink() {
    const { table, linkBox } = this;
    const { tree, model } = table;
    linkBox.hidden = model.isPending || model.isBehind || !this.isFriendsTurn;
    this.replyForm.hidden = linkBox.hidden || !this.isSent || !!table.result();
    if (linkBox.hidden) return;
    const { base, reach } = await publicAddress();
    const address = base + addressOf(tree);
    if (address === this.linkShown) return;
    this.linkShown = address;
    const sent = () => {
      if (this.isSent) return;
      rememberSent(tree.id, tree.tip.ply + (tree.resigned ? 1 : 0));
      table.render();
    };
    const field = copyField(t('message.link'), address, 'message-link', sent);
    const share = shareLinkButton(address, sent);
    const note = reach ? h('p', { class: 'faint reach-note' }, t(`message.${reach}`)) : null;
    field.addEventListener('copy', sent); // a link that is copied by hand counts as sent, too
    linkBox.replaceChildren(...[field, share, note].filter((part) => part !== null));
  }

  /** @param {View} view */
  decorate(view) {
    return view;
  }

  cancel() {
    return false;
  }

  enterAction() {
    return this.table.moveInput?.end ? () => this.table.input.endMove() : null;
  }

  /** @param {string} key */
  shortcut(key) {
    return commonShortcut(this.table, key);
  }
}
