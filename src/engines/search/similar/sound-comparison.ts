import type { IndexQuery } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';
import type { Segment } from '../segments/segment.ts';
import {
  COMPARED_WORDS,
  numbersOf,
  product,
  SIGN_WORDS,
  SOUND_BYTES,
  type SoundScratch,
  squareOf,
  writeSigns,
} from '../sets/sounds.ts';
import { asSet, type TrackSet } from '../sets/track-set.ts';
import { inUnits } from './similarity.ts';

/** All of so many tracks are compared with a seed. */
const COMPARE_UP_TO = 100_000;

/** Of more tracks, those whose signs are nearest to the seed are compared: at least so many, and at least this share. */
const LEAST_COMPARED = 20_000;
const SHARE_COMPARED = 1 / 50;

/** The kernel rounds to 32 bits; a track that it omits wrongly would be missing. */
const ROUNDING = 1 - 1e-6;

/** A sound that tracks are compared with. */
export class SeedSound {
  readonly #numbers: Int8Array;
  readonly #signs = new Uint32Array(SIGN_WORDS);
  readonly #square: number;

  constructor(sound: Uint8Array) {
    this.#numbers = new Int8Array(sound);
    writeSigns(this.#numbers, 0, this.#signs);
    this.#square = squareOf(this.#numbers, 0);
  }

  writeTo({ seed, seedSigns }: SoundScratch): void {
    seed.set(this.#numbers);
    seedSigns.set(this.#signs);
  }

  /** How alike the sounds are, in units: their cosine, or 0 if that is negative. Undefined if one is unknown. */
  likeness(numbers: Int8Array, track: number): number | undefined {
    const square = squareOf(numbers, track) * this.#square;
    if (square === 0) return undefined;
    return inUnits(Math.max(0, product(this.#numbers, numbers, track) / Math.sqrt(square)));
  }

  /** What the product with a sound exceeds, divided by the length of that, if the likeness is not less. */
  leastProduct(likeness: number): number {
    if (likeness <= 0) return Number.NEGATIVE_INFINITY;
    return ((likeness - 0.5) / 10_000) * Math.sqrt(this.#square) * ROUNDING;
  }
}

/** How alike the sounds of a seed and of a track are, in units; undefined if one is unknown. */
export function likenessOf(
  seed: SeedSound,
  { tracks }: Segment,
  ordinal: number,
): number | undefined {
  const from = ordinal * SOUND_BYTES;
  const numbers = numbersOf(tracks.sounds).subarray(from, from + SOUND_BYTES);
  return numbers.length === 0 ? undefined : seed.likeness(numbers, 0);
}

/** Receives tracks with the likeness of their sounds, in units. */
export interface Receiver {
  /** The likeness below which a track is of no use. It may grow with each track. */
  readonly leastLikeness: number;
  receive(part: number, ordinal: number, likeness: number): void;
}

interface Compared {
  part: SegmentSearch;
  number: number;
  set: TrackSet;
}

/**
 * Compares the sounds of the tracks that meet a query with that of a seed. Exact up to 100,000 tracks. Which others are
 * compared depends on the tracks alone, not on their segments, so all nodes find the same.
 */
export function compareSounds(
  parts: readonly SegmentSearch[],
  query: IndexQuery,
  seed: SeedSound,
  receiver: Receiver,
): void {
  const compared: Compared[] = [];
  for (const [number, part] of parts.entries()) {
    if (part.segment.tracks.sounds.length === 0) continue;
    part.begin();
    seed.writeTo(part.scratch);
    const set = asSet(part.findAll(query), () => part.take());
    compared.push({ part, number, set });
  }
  const most = mostOtherSigns(compared);
  for (const one of compared) receiveSounds(one, most, seed, receiver);
}

/** The number of signs in which a track that is compared may differ from the seed. */
function mostOtherSigns(compared: readonly Compared[]): number {
  const tracks = compared.reduce((sum, { set }) => sum + set.count, 0);
  if (tracks <= COMPARE_UP_TO) return SOUND_BYTES;
  const counts = new Float64Array(SOUND_BYTES + 1);
  for (const { part, set } of compared) {
    part.scratch.counts.fill(0);
    const { length } = set.bits;
    part.kernel.countSigns(part.scratch, soundsOf(part), { bits: set.bits, from: 0, to: length });
    for (const [signs, count] of part.scratch.counts.entries()) counts[signs]! += count;
  }
  const wanted = Math.max(LEAST_COMPARED, tracks * SHARE_COMPARED);
  let sum = 0;
  return counts.findIndex((count) => {
    sum += count;
    return sum >= wanted;
  });
}

function receiveSounds(
  { part, number, set: { bits } }: Compared,
  most: number,
  seed: SeedSound,
  receiver: Receiver,
): void {
  const sounds = soundsOf(part);
  const numbers = numbersOf(sounds.sounds);
  for (let from = 0; from < bits.length; from += COMPARED_WORDS) {
    const to = Math.min(bits.length, from + COMPARED_WORDS);
    const least = seed.leastProduct(receiver.leastLikeness);
    const count = part.kernel.soundsAbove(
      part.scratch,
      sounds,
      { bits, from, to },
      { most, least },
    );
    for (let i = 0; i < count; i++) {
      const ordinal = part.scratch.found[i]!;
      receiver.receive(number, ordinal, seed.likeness(numbers, ordinal)!);
    }
  }
}

function soundsOf({ segment }: SegmentSearch) {
  const { sounds, soundSigns } = segment.tracks;
  return { sounds, signs: soundSigns };
}
