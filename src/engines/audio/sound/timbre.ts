import { MEL_BANDS } from './mel-bands.ts';

/** The mel-frequency cepstral coefficients from the second on: the first is the level. */
export const COEFFICIENTS = 13;
/** Decibels. Lower powers count as this one. */
const FLOOR = -80;

/** Statistics of values that arrive one after the other, each a list of the same length. */
export class Statistics {
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;
  readonly #differences: Float64Array;
  readonly #last: Float64Array;
  #count = 0;

  constructor(length: number) {
    this.#sums = new Float64Array(length);
    this.#squares = new Float64Array(length);
    this.#differences = new Float64Array(length);
    this.#last = new Float64Array(length);
  }

  add(values: ArrayLike<number>): void {
    for (let i = 0; i < this.#sums.length; i++) {
      const value = values[i]!;
      this.#sums[i] = this.#sums[i]! + value;
      this.#squares[i] = this.#squares[i]! + value * value;
      if (this.#count > 0) {
        this.#differences[i] = this.#differences[i]! + Math.abs(value - this.#last[i]!);
      }
      this.#last[i] = value;
    }
    this.#count++;
  }

  means(): Float64Array {
    return this.#sums.map((sum) => sum / Math.max(1, this.#count));
  }

  deviations(): Float64Array {
    const means = this.means();
    return this.#squares.map((sum, i) =>
      Math.sqrt(Math.max(0, sum / Math.max(1, this.#count) - means[i]! * means[i]!)),
    );
  }

  /** The mean difference between a value and the one before. */
  deltas(): Float64Array {
    return this.#differences.map((sum) => sum / Math.max(1, this.#count - 1));
  }
}

const COSINES = Array.from({ length: COEFFICIENTS }, (_, k) =>
  Float64Array.from({ length: MEL_BANDS }, (__, band) =>
    Math.cos((Math.PI * (k + 1) * (band + 0.5)) / MEL_BANDS),
  ),
);

/** Returns the mel-frequency cepstral coefficients of the powers of bands: the shape of the spectrum. */
export function cepstrum(bands: Float64Array): Float64Array {
  const levels = bands.map((power) => Math.max(FLOOR, 10 * Math.log10(power + 1e-12)));
  return Float64Array.from(COSINES, (cosines) => {
    let sum = 0;
    for (let band = 0; band < MEL_BANDS; band++) sum += cosines[band]! * levels[band]!;
    return sum / MEL_BANDS;
  });
}

/** The mean frequency of a spectrum, in octaves above 100 Hz, and how even it is: 0 for a tone, 1 for white noise. */
export function shapeOf(
  spectrum: Float64Array,
  width: number,
): [octaves: number, flatness: number] {
  let [sum, powers, weighted, logarithms] = [0, 0, 0, 0];
  for (let i = 1; i < spectrum.length; i++) {
    const power = spectrum[i]! + 1e-15;
    const magnitude = Math.sqrt(power);
    sum += magnitude;
    weighted += magnitude * i;
    powers += power;
    logarithms += Math.log(power);
  }
  const count = spectrum.length - 1;
  return [
    Math.log2(Math.max(1, (weighted / sum) * width) / 100),
    Math.exp(logarithms / count) / (powers / count),
  ];
}
