import { SAMPLE_RATE, type Sound, type StereoSound } from './sound.ts';

/** Blocks of 400 ms that overlap by three quarters (ITU-R BS.1770-4, annex 1). */
const BLOCK_FRAMES = Math.round(SAMPLE_RATE * 0.4);
const STEP_FRAMES = BLOCK_FRAMES / 4;

/** Blocks below this loudness in LUFS are silence. */
const ABSOLUTE_GATE = -70;
/** Blocks this much below the mean of the others are ignored, in LU. */
const RELATIVE_GATE = -10;

/** A second-order filter: y = b0·x + b1·x' + b2·x'' − a1·y' − a2·y''. */
interface Biquad {
  b: readonly [number, number, number];
  a: readonly [number, number];
}

/**
 * Returns the integrated loudness in LUFS (ITU-R BS.1770-4, annex 1); -Infinity for silence, and
 * for a sound shorter than one block of 400 ms.
 */
export function integratedLoudness({ left, right }: StereoSound): number {
  const steps = [meanSquares(kWeighted(left)), meanSquares(kWeighted(right))] as const;
  const blocks: number[] = [];
  for (let step = 0; step + 4 <= steps[0].length; step++) {
    let power = 0;
    for (const side of steps) {
      power += (side[step]! + side[step + 1]! + side[step + 2]! + side[step + 3]!) / 4;
    }
    blocks.push(power);
  }
  const audible = blocks.filter((power) => loudnessOf(power) > ABSOLUTE_GATE);
  const gate = loudnessOf(mean(audible)) + RELATIVE_GATE;
  return loudnessOf(mean(audible.filter((power) => loudnessOf(power) > gate)));
}

function loudnessOf(power: number): number {
  return -0.691 + 10 * Math.log10(power);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the mean square of each step of 100 ms; omits an incomplete last step. */
function meanSquares(sound: Float64Array): Float64Array {
  const steps = new Float64Array(Math.floor(sound.length / STEP_FRAMES));
  for (let step = 0; step < steps.length; step++) {
    let sum = 0;
    for (let i = step * STEP_FRAMES; i < (step + 1) * STEP_FRAMES; i++) {
      sum += sound[i]! * sound[i]!;
    }
    steps[step] = sum / STEP_FRAMES;
  }
  return steps;
}

/** Applies the two filters of annex 1, which weight frequencies like the ear. */
function kWeighted(sound: Sound): Float64Array {
  const weighted = Float64Array.from(sound);
  for (const { b, a } of K_WEIGHTING) {
    let [x1, x2, y1, y2] = [0, 0, 0, 0];
    for (let i = 0; i < weighted.length; i++) {
      const x = weighted[i]!;
      const y = b[0] * x + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
      [x2, x1, y2, y1] = [x1, x, y1, y];
      weighted[i] = y;
    }
  }
  return weighted;
}

/**
 * The analog filters behind the table for 48 kHz in the recommendation, converted to this sample
 * rate by the bilinear transform (B. De Man, "Evaluation of implementations of the EBU R128
 * loudness measurement", 2018).
 */
const K_WEIGHTING: readonly Biquad[] = [
  highShelf({ hertz: 1681.974450955533, gainDecibels: 3.999843853973347, q: 0.7071752369554196 }),
  highPass({ hertz: 38.13547087602444, q: 0.5003270373238773 }),
];

function highShelf(shelf: { hertz: number; gainDecibels: number; q: number }): Biquad {
  const k = Math.tan((Math.PI * shelf.hertz) / SAMPLE_RATE);
  const high = 10 ** (shelf.gainDecibels / 20);
  const middle = high ** 0.4996667741545416;
  const a0 = 1 + k / shelf.q + k * k;
  return {
    b: [
      (high + (middle * k) / shelf.q + k * k) / a0,
      (2 * (k * k - high)) / a0,
      (high - (middle * k) / shelf.q + k * k) / a0,
    ],
    a: [(2 * (k * k - 1)) / a0, (1 - k / shelf.q + k * k) / a0],
  };
}

function highPass({ hertz, q }: { hertz: number; q: number }): Biquad {
  const k = Math.tan((Math.PI * hertz) / SAMPLE_RATE);
  const a0 = 1 + k / q + k * k;
  return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0] };
}

/**
 * The interpolating filter of annex 2, one phase per row. The other two phases are these reversed.
 */
const PHASES = [
  [
    0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875,
    0.1373291015625, 0.97216796875, -0.102294921875, 0.047607421875, -0.026611328125,
    0.014892578125, -0.00830078125,
  ],
  [
    -0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625,
    0.77978515625, -0.2003173828125, 0.1015625, -0.0582275390625, 0.0330810546875, -0.0189208984375,
  ],
] as const;
const INTERPOLATION = [...PHASES, ...PHASES.toReversed().map((phase) => phase.toReversed())].map(
  (phase) => Float64Array.from(phase),
);
const TAPS = 12;

/**
 * Returns the largest absolute value in each block of `blockFrames`, also between samples, by
 * fourfold interpolation (ITU-R BS.1770-4, annex 2). Does not interpolate blocks without a sample
 * above `threshold`, which saves most of the time.
 */
export function truePeaks(sound: Sound, blockFrames: number, threshold: number): Float64Array {
  const peaks = new Float64Array(Math.ceil(sound.length / blockFrames));
  const padded = new Float32Array(sound.length + 2 * TAPS);
  padded.set(sound, TAPS);
  for (let block = 0; block < peaks.length; block++) {
    const from = block * blockFrames;
    const until = Math.min(sound.length, from + blockFrames);
    let peak = 0;
    for (let i = from; i < until; i++) {
      peak = Math.max(peak, Math.abs(sound[i]!));
    }
    peaks[block] = peak > threshold ? Math.max(peak, betweenSamples(padded, from, until)) : peak;
  }
  return peaks;
}

/** The output of the filter is delayed by half its length, so it is read that much later. */
function betweenSamples(padded: Float32Array, from: number, until: number): number {
  let peak = 0;
  for (let i = from + TAPS; i < until + 2 * TAPS - 1; i++) {
    for (const phase of INTERPOLATION) {
      let value = 0;
      for (let tap = 0; tap < TAPS; tap++) {
        value += phase[tap]! * padded[i - tap]!;
      }
      peak = Math.max(peak, Math.abs(value));
    }
  }
  return peak;
}
