import { VECTOR_LENGTH } from './sound-analysis.ts';

/**
 * The mean of each feature over 44 pieces of music: those of the demo catalog and the recordings of ../shared. The features are
 * the means of 13 cepstral coefficients, their deviations, their deltas; 12 pitches from the tonic on; the deviation and
 * the delta of the pitches; brightness, its deviation, flatness, percussiveness, bass, dynamics, density of onsets, clarity
 * of the beat, octaves of the tempo, loudness, and the delta of the brightness.
 */
const MEANS: readonly number[] = [
  ...[
    6.17, -0.3, 0.463, -0.324, -0.162, -0.171, -0.0492, -0.13, 0.0476, -0.0539, -0.0745, 0.00136,
    0.085,
  ],
  ...[2.33, 1.52, 1.02, 0.889, 0.845, 0.783, 0.731, 0.736, 0.726, 0.741, 0.733, 0.764, 0.743],
  ...[0.581, 0.443, 0.355, 0.336, 0.324, 0.313, 0.302, 0.297, 0.295, 0.292, 0.288, 0.291, 0.283],
  ...[
    0.206, 0.033, 0.0857, 0.08, 0.0852, 0.0778, 0.0375, 0.145, 0.0547, 0.0696, 0.0664, 0.059, 0.832,
  ],
  ...[0.324, 0.532, 0.601, -6.43, 0.464, -0.778, 1.18, 0.0505, 0.49, 0.0487, -16.4, -1.92],
];
/**
 * What a feature is multiplied by: 24 by its deviation over the same music, and by a weight with which the nearest neighbors
 * in the demo catalog share their style (bench/sound): 0.7 for the means of the coefficients, 1 for their other statistics,
 * 0.3 for each pitch, 0.5 for the loudness, and 2 for the others.
 */
const SCALES: readonly number[] = [
  ...[6.56, 9.17, 19, 26.1, 25.9, 34.6, 39.8, 49.3, 53.7, 40.5, 45.6, 44.6, 54.1],
  ...[32.9, 36.4, 55.5, 73.8, 76.8, 87.5, 96.4, 90.2, 84, 73, 73.5, 74.7, 67.7],
  ...[108, 212, 282, 286, 282, 319, 356, 353, 349, 364, 395, 361, 387],
  ...[107, 341, 261, 118, 131, 272, 350, 160, 200, 187, 168, 211, 215],
  ...[468, 333, 194, 20.8, 360, 58.1, 74.7, 2080, 199, 112, 2.74, 100],
];

/** Returns VECTOR_LENGTH features as bytes, so that the mean of each is 0. Extreme ones are cut off. */
export function quantized(features: readonly number[]): Int8Array {
  if (features.length !== VECTOR_LENGTH) throw new Error(`there are ${features.length} features`);
  return Int8Array.from(features, (feature, i) => {
    const value = Math.round((feature - MEANS[i]!) * SCALES[i]!);
    return Math.max(-127, Math.min(127, value));
  });
}
