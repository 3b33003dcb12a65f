import type { Queries } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { DeliveredPart } from '../track-parts.ts';

/** The columns of tracks, and of former tracks, with media keys. */
export const MEDIA_COLUMNS = ['audio_key', 'artwork_key', 'preview_key', 'waveform_key'] as const;

/** The number of rows that one step of a walk reads. */
const WALK_SLICE = 2_000;

/** The key of a row of `renditions`. */
interface RenditionKey {
  audioKey: string;
  kind: 'preview' | 'waveform' | 'waveform-dat';
  variant: string;
}

/** All media keys of renditions, in slices. */
export async function* renditionMediaKeys(queries: Queries): AsyncIterable<string[]> {
  let last: RenditionKey | undefined;
  for (;;) {
    const rows = await renditionsAfter(queries, last).limit(WALK_SLICE).execute();
    if (rows.length === 0) return;
    yield rows.flatMap(({ mediaKey }) => mediaKey ?? []);
    last = rows.at(-1)!;
  }
}

/** The query of the renditions after one of them in the order of their key, or of all. */
export function renditionsAfter(
  queries: Queries,
  { audioKey, kind, variant }: RenditionKey = { audioKey: '', kind: 'preview', variant: '' },
) {
  return queries
    .selectFrom('renditions')
    .select(['audioKey', 'kind', 'variant', 'mediaKey'])
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('audioKey', 'kind', 'variant'), '>', tuple(audioKey, kind, variant)),
    )
    .orderBy('audioKey')
    .orderBy('kind')
    .orderBy('variant');
}

/** All media keys of the parts of tracks, and of those that batches keep for an undo, in slices. */
export async function* partMediaKeys(queries: Queries): AsyncIterable<string[]> {
  for (let last = 0; ; ) {
    const rows = await partsAfter(queries, last).limit(WALK_SLICE).execute();
    if (rows.length === 0) break;
    yield rows.map(({ audioKey }) => audioKey);
    last = rows.at(-1)!.rowId;
  }
  for (let last = { batchRowId: 0, trackRowId: 0 }; ; ) {
    const rows = await formerPartsAfter(queries, last).limit(FORMER_SLICE).execute();
    if (rows.length === 0) return;
    yield rows
      .flatMap(({ stems, versions }) => [stems, versions])
      .flatMap((json) => (json === null ? [] : parseStored<DeliveredPart[]>(json)))
      .map(({ audioKey }) => audioKey);
    last = rows.at(-1)!;
  }
}

/** The number of former tracks with parts that one step of a walk reads: each has up to 64 parts. */
const FORMER_SLICE = 200;

/** The query of the parts after a row id in the order of row ids. */
function partsAfter(queries: Queries, rowId: number) {
  return queries
    .selectFrom('trackParts')
    .select(['rowId', 'audioKey'])
    .where('rowId', '>', rowId)
    .orderBy('rowId');
}

/** The query of the former tracks with parts after one of them in the order of their key. */
function formerPartsAfter(
  queries: Queries,
  { batchRowId, trackRowId }: { batchRowId: number; trackRowId: number },
) {
  return queries
    .selectFrom('formerTracks')
    .select(['batchRowId', 'trackRowId', 'stems', 'versions'])
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('batchRowId', 'trackRowId'), '>', tuple(batchRowId, trackRowId)),
    )
    .where(({ eb, or }) => or([eb('stems', 'is not', null), eb('versions', 'is not', null)]))
    .orderBy('batchRowId')
    .orderBy('trackRowId');
}
