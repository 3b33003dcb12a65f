import type { IndexEntry } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';

/** The live tracks of some segments and added tracks; of those that are in both, the added ones. */
export function* withAdded(
  parts: readonly SegmentSearch[],
  added: readonly IndexEntry[],
  removedIds: readonly string[],
): Iterable<IndexEntry> {
  const entries = new Map(added.map((entry) => [entry.id, entry]));
  const removed = new Set(removedIds);
  for (const { segment, live } of parts) {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      if (!live.has(ordinal)) continue;
      const entry = segment.entry(ordinal);
      if (!removed.has(entry.id) && !entries.has(entry.id)) yield entry;
    }
  }
  yield* entries.values();
}
