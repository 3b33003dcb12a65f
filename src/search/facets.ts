import type { IndexFacets } from '../catalog/catalog-index.ts';
import type { TrackColumns } from './columns.ts';
import { typeLabel, vocalsLabel } from './labels.ts';
import type { LiveTracks } from './live-tracks.ts';
import type { Matches } from './matches.ts';
import type { Segment } from './segment.ts';
import { TrackSet } from './track-set.ts';

/** What counting one track's labels costs, which lie far apart, in postings gone through. */
const POSTINGS_A_TRACK = 30;

/** How many words of bitsets the kernel counts in the time of one posting. */
const WORDS_A_POSTING = 10;

/** What counts by label say of properties. */
export function facetsOf(counts: Uint32Array, segment: Segment): IndexFacets {
  const countOf = (label: string) => counts[segment.labelNumber(label) ?? -1] ?? 0;
  return {
    filters: segment.filterCounts(counts),
    types: nonZero(['music', 'sfx'] as const, (type) => countOf(typeLabel(type))),
    hasVocals: nonZero([true, false], (hasVocals) => countOf(vocalsLabel(hasVocals))),
  };
}

/**
 * How many of the live tracks found have each label: looks at the labels of each track where the
 * tracks are few, else at the tracks of each label.
 * @param takeSet gives empty sets, good for the query at hand
 */
export function countLabels(
  found: Matches,
  { labels, tracks }: Segment,
  live: LiveTracks,
  takeSet: () => TrackSet,
): Uint32Array {
  const counts = new Uint32Array(labels.counts.length);
  const set = found instanceof TrackSet ? found : takeSet();
  if (set !== found) {
    found.copyTo(set);
  }
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
 * Counts the labels of each track. They lie far apart in memory: the first loop, which waits for
 * none of them, has those of a whole batch fetched at once, before the second goes through them.
 */
function tally(set: TrackSet, { labels, labelStarts }: TrackColumns, counts: Uint32Array): void {
  set.eachBatch(batch, (count) => {
    for (let i = 0; i < count; i++) {
      firsts[i] = labels[labelStarts[batch[i]!]!]!;
    }
    for (let i = 0; i < count; i++) {
      // Every track has two labels at least: its type's and that of its vocals.
      counts[firsts[i]!]!++;
      const end = labelStarts[batch[i]! + 1]!;
      for (let j = labelStarts[batch[i]!]! + 1; j < end; j++) {
        counts[labels[j]!]!++;
      }
    }
  });
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
