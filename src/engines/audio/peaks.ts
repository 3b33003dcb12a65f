/** A waveform in the terms of BBC audiowaveform data: 8 bits, one channel. */
export interface Waveform {
  sampleRate: number;
  samplesPerPixel: number;
  /** The minimum and the maximum of each bin, -128 to 127. */
  data: Int8Array;
}

const MIN_SAMPLES_PER_PIXEL = 512;
const MAX_BINS = 200_000;

/**
 * Collects the waveform of samples of unknown number. `samplesPerPixel` is 512·2^k with the least k that
 * gives at most 200,000 bins; it doubles whenever more would be needed. So the memory is constant.
 */
export class Peaks {
  #samplesPerPixel = MIN_SAMPLES_PER_PIXEL;
  readonly #data = new Int8Array(2 * MAX_BINS);
  #bins = 0;
  /** The bin that is not complete: its number of samples, and their extremes. */
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  /** Adds the next samples; full scale is -1 to 1. */
  add(samples: Float64Array): void {
    for (let at = 0; at < samples.length; ) {
      if (this.#count === this.#samplesPerPixel) {
        this.#endBin();
      }
      const end = Math.min(samples.length, at + this.#samplesPerPixel - this.#count);
      this.#count += end - at;
      let min = this.#min;
      let max = this.#max;
      for (; at < end; at++) {
        const sample = samples[at]!;
        if (sample < min) min = sample;
        if (sample > max) max = sample;
      }
      this.#min = min;
      this.#max = max;
    }
  }

  waveform(sampleRate: number): Waveform {
    const data = new Int8Array(2 * (this.#bins + (this.#count > 0 ? 1 : 0)));
    data.set(this.#data.subarray(0, 2 * this.#bins));
    if (this.#count > 0) {
      data[2 * this.#bins] = eightBits(this.#min);
      data[2 * this.#bins + 1] = eightBits(this.#max);
    }
    return { sampleRate, samplesPerPixel: this.#samplesPerPixel, data };
  }

  /** Stores the bin, which has one more sample after it. */
  #endBin(): void {
    this.#data[2 * this.#bins] = eightBits(this.#min);
    this.#data[2 * this.#bins + 1] = eightBits(this.#max);
    this.#bins++;
    this.#count = 0;
    this.#min = Number.POSITIVE_INFINITY;
    this.#max = Number.NEGATIVE_INFINITY;
    if (this.#bins === MAX_BINS) {
      this.#halve();
    }
  }

  #halve(): void {
    const data = this.#data;
    for (let bin = 0; bin < MAX_BINS / 2; bin++) {
      data[2 * bin] = Math.min(data[4 * bin]!, data[4 * bin + 2]!);
      data[2 * bin + 1] = Math.max(data[4 * bin + 1]!, data[4 * bin + 3]!);
    }
    this.#bins = MAX_BINS / 2;
    this.#samplesPerPixel *= 2;
  }
}

function eightBits(sample: number): number {
  return Math.max(-128, Math.min(127, Math.floor(sample * 128)));
}
