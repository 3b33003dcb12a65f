import type { IndexFacets } from '../catalog/catalog-index.ts';
import { typeLabel, vocalsLabel } from './labels.ts';
import type { LiveTracks } from './live-tracks.ts';
import type { Matches } from './matches.ts';
import type { Segment } from './segment.ts';
import { TrackSet } from './track-set.ts';

/** What counting one track's labels costs, which lie far apart, in postings gone through. */
const POSTINGS_A_TRACK = 60;

/** How many words of bitsets the kernel counts in the time of one posting. */
const WORDS_A_POSTING = 10;

/**
 * How many of the live tracks found have each property.
 * @param takeSet gives empty sets, good for the query at hand
 */
export function facetsOf(
  found: Matches,
  segment: Segment,
  live: LiveTracks,
  takeSet: () => TrackSet,
): IndexFacets {
  const counts = found === live.all ? live.counts : countLabels(found, segment, live, takeSet);
  const countOf = (label: string) => counts[segment.labelNumber(label) ?? -1] ?? 0;
  return {
    filters: segment.filterCounts(counts),
    types: nonZero(['music', 'sfx'] as const, (type) => countOf(typeLabel(type))),
    hasVocals: nonZero([true, false], (hasVocals) => countOf(vocalsLabel(hasVocals))),
  };
}

/** Looks at the labels of each track where the tracks are few, else at the tracks of each label. */
function countLabels(
  found: Matches,
  { labels, tracks, size }: Segment,
  live: LiveTracks,
  takeSet: () => TrackSet,
): Uint32Array {
  const counts = new Uint32Array(labels.counts.length);
  const byLabel = labels.dense.length / WORDS_A_POSTING + labels.sparse.length;
  if (found.count * POSTINGS_A_TRACK < byLabel) {
    found.visit(0, size, 0, (ordinal) => {
      const end = tracks.labelStarts[ordinal + 1]!;
      for (let i = tracks.labelStarts[ordinal]!; i < end; i++) {
        counts[tracks.labels[i]!]!++;
      }
      return false;
    });
    return counts;
  }
  const set = found instanceof TrackSet ? found : takeSet();
  if (set !== found) {
    found.copyTo(set);
  }
  for (let label = 0; label < counts.length; label++) {
    const bits = live.dense(label);
    counts[label] = bits === undefined ? countSome(live.sparse(label)!, set) : set.countIn(bits);
  }
  return counts;
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
