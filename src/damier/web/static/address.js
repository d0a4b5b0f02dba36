// The address describes what is shown: #/play/GAME?option=value&from=…&turns=b2_d4&at=1

/** @import { Players, Tale } from './tale.js' */

/**
 * @typedef {object} Place What an address says.
 * @property {string} page
 * @property {string} game
 * @property {string} item one thing of this game: a puzzle, a step of its lessons
 * @property {Record<string, string>} options
 * @property {string | null} start
 * @property {string[]} turns
 * @property {number | null} at
 * @property {Players} players
 * @property {'play' | 'study'} mode
 * @property {'w' | 'b' | null} resigned
 * @property {boolean} swapped of two people the second has White
 */

// Where the page lies: it works below any path.
export const root = new URL(document.documentElement.dataset.root ?? './', document.baseURI).pathname;

const OWN = new Set(['from', 'turns', 'at', 'w', 'b', 'mode', 'resigned', 'swapped']);

// Readable where the characters are harmless in a fragment.
/** @param {string} text */
const encode = (text) =>
  encodeURIComponent(text)
    .replace(/%(2C|3D|2B|40|2F|3A)/g, (code) => decodeURIComponent(code))
    .replace(/%20/g, '~');

/** @param {string} text */
const decode = (text) => decodeURIComponent(text.replace(/~/g, ' '));

/**
 * @param {string} hash
 * @returns {Place}
 */
export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [page = '', game = '', item = ''] = path.split('/').map(decode);
  /** @type {Record<string, string>} */
  const values = {};
  for (const part of query.split('&').filter(Boolean)) {
    const cut = part.indexOf('=');
    values[decode(cut < 0 ? part : part.slice(0, cut))] = cut < 0 ? '' : decode(part.slice(cut + 1));
  }
  const { resigned } = values;
  return {
    page: page || 'home',
    game,
    item,
    options: Object.fromEntries(Object.entries(values).filter(([k]) => !OWN.has(k))),
    start: values.from ?? null,
    turns: values.turns ? values.turns.split('_') : [],
    at: values.at === undefined ? null : Number(values.at),
    players: { w: values.w ?? 'human', b: values.b ?? 'human' },
    mode: values.mode === 'study' ? 'study' : 'play',
    resigned: resigned === 'w' || resigned === 'b' ? resigned : null,
    swapped: values.swapped === 'yes',
  };
}

/**
 * @param {string} page
 * @param {string} game
 * @param {[string, string][]} parts
 */
export function link(page, game, parts) {
  const query = parts.map(([k, v]) => `${encode(k)}=${encode(v)}`).join('&');
  return `#/${page}/${game}${query ? `?${query}` : ''}`;
}

/** @param {Tale} tale */
export function describe(tale) {
  const turns = tale.tip.path;
  const parts = Object.entries(tale.options);
  if (tale.start) parts.push(['from', tale.start]);
  if (turns.length) parts.push(['turns', turns.join('_')]);
  if (tale.at.ply !== turns.length) parts.push(['at', String(tale.at.ply)]);
  if (tale.mode === 'study') parts.push(['mode', 'study']);
  else {
    if (tale.resigned) parts.push(['resigned', tale.resigned]);
    for (const [side, player] of Object.entries(tale.players)) {
      if (player !== 'human') parts.push([side, player]);
    }
    if (tale.swapped) parts.push(['swapped', 'yes']);
  }
  return link('play', tale.game, parts);
}
