import type { AudioBlock } from './audio-block.ts';

/**
 * Averages the channels of a block, in a buffer that the next call reuses. Has 64 bits, because rounding to 32 could move
 * a sample to the next value of a waveform.
 */
export class Mean {
  #buffer = new Float64Array(0);

  of({ channels }: AudioBlock): Float64Array {
    const length = channels[0]!.length;
    if (this.#buffer.length < length) {
      this.#buffer = new Float64Array(length);
    }
    const mean = this.#buffer.subarray(0, length);
    for (let i = 0; i < length; i++) {
      let sum = 0;
      for (const samples of channels) sum += samples[i]!;
      mean[i] = sum / channels.length;
    }
    return mean;
  }
}

/** A waveform of BBC audiowaveform data: 8 bits, one channel. */
export interface Waveform {
  sampleRate: number;
  samplesPerPixel: number;
  /** The minimum and the maximum of each bin, -128 to 127. */
  data: Int8Array;
}

const MIN_SAMPLES_PER_PIXEL = 512;
const MAX_BINS = 200_000;

/** Uses constant memory: `samplesPerPixel` begins with 512, and doubles whenever more than 200,000 bins are needed. */
export class Peaks {
  #samplesPerPixel = MIN_SAMPLES_PER_PIXEL;
  readonly #data = new Int8Array(2 * MAX_BINS);
  #bins = 0;
  /** The samples of the incomplete bin, and their extremes. */
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
    this.#storeBin();
    const bins = this.#bins + (this.#count > 0 ? 1 : 0);
    const data = this.#data.slice(0, 2 * bins);
    return { sampleRate, samplesPerPixel: this.#samplesPerPixel, data };
  }

  /** Stores a complete bin that is not the last one. */
  #endBin(): void {
    this.#storeBin();
    this.#bins++;
    this.#count = 0;
    this.#min = Number.POSITIVE_INFINITY;
    this.#max = Number.NEGATIVE_INFINITY;
    if (this.#bins === MAX_BINS) {
      this.#halve();
    }
  }

  #storeBin(): void {
    this.#data[2 * this.#bins] = eightBits(this.#min);
    this.#data[2 * this.#bins + 1] = eightBits(this.#max);
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

/** In dBFS. Lower levels of a second count as this one. */
const FLOOR_DB = -60;
/** Sums of levels are equal if they differ from the greatest by less than this. */
const TIE_DB = 0.001;

/** Collects the level of each whole second. The memory grows by 8 bytes a second of audio. */
export class Loudness {
  readonly #sampleRate: number;
  readonly #levels: number[] = [];
  #count = 0;
  #sumOfSquares = 0;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  /** Adds the next samples; full scale is -1 to 1. */
  add(samples: Float64Array): void {
    for (let at = 0; at < samples.length; ) {
      const end = Math.min(samples.length, at + this.#sampleRate - this.#count);
      this.#count += end - at;
      let sum = this.#sumOfSquares;
      for (; at < end; at++) {
        sum += samples[at]! * samples[at]!;
      }
      this.#sumOfSquares = sum;
      if (this.#count === this.#sampleRate) {
        this.#levels.push(level(sum / this.#sampleRate));
        this.#count = 0;
        this.#sumOfSquares = 0;
      }
    }
  }

  /**
   * Returns the second at which the loudest passage of this length begins: the one with the greatest sum of levels, so
   * that one loud moment does not decide, and of equal ones the earliest. 0 if the audio has fewer whole seconds.
   */
  loudestStart(seconds: number): number {
    const sums: number[] = [];
    for (let start = 0; start + seconds <= this.#levels.length; start++) {
      // Not a running sum, whose rounding errors would add up.
      let sum = 0;
      for (let i = start; i < start + seconds; i++) {
        sum += this.#levels[i]!;
      }
      sums.push(sum);
    }
    const greatest = sums.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
    return Math.max(
      0,
      sums.findIndex((sum) => sum >= greatest - TIE_DB),
    );
  }
}

function level(meanSquare: number): number {
  return Math.max(FLOOR_DB, 10 * Math.log10(meanSquare));
}
