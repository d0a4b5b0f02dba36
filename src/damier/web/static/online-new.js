// A new game with somebody far away: which, by which rules, how fast, for how much; then a link.

import { ask, gameList } from './api.js';
import { h, icon, typedIn } from './dom.js';
import { nameOf, t } from './i18n.js';
import { pick, picks, refill, rulesPart } from './newgame.js';
import { call } from './online.js';
import { paceText } from './online-clock.js';
import { ensured, nameField, seatNote } from './online-identity.js';
import { settings } from './store.js';

/** @import { Place } from './address.js' */
/** @import { Pace, Side } from './online.js' */

/**
 * @typedef {object} Chosen
 * @property {string} game
 * @property {Side | 'lot'} colour
 * @property {'none' | 'live' | 'days'} kind
 * @property {number} minutes
 * @property {number} seconds
 * @property {number} days
 * @property {boolean} rated
 * @property {boolean} open
 */

/** @type {[number, number][]} */
const LIVE = [
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

/** @type {Chosen} */
const USUAL = {
  game: '',
  colour: 'lot',
  kind: 'live',
  minutes: 5,
  seconds: 3,
  days: 3,
  rated: false,
  open: false,
};

/** @param {Chosen} chosen @returns {Pace} */
function paceOf({ kind, minutes, seconds, days }) {
  if (kind === 'live') return { kind, minutes, seconds };
  return kind === 'days' ? { kind, days } : { kind };
}

class NewGame {
  /**
   * @param {Api.GameOut[]} games
   * @param {Place} found
   */
  constructor(games, found) {
    this.games = games;
    /** @type {Chosen} */
    this.chosen = { ...USUAL, ...settings.get('online.new', {}) };
    if (found.options.open) this.chosen.open = found.options.open === 'yes';
    const named = games.find(({ name }) => name === (found.game || this.chosen.game)) ?? games[0];
    this.chosen.game = named.name;
    this.start = found.game === named.name ? found.start : null;
    const known = Object.entries(found.options).filter(([name]) =>
      named.options.some((o) => o.name === name),
    );
    /** @type {Record<string, string>} */
    this.options = Object.fromEntries(known);
    this.solved = false; // perfect play is in the tables
    this.name = nameField();
    this.body = h('div', { class: 'choices' });
    this.said = h('p', { class: 'why', role: 'alert' });
    this.ruled = this.newRules();
    this.element = h(
      'form',
      { class: 'page narrow new-online', onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      h('h1', {}, t('online.friend')),
      this.body,
      h('label', { class: 'entry' }, h('span', {}, t('online.name')), this.name),
      seatNote(),
      this.said,
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
    this.look();
  }

  get rules() {
    return this.games.find(({ name }) => name === this.chosen.game) ?? this.games[0];
  }

  newRules() {
    return rulesPart(this.rules, this.options, () => this.body.firstChild && this.draw());
  }

  get usual() {
    return !this.start && !Object.keys(this.options).length;
  }

  get canBeRated() {
    return this.usual && this.chosen.kind !== 'none';
  }

  // Whether perfect play of the game is known, and so whether it is rated unless both choose so.
  async look() {
    const { game } = this.chosen;
    this.draw();
    const { worth } = await ask(`rules/${game}`);
    if (game !== this.chosen.game) return;
    this.solved = !!worth;
    this.draw();
  }

  draw() {
    const { chosen } = this;
    const set = (/** @type {Partial<Chosen>} */ now) => () => {
      Object.assign(chosen, now);
      this.draw();
    };
    const games = this.games.map(({ name }) =>
      pick('game', nameOf(name), chosen.game === name, () => {
        chosen.game = name;
        this.start = null;
        for (const key of Object.keys(this.options)) delete this.options[key];
        this.ruled = this.newRules();
        this.look();
      }),
    );
    const colours = /** @type {const} */ (['lot', 'w', 'b']).map((colour) => {
      const label = colour === 'lot' ? t('online.new.colour.lot') : t(`side.${colour}`);
      return pick('colour', label, chosen.colour === colour, set({ colour }));
    });
    const kinds = /** @type {const} */ (['live', 'days', 'none']).map((kind) =>
      pick('kind', t(`online.new.kind.${kind}`), chosen.kind === kind, set({ kind })),
    );
    const who = [false, true].map((open) =>
      pick('open', t(open ? 'online.new.open' : 'online.new.link'), chosen.open === open, set({ open })),
    );
    refill(this.body, [
      picks(t('frame.games'), games),
      this.start ? h('p', { class: 'faint' }, t('new.from-here')) : this.ruled,
      picks(t('new.colour'), colours),
      picks(t('online.new.clock'), kinds),
      ...this.times(set),
      ...this.rating(set),
      picks(t('online.new.against'), who),
    ]);
  }

  /** @param {(now: Partial<Chosen>) => () => void} set */
  times(set) {
    const { chosen } = this;
    if (chosen.kind === 'none') return [];
    if (chosen.kind === 'days') {
      const days = DAYS.map((count) =>
        pick('days', paceText({ kind: 'days', days: count }), chosen.days === count, set({ days: count })),
      );
      return [picks(t('online.new.days'), days)];
    }
    const lives = LIVE.map(([minutes, seconds]) => {
      const same = chosen.minutes === minutes && chosen.seconds === seconds;
      return pick('live', `${minutes}+${seconds}`, same, set({ minutes, seconds }));
    });
    return [
      picks(t('online.new.live'), lives),
      h(
        'div',
        { class: 'own-time' },
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
    const onchange = (/** @type {Event} */ event) => set(Number(typedIn(event)));
    const options = values.map((v) => h('option', { value: String(v), selected: v === value }, String(v)));
    return h('label', {}, h('span', {}, t(`online.new.${name}`)), h('select', { name, onchange }, options));
  }

  /** @param {(now: Partial<Chosen>) => () => void} set */
  rating(set) {
    const { chosen } = this;
    const why = !this.usual ? 'rules' : chosen.kind === 'none' ? 'clock' : this.solved ? 'solved' : '';
    if (!this.canBeRated) return [h('p', { class: 'faint why-casual' }, t(`online.casual.${why}`))];
    const list = [false, true].map((rated) =>
      pick('rated', t(rated ? 'online.rated' : 'online.casual'), chosen.rated === rated, set({ rated })),
    );
    const part = picks(t('online.new.rated'), list);
    if (this.solved) part.append(h('p', { class: 'faint why-casual' }, t('online.casual.solved')));
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
    this.said.textContent = '';
    try {
      await ensured(name);
      const rated = chosen.rated && this.canBeRated;
      const terms = { game, options, start, colour, clock: paceOf(chosen), rated, open };
      const { id } = await call('games', terms);
      location.hash = `#/online/${id}`;
    } catch (error) {
      if (error instanceof Error) this.said.textContent = error.message;
    }
  }
}

/** @param {Place} found */
export async function newPage(found) {
  const { games } = await gameList();
  return new NewGame(games, found).element;
}
