// Translations: the texts of the current language, loaded from the server.

import { request } from './api.js';
import { settings } from './storage.js';

/** @typedef {Record<string, unknown>} Details The values of a text's placeholders. */

/** @type {Record<string, string>} */
let texts = {};
export let language = 'en';
let plurals = new Intl.PluralRules(language);

/**
 * Load the texts of a language and make it the current one.
 *
 * @param {string} wanted
 */
export async function setLanguage(wanted) {
  texts = await request(`texts/${wanted}`);
  language = wanted;
  plurals = new Intl.PluralRules(wanted);
  document.documentElement.lang = wanted;
}

/**
 * Return the saved language, or the browser's if there is a translation.
 *
 * @returns {string}
 */
export function preferredLanguage() {
  const saved = settings.get('language');
  if (saved) return saved;
  return navigator.languages.map((l) => l.slice(0, 2)).find((l) => l === 'fr' || l === 'en') ?? 'en';
}

/**
 * Return a text with its placeholders filled in, or undefined. With the placeholder `count`, the
 * text of the plural form is used: `key.one`, `key.other`.
 *
 * @param {string} key
 * @param {Details} [details]
 */
function formatText(key, details = {}) {
  const form = typeof details.count === 'number' ? plurals.select(details.count) : null;
  const text = (form && (texts[`${key}.${form}`] ?? texts[`${key}.other`])) ?? texts[key];
  return text?.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = details[name] ?? pointerVerb(name);
    if (value === null || value === undefined || Number.isNaN(value))
      console.warn(`no ${name} for the text ${key}`);
    return isolated(String(value ?? whole));
  });
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Isolate a name that is written from right to left, so that it does not reorder the text around it.
 *
 * @param {string} text
 */
export const isolated = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

let usesKeyboard = false; // whether the last input was a key
addEventListener('keydown', () => (usesKeyboard = true), true);
addEventListener('pointerdown', () => (usesKeyboard = false), true);

/**
 * Return "click", "tap" or, after a key, "press" for the placeholders `{click}` and `{Click}`.
 *
 * @param {string} name
 */
function pointerVerb(name) {
  if (name.toLowerCase() !== 'click') return null;
  const pointer = matchMedia('(pointer: coarse)').matches ? 'tap' : 'click';
  const word = texts[`web.word.${usesKeyboard ? 'press' : pointer}`] ?? name;
  return name === 'Click' ? word[0].toUpperCase() + word.slice(1) : word;
}

/**
 * Return what is shown in place of a missing text: its key. The warning fails every browser test.
 *
 * @param {string} key
 */
function missingText(key) {
  console.warn(`missing text: ${key}`);
  return `⟨${key}⟩`;
}

/**
 * Return a text of the page.
 *
 * @param {string} key
 * @param {Details} [details]
 */
export const t = (key, details) => formatText(`web.${key}`, details) ?? missingText(key);

/**
 * Return a text by its full key.
 *
 * @param {string} key
 * @param {Details} [details]
 */
export const rawText = (key, details) => formatText(key, details) ?? missingText(key);

/**
 * Return a text about a game: the game's own, else the one for all games.
 *
 * @param {string} game
 * @param {string} key
 * @param {Details} [details]
 * @param {string} [fallback] used if there is no text
 */
export const tg = (game, key, details, fallback) =>
  formatText(`game.${game}.${key}`, details) ??
  formatText(`web.${key}`, details) ??
  formatText(key, details) ?? // shared with the terminal
  fallback ??
  missingText(key);

/**
 * Tell whether a game has a text of its own.
 *
 * @param {string} game
 * @param {string} key
 */
export const hasGameText = (game, key) => `game.${game}.${key}` in texts;

/**
 * Return the letter of a capture method in the current language; notation uses `by`.
 *
 * @param {string} game
 * @param {string} by
 */
export const captureLetter = (game, by) => tg(game, `letter.${by}`, {}, by);

/**
 * Return the name of a game.
 *
 * @param {string} game
 */
export const gameName = (game) => tg(game, 'name', {}, game);

/**
 * Return the values for which a game has texts: the endings of keys that begin with `key`.
 *
 * @param {string} game
 * @param {string} key
 */
export function valuesWithText(game, key) {
  const begin = `game.${game}.${key}.`;
  return Object.keys(texts)
    .filter((k) => k.startsWith(begin))
    .map((k) => k.slice(begin.length));
}

/**
 * Return a number in the format of the language.
 *
 * @param {number} value
 */
export const formatNumber = (value) => new Intl.NumberFormat(language).format(value);

/**
 * Return a list of words in the format of the language.
 *
 * @param {string[]} words
 */
export const formatList = (words) => new Intl.ListFormat(locale()).format(words);

// Return the date in UTC, the same for all players.
export const todayUtc = () => new Date().toISOString().slice(0, 10);

// The locale of dates and lists: British English has the order of day and month that the French have.
export const locale = () => (language === 'en' ? 'en-GB' : language);

const DAY_MS = 86_400_000;
const RELATIVE_DAYS = 7; // days from today within which a day is named relative to it

/**
 * Return the number of calendar days from today to a time.
 *
 * @param {number} time
 */
function daysFromToday(time) {
  const midnight = (/** @type {number} */ of) => new Date(of).setHours(0, 0, 0, 0);
  return Math.round((midnight(time) - midnight(Date.now())) / DAY_MS);
}

/**
 * Return a date: day and month, and the year if it is another one.
 *
 * @param {number} time
 */
export function formatDate(time) {
  const isThisYear = new Date(time).getFullYear() === new Date().getFullYear();
  /** @type {Intl.DateTimeFormatOptions} */
  const parts = { day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) };
  const text = new Intl.DateTimeFormat(locale(), parts).format(time);
  return language === 'fr' ? text.replace(/^1 /, '1er ') : text;
}

/**
 * Return a day in words: "yesterday", "3 days ago" or, further away, the date.
 *
 * @param {number} time
 */
export function formatDay(time) {
  const days = daysFromToday(time);
  if (Math.abs(days) >= RELATIVE_DAYS) return formatDate(time);
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(days, 'day');
}

/**
 * Return how long ago a time was, in words: minutes or hours today, else the day.
 *
 * @param {number} time
 */
export function formatAge(time) {
  const minutes = Math.round((time - Date.now()) / 60_000);
  if (!minutes) return t('time.now');
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  if (minutes > -60) return format.format(minutes, 'minute');
  return daysFromToday(time) ? formatDay(time) : format.format(Math.round(minutes / 60), 'hour');
}
