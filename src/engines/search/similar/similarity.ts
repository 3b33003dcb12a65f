const GENRE_WEIGHT = 0.4;
const MOOD_WEIGHT = 0.35;
const BPM_WEIGHT = 0.25;

/** How many units a rounded number has. */
const UNITS = 10_000;

/** Rounds a number of 0 to 1 to units of a ten-thousandth. */
export function inUnits(value: number): number {
  return Math.round(value * UNITS);
}

/** The number of 0 to 1 that some units make. */
export function fromUnits(units: number): number {
  return units / UNITS;
}

/** The share of the values of two sets that are in both. */
export function overlap(shared: number, one: number, other: number): number {
  return shared / (one + other - shared);
}

/** Scores tracks by what they have in common with a seed (docs/contract/similar.md#score). */
export class Similarity {
  /** In thousandths of a beat per minute; 0 if unknown. */
  readonly tempo: number;
  readonly #range: number;
  readonly #weight: number;

  /**
   * @param seed what the seed has
   * @param bpmRange in beats per minute
   */
  constructor(seed: { hasGenres: boolean; hasMoods: boolean; tempo: number }, bpmRange: number) {
    this.tempo = seed.tempo;
    this.#range = 1000 * bpmRange;
    this.#weight =
      (seed.hasGenres ? GENRE_WEIGHT : 0) +
      (seed.hasMoods ? MOOD_WEIGHT : 0) +
      (seed.tempo > 0 ? BPM_WEIGHT : 0);
  }

  /** 1 for the tempo of the seed, its half and its double; less for tempos near them; 0 for others. */
  bpm(tempo: number): number {
    if (tempo === 0) return 0;
    const seed = this.tempo;
    const distance = Math.min(
      Math.abs(seed - tempo),
      Math.abs(seed - 2 * tempo),
      Math.abs(seed - tempo / 2),
    );
    return Math.max(0, 1 - distance / this.#range);
  }

  /** The score in units. What the seed lacks must be 0. */
  score(genre: number, mood: number, bpm: number): number {
    return inUnits((GENRE_WEIGHT * genre + MOOD_WEIGHT * mood + BPM_WEIGHT * bpm) / this.#weight);
  }
}
