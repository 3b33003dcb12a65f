import { hasBit, lowestBit } from './bits.ts';

/** The tracks that have one greatest score in common: a part of a block of bitsets. */
const TRACKS_A_GREATEST = 64;

/** The words of memory that scores need for each word of a bitset, rounded up. */
export const SCORE_WORDS = 17;

/** The most sets whose points are added at once. */
export const SETS_ADDED = 4;

/** The scores of the tracks of a segment, by ordinal. */
export interface Scores {
  scores: Uint16Array;
  /** The memory of the scores. */
  words: Uint32Array;
  /** The greatest score of each 64 tracks. */
  greatest: Uint16Array;
}

/** @param length the words of a bitset */
export function scoresIn(buffer: ArrayBufferLike, begin: number, length: number): Scores {
  const words = new Uint32Array(buffer, begin, length * 16);
  const scores = new Uint16Array(buffer, begin, length * 32);
  const end = begin + words.byteLength;
  const greatest = new Uint16Array(buffer, end, scores.length / TRACKS_A_GREATEST);
  return { scores, words, greatest };
}

/** `BitKernel.addPoints` without WebAssembly. */
export function addPointsPlainly(
  { scores }: Scores,
  sets: readonly Uint32Array[],
  points: readonly number[],
): void {
  for (const [at, bits] of sets.entries()) {
    const added = points[at]!;
    for (let i = 0; i < bits.length; i++) {
      for (let word = bits[i]!; word !== 0; word &= word - 1) {
        scores[(i << 5) + lowestBit(word)]! += added;
      }
    }
  }
}

/** `BitKernel.keepScores` without WebAssembly. */
export function keepScoresPlainly(
  { scores, greatest }: Scores,
  bits: Uint32Array,
  to: Uint32Array,
): number {
  let count = 0;
  greatest.fill(0);
  for (let ordinal = 0; ordinal < scores.length; ordinal++) {
    if (!hasBit(bits, ordinal)) scores[ordinal] = 0;
    const score = scores[ordinal]!;
    const block = Math.floor(ordinal / TRACKS_A_GREATEST);
    if (score > greatest[block]!) greatest[block] = score;
    if (score <= 1) continue;
    to[ordinal >>> 5]! |= 1 << (ordinal & 31);
    count++;
  }
  return count;
}

/**
 * Calls back for the tracks with at least this score, which is above 0, in order. Once the callback returns true, further
 * tracks with just this score may be left out.
 */
export function eachFrom(
  { scores, greatest }: Scores,
  least: number,
  visit: (ordinal: number, score: number) => boolean,
): void {
  let isEnough = false;
  for (let block = 0; block < greatest.length; block++) {
    if (isEnough ? greatest[block]! <= least : greatest[block]! < least) continue;
    const end = (block + 1) * TRACKS_A_GREATEST;
    for (let ordinal = block * TRACKS_A_GREATEST; ordinal < end; ordinal++) {
      const score = scores[ordinal]!;
      if (score >= least && visit(ordinal, score)) isEnough = true;
    }
  }
}
