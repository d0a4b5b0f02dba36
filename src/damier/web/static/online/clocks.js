// Game clocks: the time left to each side by the server's clock. Screen readers hear it on request and
// when time runs low.

import { h } from '../core/dom.js';
import { language, locale, t } from '../core/i18n.js';
import { connection } from './connection.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SHOW_TENTHS_BELOW_MS = 10_000;
const ANNOUNCE_AT_MS = [60_000, 30_000, 10_000]; // time left at which it is announced

/**
 * @typedef {object} TimeControl A time control, or a clock with one.
 * @property {'none' | 'live' | 'days'} kind
 * @property {number | null} [minutes]
 * @property {number | null} [seconds]
 * @property {number | null} [days]
 */

/**
 * Return a time control as short text: `5+3`, `3 days`.
 *
 * @param {TimeControl} timeControl
 */
export function timeControlText({ kind, minutes, seconds, days }) {
  if (kind === 'none') return t('online.pace.none');
  if (kind === 'days') return t('online.pace.days', { count: days ?? 0 });
  const formatted = new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(minutes ?? 0);
  return `${formatted}+${seconds ?? 0}`;
}

/**
 * Return a deadline as weekday and time.
 *
 * @param {number} time
 */
export const deadlineText = (time) =>
  new Intl.DateTimeFormat(locale(), {
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
  }).format(time);

/**
 * Return a time of day.
 *
 * @param {number} time
 */
export const timeOfDay = (time) => new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }).format(time);

/**
 * Return the time left as shown on a clock.
 *
 * @param {number} left
 */
export function timeLeftText(left) {
  const pad = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, '0');
  if (left >= DAY_MS) {
    return t('online.clock.days', {
      days: Math.floor(left / DAY_MS),
      hours: Math.floor((left % DAY_MS) / HOUR_MS),
    });
  }
  if (left >= HOUR_MS)
    return [
      Math.floor(left / HOUR_MS),
      pad((left % HOUR_MS) / MINUTE_MS),
      pad((left % MINUTE_MS) / 1000),
    ].join(':');
  if (left >= SHOW_TENTHS_BELOW_MS) {
    const whole = Math.ceil(left / 1000); // rounded up, so that 0:10 is followed by 0:09.9
    return `${Math.floor(whole / 60)}:${pad(whole % 60)}`;
  }
  const tenths = Math.floor(left / 100) / 10;
  const formatted = new Intl.NumberFormat(language, { minimumFractionDigits: 1 }).format(tenths);
  return `0:0${formatted}`;
}

/**
 * Return the screen-reader text of the time left.
 *
 * @param {number} left
 */
export function spokenTimeLeft(left) {
  if (left >= DAY_MS) return timeLeftText(left);
  const whole = Math.round(left / 1000);
  const [minutes, seconds] = [Math.floor(whole / 60), whole % 60];
  const parts = [];
  if (minutes) parts.push(t('online.clock.minutes', { count: minutes }));
  if (seconds || !minutes) parts.push(t('online.clock.seconds', { count: seconds }));
  return parts.join(' ');
}

/** Clocks of both players. */
export class Clocks {
  /**
   * @param {() => Online.ClockState} clock
   * @param {(side: Online.Side, left: number) => void} onLowTime called when time runs low
   */
  constructor(clock, onLowTime) {
    this.clock = clock;
    this.onLowTime = onLowTime;
    this.elements = {
      w: h('time', { class: 'clock', role: 'timer', 'aria-live': 'off' }),
      b: h('time', { class: 'clock', role: 'timer', 'aria-live': 'off' }),
    };
    /** @type {Record<Online.Side, number>} */
    this.previous = { w: Infinity, b: Infinity };
    this.timer = 0;
  }

  /** @param {Online.Side} side */
  timeLeft(side) {
    const { running, at, [side]: left } = this.clock();
    if (left === null) return null;
    return running === side ? Math.max(0, left - Math.max(0, connection.serverTime() - at)) : left;
  }

  leave() {
    clearTimeout(this.timer);
  }

  // Draw both clocks, and schedule the next drawing for when a digit changes.
  tick() {
    clearTimeout(this.timer);
    const { running } = this.clock();
    this.draw('w');
    this.draw('b');
    const left = running && this.timeLeft(running);
    if (running === null || left === null || left === 0) return;
    const step = left > DAY_MS ? MINUTE_MS : left > SHOW_TENTHS_BELOW_MS + 1000 ? 1000 : 100;
    this.timer = setTimeout(() => this.tick(), Math.max(20, left % step || step));
  }

  /** @param {Online.Side} side */
  draw(side) {
    const element = this.elements[side];
    const left = this.timeLeft(side);
    element.hidden = left === null;
    if (left === null) return;
    const { running, kind, minutes } = this.clock();
    const text = timeLeftText(left);
    if (element.textContent !== text) element.textContent = text;
    const lowLimit =
      kind === 'days' ? 6 * HOUR_MS : Math.min(30_000, Math.max(10_000, ((minutes ?? 0) * MINUTE_MS) / 8));
    element.classList.toggle('running', running === side);
    element.classList.toggle('low', left < lowLimit);
    const threshold = ANNOUNCE_AT_MS.find((limit) => left <= limit && this.previous[side] > limit);
    if (threshold && running === side && this.previous[side] !== Infinity) this.onLowTime(side, left);
    this.previous[side] = left;
  }
}
