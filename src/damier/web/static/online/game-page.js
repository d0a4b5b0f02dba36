// Page of one online game: it shows the waiting page, the form to join or the table, and switches
// between them when the game changes.

import { root } from '../core/address.js';
import { RequestError } from '../core/api.js';
import { button, h, icon } from '../core/dom.js';
import { gameName, isolated, t } from '../core/i18n.js';
import { newId } from '../core/id.js';
import { identity, settings } from '../core/storage.js';
import { publicAddress } from '../share/public-address.js';
import { timeControlText } from './clocks.js';
import { connection, requestOnline } from './connection.js';
import { FollowedGame } from './followed-game.js';
import { ensureIdentity, identityNote, linkToShare, nameField } from './identity.js';
import { openOnlineTable, rulesText } from './mode.js';
import { ratingText } from './player-bars.js';

import { notifyItem, setOnlineTitle, updateWaitingGame } from './turn-alerts.js';

/** @import { Actions } from '../main.js' */
/** @import { OnlineMode } from './mode.js' */

/**
 * List the terms of a game: rules, time control, colour, rated or casual.
 *
 * @param {Online.GameView} onlineGame
 */
function termsList(onlineGame) {
  const { creator, colour } = onlineGame;
  const isCreator = creator.id === identity.get()?.id;
  const playerColour = isCreator || colour === 'lot' ? colour : colour === 'w' ? 'b' : 'w';
  const rows = [
    [t('online.new.rules'), rulesText(onlineGame) || t('online.new.rules.usual')],
    [t('online.new.clock'), timeControlText(onlineGame.clock)],
    [t('new.colour'), playerColour === 'lot' ? t('online.new.colour.lot') : t(`side.${playerColour}`)],
    [t('online.new.rated'), t(onlineGame.rated ? 'online.rated' : 'online.casual')],
  ];
  if (!isCreator)
    rows.unshift([t('online.new.who'), [isolated(creator.name), ratingText(creator)].join(' ').trim()]);
  return h(
    'dl',
    { class: 'agreed' },
    rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
  );
}

/** Page of an online game. */
class OnlineGamePage {
  /**
   * @param {Online.GameView} onlineGame
   * @param {Actions} actions
   * @param {boolean} watch
   */
  constructor(onlineGame, actions, watch) {
    this.actions = actions;
    this.watch = watch;
    this.isClosed = false;
    this.shownKind = '';
    /** @type {OnlineMode | null} */
    this.mode = null; // of the table
    this.connectionNotice = h('p', { class: 'connection-lost', role: 'status', hidden: true });
    this.content = h('div');
    this.element = h('div', { class: 'online-game' }, this.connectionNotice, this.content);
    this.followedGame = new FollowedGame(onlineGame);
    this.followedGame.listen({
      onChange: (...change) => this.onGameChange(...change),
      onRefused: (message, act) => this.mode?.onRefused(message, act),
    });
    this.onConnectionChange = () => this.renderConnection();
    connection.addEventListener('statuschange', this.onConnectionChange);
    this.renderConnection();
  }

  leave() {
    this.isClosed = true;
    connection.removeEventListener('statuschange', this.onConnectionChange);
    this.followedGame.leave();
    this.mode?.table.leave();
  }

  // Show or hide the notice of a lost connection.
  renderConnection() {
    const { isLost } = connection;
    this.connectionNotice.hidden = !isLost;
    const key = navigator.onLine ? 'online.connection-lost' : 'online.connection-lost.network';
    this.connectionNotice.textContent = isLost ? t(this.followedGame.isSending ? `${key}.kept` : key) : '';
    this.mode?.renderPrompt();
  }

  get onlineGame() {
    return this.followedGame.onlineGame;
  }

  /**
   * @param {string} kind
   * @param {Online.GameEvent | null} event
   * @param {Api.StateResponse | null} state
   */
  async onGameChange(kind, event, state) {
    const { onlineGame } = this;
    if (!this.mode || onlineGame.status === 'waiting') {
      await this.show();
      return;
    }
    this.mode.onGameChange(kind, event, state);
    this.updateTitle();
    // A rematch was agreed: its players go to it, spectators get a link.
    if (onlineGame.rematch && onlineGame.you && this.awaitsRematch)
      location.hash = `#/online/${onlineGame.rematch}`;
    this.awaitsRematch ||= !onlineGame.rematch;
  }

  updateTitle() {
    const { onlineGame } = this;
    const isYourTurn =
      onlineGame.status === 'playing' && !!onlineGame.you && onlineGame.to_move === onlineGame.you;
    setOnlineTitle(onlineGame, isYourTurn);
    updateWaitingGame(onlineGame, isYourTurn);
  }

  // Show the part of the page that fits the game's status.
  async show() {
    const { onlineGame } = this;
    const canJoin = onlineGame.status === 'waiting' && onlineGame.creator.id !== identity.get()?.id;
    const kind =
      onlineGame.status !== 'waiting'
        ? 'table'
        : canJoin && !this.watch
          ? 'join'
          : canJoin
            ? 'watch'
            : 'wait';
    if (kind === this.shownKind) return;
    this.shownKind = kind;
    if (kind === 'table') await this.openTable();
    else if (kind === 'join') await this.showJoinForm();
    else this.content.replaceChildren(kind === 'wait' ? await this.waitingPage() : this.beforeStartPage());
  }

  async openTable() {
    this.awaitsRematch = !this.onlineGame.rematch;
    const mode = await openOnlineTable(this.followedGame, this.actions, this.onConnectionChange);
    if (this.isClosed) {
      mode.table.leave();
      return;
    }
    this.mode = mode;
    this.actions.setPageTitle('play', this.onlineGame.game);
    mode.catchUp(null, null); // events received while it was loading
    this.content.replaceChildren(mode.table.element);
    this.updateTitle();
    this.renderConnection();
  }

  // Join at once; for a rated game, ask first and show its terms.
  async showJoinForm() {
    const { onlineGame } = this;
    if (!onlineGame.rated) {
      await this.join();
      return;
    }
    const name = nameField();
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      settings.set('named', true);
      this.join(name.value.trim());
    };
    const watch = () => {
      this.watch = true;
      this.show();
    };
    this.content.replaceChildren(
      h(
        'form',
        { class: 'page narrow join', onsubmit },
        h('h1', {}, t('online.join.title', { game: gameName(onlineGame.game) })),
        termsList(onlineGame),
        onlineGame.solved ? h('p', { class: 'warning' }, t('online.solved.rated')) : null,
        h('label', { class: 'entry' }, h('span', {}, t('online.name')), name),
        identityNote(),
        h(
          'div',
          { class: 'row end' },
          button(t('online.watch'), null, watch),
          h('button', { type: 'submit', class: 'main' }, icon('play'), t('online.join')),
        ),
      ),
    );
  }

  /** @param {string} [name] */
  async join(name) {
    try {
      await ensureIdentity(name);
      this.followedGame.onGame(await requestOnline(`games/${this.onlineGame.id}/join`, {}));
    } catch (error) {
      if (!(error instanceof RequestError && error.key === 'seat-taken')) throw error;
      // Somebody else took the seat first: watch the game.
      this.followedGame.onGame(await requestOnline(`games/${this.onlineGame.id}`));
    }
    connection.subscribe(this.onlineGame.id, null); // again, with the identity that holds the seat
  }

  async waitingPage() {
    const { onlineGame } = this;
    const { base, reach } = await publicAddress();
    const address = `${base}#/online/${onlineGame.id}`;
    const notify = notifyItem();
    const cancel = async () => {
      await requestOnline(`games/${onlineGame.id}/acts`, {
        id: newId(),
        version: onlineGame.version,
        act: { kind: 'abort' },
      });
      location.hash = `#/friend/${onlineGame.game}`;
    };
    return h(
      'div',
      { class: 'page narrow waiting' },
      h('h1', {}, t('online.wait.title')),
      h(
        'p',
        { role: 'status' },
        h('span', { class: 'dots' }, h('i'), h('i'), h('i')),
        ' ',
        t('online.wait.text'),
      ),
      linkToShare(t('online.wait.link'), address),
      reach ? h('p', { class: 'faint reach-note' }, t(`online.wait.${reach}`)) : null,
      h('h2', {}, gameName(onlineGame.game)),
      termsList(onlineGame),
      identityNote(),
      h(
        'div',
        { class: 'row end' },
        notify ? button(notify[0], notify[1], notify[2], { cls: 'notify' }) : null,
        h('a', { class: 'button', href: `${root}#/mine` }, t('online.mine')),
        button(t('online.wait.cancel'), 'cross', cancel, { cls: 'cancel' }),
      ),
    );
  }

  // The page of a spectator before the game begins.
  beforeStartPage() {
    return h(
      'div',
      { class: 'page narrow' },
      h('h1', {}, gameName(this.onlineGame.game)),
      h('p', { role: 'status' }, t('online.wait.watch')),
      termsList(this.onlineGame),
    );
  }
}

/**
 * Load an online game and build its page.
 *
 * @param {string} id
 * @param {Actions} actions
 * @param {boolean} watch
 */
export async function onlineGamePage(id, actions, watch) {
  const page = new OnlineGamePage(await requestOnline(`games/${encodeURIComponent(id)}`), actions, watch);
  await page.show();
  return page;
}
