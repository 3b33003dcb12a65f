/** The analysis works at this sample rate or up to twice as much. */
const LEAST_RATE = 22_050;
/** Zero crossings of the filter on each side, at the lower rate. */
const CROSSINGS = 8;
/** The part of the lower band that passes. */
const PASS_BAND = 0.9;

/** Lowers a sample rate by a whole factor, after a low-pass filter (a sinc with a Hann window). Keeps little in memory. */
export class Decimator {
  readonly rate: number;
  readonly #factor: number;
  readonly #filter: Float64Array;
  /** The last samples, of which the filter still needs the end. */
  #rest: Float64Array;

  constructor(sampleRate: number) {
    this.#factor = Math.max(1, Math.floor(sampleRate / LEAST_RATE));
    this.rate = sampleRate / this.#factor;
    const half = CROSSINGS * this.#factor;
    const cutoff = PASS_BAND / this.#factor;
    const filter = Float64Array.from({ length: 2 * half + 1 }, (_, i) => {
      const x = (i - half) * cutoff;
      const sinc = i === half ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
      return sinc * (0.5 + 0.5 * Math.cos((Math.PI * (i - half)) / (half + 1)));
    });
    const sum = filter.reduce((one, other) => one + other, 0);
    this.#filter = filter.map((weight) => weight / sum);
    // The first sample of the audio is in the middle of the filter.
    this.#rest = new Float64Array(half);
  }

  /** Returns the next samples at the lower rate. */
  next(samples: Float64Array): Float64Array {
    if (this.#factor === 1) return samples.slice();
    const filter = this.#filter;
    const input = new Float64Array(this.#rest.length + samples.length);
    input.set(this.#rest);
    input.set(samples, this.#rest.length);
    const count = Math.max(0, Math.floor((input.length - filter.length) / this.#factor) + 1);
    const output = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const at = i * this.#factor;
      let sum = 0;
      for (let k = 0; k < filter.length; k++) sum += filter[k]! * input[at + k]!;
      output[i] = sum;
    }
    this.#rest = input.slice(count * this.#factor);
    return output;
  }
}
