/** The level in dBFS below which a second counts as this level. */
const FLOOR_DB = -60;
/** Sums of levels within this of the greatest are equal. */
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
   * The second at which the loudest passage of this many seconds begins: that with the greatest sum of
   * levels, so that one loud moment does not decide. 0 if the audio has fewer whole seconds. The earliest
   * of equal ones wins.
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
