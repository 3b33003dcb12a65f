import type { BitWriter } from './bit-writer.ts';

/** A channel of a FLAC frame (RFC 9639 §9.2). */
export interface Subframe {
  /** About how many bits it has. */
  length: number;
  write(out: BitWriter): void;
}

/** Codes of subframes. */
const CONSTANT = 0;
const VERBATIM = 1;
const FIXED = 8;

const MAX_ORDER = 4;
/** Larger samples are stored as they are, because their residuals may have more than 32 bits. */
const MAX_PREDICTED_BITS = 27;
/** A block has at most 64 partitions, each with a parameter of its own. */
const MAX_PARTITION_ORDER = 6;
/** The parameters of 4 bits, of which the greatest one has another meaning. */
const SHORT_PARAMETERS = 15;
const MAX_PARAMETER = 30;

/** The number of lowest bits that are 0 in all samples. */
export function wastedBits(channels: readonly Int32Array[]): number {
  let all = 0;
  for (const samples of channels) for (const sample of samples) all |= sample;
  return all === 0 ? 0 : 31 - Math.clz32(all & -all);
}

/**
 * Returns the shortest form of the samples of a channel: one sample, a fixed predictor, or all samples.
 *
 * @param wasted the bits that were removed from each sample
 */
export function subframeOf(samples: Int32Array, bits: number, wasted: number): Subframe {
  const begin = (out: BitWriter, type: number) => {
    out.write(type, 7);
    out.write(wasted > 0 ? 1 : 0, 1);
    if (wasted > 0) out.write(1, wasted);
  };
  if (samples.every((sample) => sample === samples[0])) {
    const write = (out: BitWriter) => {
      begin(out, CONSTANT);
      out.write(samples[0]!, bits);
    };
    return { length: bits, write };
  }
  const verbatim = {
    length: samples.length * bits,
    write(out: BitWriter) {
      begin(out, VERBATIM);
      for (const sample of samples) out.write(sample, bits);
    },
  };
  if (bits > MAX_PREDICTED_BITS || samples.length <= MAX_ORDER) return verbatim;
  const order = bestOrder(samples);
  const rice = new Rice(residual(samples, order), order);
  const length = order * bits + rice.length;
  if (length >= verbatim.length) return verbatim;
  return {
    length,
    write(out) {
      begin(out, FIXED + order);
      for (const sample of samples.subarray(0, order)) out.write(sample, bits);
      rice.write(out);
    },
  };
}

/** Returns the order of the fixed predictor whose residuals have the smallest sum. */
function bestOrder(samples: Int32Array): number {
  const sums = new Float64Array(MAX_ORDER + 1);
  // The last residual of each order but the highest one.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < samples.length; i++) {
    const e0 = samples[i]!;
    const e1 = e0 - a;
    const e2 = e1 - b;
    const e3 = e2 - c;
    if (i >= MAX_ORDER) {
      sums[0]! += Math.abs(e0);
      sums[1]! += Math.abs(e1);
      sums[2]! += Math.abs(e2);
      sums[3]! += Math.abs(e3);
      sums[4]! += Math.abs(e3 - d);
    }
    a = e0;
    b = e1;
    c = e2;
    d = e3;
  }
  return sums.indexOf(Math.min(...sums));
}

/** Returns the differences of samples, of differences, and so on (RFC 9639 §9.2.5), as numbers from 0 on. */
function residual(samples: Int32Array, order: number): Uint32Array {
  const differences = samples.slice();
  for (let i = 0; i < order; i++) {
    for (let at = samples.length - 1; at > i; at--) differences[at]! -= differences[at - 1]!;
  }
  const values = new Uint32Array(samples.length - order);
  for (let i = 0; i < values.length; i++) {
    const value = differences[i + order]!;
    values[i] = (value << 1) ^ (value >> 31);
  }
  return values;
}

/** Residuals in partitions of Rice codes (RFC 9639 §9.2.7). */
class Rice {
  length = Number.POSITIVE_INFINITY;
  readonly #values: Uint32Array;
  readonly #order: number;
  #parameters: readonly number[] = [];

  constructor(values: Uint32Array, order: number) {
    this.#values = values;
    this.#order = order;
    const samples = values.length + order;
    let partitionOrder = 0;
    const isPossible = (next: number) => samples % 2 ** next === 0 && samples >> next > MAX_ORDER;
    while (partitionOrder < MAX_PARTITION_ORDER && isPossible(partitionOrder + 1)) partitionOrder++;
    let sums = this.#sums(2 ** partitionOrder);
    for (; sums.length >= 1; sums = pairs(sums)) {
      this.#consider(sums);
      if (sums.length === 1) break;
    }
  }

  write(out: BitWriter): void {
    const count = this.#parameters.length;
    const isLong = this.#parameters.some((parameter) => parameter >= SHORT_PARAMETERS);
    out.write(isLong ? 1 : 0, 2);
    out.write(Math.log2(count), 4);
    const values = this.#values;
    let at = 0;
    for (const [i, parameter] of this.#parameters.entries()) {
      out.write(parameter, isLong ? 5 : 4);
      for (const end = this.#endOf(i, count); at < end; at++) {
        const value = values[at]!;
        let zeros = value >>> parameter;
        for (; zeros + 1 + parameter > 32; zeros -= 16) out.write(0, 16);
        const low = value & ((1 << parameter) - 1);
        out.write((1 << parameter) | low, zeros + 1 + parameter);
      }
    }
  }

  /** The first partition lacks the samples that begin the prediction. */
  #endOf(partition: number, count: number): number {
    const samples = this.#values.length + this.#order;
    return ((partition + 1) * samples) / count - this.#order;
  }

  #sums(count: number): number[] {
    const values = this.#values;
    let at = 0;
    return Array.from({ length: count }, (_, i) => {
      let sum = 0;
      for (const end = this.#endOf(i, count); at < end; at++) sum += values[at]!;
      return sum;
    });
  }

  /** Takes the partitions with these sums if they are shorter. */
  #consider(sums: readonly number[]): void {
    let length = 0;
    const parameters = sums.map((sum, i) => {
      const count = this.#endOf(i, sums.length) - (i === 0 ? 0 : this.#endOf(i - 1, sums.length));
      let parameter = 0;
      while (parameter < MAX_PARAMETER && count * 2 ** (parameter + 1) <= sum) parameter++;
      length += 5 + count * (parameter + 1) + sum / 2 ** parameter;
      return parameter;
    });
    if (length >= this.length) return;
    this.length = length;
    this.#parameters = parameters;
  }
}

function pairs(sums: readonly number[]): number[] {
  return Array.from({ length: sums.length / 2 }, (_, i) => sums[2 * i]! + sums[2 * i + 1]!);
}
