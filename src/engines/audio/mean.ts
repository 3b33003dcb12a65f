import type { AudioBlock } from './audio-block.ts';

/**
 * The mean of the channels of a block, in a buffer that the next call reuses. Numbers of 64 bits, because
 * rounding to 32 could move a sample to the next value of a waveform.
 */
export class Mean {
  #buffer = new Float64Array(0);

  of({ channels }: AudioBlock): Float64Array {
    const length = channels[0]!.length;
    if (this.#buffer.length < length) {
      this.#buffer = new Float64Array(length);
    }
    const mean = this.#buffer.subarray(0, length);
    const [first, second] = channels;
    if (second === undefined) {
      mean.set(first!);
    } else if (channels.length === 2) {
      for (let i = 0; i < length; i++) {
        mean[i] = (first![i]! + second[i]!) / 2;
      }
    } else {
      mean.fill(0);
      for (const samples of channels) {
        for (let i = 0; i < length; i++) {
          mean[i] = mean[i]! + samples[i]!;
        }
      }
      for (let i = 0; i < length; i++) {
        mean[i] = mean[i]! / channels.length;
      }
    }
    return mean;
  }
}
