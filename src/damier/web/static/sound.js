// Small sounds, made here; off until switched on.

import { settings } from './store.js';

/** @type {Record<string, [pitch: number, length: number][]>} */
const NOTES = {
  step: [[320, 0.05]],
  take: [
    [240, 0.06],
    [160, 0.08],
  ],
  no: [[110, 0.09]],
  end: [
    [392, 0.14],
    [494, 0.14],
    [587, 0.3],
  ],
};
/** @type {AudioContext | null} */
let context = null;

/** @param {string} name */
export function sound(name) {
  if (!settings.get('sound', false)) return;
  context ??= new AudioContext();
  let at = context.currentTime;
  for (const [pitch, length] of NOTES[name]) {
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.type = 'triangle';
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0.18, at);
    gain.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
    at += length * 0.8;
  }
}
