import { searchForm } from '../../../common/text/search-form.ts';
import type { IndexEntry } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';
import type { Segment } from '../segments/segment.ts';
import type { ComparedFilters } from '../similar-tracks.ts';

/** The greatest difference between the lengths of two releases of a recording, in seconds. */
const SAME_LENGTH_WITHIN = 2;

/** The track that others are compared with. */
export interface Seed {
  /** The number of its segment, and its ordinal there. */
  part: number;
  ordinal: number;
  entry: IndexEntry;
  genres: readonly string[];
  moods: readonly string[];
  /** In thousandths of a beat per minute; 0 if unknown. */
  tempo: number;
}

/** Finds a live track. */
export function findSeed(
  parts: readonly SegmentSearch[],
  id: string,
  { genres, moods }: ComparedFilters,
): Seed | undefined {
  for (const [part, { segment, live }] of parts.entries()) {
    const ordinal = segment.ordinalOf(id);
    if (ordinal === undefined || !live.has(ordinal)) continue;
    const entry = segment.entry(ordinal);
    return {
      part,
      ordinal,
      entry,
      genres: entry.filterIds.filter((filter) => genres.has(filter)),
      moods: entry.filterIds.filter((filter) => moods.has(filter)),
      tempo: segment.tracks.bpms[ordinal]!,
    };
  }
  return undefined;
}

/**
 * Returns a function that tells whether a track of a segment is the same recording as the seed, or the seed
 * itself (docs/contract/similar.md#same-recording).
 */
export function sameRecordingIn(segment: Segment, { entry }: Seed): (ordinal: number) => boolean {
  const { durations } = segment.tracks;
  const seedOrdinal = segment.ordinalOf(entry.id);
  const sameIsrc = entry.isrc === '' ? undefined : new Set(segment.withIsrc(entry.isrc));
  const name = comparable(entry.name);
  const artists = new Set(entry.artists.map(comparable));
  const length = entry.durationSeconds;
  return (ordinal) => {
    if (ordinal === seedOrdinal || sameIsrc?.has(ordinal)) return true;
    const other = durations[ordinal]!;
    if (length === 0 || other === 0 || Math.abs(length - other) > SAME_LENGTH_WITHIN) return false;
    if ((segment.searchName(ordinal) || segment.name(ordinal)) !== name) return false;
    return segment.entry(ordinal).artists.some((artist) => artists.has(comparable(artist)));
  };
}

/** The folded form of a text; the text itself if it has no letter or digit. */
function comparable(text: string): string {
  return searchForm(text) || text;
}
