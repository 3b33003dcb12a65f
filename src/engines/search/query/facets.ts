import { AI_SHARES, type IndexFacets, TRAINING_ANSWERS, VOCALS } from '../catalog-index.ts';
import type { TrackColumns } from '../segments/columns.ts';
import type { Segment } from '../segments/segment.ts';
import {
  AI_LABELS,
  INSTRUMENTAL,
  TRAINING_LABELS,
  typeLabel,
  vocalsLabel,
} from '../sets/labels.ts';
import type { LiveTracks } from '../sets/live-tracks.ts';
import type { Matches } from '../sets/matches.ts';
import { asSet, type TrackSet } from '../sets/track-set.ts';

/**
 * The cost of counting the labels of one track, in postings that are read in the same time. The labels of two
 * tracks are far apart in memory.
 */
const POSTINGS_A_TRACK = 30;

/** The number of bitset words that the bit kernel counts in the time of one posting. */
const WORDS_A_POSTING = 10;

export function facetsOf(counts: Uint32Array, segment: Segment): IndexFacets {
  const countOf = (label: string) => counts[segment.labelNumber(label) ?? -1] ?? 0;
  // Every track has one of both.
  const total = countOf(vocalsLabel(true)) + countOf(vocalsLabel(false));
  const counted = <Value extends string>(
    values: readonly (Value | 'unknown')[],
    labels: Readonly<Record<Value, string>>,
  ) => {
    const isKnown = (value: Value | 'unknown'): value is Value => value !== 'unknown';
    const known = nonZero(values.filter(isKnown), (value) => countOf(labels[value]));
    const unknown = [...known.values()].reduce((rest, count) => rest - count, total);
    return nonZero(values, (value) => (isKnown(value) ? (known.get(value) ?? 0) : unknown));
  };
  return {
    filters: segment.filterCounts(counts),
    types: nonZero(['music', 'sfx'] as const, (type) => countOf(typeLabel(type))),
    hasVocals: nonZero([true, false], (hasVocals) => countOf(vocalsLabel(hasVocals))),
    vocals: counted(VOCALS, { vocal: vocalsLabel(true), instrumental: INSTRUMENTAL }),
    ai: counted(AI_SHARES, AI_LABELS),
    trainingAllowed: counted(TRAINING_ANSWERS, TRAINING_LABELS),
  };
}

/**
 * The number of found tracks that have each label. Reads the labels of each track if the tracks are few,
 * otherwise the tracks of each label.
 * @param takeSet returns empty sets that stay valid for the current query
 */
export function countLabels(
  found: Matches,
  { labels, tracks }: Segment,
  live: LiveTracks,
  takeSet: () => TrackSet,
): Uint32Array {
  const counts = new Uint32Array(labels.counts.length);
  const set = asSet(found, takeSet);
  const byLabel = labels.dense.length / WORDS_A_POSTING + labels.sparse.length;
  if (found.count * POSTINGS_A_TRACK < byLabel) {
    tally(set, tracks, counts);
    return counts;
  }
  for (let label = 0; label < counts.length; label++) {
    const bits = live.dense(label);
    counts[label] = bits === undefined ? countSome(live.sparse(label)!, set) : set.countIn(bits);
  }
  return counts;
}

const batch = new Uint32Array(64);
const firsts = new Uint32Array(batch.length);

/**
 * Counts the labels of each track. They are far apart in memory: the first loop, in which no iteration
 * depends on another, lets the processor fetch those of a whole batch at once before the second loop reads
 * them.
 */
function tally(set: TrackSet, { labels, labelStarts }: TrackColumns, counts: Uint32Array): void {
  eachBatch(set, (count) => {
    for (let i = 0; i < count; i++) {
      firsts[i] = labels[labelStarts[batch[i]!]!]!;
    }
    for (let i = 0; i < count; i++) {
      // Every track has at least two labels: its type and its vocals, besides its region.
      counts[firsts[i]!]!++;
      const end = labelStarts[batch[i]! + 1]!;
      for (let j = labelStarts[batch[i]!]! + 1; j < end; j++) {
        counts[labels[j]!]!++;
      }
    }
  });
}

/** Calls back with the members in order, at most `batch.length` at a time, which are in `batch`. */
function eachBatch(set: TrackSet, visit: (count: number) => void): void {
  let count = 0;
  set.each((ordinal) => {
    batch[count++] = ordinal;
    if (count === batch.length) {
      visit(count);
      count = 0;
    }
  });
  if (count > 0) visit(count);
}

function countSome(ordinals: Uint32Array, set: TrackSet): number {
  let count = 0;
  for (let i = 0; i < ordinals.length; i++) {
    if (set.has(ordinals[i]!)) {
      count++;
    }
  }
  return count;
}

function nonZero<Key>(keys: readonly Key[], countOf: (key: Key) => number): Map<Key, number> {
  return new Map(keys.map((key) => [key, countOf(key)] as const).filter(([, count]) => count > 0));
}
