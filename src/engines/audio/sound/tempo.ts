/** Beats per minute. */
const LEAST_BPM = 45;
const MOST_BPM = 200;
/** The ratios of one candidate to the next: of all, and of those near the best one. */
const STEP = 1.005;
const FINE_STEP = 1.0005;
const FINE_STEPS = 12;
/** The mean strength of the onsets of sound that does not change. */
const STEADY = 0.002;
/** The tempo that is most probable without knowledge of the audio, and the octaves of a standard deviation from it. */
const USUAL_BPM = 118;
const USUAL_OCTAVES = 1;
/** In seconds. Each window has a tempo of its own, so that audio without a steady one is recognized. */
const WINDOW = 12;
const WINDOW_STEP = 3;
/** The multiples of a beat at which onsets repeat, with their weights. */
const COMB = [1.5, 1, 0.5, 0.8];
/** The least correlation that counts: the comb is a geometric mean, so that a beat with one weak multiple is not chosen. */
const LEAST = 0.02;
/** The part of a tempo by which windows may differ from the whole. */
const TOLERANCE = 0.04;

export interface Tempo {
  bpm: number;
  confidence: number;
  /** How strongly the onsets repeat with the beat: 0 to 1. */
  clarity: number;
}

/**
 * Finds the tempo of onsets by their autocorrelation, which is high at the beat and its multiples. Undefined if nothing
 * repeats.
 * @param strengths of the onsets, at equal intervals
 * @param rate onset strengths per second
 */
export function findTempo(strengths: Float32Array, rate: number): Tempo | undefined {
  const novelty = aboveMean(strengths, Math.round(rate / 2));
  if (meanOf(novelty) < STEADY) return undefined;
  const size = Math.min(novelty.length, Math.round(WINDOW * rate));
  const most = Math.min(Math.floor(size * 0.75), Math.ceil((COMB.length * 60 * rate) / LEAST_BPM));
  const curves: Float64Array[] = [];
  for (let at = 0; at + size <= novelty.length; at += Math.round(WINDOW_STEP * rate)) {
    const curve = autocorrelation(novelty.subarray(at, at + size), most);
    if (curve !== undefined) curves.push(curve);
    if (size === 0) break;
  }
  if (curves.length === 0) return undefined;
  const mean = new Float64Array(most + 1);
  for (const curve of curves)
    for (const [i, value] of curve.entries()) mean[i] = mean[i]! + value / curves.length;
  const best = bestOf(mean, rate);
  if (best === undefined) return undefined;
  const agreeing = curves.filter((curve) => {
    const own = bestOf(curve, rate);
    return own !== undefined && Math.abs(own.bpm / best.bpm - 1) <= TOLERANCE;
  });
  const clarity = Math.max(0, Math.min(1, best.strength));
  const steadiness = agreeing.length / curves.length;
  return { bpm: refined(best.bpm, mean, rate), clarity, confidence: clarity * steadiness };
}

/** Returns the tempo near this one that fits best. */
function refined(bpm: number, curve: Float64Array, rate: number): number {
  const near = Array.from({ length: 2 * FINE_STEPS + 1 }, (_, i) => {
    const candidate = bpm * FINE_STEP ** (i - FINE_STEPS);
    return { candidate, strength: strengthOf(candidate, curve, rate) ?? 0 };
  });
  return near.reduce((one, other) => (other.strength > one.strength ? other : one)).candidate;
}

function bestOf(curve: Float64Array, rate: number) {
  let best: { bpm: number; strength: number; score: number } | undefined;
  for (let bpm = LEAST_BPM; bpm <= MOST_BPM; bpm *= STEP) {
    const strength = strengthOf(bpm, curve, rate);
    if (strength === undefined) continue;
    const octaves = Math.log2(bpm / USUAL_BPM) / USUAL_OCTAVES;
    const score = strength * Math.exp(-0.5 * octaves * octaves);
    if (score > (best?.score ?? 0)) best = { bpm, strength, score };
  }
  return best;
}

/** How strongly the onsets repeat with a beat; undefined if the curve is too short. */
function strengthOf(bpm: number, curve: Float64Array, rate: number): number | undefined {
  const beat = (60 * rate) / bpm;
  let sum = 0;
  let weights = 0;
  for (const [i, weight] of COMB.entries()) {
    const lag = (i + 1) * beat;
    if (lag > curve.length - 2) break;
    sum += weight * Math.log(Math.max(LEAST, at(curve, lag)));
    weights += weight;
  }
  return weights === 0 ? undefined : Math.exp(sum / weights);
}

/** The value between two places of a curve. */
function at(curve: Float64Array, place: number): number {
  const i = Math.floor(place);
  return curve[i]! + (place - i) * (curve[i + 1]! - curve[i]!);
}

/** Returns by how much each value is above the mean of those around it. */
function aboveMean(values: Float32Array, half: number): Float32Array {
  let sum = 0;
  let [first, end] = [0, 0];
  return values.map((value, i) => {
    for (; end < Math.min(values.length, i + half + 1); end++) sum += values[end]!;
    for (; first < i - half; first++) sum -= values[first]!;
    return Math.max(0, value - sum / (end - first));
  });
}

/** The correlation of values with themselves at each lag up to `most`, of 1 at no lag; undefined if all are equal. */
function autocorrelation(values: Float32Array, most: number): Float64Array | undefined {
  const mean = meanOf(values);
  const centered = values.map((value) => value - mean);
  const curve = new Float64Array(most + 1);
  for (let lag = 0; lag <= most; lag++) {
    let sum = 0;
    const end = centered.length - lag;
    for (let i = 0; i < end; i++) sum += centered[i]! * centered[i + lag]!;
    curve[lag] = sum / end;
  }
  const power = curve[0]!;
  return power > 1e-12 ? curve.map((value) => value / power) : undefined;
}

function meanOf(values: Float32Array): number {
  return values.reduce((one, other) => one + other, 0) / Math.max(1, values.length);
}
