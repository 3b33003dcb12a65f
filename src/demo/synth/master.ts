import { fade } from './envelopes.ts';
import { removeOffset } from './filters.ts';
import { SAMPLE_RATE, type Sound, type StereoSound } from './sound.ts';

/** Nothing is louder than this: a decibel below full scale. */
const CEILING = 0.89;

/** How the finished sound should come out. */
export interface Mastering {
  /** Root mean square of what is not silence, in decibels below full scale: -20 is calm, -15 lively. */
  loudness: number;
  fadeInSeconds: number;
  fadeOutSeconds: number;
}

/** Frees the mix from offset, brings it to its loudness, limits it gently and fades its ends. In place. */
export function master(
  mix: StereoSound,
  { loudness, fadeInSeconds, fadeOutSeconds }: Mastering,
): void {
  const sides = [mix.left, mix.right];
  for (const side of sides) {
    removeOffset(side);
  }
  const power = (meanSquareOfHeard(mix.left) + meanSquareOfHeard(mix.right)) / 2;
  limit(mix, power === 0 ? 1 : 10 ** (loudness / 20) / Math.sqrt(power));
  for (const side of sides) {
    fade(side, fadeInSeconds, fadeOutSeconds);
  }
}

/** Mean square over the tenths of a second that are not nearly silent beside the loudest. */
function meanSquareOfHeard(sound: Sound): number {
  const step = SAMPLE_RATE / 10;
  const powers: number[] = [];
  for (let from = 0; from < sound.length; from += step) {
    const until = Math.min(sound.length, from + step);
    let sum = 0;
    for (let i = from; i < until; i++) {
      sum += sound[i]! * sound[i]!;
    }
    powers.push(sum / (until - from));
  }
  const loudest = powers.reduce((max, power) => Math.max(max, power), 0);
  const heard = powers.filter((power) => power > loudest / 1000);
  return heard.length === 0 ? 0 : heard.reduce((sum, power) => sum + power, 0) / heard.length;
}

/**
 * Applies the gain, and where that goes over the ceiling turns it down as a hand would: 5 ms ahead
 * of the peak, both sides together, and slowly up again.
 */
function limit({ left, right }: StereoSound, gain: number): void {
  const block = Math.round(SAMPLE_RATE * 0.005);
  const blocks = Math.ceil(left.length / block);
  const wanted = new Float64Array(blocks + 1).fill(1);
  for (let b = 0; b < blocks; b++) {
    const until = Math.min(left.length, (b + 1) * block);
    let peak = 0;
    for (let i = b * block; i < until; i++) {
      peak = Math.max(peak, Math.abs(left[i]!), Math.abs(right[i]!));
    }
    wanted[b] = Math.min(1, CEILING / (gain * peak + Number.MIN_VALUE));
  }
  // A level at each block's start, low enough for the blocks on both sides of it.
  const level = new Float64Array(blocks + 1);
  let held = 1;
  for (let b = 0; b <= blocks; b++) {
    const needed = Math.min(wanted[b]!, wanted[Math.max(0, b - 1)]!);
    held = Math.min(needed, held + (1 - held) * 0.03);
    level[b] = held;
  }
  for (let b = 0; b < blocks; b++) {
    const until = Math.min(left.length, (b + 1) * block);
    const step = (gain * (level[b + 1]! - level[b]!)) / block;
    let now = gain * level[b]!;
    for (let i = b * block; i < until; i++) {
      left[i]! *= now;
      right[i]! *= now;
      now += step;
    }
  }
}
