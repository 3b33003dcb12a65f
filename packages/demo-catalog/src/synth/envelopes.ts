import { SAMPLE_RATE, type Sound } from './sound.ts';

/** Attack, decay and release in seconds, sustain as a level. */
export interface Adsr {
  attack: number;
  decay: number;
  sustain: number;
  release: number;
}

/**
 * Shapes a held note in place: linear attack, curved decay to the sustain level, and curved release
 * to exactly zero, so that no note clicks.
 */
export function applyAdsr(
  sound: Sound,
  gateFrames: number,
  { attack, decay, sustain, release }: Adsr,
): void {
  const attackFrames = Math.max(1, attack * SAMPLE_RATE);
  const decayKeep = Math.exp(-1 / (Math.max(0.001, decay) * SAMPLE_RATE * 0.4));
  const releaseKeep = Math.exp(-1 / (Math.max(0.001, release) * SAMPLE_RATE * 0.25));
  const fadeFrames = Math.min(sound.length, Math.ceil(0.008 * SAMPLE_RATE));
  let level = 0;
  for (let i = 0; i < sound.length; i++) {
    if (i >= gateFrames) {
      level *= releaseKeep;
    } else if (i < attackFrames) {
      level = i / attackFrames;
    } else {
      level = sustain + (level - sustain) * decayKeep;
    }
    const fromEnd = sound.length - 1 - i;
    sound[i]! *= fromEnd < fadeFrames ? (level * fromEnd) / fadeFrames : level;
  }
}

/**
 * Multiplies by a level that rises during the attack, then halves every `halfLifeSeconds`. Works in
 * place.
 */
export function decay(sound: Sound, halfLifeSeconds: number, attackSeconds = 0.001): void {
  const keep = 2 ** (-1 / (halfLifeSeconds * SAMPLE_RATE));
  const attackFrames = attackSeconds * SAMPLE_RATE;
  let level = 1;
  for (let i = 0; i < sound.length; i++) {
    sound[i]! *= i < attackFrames ? (level * i) / attackFrames : level;
    level *= keep;
  }
}

/** Multiplies by a level that depends on the time in seconds. Works in place. */
export function shape(sound: Sound, level: (second: number) => number): void {
  for (let from = 0; from < sound.length; from += 32) {
    const start = level(from / SAMPLE_RATE);
    const slope = (level((from + 32) / SAMPLE_RATE) - start) / 32;
    const until = Math.min(sound.length, from + 32);
    for (let i = from; i < until; i++) {
      sound[i]! *= start + slope * (i - from);
    }
  }
}

/** Fades both ends with a raised cosine. Works in place. */
export function fade(sound: Sound, inSeconds: number, outSeconds: number): void {
  const inFrames = Math.min(sound.length, Math.round(inSeconds * SAMPLE_RATE));
  const outFrames = Math.min(sound.length, Math.round(outSeconds * SAMPLE_RATE));
  for (let i = 0; i < inFrames; i++) {
    sound[i]! *= 0.5 - 0.5 * Math.cos((Math.PI * i) / inFrames);
  }
  for (let i = 0; i < outFrames; i++) {
    sound[sound.length - 1 - i]! *= 0.5 - 0.5 * Math.cos((Math.PI * i) / outFrames);
  }
}
