// Page addresses: parsing and building fragments such as #/play/GAME?option=value&from=…&turns=b2_d4&at=1

/** @import { Players, GameTree } from './game-tree.js' */

/**
 * @typedef {object} Address A parsed address.
 * @property {string} page
 * @property {string} game
 * @property {string} item a puzzle or lesson step of this game
 * @property {Record<string, string>} options
 * @property {string | null} start
 * @property {string[]} turns
 * @property {number | null} at
 * @property {Players} players
 * @property {'play' | 'study'} mode
 * @property {'w' | 'b' | null} resigned
 * @property {boolean} swapped whether the second of two people has White
 * @property {string} id of a game by message
 * @property {string} by the side of the friend who sends it
 */

// The path of the page: it may be served below any path.
export const root = new URL(document.documentElement.dataset.root ?? './', document.baseURI).pathname;

const RESERVED_KEYS = new Set(['from', 'turns', 'at', 'w', 'b', 'mode', 'resigned', 'swapped', 'id', 'by']);

// Encode a part of a fragment; characters that are safe in a fragment stay readable.
/** @param {string} text */
const encode = (text) =>
  encodeURIComponent(text)
    .replace(/%(2C|3D|2B|40|2F|3A)/g, (code) => decodeURIComponent(code))
    .replace(/%20/g, '~');

/** @param {string} text */
const decode = (text) => decodeURIComponent(text.replace(/~/g, ' '));

/**
 * @param {string} hash
 * @returns {Address}
 */
export function parseAddress(hash) {
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
    options: Object.fromEntries(Object.entries(values).filter(([k]) => !RESERVED_KEYS.has(k))),
    start: values.from ?? null,
    turns: values.turns ? values.turns.split('_') : [],
    at: values.at === undefined ? null : Number(values.at),
    players: { w: values.w ?? 'human', b: values.b ?? 'human' },
    mode: values.mode === 'study' ? 'study' : 'play',
    resigned: resigned === 'w' || resigned === 'b' ? resigned : null,
    swapped: values.swapped === 'yes',
    id: values.id ?? '',
    by: values.by ?? '',
  };
}

/**
 * The game that a fragment names, or '' if the fragment cannot be decoded.
 * @param {string} hash
 */
export function gameOf(hash) {
  try {
    return parseAddress(hash).game;
  } catch {
    return '';
  }
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

// A link that cannot be opened: or only up to the move `details.ply`, or in place of which the stored game
// `details.stored` can be opened.
export class BadLink extends Error {
  /**
   * @param {string} message
   * @param {{ ply?: number, stored?: string }} [details]
   */
  constructor(message, details = {}) {
    super(message);
    this.details = details;
  }
}

/** @param {GameTree} tree */
export function addressOf(tree) {
  const turns = tree.tip.path;
  const parts = Object.entries(tree.options);
  const { friendSide } = tree;
  if (friendSide) parts.push(['id', tree.id], ['by', friendSide === 'w' ? 'b' : 'w']);
  if (tree.start) parts.push(['from', tree.start]);
  if (turns.length) parts.push(['turns', turns.join('_')]);
  if (friendSide) {
    if (tree.resigned) parts.push(['resigned', tree.resigned]);
    return link('message', tree.game, parts);
  }
  if (tree.current.ply !== turns.length) parts.push(['at', String(tree.current.ply)]);
  if (tree.mode === 'study') parts.push(['mode', 'study']);
  else {
    if (tree.resigned) parts.push(['resigned', tree.resigned]);
    for (const [side, player] of Object.entries(tree.players)) {
      if (player !== 'human') parts.push([side, player]);
    }
    if (tree.swapped) parts.push(['swapped', 'yes']);
  }
  return link('play', tree.game, parts);
}
