// French and English: every sentence comes from the server's one collection of texts.

import { ask } from './api.js';
import { settings } from './store.js';

let texts = {};
export let language = 'en';

export async function speak(wanted) {
  texts = await ask(`texts/${wanted}`);
  language = wanted;
  document.documentElement.lang = wanted;
}

export function preferred() {
  const kept = settings.get('language');
  if (kept) return kept;
  const found = (navigator.languages ?? []).map((l) => l.slice(0, 2)).find((l) => l === 'fr' || l === 'en');
  return found ?? 'en';
}

const filled = (text, details) => text.replace(/\{(\w+)\}/g, (whole, name) => details?.[name] ?? whole);

export const has = (key) => `web.${key}` in texts;

// A missing text shows its key, and a test looks for that.
export const t = (key, details) => filled(texts[`web.${key}`] ?? `⟨${key}⟩`, details);

export const raw = (key, details) => filled(texts[key] ?? `⟨${key}⟩`, details);

export const number = (value) => new Intl.NumberFormat(language).format(value);

export const ago = (time) => {
  const minutes = Math.round((time - Date.now()) / 60000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (minutes > -60) return format.format(minutes, 'minute');
  if (minutes > -60 * 24) return format.format(Math.round(minutes / 60), 'hour');
  return format.format(Math.round(minutes / 60 / 24), 'day');
};
