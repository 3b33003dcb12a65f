import type { AudioBlock } from '../audio-block.ts';

/** Blocks of mono audio. The function gets the seconds from the beginning. */
export async function* sound(
  sampleOf: (seconds: number) => number,
  seconds: number,
  sampleRate = 44_100,
): AsyncGenerator<AudioBlock> {
  const frames = Math.floor(seconds * sampleRate);
  for (let at = 0; at < frames; at += 4_096) {
    const samples = Float32Array.from({ length: Math.min(4_096, frames - at) }, (_, i) =>
      sampleOf((at + i) / sampleRate),
    );
    yield { sampleRate, channels: [samples] };
  }
}

export const sine = (hertz: number, amplitude: number) => (seconds: number) =>
  amplitude * Math.sin(2 * Math.PI * hertz * seconds);

/** Clicks at a tempo. */
export const clicks = (bpm: number) => (seconds: number) =>
  ((seconds * bpm) / 60) % 1 < 0.02 ? sine(1_000, 0.5)(seconds) : 0;

/** One chord a second, each of semitones above a tonic in hertz. */
export const chords =
  (tonic: number, ...list: readonly number[][]) =>
  (seconds: number) =>
    list[Math.floor(seconds) % list.length]!.reduce(
      (sum, semitones) => sum + sine(tonic * 2 ** (semitones / 12), 0.15)(seconds),
      0,
    );

/** The cosine of two vectors. */
export function cosine(one: Int8Array, other: Int8Array): number {
  let [product, squares, otherSquares] = [0, 0, 0];
  for (const [i, value] of one.entries()) {
    product += value * other[i]!;
    squares += value * value;
    otherSquares += other[i]! * other[i]!;
  }
  return product / Math.sqrt(squares * otherSquares);
}
