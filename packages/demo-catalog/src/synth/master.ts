import { fade } from './envelopes.ts';
import { removeOffset } from './filters.ts';
import { integratedLoudness, truePeaks } from './loudness.ts';
import { SAMPLE_RATE, type Sound, type StereoSound } from './sound.ts';

/** The integrated loudness of every finished sound, in LUFS. */
const LOUDNESS = -16;

/** The permitted deviation, in LU. */
const TOLERANCE = 0.2;

/** The highest true peak, relative to full scale: −1.5 dBTP. */
const CEILING = 0.84;

/** Gain and limiting depend on each other, so several rounds approach the target. */
const MAX_ROUNDS = 12;

/** How to fade the ends of a finished sound. */
export interface Mastering {
  fadeInSeconds: number;
  fadeOutSeconds: number;
}

/**
 * Removes the offset of a mix, fades its ends and brings it to −16 LUFS with true peaks below −1
 * dBTP. Works in place. The mix must be at least 400 ms long.
 */
export function master(mix: StereoSound, { fadeInSeconds, fadeOutSeconds }: Mastering): void {
  const sides = [mix.left, mix.right];
  for (const side of sides) {
    removeOffset(side);
    fade(side, fadeInSeconds, fadeOutSeconds);
  }
  const unlimited = { left: mix.left.slice(), right: mix.right.slice() };
  let decibels = LOUDNESS - integratedLoudness(unlimited);
  if (!Number.isFinite(decibels)) {
    return;
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    mix.left.set(unlimited.left);
    mix.right.set(unlimited.right);
    limit(mix, 10 ** (decibels / 20));
    const missing = LOUDNESS - integratedLoudness(mix);
    if (Math.abs(missing) < TOLERANCE) {
      return;
    }
    decibels += missing;
  }
}

/**
 * Removes the offset of sounds, fades their ends, and brings them to one level, at which the highest sample of all of
 * them is the ceiling. Works in place.
 */
export function level(
  sounds: readonly StereoSound[],
  { fadeInSeconds, fadeOutSeconds }: Mastering,
): void {
  const sides = sounds.flatMap(({ left, right }) => [left, right]);
  let highest = Number.MIN_VALUE;
  for (const side of sides) {
    removeOffset(side);
    fade(side, fadeInSeconds, fadeOutSeconds);
    for (const value of side) highest = Math.max(highest, Math.abs(value));
  }
  // As `limit` does, because the sound between two samples may be higher.
  const gain = CEILING / highest / 1.5;
  for (const side of sides) {
    for (let i = 0; i < side.length; i++) side[i]! *= gain;
  }
}

/**
 * Applies the gain, and reduces it where the result exceeds the ceiling: from 5 ms before the peak,
 * on both sides together, with a slow recovery.
 */
function limit({ left, right }: StereoSound, gain: number): void {
  const block = Math.round(SAMPLE_RATE * 0.005);
  const blocks = Math.ceil(left.length / block);
  const wanted = new Float64Array(blocks + 1).fill(1);
  // Between two samples, a sound may be half as high again.
  const threshold = CEILING / gain / 1.5;
  const peaks = [left, right].map((side: Sound) => truePeaks(side, block, threshold));
  for (let b = 0; b < blocks; b++) {
    const peak = Math.max(peaks[0]![b]!, peaks[1]![b]!);
    wanted[b] = Math.min(1, CEILING / (gain * peak + Number.MIN_VALUE));
  }
  // The level at the start of each block, low enough for the blocks on both sides.
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
