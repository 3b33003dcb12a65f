import { SAMPLE_RATE, type Sound } from './sound.ts';

const TABLE_SIZE = 2048;
const OCTAVES = 10;

/**
 * Returns one cycle of a waveform for an octave, without harmonics that would alias there. Each
 * table is made once.
 */
export type WaveTables = (octave: number) => Sound;

/** Makes tables from the strength of each harmonic, beginning with the fundamental. */
function waveTables(harmonics: (harmonic: number) => number): WaveTables {
  const made: Sound[] = [];
  return (octave) => {
    made[octave] ??= waveTable(harmonics, 20 * 2 ** (octave + 1));
    return made[octave];
  };
}

/** @param highestHertz the highest fundamental that the table is used for */
function waveTable(harmonics: (harmonic: number) => number, highestHertz: number): Sound {
  const highest = Math.max(1, Math.min(400, Math.floor(SAMPLE_RATE / 2 / highestHertz)));
  const table = new Float32Array(TABLE_SIZE + 1);
  for (let harmonic = 1; harmonic <= highest; harmonic++) {
    addHarmonic(table, harmonic, harmonics(harmonic));
  }
  table[TABLE_SIZE] = table[0]!;
  return table;
}

/** Adds one sine, computed by rotation, which takes a third of the time of a sine per sample. */
function addHarmonic(table: Sound, harmonic: number, strength: number): void {
  if (strength === 0) {
    return;
  }
  const step = (2 * Math.PI * harmonic) / TABLE_SIZE;
  const [cosine, sine] = [Math.cos(step), Math.sin(step)];
  let [x, y] = [1, 0];
  for (let i = 0; i < TABLE_SIZE; i++) {
    table[i]! += strength * y;
    [x, y] = [x * cosine - y * sine, x * sine + y * cosine];
  }
}

const odd = (harmonic: number) => harmonic % 2;

/** One harmonic. */
export const SINE = waveTables((h) => (h === 1 ? 1 : 0));
/** All harmonics: bright. */
export const SAW = waveTables((h) => (2 / Math.PI / h) * (h % 2 === 1 ? 1 : -1));
/** Odd harmonics: hollow, like a clarinet. */
export const SQUARE = waveTables((h) => (4 / Math.PI / h) * odd(h));
/** Weak odd harmonics: soft, like a flute. */
export const TRIANGLE = waveTables(
  (h) => (8 / Math.PI ** 2 / h ** 2) * odd(h) * (h % 4 === 1 ? 1 : -1),
);
/** A pulse of a quarter of the cycle: thin and bright, as in old game consoles. */
export const PULSE = waveTables((h) => ((4 / Math.PI / h) * Math.sin((Math.PI * h) / 4)) / 1.2);
/** The drawbars 8', 4', 2 2/3' and 2' of an organ. */
export const ORGAN = waveTables((h) => [0.5, 0.32, 0.16, 0.12, 0, 0.05, 0, 0.04][h - 1] ?? 0);
/** A soft spectrum for strings and voices, to be filtered. */
export const REED = waveTables((h) => 0.7 / h ** 1.25);

/** A slow change of pitch: rate in Hz, depth in semitones, delay in seconds. */
export interface Vibrato {
  hertz: number;
  semitones: number;
  afterSeconds: number;
}

/**
 * Adds a waveform of one pitch, with linear interpolation; `phase` is in cycles. Updates the
 * vibrato every 32 samples, which is not audible.
 */
export function addWave(
  out: Sound,
  tables: WaveTables,
  {
    frequency,
    gain = 1,
    phase = 0,
    vibrato,
  }: { frequency: number; gain?: number; phase?: number; vibrato?: Vibrato },
): void {
  const octave = Math.max(0, Math.min(OCTAVES - 1, Math.floor(Math.log2(frequency / 20))));
  const table = tables(octave);
  const step = (frequency / SAMPLE_RATE) * TABLE_SIZE;
  let position = (phase - Math.floor(phase)) * TABLE_SIZE;
  for (let from = 0; from < out.length; from += 32) {
    const bent = vibrato === undefined ? step : step * bend(vibrato, from / SAMPLE_RATE);
    const until = Math.min(out.length, from + 32);
    for (let i = from; i < until; i++) {
      const at = position | 0;
      const here = table[at]!;
      out[i]! += gain * (here + (table[at + 1]! - here) * (position - at));
      position += bent;
      if (position >= TABLE_SIZE) {
        position -= TABLE_SIZE;
      }
    }
  }
}

function bend({ hertz, semitones, afterSeconds }: Vibrato, second: number): number {
  const depth = Math.min(1, Math.max(0, (second - afterSeconds) * 3));
  return 2 ** ((depth * semitones * Math.sin(2 * Math.PI * hertz * second)) / 12);
}

/** Adds white noise between -gain and gain. Equal seeds give equal noise. */
export function addNoise(out: Sound, gain: number, seed: number): void {
  let state = seed | 0 || 1;
  const scale = gain / 0x80000000;
  for (let i = 0; i < out.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    out[i]! += state * scale;
  }
}
