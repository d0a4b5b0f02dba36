// French and English: every sentence comes from the server's one collection of texts.

import { ask } from './api.js';
import { settings } from './store.js';

/** @typedef {Record<string, unknown>} Details What a text names. */

/** @type {Record<string, string>} */
let texts = {};
export let language = 'en';
let plurals = new Intl.PluralRules(language);

/** @param {string} wanted */
export async function speak(wanted) {
  texts = await ask(`texts/${wanted}`);
  language = wanted;
  plurals = new Intl.PluralRules(wanted);
  document.documentElement.lang = wanted;
}

/** @returns {string} */
export function preferred() {
  const kept = settings.get('language');
  if (kept) return kept;
  return navigator.languages.map((l) => l.slice(0, 2)).find((l) => l === 'fr' || l === 'en') ?? 'en';
}

/**
 * A text with its details filled in. Where the number of things matters, which is the detail
 * `count`, there is a text for each plural form of the language: `key.one`, `key.other`.
 *
 * @param {string} key
 * @param {Details} [details]
 */
function said(key, details = {}) {
  const form = typeof details.count === 'number' ? plurals.select(details.count) : null;
  const text = (form && (texts[`${key}.${form}`] ?? texts[`${key}.other`])) ?? texts[key];
  return text?.replace(/\{(\w+)\}/g, (whole, name) => String(details[name] ?? gesture(name) ?? whole));
}

/**
 * What a hand does, by what it holds: `{click}`, or `{Click}` at the beginning of a sentence.
 *
 * @param {string} name
 */
function gesture(name) {
  if (name.toLowerCase() !== 'click') return null;
  const word = texts[matchMedia('(pointer: coarse)').matches ? 'web.word.tap' : 'web.word.click'] ?? name;
  return name === 'Click' ? word[0].toUpperCase() + word.slice(1) : word;
}

// A missing text shows its key, and a test looks for that.
/** @param {string} key */
const missing = (key) => `⟨${key}⟩`;

/**
 * @param {string} key
 * @param {Details} [details]
 */
export const t = (key, details) => said(`web.${key}`, details) ?? missing(key);

/**
 * @param {string} key
 * @param {Details} [details]
 */
export const raw = (key, details) => said(key, details) ?? missing(key);

/**
 * What is said of a game: in its own words where it has some, else in those for all games.
 *
 * @param {string} game
 * @param {string} key
 * @param {Details} [details]
 * @param {string} [fallback] for what a game need not name
 */
export const tg = (game, key, details, fallback) =>
  said(`game.${game}.${key}`, details) ??
  said(`web.${key}`, details) ??
  said(key, details) ?? // shared with the terminal
  fallback ??
  missing(key);

/**
 * @param {string} game
 * @param {string} key
 */
export const hasOwn = (game, key) => `game.${game}.${key}` in texts;

/**
 * The letter of a way to capture, as it is shown: notation has one for all languages.
 *
 * @param {string} game
 * @param {string} by
 */
export const letter = (game, by) => tg(game, `letter.${by}`, {}, by);

/** @param {string} game */
export const nameOf = (game) => tg(game, 'name', {}, game);

/**
 * The endings of the keys of a game that begin so: the values that it has words for.
 *
 * @param {string} game
 * @param {string} key
 */
export function valuesOf(game, key) {
  const begin = `game.${game}.${key}.`;
  return Object.keys(texts)
    .filter((k) => k.startsWith(begin))
    .map((k) => k.slice(begin.length));
}

/** @param {number} value */
export const number = (value) => new Intl.NumberFormat(language).format(value);

/** @param {string[]} words */
export const listed = (words) => new Intl.ListFormat(language === 'en' ? 'en-GB' : language).format(words);

// The date that counts for everyone: in Universal Time.
export const today = () => new Date().toISOString().slice(0, 10);

/** @param {number} time */
export const ago = (time) => {
  const minutes = Math.round((time - Date.now()) / 60000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (minutes > -60) return format.format(minutes, 'minute');
  if (minutes > -60 * 24) return format.format(Math.round(minutes / 60), 'hour');
  return format.format(Math.round(minutes / 60 / 24), 'day');
};
