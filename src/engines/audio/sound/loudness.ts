import type { AudioBlock } from '../audio-block.ts';

/** LUFS. Quieter blocks do not count (ITU-R BS.1770-4, EBU R 128). */
export const ABSOLUTE_GATE = -70;
/** LU below the loudness of the other blocks. */
const RELATIVE_GATE = -10;
/** The steps of 100 ms of a block for the integrated loudness, and for the short-term loudness (EBU Tech 3341). */
const BLOCK_STEPS = 4;
const SHORT_STEPS = 30;

/** The weights of the channels by their number: without the LFE channel, and with more for those at the back. */
const WEIGHTS: Readonly<Record<number, readonly number[]>> = {
  5: [1, 1, 1, 1.41, 1.41],
  6: [1, 1, 1, 0, 1.41, 1.41],
};

/** Measures the loudness of EBU R 128. The memory grows by 80 bytes a second of audio. */
export class LoudnessMeter {
  readonly #sampleRate: number;
  readonly #filters: KFilter[] = [];
  /** The weighted power of each whole step of 100 ms. */
  readonly #powers: number[] = [];
  #sum = 0;
  #count = 0;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  add({ channels }: AudioBlock): void {
    const step = Math.round(this.#sampleRate / 10);
    const weights = WEIGHTS[channels.length];
    while (this.#filters.length < channels.length) {
      this.#filters.push(new KFilter(this.#sampleRate));
    }
    const length = channels[0]!.length;
    for (let at = 0; at < length; ) {
      const end = Math.min(length, at + step - this.#count);
      for (const [i, samples] of channels.entries()) {
        const weight = weights?.[i] ?? 1;
        if (weight > 0) this.#sum += weight * this.#filters[i]!.power(samples, at, end);
      }
      this.#count += end - at;
      at = end;
      if (this.#count < step) continue;
      this.#powers.push(this.#sum / step);
      this.#sum = 0;
      this.#count = 0;
    }
  }

  /** The integrated loudness in LUFS, ABSOLUTE_GATE or more. */
  integrated(): number {
    const blocks = this.#windows(BLOCK_STEPS).filter((power) => lufs(power) > ABSOLUTE_GATE);
    if (blocks.length === 0) return ABSOLUTE_GATE;
    const gate = lufs(mean(blocks)) + RELATIVE_GATE;
    return lufs(mean(blocks.filter((power) => lufs(power) > gate)));
  }

  /** The short-term loudness in LUFS that is exceeded during a tenth of the audio. */
  loudPassages(): number {
    const windows = this.#windows(SHORT_STEPS).sort((one, other) => one - other);
    return Math.max(ABSOLUTE_GATE, lufs(windows[Math.floor(windows.length * 0.9)] ?? 0));
  }

  /** The mean powers of windows of so many steps, one from each step on; of shorter audio, its mean. */
  #windows(steps: number): number[] {
    const powers = this.#powers;
    // Audio of less than a step.
    if (powers.length === 0) return [this.#sum / Math.max(1, this.#count)];
    if (powers.length < steps) return [mean(powers)];
    const windows: number[] = [];
    let sum = 0;
    for (const [i, power] of powers.entries()) {
      sum += power - (i >= steps ? powers[i - steps]! : 0);
      if (i >= steps - 1) windows.push(Math.max(0, sum / steps));
    }
    return windows;
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0) / Math.max(1, values.length);
}

function lufs(power: number): number {
  return -0.691 + 10 * Math.log10(power);
}

/** The K-weighting of one channel: a high shelf and a high-pass filter, for any sample rate. */
class KFilter {
  readonly #shelf: readonly number[];
  readonly #highPass: readonly number[];
  readonly #state = new Float64Array(4);

  constructor(sampleRate: number) {
    const shelf = prewarped(1681.974450955533, sampleRate, 0.7071752369554196);
    const gain = 10 ** (3.999843853973347 / 20);
    const middle = gain ** 0.4996667741545416;
    const { k, a0, a1, a2 } = shelf;
    const side = (middle * k) / 0.7071752369554196;
    this.#shelf = [
      (gain + side + k * k) / a0,
      (2 * (k * k - gain)) / a0,
      (gain - side + k * k) / a0,
      a1,
      a2,
    ];
    const high = prewarped(38.13547087602444, sampleRate, 0.5003270373238773);
    this.#highPass = [1, -2, 1, high.a1, high.a2];
  }

  /** The sum of the squares of the filtered samples in a range, which follows the range of the call before. */
  power(samples: Float32Array, from: number, to: number): number {
    const [b0, b1, b2, a1, a2] = this.#shelf as [number, number, number, number, number];
    const [, , , c1, c2] = this.#highPass as [number, number, number, number, number];
    let [s1, s2, t1, t2] = this.#state as unknown as [number, number, number, number];
    let sum = 0;
    for (let i = from; i < to; i++) {
      const x = samples[i]!;
      const y = b0 * x + s1;
      s1 = b1 * x - a1 * y + s2;
      s2 = b2 * x - a2 * y;
      const z = y + t1;
      t1 = -2 * y - c1 * z + t2;
      t2 = y - c2 * z;
      sum += z * z;
    }
    this.#state.set([s1, s2, t1, t2]);
    return sum;
  }
}

/** The poles of a filter of the second order by the bilinear transform. */
function prewarped(hertz: number, sampleRate: number, q: number) {
  const k = Math.tan((Math.PI * Math.min(hertz, 0.45 * sampleRate)) / sampleRate);
  const a0 = 1 + k / q + k * k;
  return { k, a0, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
}
