import type { AudioBlock } from '../audio-block.ts';

const HALF_POWER = Math.SQRT1_2;

/**
 * The parts of the channels in the left channel by ITU-R BS.775-4, annex 4, table 2, by the number of channels in the
 * order of WAV: left, right, center, low frequencies (not part of stereo), back or side left and right. The parts in the
 * right channel are the same after both are swapped.
 */
const LEFT: Readonly<Record<number, readonly number[]>> = {
  3: [1, 0, HALF_POWER],
  4: [1, 0, HALF_POWER, 0],
  5: [1, 0, HALF_POWER, HALF_POWER, 0],
  6: [1, 0, HALF_POWER, 0, HALF_POWER, 0],
  // The seventh of FLAC and Vorbis is one channel at the back, before those at the sides.
  7: [1, 0, HALF_POWER, 0, 0.5, HALF_POWER, 0],
  8: [1, 0, HALF_POWER, 0, HALF_POWER, 0, HALF_POWER, 0],
};
/** The place of the same channel on the other side, by the number of channels. */
const SWAPPED: Readonly<Record<number, readonly number[]>> = {
  3: [1, 0, 2],
  4: [1, 0, 3, 2],
  5: [1, 0, 2, 4, 3],
  6: [1, 0, 2, 3, 5, 4],
  7: [1, 0, 2, 3, 4, 6, 5],
  8: [1, 0, 2, 3, 5, 4, 7, 6],
};

/**
 * Returns two channels of a block. Mono is on both, and more than two channels are mixed. The sum of their parts is 1, so
 * that full scale in all channels is full scale in the mix.
 */
export function stereoOf({ channels }: AudioBlock): [left: Float32Array, right: Float32Array] {
  const [first, second] = channels;
  if (channels.length <= 2) return [first!, second ?? first!];
  const left = LEFT[channels.length] ?? channels.map(() => 1);
  const swapped = SWAPPED[channels.length] ?? channels.map((_, i) => i);
  const right = swapped.map((i) => left[i]!);
  return [mixed(channels, left), mixed(channels, right)];
}

function mixed(channels: readonly Float32Array[], parts: readonly number[]): Float32Array {
  const all = parts.reduce((sum, part) => sum + part, 0);
  return channels[0]!.map((_, at) => {
    let sum = 0;
    for (let i = 0; i < parts.length; i++) sum += channels[i]![at]! * parts[i]!;
    return sum / all;
  });
}
