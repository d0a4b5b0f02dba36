// Form for a new online game: rules, colour, time control, rated or casual, private or open. The page around
// it chooses the game.

import { request } from '../core/api.js';
import { h, icon, inputValue } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { settings } from '../core/storage.js';
import { radioButton, radioGroup, replaceKeepingFocus, ruleOptions } from '../play/new-game.js';
import { timeControlText } from './clocks.js';
import { requestOnline } from './connection.js';
import { ensureIdentity, identityNote, nameField } from './identity.js';

/** @import { Address } from '../core/address.js' */

/**
 * @typedef {object} OnlineGameChoice
 * @property {string} game
 * @property {Online.Side | 'lot'} colour
 * @property {'none' | 'live' | 'days'} kind
 * @property {number} minutes
 * @property {number} seconds
 * @property {number} days
 * @property {boolean} rated
 * @property {boolean} open
 */

/** @type {[number, number][]} */
const LIVE_TIME_CONTROLS = [
  [1, 1],
  [3, 2],
  [5, 3],
  [10, 5],
  [15, 10],
  [30, 20],
];
const DAYS = [1, 2, 3, 5, 7, 14];
const MINUTES = [0.5, 1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 45, 60, 90, 120, 180];
const SECONDS = [0, 1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180];

/** @type {OnlineGameChoice} */
const DEFAULTS = {
  game: '',
  colour: 'lot',
  kind: 'live',
  minutes: 5,
  seconds: 3,
  days: 3,
  rated: false,
  open: false,
};

/**
 * Return the chosen time control.
 *
 * @param {OnlineGameChoice} chosen
 * @returns {Online.GameSetup['clock']}
 */
function timeControlOf({ kind, minutes, seconds, days }) {
  if (kind === 'live') return { kind, minutes, seconds };
  return kind === 'days' ? { kind, days } : { kind };
}

/** Form for a new online game. */
export class OnlineGameForm {
  /**
   * @param {Api.GameDescription[]} games
   * @param {Address} route
   */
  constructor(games, route) {
    this.games = games;
    /** @type {OnlineGameChoice} */
    this.chosen = { ...DEFAULTS, ...settings.get('online.new', {}) };
    if (route.options.open) this.chosen.open = route.options.open === 'yes';
    const chosenGame = games.find(({ name }) => name === route.game) ?? games[0];
    this.chosen.game = chosenGame.name;
    this.start = route.game === chosenGame.name ? route.start : null;
    const knownOptions = Object.entries(route.options).filter(([name]) =>
      chosenGame.options.some((o) => o.name === name),
    );
    /** @type {Record<string, string>} */
    this.options = Object.fromEntries(knownOptions);
    this.solved = false; // whether tables with perfect play exist
    this.name = nameField();
    this.body = h('div', { class: 'choices' });
    this.errorText = h('p', { class: 'message', role: 'alert' });
    this.rulesSection = this.newRulesSection();
    this.element = h(
      'form',
      { class: 'page narrow new-online', onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      h('h2', {}, t('friend.online')),
      this.body,
      h('label', { class: 'entry' }, h('span', {}, t('online.name')), this.name),
      identityNote(),
      this.errorText,
      h(
        'div',
        { class: 'row end' },
        h(
          'button',
          { type: 'submit', class: 'main create' },
          icon('link'),
          h('span', {}, t('online.new.create')),
        ),
      ),
    );
    this.loadSolved();
  }

  get rules() {
    return this.games.find(({ name }) => name === this.chosen.game) ?? this.games[0];
  }

  newRulesSection() {
    return ruleOptions(this.rules, this.options, () => this.body.firstChild && this.draw());
  }

  get hasDefaultRules() {
    return !this.start && !Object.keys(this.options).length;
  }

  get canBeRated() {
    return this.hasDefaultRules && this.chosen.kind !== 'none';
  }

  /**
   * Choose another game; its options have their defaults.
   *
   * @param {string} name
   */
  setGame(name) {
    this.chosen.game = name;
    this.start = null;
    for (const key of Object.keys(this.options)) delete this.options[key];
    this.rulesSection = this.newRulesSection();
    this.loadSolved();
  }

  // Find out whether the game is solved; then a rated game needs both players' consent.
  async loadSolved() {
    const { game } = this.chosen;
    this.draw();
    const { worth } = await request(`rules/${game}`);
    if (game !== this.chosen.game) return;
    this.solved = !!worth;
    this.draw();
  }

  draw() {
    const { chosen } = this;
    const set = (/** @type {Partial<OnlineGameChoice>} */ now) => () => {
      Object.assign(chosen, now);
      this.draw();
    };
    const colours = /** @type {const} */ (['lot', 'w', 'b']).map((colour) => {
      const label = colour === 'lot' ? t('online.new.colour.lot') : t(`side.${colour}`);
      return radioButton('colour', label, chosen.colour === colour, set({ colour }));
    });
    const kinds = /** @type {const} */ (['live', 'days', 'none']).map((kind) =>
      radioButton('kind', t(`online.new.kind.${kind}`), chosen.kind === kind, set({ kind })),
    );
    const audience = [false, true].map((open) =>
      radioButton(
        'open',
        t(open ? 'online.new.open' : 'online.new.link'),
        chosen.open === open,
        set({ open }),
      ),
    );
    replaceKeepingFocus(this.body, [
      this.start ? h('p', { class: 'faint' }, t('new.from-here')) : this.rulesSection,
      radioGroup(t('new.colour'), colours),
      radioGroup(t('online.new.clock'), kinds),
      ...this.timePicks(set),
      ...this.ratedPicks(set),
      radioGroup(t('online.new.against'), audience),
    ]);
  }

  /** @param {(now: Partial<OnlineGameChoice>) => () => void} set */
  timePicks(set) {
    const { chosen } = this;
    if (chosen.kind === 'none') return [];
    if (chosen.kind === 'days') {
      const days = DAYS.map((count) =>
        radioButton(
          'days',
          timeControlText({ kind: 'days', days: count }),
          chosen.days === count,
          set({ days: count }),
        ),
      );
      return [radioGroup(t('online.new.days'), days)];
    }
    const liveTimes = LIVE_TIME_CONTROLS.map(([minutes, seconds]) => {
      const same = chosen.minutes === minutes && chosen.seconds === seconds;
      return radioButton('live', `${minutes}+${seconds}`, same, set({ minutes, seconds }));
    });
    return [
      radioGroup(t('online.new.live'), liveTimes),
      h(
        'div',
        { class: 'custom-time' },
        this.select('minutes', MINUTES, chosen.minutes, (minutes) => set({ minutes })()),
        this.select('seconds', SECONDS, chosen.seconds, (seconds) => set({ seconds })()),
      ),
    ];
  }

  /**
   * @param {'minutes' | 'seconds'} name
   * @param {number[]} values
   * @param {number} value
   * @param {(value: number) => void} set
   */
  select(name, values, value, set) {
    const onchange = (/** @type {Event} */ event) => set(Number(inputValue(event)));
    const options = values.map((v) => h('option', { value: String(v), selected: v === value }, String(v)));
    return h('label', {}, h('span', {}, t(`online.new.${name}`)), h('select', { name, onchange }, options));
  }

  /** @param {(now: Partial<OnlineGameChoice>) => () => void} set */
  ratedPicks(set) {
    const { chosen } = this;
    const why = !this.hasDefaultRules
      ? 'rules'
      : chosen.kind === 'none'
        ? 'clock'
        : this.solved
          ? 'solved'
          : '';
    if (!this.canBeRated) return [h('p', { class: 'faint casual-reason' }, t(`online.casual.${why}`))];
    const list = [false, true].map((rated) =>
      radioButton(
        'rated',
        t(rated ? 'online.rated' : 'online.casual'),
        chosen.rated === rated,
        set({ rated }),
      ),
    );
    const part = radioGroup(t('online.new.rated'), list);
    if (this.solved) part.append(h('p', { class: 'faint casual-reason' }, t('online.casual.solved')));
    return [part];
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    const name = this.name.value.trim();
    if (!name) return;
    const { chosen, options, start } = this;
    const { game, colour, open } = chosen;
    settings.set('online.new', chosen);
    settings.set('named', true);
    this.errorText.textContent = '';
    try {
      await ensureIdentity(name);
      const rated = chosen.rated && this.canBeRated;
      const terms = { game, options, start, colour, clock: timeControlOf(chosen), rated, open };
      const { id } = await requestOnline('games', terms);
      location.hash = `#/online/${id}`;
    } catch (error) {
      if (error instanceof Error) this.errorText.textContent = error.message;
    }
  }
}
