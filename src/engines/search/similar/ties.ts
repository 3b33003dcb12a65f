import type { SegmentSearch } from '../query/segment-search.ts';
import { keyLabel, vocalsLabel } from '../sets/labels.ts';
import { rankOf, type Seed, sameRecordingIn } from './similarity.ts';

/** What decides between tracks of one segment with equal scores, and which of them are the recording of the seed. */
export class Ties {
  readonly isSameRecording: (ordinal: number) => boolean;
  /** Whether the segment has a track with a key of the seed. */
  readonly #mayHaveKey: boolean;
  readonly #hasKey: (ordinal: number) => boolean;
  readonly #hasSameVocals: (ordinal: number) => boolean;

  constructor(part: SegmentSearch, seed: Seed) {
    const { songKeys, hasVocals } = seed.entry;
    const keys = labelsIn(part, songKeys.map(keyLabel));
    this.#mayHaveKey = keys.length > 0;
    this.#hasKey = anyOf(part, keys);
    const vocals = hasVocals === undefined ? [] : [vocalsLabel(hasVocals)];
    this.#hasSameVocals = anyOf(part, labelsIn(part, vocals));
    this.isSameRecording = sameRecordingIn(part.segment, seed);
  }

  /** The rank of a track with a score, in units. */
  rank(ordinal: number, score: number): number {
    return rankOf(score, this.#hasKey(ordinal), this.#hasSameVocals(ordinal));
  }

  /** The highest rank that a track of this score can have in the segment. */
  highestRank(score: number): number {
    return rankOf(score, this.#mayHaveKey, true);
  }
}

export function labelsIn({ segment }: SegmentSearch, names: readonly string[]): number[] {
  return names.map((name) => segment.labelNumber(name)).filter((label) => label !== undefined);
}

function anyOf({ live }: SegmentSearch, labels: readonly number[]): (ordinal: number) => boolean {
  const lists = labels.map((label) => live.withLabel(label));
  return (ordinal) => lists.some((matches) => matches.has(ordinal));
}
