// Clocks: what is left to each side by the server's time, drawn smoothly. Read aloud only when it
// is asked for, and when time gets short.

import { h } from './dom.js';
import { language, t } from './i18n.js';
import { line } from './online.js';

/** @import { Clock, Pace, Side } from './online.js' */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TENTHS = 10_000; // below which they are shown
const SPOKEN = [60_000, 30_000, 10_000]; // at which it is said what is left

/**
 * How fast is played, in short: 5+3, 3 days.
 *
 * @param {Pace} pace
 */
export function paceText({ kind, minutes = 0, seconds = 0, days = 0 }) {
  if (kind === 'none') return t('online.pace.none');
  if (kind === 'days') return t('online.pace.days', { count: days });
  const shown = new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(minutes);
  return `${shown}+${seconds}`;
}

const locale = () => (language === 'en' ? 'en-GB' : language);

/**
 * When something is due: the day and the time.
 *
 * @param {number} time
 */
export const moment = (time) =>
  new Intl.DateTimeFormat(locale(), {
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
  }).format(time);

/**
 * The time of the day.
 *
 * @param {number} time
 */
export const hour = (time) => new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }).format(time);

/** @param {number} left */
export function leftText(left) {
  const two = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, '0');
  if (left >= DAY) {
    return t('online.clock.days', { days: Math.floor(left / DAY), hours: Math.floor((left % DAY) / HOUR) });
  }
  if (left >= HOUR)
    return `${Math.floor(left / HOUR)}:${two((left % HOUR) / MINUTE)}:${two((left % MINUTE) / 1000)}`;
  if (left >= TENTHS) {
    const whole = Math.ceil(left / 1000); // 0:10 is shown until 9.9 is
    return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
  }
  const tenths = Math.floor(left / 100) / 10;
  const shown = new Intl.NumberFormat(language, { minimumFractionDigits: 1 }).format(tenths);
  return `0:0${shown}`;
}

/**
 * What is left, as it is said.
 *
 * @param {number} left
 */
export function spokenLeft(left) {
  if (left >= DAY) return leftText(left);
  const whole = Math.round(left / 1000);
  const [minutes, seconds] = [Math.floor(whole / 60), whole % 60];
  const said = [];
  if (minutes) said.push(t('online.clock.minutes', { count: minutes }));
  if (seconds || !minutes) said.push(t('online.clock.seconds', { count: seconds }));
  return said.join(' ');
}

export class Clocks {
  /**
   * @param {() => Clock} clock
   * @param {(side: Side, left: number) => void} short called when little is left
   */
  constructor(clock, short) {
    this.clock = clock;
    this.short = short;
    this.faces = {
      w: h('time', { class: 'clock', role: 'timer', 'aria-live': 'off' }),
      b: h('time', { class: 'clock', role: 'timer', 'aria-live': 'off' }),
    };
    /** @type {Record<Side, number>} */
    this.before = { w: Infinity, b: Infinity };
    this.timer = 0;
  }

  /** @param {Side} side */
  left(side) {
    const { running, at, [side]: left } = this.clock();
    if (left === null) return null;
    return running === side ? Math.max(0, left - Math.max(0, line.now() - at)) : left;
  }

  leave() {
    clearTimeout(this.timer);
  }

  // Draw both, and again when the next figure is due.
  tick() {
    clearTimeout(this.timer);
    const { running } = this.clock();
    this.draw('w');
    this.draw('b');
    const left = running && this.left(running);
    if (running === null || left === null || left === 0) return;
    const step = left > DAY ? MINUTE : left > TENTHS + 1000 ? 1000 : 100;
    this.timer = setTimeout(() => this.tick(), Math.max(20, left % step || step));
  }

  /** @param {Side} side */
  draw(side) {
    const face = this.faces[side];
    const left = this.left(side);
    face.hidden = left === null;
    if (left === null) return;
    const { running, kind, minutes = 0 } = this.clock();
    const text = leftText(left);
    if (face.textContent !== text) face.textContent = text;
    const few = kind === 'days' ? 6 * HOUR : Math.min(30_000, Math.max(10_000, (minutes * MINUTE) / 8));
    face.classList.toggle('running', running === side);
    face.classList.toggle('low', left < few);
    const crossed = SPOKEN.find((mark) => left <= mark && this.before[side] > mark);
    if (crossed && running === side && this.before[side] !== Infinity) this.short(side, left);
    this.before[side] = left;
  }
}
