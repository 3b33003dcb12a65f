/** Zero crossings of the filter on each side, at the lower of both rates. */
const CROSSINGS = 32;
/** The part of the lower band that passes. The rest is the transition to the stop band. */
const PASS_BAND = 0.94;
/** The shape of the Kaiser window: about 90 dB of attenuation. */
const BETA = 9;

/** Uses band-limited interpolation (a windowed sinc). Deterministic. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const common = greatestCommonDivisor(from, to);
  // The input position of output i is i * step / phases.
  const phases = to / common;
  const step = from / common;
  const cutoff = PASS_BAND * Math.min(1, to / from);
  const half = Math.ceil(CROSSINGS / cutoff);
  const filters = new Map<number, Float64Array>();
  const output = new Float32Array(Math.round((samples.length * to) / from));
  for (let i = 0; i < output.length; i++) {
    const position = i * step;
    const phase = position % phases;
    let filter = filters.get(phase);
    if (filter === undefined) {
      filter = makeFilter(phase / phases, half, cutoff);
      filters.set(phase, filter);
    }
    const first = (position - phase) / phases - half + 1;
    const end = Math.min(filter.length, samples.length - first);
    let sum = 0;
    for (let k = Math.max(0, -first); k < end; k++) {
      sum += samples[first + k]! * filter[k]!;
    }
    output[i] = sum;
  }
  return output;
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
