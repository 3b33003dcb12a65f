const PITCHES = 12;
/** The parts of a semitone by which the tuning is found. */
const PARTS = 10;
const LEAST_HERTZ = 60;
const MOST_HERTZ = 2_000;
/** Spectra whose power is lower than this have no pitch. */
const SILENCE = 1e-7;
/** What a pitch has on both sides: so many bins from its peak, its power is this part of the peak or less. */
const WIDTH = 4;
const FOOT = 0.5;
const A4 = 440;

const MAJOR_NAMES = ['C', 'Db', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];
const MINOR_NAMES = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'G#', 'A', 'Bb', 'B'];

/**
 * How often the pitches from the tonic on are heard in music of a key: by C. Krumhansl, Cognitive Foundations of Musical
 * Pitch (1990); D. Temperley, What's Key for Key? (1999); Á. Faraldo et al., Key Estimation in Electronic Dance Music
 * (ECIR 2016, "edma").
 */
const PROFILES: readonly (readonly [major: readonly number[], minor: readonly number[]])[] = [
  [
    [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
    [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17],
  ],
  [
    [5, 2, 3.5, 2, 4.5, 4, 2, 4.5, 2, 3.5, 1.5, 4],
    [5, 2, 3.5, 4.5, 2, 4, 2, 4.5, 3.5, 2, 1.5, 4],
  ],
  [
    [16.52, 4.75, 8.29, 6.69, 9.99, 9.27, 5.29, 13.16, 5.22, 7.44, 6.94, 6.43],
    [17.24, 5.34, 7.61, 10.04, 5.62, 8.53, 4.98, 13.45, 7.46, 5, 9.19, 5.55],
  ],
];

/** Collects which pitches are heard, without their octaves (a chroma), and finds the key that fits them best. */
export class KeyFinder {
  /** The parts of each frame by pitch class, in tenths of a semitone from C on, summed over all frames. */
  readonly #sum = new Float64Array(PITCHES * PARTS);
  readonly #frame = new Float64Array(PITCHES * PARTS);
  /** The chroma of the last frame, whose sum is 1, for statistics. */
  readonly chroma = new Float64Array(PITCHES);
  #frames = 0;

  /** Returns false if the spectrum has no pitches. */
  add(power: Float64Array, sampleRate: number): boolean {
    const width = sampleRate / 2 / power.length;
    const frame = this.#frame.fill(0);
    let sum = 0;
    const end = Math.min(power.length - WIDTH, Math.floor(MOST_HERTZ / width));
    for (let i = Math.max(WIDTH, Math.ceil(LEAST_HERTZ / width)); i < end; i++) {
      const [before, here, after] = [power[i - 1]!, power[i]!, power[i + 1]!];
      if (here < SILENCE || here <= before || here < after) continue;
      // The spectrum of a click has wide hills.
      if (power[i - WIDTH]! > here * FOOT || power[i + WIDTH]! > here * FOOT) continue;
      // The maximum of a parabola through the logarithms.
      const [a, b, c] = [Math.log(before + 1e-20), Math.log(here), Math.log(after + 1e-20)];
      const shift = (a - c) / (2 * (a - 2 * b + c));
      const semitones = PITCHES * Math.log2(((i + shift) * width) / A4) + 9;
      const part = modulo(Math.round(semitones * PARTS), PITCHES * PARTS);
      const magnitude = Math.sqrt(here);
      frame[part] = frame[part]! + magnitude;
      sum += magnitude;
    }
    if (sum === 0) return false;
    this.chroma.fill(0);
    for (let i = 0; i < frame.length; i++) {
      const share = frame[i]! / sum;
      this.#sum[i] = this.#sum[i]! + share;
      const pitch = Math.floor((i + PARTS / 2) / PARTS) % PITCHES;
      this.chroma[pitch] = this.chroma[pitch]! + share;
    }
    this.#frames++;
    return true;
  }

  /** The mean chroma from C on, in the tuning of the audio. Its sum is 1, or 0 without pitches. */
  mean(): Float64Array {
    const mean = new Float64Array(PITCHES);
    const tuning = this.#tuning();
    for (let i = 0; i < this.#sum.length; i++) {
      const pitch = Math.floor(modulo(i - tuning + PARTS / 2, PITCHES * PARTS) / PARTS);
      mean[pitch] = mean[pitch]! + this.#sum[i]! / Math.max(1, this.#frames);
    }
    return mean;
  }

  /** The tuning above 440 Hz in tenths of a semitone: the one to which the parts are nearest. */
  #tuning(): number {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let tuning = -PARTS / 2; tuning < PARTS / 2; tuning++) {
      let fit = 0;
      for (let i = 0; i < this.#sum.length; i++) {
        fit += this.#sum[i]! * Math.cos((2 * Math.PI * (i - tuning)) / PARTS);
      }
      if (fit > most + 1e-9) [most, best] = [fit, tuning];
    }
    return best;
  }

  /** The key that fits best, with the number of its tonic from C on; undefined without pitches. */
  find(): { name: string; tonic: number; confidence: number } | undefined {
    if (this.#frames === 0) return undefined;
    const chroma = this.mean();
    const fits = Array.from({ length: 2 * PITCHES }, (_, key) => {
      const [tonic, mode] = [key >> 1, key & 1];
      const turned = chroma.map((__, i) => chroma[(i + tonic) % PITCHES]!);
      const fit = PROFILES.reduce((sum, pair) => sum + correlation(turned, pair[mode]!), 0);
      return { tonic, mode, fit: fit / PROFILES.length };
    }).sort((one, other) => other.fit - one.fit);
    const best = fits[0]!;
    // A relative key has the same scale, so it does not make the best one less probable.
    const rival = fits.slice(1).find((key) => !isRelative(best, key))!;
    const confidence =
      Math.max(0, Math.min(1, best.fit)) * Math.min(1, (best.fit - rival.fit) / 0.2);
    const names = best.mode === 0 ? MAJOR_NAMES : MINOR_NAMES;
    const name = `${names[best.tonic]!} ${best.mode === 0 ? 'major' : 'minor'}`;
    return { name, tonic: best.tonic, confidence };
  }
}

interface Key {
  tonic: number;
  /** 0 for major, 1 for minor. */
  mode: number;
}

function isRelative(one: Key, other: Key): boolean {
  if (one.mode === other.mode) return false;
  const [major, minor] = one.mode === 0 ? [one, other] : [other, one];
  return (major.tonic + 9) % PITCHES === minor.tonic;
}

function correlation(one: Float64Array, other: readonly number[]): number {
  const [meanOne, meanOther] = [sumOf(one) / one.length, sumOf(other) / other.length];
  let [product, squares, otherSquares] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    const [a, b] = [one[i]! - meanOne, other[i]! - meanOther];
    product += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return squares === 0 ? 0 : product / Math.sqrt(squares * otherSquares);
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
