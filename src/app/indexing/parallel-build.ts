import { buildSegmentElsewhere } from '../../engines/search/build/segment-builder.ts';
import type { CollectedTracks } from '../../engines/search/build/track-collector.ts';
import type { RowIdRange } from '../../engines/search/catalog-index.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { Store } from '../../features/store.ts';
import type { BuildThreads } from './build-threads.ts';

/** The number of row ids that one task reads. It bounds the memory of a thread. */
const ROWS_A_PART = 65_536;

/** This many parts at the end are divided into smaller ones. */
const SMALL_FROM = 2;
const SMALL_PARTS = 4;

/** The most parts of a catalog, without those. Row ids may have large gaps. */
const MAX_PARTS = 256;

/**
 * Builds a segment of all live tracks of the store in several threads: first they read ranges of tracks, then
 * they build the sections of the segment. The columns are those of buildFromStore.
 * @param store the store from which the position in the log and the greatest row id are read
 */
export async function buildInThreads(
  { catalog, changes }: Pick<Store, 'catalog' | 'changes'>,
  threads: BuildThreads,
  rowsAPart = ROWS_A_PART,
): Promise<SegmentColumns> {
  // The head is read before the tracks: changes that are committed meanwhile are then applied again from the
  // log. Tracks that are created after the greatest row id is read are among them.
  const seq = await changes.head();
  const ranges = rangesUpTo(await catalog.lastRowId(), rowsAPart);
  const parts = await Promise.all(
    ranges.map((rows) => threads.run<CollectedTracks>({ kind: 'collect', rows })),
  );
  return buildSegmentElsewhere(parts, seq, {
    section: (name, members, context) =>
      threads.run({ kind: 'section', name, parts: members, context }),
    laterSection: (name, built, context) => threads.run({ kind: 'later', name, built, context }),
  });
}

/** The last ranges are smaller, so that no thread reads much longer than the others. */
function rangesUpTo(last: number, rowsAPart: number): RowIdRange[] {
  const size = Math.max(rowsAPart, Math.ceil(last / MAX_PARTS));
  const ranges: RowIdRange[] = [];
  let after = 0;
  do {
    const length = last - after > SMALL_FROM * size ? size : Math.ceil(size / SMALL_PARTS);
    ranges.push({ after, upTo: after + length });
    after += length;
  } while (after < last);
  return ranges;
}
