/** Zero crossings of the filter on each side, at the lower of both rates. */
const CROSSINGS = 32;
/** The part of the lower band that passes. The rest is the transition to the stop band. */
const PASS_BAND = 0.94;
/** The shape of the Kaiser window: about 90 dB of attenuation. */
const BETA = 9;

/** Uses band-limited interpolation (a windowed sinc). Deterministic. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const resampler = new Resampler(from, to);
  const [first] = resampler.push([samples]);
  const [rest] = resampler.end();
  const output = new Float32Array(first!.length + rest!.length);
  output.set(first!);
  output.set(rest!, first!.length);
  return output;
}

/** As `resample`, for channels that arrive in pieces. The pieces do not change the result. Uses constant memory. */
export class Resampler {
  readonly #from: number;
  readonly #to: number;
  /** The input position of output i is i * step / phases. */
  readonly #phases: number;
  readonly #step: number;
  readonly #cutoff: number;
  /** The input samples before and after a position that decide its value. */
  readonly #half: number;
  readonly #filters = new Map<number, Float64Array>();
  /** The input from the sample `#offset` on. */
  #held: Float32Array[] = [];
  #offset = 0;
  #outputs = 0;

  constructor(from: number, to: number) {
    const common = greatestCommonDivisor(from, to);
    this.#from = from;
    this.#to = to;
    this.#phases = to / common;
    this.#step = from / common;
    this.#cutoff = PASS_BAND * Math.min(1, to / from);
    this.#half = Math.ceil(CROSSINGS / this.#cutoff);
  }

  /** Returns what the input up to now decides. The channels must be as many as before, and of the same length. */
  push(channels: readonly Float32Array[]): readonly Float32Array[] {
    if (this.#from === this.#to) return channels;
    this.#held = channels.map((samples, i) => joined(this.#held[i], samples));
    return this.#until(Math.ceil(((this.#received - this.#half) * this.#phases) / this.#step));
  }

  /** Returns the rest. There is silence after the last sample. */
  end(): readonly Float32Array[] {
    if (this.#from === this.#to) return [];
    return this.#until(Math.round((this.#received * this.#to) / this.#from));
  }

  get #received(): number {
    return this.#offset + (this.#held[0]?.length ?? 0);
  }

  /** Returns the outputs up to a number, and forgets the input that no later one needs. */
  #until(end: number): Float32Array[] {
    const start = this.#outputs;
    this.#outputs = Math.max(start, end);
    const outputs = this.#held.map((samples) => this.#interpolated(samples, start));
    const next = Math.floor((this.#outputs * this.#step) / this.#phases) - this.#half + 1;
    const unneeded = Math.min(Math.max(0, next - this.#offset), this.#held[0]?.length ?? 0);
    this.#held = this.#held.map((samples) => samples.slice(unneeded));
    this.#offset += unneeded;
    return outputs;
  }

  #interpolated(samples: Float32Array, start: number): Float32Array {
    const output = new Float32Array(this.#outputs - start);
    for (let i = 0; i < output.length; i++) {
      const position = (start + i) * this.#step;
      const phase = position % this.#phases;
      const filter = this.#filter(phase);
      const first = (position - phase) / this.#phases - this.#half + 1 - this.#offset;
      const end = Math.min(filter.length, samples.length - first);
      let sum = 0;
      for (let k = Math.max(0, -first); k < end; k++) {
        sum += samples[first + k]! * filter[k]!;
      }
      output[i] = sum;
    }
    return output;
  }

  #filter(phase: number): Float64Array {
    let filter = this.#filters.get(phase);
    if (filter === undefined) {
      filter = makeFilter(phase / this.#phases, this.#half, this.#cutoff);
      this.#filters.set(phase, filter);
    }
    return filter;
  }
}

function joined(before: Float32Array | undefined, after: Float32Array): Float32Array {
  if (before === undefined || before.length === 0) return after;
  const all = new Float32Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}

/** The weights of the samples around a position that is this fraction after one. Their sum is 1. */
function makeFilter(fraction: number, half: number, cutoff: number): Float64Array {
  const filter = Float64Array.from({ length: 2 * half }, (_, k) => {
    const distance = k - half + 1 - fraction;
    return sinc(distance * cutoff) * kaiser(distance / half);
  });
  const sum = filter.reduce((one, other) => one + other, 0);
  return filter.map((weight) => weight / sum);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA);
}

/** The modified Bessel function of the first kind and order 0, by its series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-15; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
