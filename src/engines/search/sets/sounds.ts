import { lowestBit, ones } from './bits.ts';

/** The sound of a track is a vector of this many signed bytes. Zeros mean that it is unknown. */
export const SOUND_BYTES = 64;
export const SOUND_WORDS = SOUND_BYTES / 4;
/** The words of the signs of a sound, one bit for each number. */
export const SIGN_WORDS = SOUND_BYTES / 32;

/** The sounds of the tracks of a segment, by ordinal. Empty if none is known. */
export interface Sounds {
  sounds: Uint32Array;
  signs: Uint32Array;
}

/** The tracks in words `from` to `to - 1` of a bitset. */
export interface TrackWords {
  bits: Uint32Array;
  from: number;
  to: number;
}

/** The greatest number of tracks that one comparison finds: all of its words. */
const FOUND = 4_096;
/** The words of a bitset that are compared at once. */
export const COMPARED_WORDS = FOUND / 32;
const COUNTS = SOUND_BYTES + 1;

/** What the kernel compares sounds with, and its results. */
export interface SoundScratch {
  seed: Int16Array;
  /** They follow the seed in memory. */
  seedSigns: Uint32Array;
  /** The number of tracks by the number of other signs, 0 to 64. */
  counts: Uint32Array;
  /** Ordinals, ascending. */
  found: Uint32Array;
}

export const SCRATCH_WORDS = 4_224;

export function scratchIn(buffer: ArrayBufferLike, begin: number): SoundScratch {
  const seedSigns = begin + SOUND_BYTES * 2;
  const counts = seedSigns + SIGN_WORDS * 4;
  return {
    seed: new Int16Array(buffer, begin, SOUND_BYTES),
    seedSigns: new Uint32Array(buffer, seedSigns, SIGN_WORDS),
    counts: new Uint32Array(buffer, counts, COUNTS),
    found: new Uint32Array(buffer, begin + (SCRATCH_WORDS - FOUND) * 4, FOUND),
  };
}

/** The numbers of all sounds, end to end. */
export function numbersOf(sounds: Uint32Array): Int8Array {
  return new Int8Array(sounds.buffer, sounds.byteOffset, sounds.byteLength);
}

/** Writes the signs of the sound of a track: a bit is set if the number is above 0. */
export function writeSigns(numbers: Int8Array, track: number, signs: Uint32Array): void {
  for (let word = 0; word < SIGN_WORDS; word++) {
    let bits = 0;
    const from = track * SOUND_BYTES + word * 32;
    for (let i = 0; i < 32; i++) bits |= (numbers[from + i]! > 0 ? 1 : 0) << i;
    signs[track * SIGN_WORDS + word] = bits;
  }
}

/** The scalar product of a vector with the sound of a track. */
export function product(
  vector: ArrayLike<number>,
  numbers: ArrayLike<number>,
  track: number,
): number {
  const from = track * SOUND_BYTES;
  let sum = 0;
  for (let i = 0; i < SOUND_BYTES; i++) sum += vector[i]! * numbers[from + i]!;
  return sum;
}

/** The square of the length of the sound of a track; 0 if it is unknown. */
export function squareOf(numbers: ArrayLike<number>, track: number): number {
  const from = track * SOUND_BYTES;
  let sum = 0;
  for (let i = from; i < from + SOUND_BYTES; i++) sum += numbers[i]! ** 2;
  return sum;
}

/** `BitKernel.countSigns` without WebAssembly. */
export function countSignsPlainly(
  { counts, seedSigns }: SoundScratch,
  { signs }: Sounds,
  tracks: TrackWords,
): void {
  each(tracks, (track) => {
    counts[otherSigns(seedSigns, signs, track)]!++;
  });
}

/** `BitKernel.soundsAbove` without WebAssembly. */
export function soundsAbovePlainly(
  { seed, seedSigns, found }: SoundScratch,
  { sounds, signs }: Sounds,
  tracks: TrackWords,
  { most, least }: { most: number; least: number },
): number {
  const numbers = numbersOf(sounds);
  let count = 0;
  each(tracks, (track) => {
    if (otherSigns(seedSigns, signs, track) > most) return;
    const length = Math.sqrt(squareOf(numbers, track));
    if (product(seed, numbers, track) > least * length) found[count++] = track;
  });
  return count;
}

function each({ bits, from, to }: TrackWords, visit: (track: number) => void): void {
  for (let i = from; i < to; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1) visit((i << 5) + lowestBit(word));
  }
}

function otherSigns(seedSigns: Uint32Array, signs: Uint32Array, track: number): number {
  const at = track * SIGN_WORDS;
  return ones(seedSigns[0]! ^ signs[at]!) + ones(seedSigns[1]! ^ signs[at + 1]!);
}
