// The page of one game with somebody far away: waiting for the other, being asked to join, or the
// table; it changes from one to the next by itself.

import { root } from './address.js';
import { Refused } from './api.js';
import { button, h, icon } from './dom.js';
import { nameOf, t } from './i18n.js';
import { call, line } from './online.js';
import { entitled, heed, notifyItem } from './online-alert.js';
import { points } from './online-bars.js';
import { paceText } from './online-clock.js';
import { base, ensured, handOn, nameField, seatNote } from './online-identity.js';
import { Following } from './online-match.js';
import { OnlineTable, rulesText } from './online-table.js';
import { identity, settings } from './store.js';

/** @import { Actions } from './main.js' */
/** @import { Match, Told } from './online.js' */

/**
 * What is agreed on, as a list for people.
 *
 * @param {Match} match
 */
function agreed(match) {
  const { creator, colour } = match;
  const mine = creator.id === identity.get()?.id;
  const own = mine || colour === 'lot' ? colour : colour === 'w' ? 'b' : 'w';
  const rows = [
    [t('online.new.rules'), rulesText(match) || t('online.new.rules.usual')],
    [t('online.new.clock'), paceText(match.clock)],
    [t('new.colour'), own === 'lot' ? t('online.new.colour.lot') : t(`side.${own}`)],
    [t('online.new.rated'), t(match.rated ? 'online.rated' : 'online.casual')],
  ];
  if (!mine) rows.unshift([t('online.new.who'), [creator.name, points(creator)].join(' ').trim()]);
  return h(
    'dl',
    { class: 'agreed' },
    rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
  );
}

class GamePage {
  /**
   * @param {Match} match
   * @param {Actions} actions
   * @param {boolean} watch
   */
  constructor(match, actions, watch) {
    this.actions = actions;
    this.watch = watch;
    this.gone = false;
    this.shown = '';
    /** @type {OnlineTable | null} */
    this.table = null;
    this.cut = h('p', { class: 'cut', role: 'status', hidden: true });
    this.body = h('div');
    this.element = h('div', { class: 'online-game' }, this.cut, this.body);
    this.following = new Following(match);
    this.following.listener = {
      change: (kind, event) => this.change(kind, event),
      refused: (message, act) => this.table?.refused(message, act),
    };
    this.onLine = () => this.drawLine();
    line.addEventListener('line', this.onLine);
    this.drawLine();
  }

  leave() {
    this.gone = true;
    line.removeEventListener('line', this.onLine);
    this.following.leave();
    this.table?.leave();
  }

  // What is going on when the connection is lost.
  drawLine() {
    const { cut } = line;
    this.cut.hidden = !cut;
    const said = navigator.onLine ? 'online.cut' : 'online.cut.network';
    this.cut.textContent = cut ? t(this.following.sending ? `${said}.kept` : said) : '';
    this.table?.asking.render();
  }

  get match() {
    return this.following.match;
  }

  /**
   * @param {string} kind
   * @param {Told | null} event
   */
  async change(kind, event) {
    const { match } = this;
    if (!this.table || match.status === 'waiting') {
      await this.show();
      return;
    }
    this.table.changed(kind, event);
    this.title();
    // Both have agreed: the next game is shown to its players, and offered to who watches.
    if (match.rematch && match.you && this.fresh) location.hash = `#/online/${match.rematch}`;
    this.fresh ||= !match.rematch;
  }

  title() {
    const { match } = this;
    const mine = match.status === 'playing' && !!match.you && match.to_move === match.you;
    entitled(match, mine);
    heed(match, mine);
  }

  // What fits the game as it stands.
  async show() {
    const { match } = this;
    const free = match.status === 'waiting' && match.creator.id !== identity.get()?.id;
    const kind =
      match.status !== 'waiting' ? 'table' : free && !this.watch ? 'join' : free ? 'watch' : 'wait';
    if (kind === this.shown) return;
    this.shown = kind;
    if (kind === 'table') await this.sitDown();
    else if (kind === 'join') await this.askToJoin();
    else this.body.replaceChildren(kind === 'wait' ? await this.waiting() : this.early());
  }

  async sitDown() {
    this.fresh = !this.match.rematch;
    const table = new OnlineTable(this.following, this.actions);
    await table.open();
    if (this.gone) {
      table.leave();
      return;
    }
    this.table = table;
    table.sent = this.onLine;
    this.actions.entitle('play', this.match.game);
    table.catchUp(null); // what has come meanwhile
    this.body.replaceChildren(table.element);
    this.title();
    this.drawLine();
  }

  // Who opens the link first is in; a rated game is first shown as it is.
  async askToJoin() {
    const { match } = this;
    if (!match.rated) {
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
    this.body.replaceChildren(
      h(
        'form',
        { class: 'page narrow join', onsubmit },
        h('h1', {}, t('online.join.title', { game: nameOf(match.game) })),
        agreed(match),
        match.solved ? h('p', { class: 'warning' }, t('online.solved.rated')) : null,
        h('label', { class: 'entry' }, h('span', {}, t('online.name')), name),
        seatNote(),
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
      await ensured(name);
      this.following.whole(await call(`games/${this.match.id}/join`, {}));
    } catch (error) {
      if (!(error instanceof Refused && error.key === 'seat-taken')) throw error;
      // Somebody else was quicker: one watches.
      this.following.whole(await call(`games/${this.match.id}`));
    }
    line.ask(this.match.id, null); // with the identity that the seat is of
  }

  async waiting() {
    const { match } = this;
    const address = `${await base()}#/online/${match.id}`;
    const notify = notifyItem();
    const cancel = async () => {
      await call(`games/${match.id}/acts`, {
        id: crypto.getRandomValues(new Uint32Array(4)).join('-'),
        version: match.version,
        act: { kind: 'abort' },
      });
      location.hash = `#/friend/${match.game}`;
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
      handOn(t('online.wait.link'), address),
      h('h2', {}, nameOf(match.game)),
      agreed(match),
      seatNote(),
      h(
        'div',
        { class: 'row end' },
        notify ? button(notify[0], notify[1], notify[2], { cls: 'notify' }) : null,
        h('a', { class: 'button', href: `${root}#/mine` }, t('online.mine')),
        button(t('online.wait.cancel'), 'cross', cancel, { cls: 'cancel' }),
      ),
    );
  }

  // Somebody watches before the game begins.
  early() {
    return h(
      'div',
      { class: 'page narrow' },
      h('h1', {}, nameOf(this.match.game)),
      h('p', { role: 'status' }, t('online.wait.watch')),
      agreed(this.match),
    );
  }
}

/**
 * @param {string} id
 * @param {Actions} actions
 * @param {boolean} watch
 */
export async function gamePage(id, actions, watch) {
  const page = new GamePage(await call(`games/${encodeURIComponent(id)}`), actions, watch);
  await page.show();
  return page;
}
