// Synthesized sounds of wood on wood; off by default.

import { settings } from './storage.js';

/**
 * @typedef {object} Knock
 * @property {number} at seconds after the first knock
 * @property {number} pitch of the wood, in hertz
 * @property {number} bright centre frequency of the noise, in hertz
 * @property {number} loud from 0 to 1
 * @property {number} [ring] duration in seconds
 */

/** @type {Record<string, Knock[]>} */
const SOUNDS = {
  place: [{ at: 0, pitch: 190, bright: 1500, loud: 0.8 }],
  remove: [
    { at: 0, pitch: 215, bright: 1700, loud: 0.4 },
    { at: 0.06, pitch: 320, bright: 2400, loud: 0.35 },
  ],
  step: [{ at: 0, pitch: 250, bright: 2100, loud: 0.6 }],
  take: [
    { at: 0, pitch: 250, bright: 2100, loud: 0.55 },
    { at: 0.075, pitch: 165, bright: 1200, loud: 0.85 },
  ],
  turn: [
    { at: 0, pitch: 330, bright: 1900, loud: 0.55, ring: 0.25 },
    { at: 0.12, pitch: 440, bright: 2200, loud: 0.55, ring: 0.35 },
  ],
  low: [
    { at: 0, pitch: 520, bright: 2600, loud: 0.4, ring: 0.12 },
    { at: 0.16, pitch: 520, bright: 2600, loud: 0.4, ring: 0.12 },
  ],
  no: [{ at: 0, pitch: 95, bright: 320, loud: 0.45 }],
  end: [
    { at: 0, pitch: 262, bright: 1700, loud: 0.5, ring: 0.3 },
    { at: 0.14, pitch: 330, bright: 1900, loud: 0.55, ring: 0.3 },
    { at: 0.28, pitch: 392, bright: 2100, loud: 0.65, ring: 0.5 },
  ],
};
const VOLUME = 0.55;
const MIN_GAP_SECONDS = 0.05; // a sound sooner after the last one is not played
const FULL_VOLUME_GAP_SECONDS = 0.35; // a sound sooner after the last one is quieter

/** @type {WeakMap<BaseAudioContext, AudioBuffer>} */
const noises = new WeakMap();

/** @param {BaseAudioContext} context */
function noiseOf(context) {
  const cached = noises.get(context);
  if (cached) return cached;
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * 0.05), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let k = 0; k < samples.length; k++) samples[k] = 2 * Math.random() - 1;
  noises.set(context, buffer);
  return buffer;
}

// Return a gain node with a fast attack and an exponential decay.
/** @type {(context: BaseAudioContext, at: number, loud: number, length: number) => GainNode} */
function decayingGain(context, at, loud, length) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.linearRampToValueAtTime(loud, at + 0.002);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  gain.connect(context.destination);
  return gain;
}

// Schedule one knock: a short filtered noise, and the two lowest tones of the wood.
/** @type {(context: BaseAudioContext, at: number, knock: Knock) => void} */
function strike(context, at, { pitch, bright, loud, ring = 0.16 }) {
  const touch = context.createBufferSource();
  const filter = context.createBiquadFilter();
  touch.buffer = noiseOf(context);
  filter.type = 'bandpass';
  filter.frequency.value = bright;
  filter.Q.value = 0.9;
  touch.connect(filter).connect(decayingGain(context, at, VOLUME * loud * 0.8, 0.035));
  touch.start(at);
  for (const [times, share, length] of [
    [1, 0.6, ring],
    [2.76, 0.22, ring * 0.45],
  ]) {
    const tone = context.createOscillator();
    tone.frequency.setValueAtTime(pitch * times * 1.06, at);
    tone.frequency.exponentialRampToValueAtTime(pitch * times, at + 0.03);
    tone.connect(decayingGain(context, at, VOLUME * loud * share, length));
    tone.start(at);
    tone.stop(at + length);
  }
}

// Schedule a sound at a share of its volume.
/** @type {(context: BaseAudioContext, name: string, at: number, share?: number) => void} */
export function scheduleSound(context, name, at, share = 1) {
  for (const knock of SOUNDS[name]) strike(context, at + knock.at, { ...knock, loud: knock.loud * share });
}

/** @type {AudioContext | null} */
let context = null;
let lastPlayed = -1;

/** @param {string} name */
export function playSound(name) {
  if (!settings.get('sound', false)) return;
  context ??= new AudioContext();
  const now = context.currentTime;
  const since = now - lastPlayed;
  if (lastPlayed >= 0 && since < MIN_GAP_SECONDS) return;
  scheduleSound(
    context,
    name,
    now,
    lastPlayed < 0 ? 1 : Math.min(1, 0.4 + (0.6 * since) / FULL_VOLUME_GAP_SECONDS),
  );
  lastPlayed = now;
}
