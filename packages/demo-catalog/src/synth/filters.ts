import { SAMPLE_RATE, type Sound } from './sound.ts';

/**
 * The cutoff frequency of a filter in Hz, constant or as a function of the time in seconds.
 * Evaluated every 32 samples.
 */
export type Cutoff = number | ((second: number) => number);

const STRIDE = 32;

/**
 * Applies a state-variable filter (A. Simper's trapezoidal form), which is stable for any change of
 * the cutoff. Works in place. `resonance` is from 0 (none) to about 0.95.
 */
function stateVariable(
  sound: Sound,
  cutoff: Cutoff,
  resonance: number,
  kind: 'low' | 'high' | 'band',
): void {
  const k = 2 - 2 * resonance;
  let ic1 = 0;
  let ic2 = 0;
  for (let from = 0; from < sound.length; from += STRIDE) {
    const hertz = typeof cutoff === 'number' ? cutoff : cutoff(from / SAMPLE_RATE);
    const g = Math.tan((Math.PI * Math.min(SAMPLE_RATE * 0.47, Math.max(10, hertz))) / SAMPLE_RATE);
    const a1 = 1 / (1 + g * (g + k));
    const a2 = g * a1;
    const a3 = g * a2;
    const until = Math.min(sound.length, from + STRIDE);
    for (let i = from; i < until; i++) {
      const v0 = sound[i]!;
      const v3 = v0 - ic2;
      const v1 = a1 * ic1 + a2 * v3;
      const v2 = ic2 + a2 * ic1 + a3 * v3;
      ic1 = 2 * v1 - ic1;
      ic2 = 2 * v2 - ic2;
      sound[i] = kind === 'low' ? v2 : kind === 'band' ? k * v1 : v0 - k * v1 - v2;
    }
  }
}

/** Keeps frequencies below the cutoff. Works in place. */
export function lowPass(sound: Sound, cutoff: Cutoff, resonance = 0.3): void {
  stateVariable(sound, cutoff, resonance, 'low');
}

/** Keeps frequencies above the cutoff. Works in place. */
export function highPass(sound: Sound, cutoff: Cutoff, resonance = 0.3): void {
  stateVariable(sound, cutoff, resonance, 'high');
}

/**
 * Keeps frequencies around the cutoff; a higher resonance makes the band narrower. Works in place.
 */
export function bandPass(sound: Sound, cutoff: Cutoff, resonance: number): void {
  stateVariable(sound, cutoff, resonance, 'band');
}

/** Removes a constant offset (a first-order high-pass at 15 Hz). Works in place. */
export function removeOffset(sound: Sound): void {
  const keep = 1 - (2 * Math.PI * 15) / SAMPLE_RATE;
  let before = 0;
  let out = 0;
  for (let i = 0; i < sound.length; i++) {
    const now = sound[i]!;
    out = now - before + keep * out;
    before = now;
    sound[i] = out;
  }
}
