export const MEL_BANDS = 40;
const LEAST_HERTZ = 30;
const MOST_HERTZ = 8_000;

/** The power of a spectrum in bands of equal width for the ear, with triangular weights. */
export class MelBands {
  /** The power of each band, which the next spectrum overwrites. */
  readonly powers = new Float64Array(MEL_BANDS);
  readonly #weights: { first: number; weights: Float64Array }[];

  /** @param bins of the spectrum, from 0 Hz to half of the sample rate */
  constructor(sampleRate: number, bins: number) {
    const width = sampleRate / 2 / bins;
    const [from, to] = [mel(LEAST_HERTZ), mel(MOST_HERTZ)];
    const edge = (i: number) => hertz(from + ((to - from) * i) / (MEL_BANDS + 1));
    this.#weights = Array.from({ length: MEL_BANDS }, (_, band) => {
      const [low, middle, high] = [edge(band), edge(band + 1), edge(band + 2)];
      const first = Math.min(bins, Math.ceil(low / width));
      const end = Math.min(bins, Math.floor(high / width) + 1);
      const weights = Float64Array.from({ length: Math.max(0, end - first) }, (__, i) => {
        const at = (first + i) * width;
        return at < middle ? (at - low) / (middle - low) : (high - at) / (high - middle);
      });
      if (weights.some((weight) => weight > 0) || middle >= sampleRate / 2)
        return { first, weights };
      // The band is narrower than a bin.
      return { first: Math.round(middle / width), weights: Float64Array.of(1) };
    });
  }

  of(spectrum: Float64Array): Float64Array {
    for (const [band, { first, weights }] of this.#weights.entries()) {
      let sum = 0;
      for (let i = 0; i < weights.length; i++) sum += weights[i]! * spectrum[first + i]!;
      this.powers[band] = sum;
    }
    return this.powers;
  }
}

function mel(frequency: number): number {
  return 2595 * Math.log10(1 + frequency / 700);
}

function hertz(pitch: number): number {
  return 700 * (10 ** (pitch / 2595) - 1);
}
