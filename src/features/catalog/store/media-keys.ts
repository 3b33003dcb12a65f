import type { Queries } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { DeliveredPart } from '../track-parts.ts';

/** The columns with media keys of tracks and of former tracks. */
const MEDIA_COLUMNS = ['audioKey', 'artworkKey', 'previewKey', 'waveformKey'] as const;

/** The number of rows that one step of a walk reads. */
const WALK_SLICE = 2_000;
/** The number of former tracks with parts that one step of a walk reads: each has up to 64 parts. */
const FORMER_SLICE = 200;

interface RenditionKey {
  audioKey: string;
  kind: 'preview' | 'waveform' | 'waveform-dat';
  variant: string;
}

/** The media keys of tracks and their parts, of former tracks and their parts, and of renditions, in slices. */
export async function* mediaKeys(queries: Queries): AsyncIterable<string[]> {
  const ofColumns = (row: Record<(typeof MEDIA_COLUMNS)[number], string | null>) =>
    MEDIA_COLUMNS.map((column) => row[column]);
  yield* keysIn(queries, tracksAfter, ofColumns);
  yield* keysIn(queries, formerTracksAfter, ofColumns);
  yield* keysIn(queries, partsAfter, ({ audioKey }) => [audioKey]);
  yield* keysIn(
    queries,
    formerPartsAfter,
    ({ stems, versions }) =>
      [stems, versions]
        .flatMap((json) => (json === null ? [] : parseStored<DeliveredPart[]>(json)))
        .map(({ audioKey }) => audioKey),
    FORMER_SLICE,
  );
  yield* keysIn(queries, renditionsAfter, ({ mediaKey }) => [mediaKey]);
}

/** The keys of the rows of a table in slices. `after` returns the query of the rows after one of them, or of all. */
async function* keysIn<Key, Row extends Key>(
  queries: Queries,
  after: (queries: Queries, last?: Key) => Slices<Row>,
  keysOf: (row: Row) => readonly (string | null)[],
  slice = WALK_SLICE,
): AsyncIterable<string[]> {
  let last: Row | undefined;
  for (;;) {
    const rows = await after(queries, last).limit(slice).execute();
    if (rows.length === 0) return;
    yield rows.flatMap(keysOf).filter((key) => key !== null);
    last = rows.at(-1);
  }
}

/** What `keysIn` needs of a query. */
interface Slices<Row> {
  limit(rows: number): { execute(): Promise<Row[]> };
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

function tracksAfter(queries: Queries, { rowId } = { rowId: 0 }) {
  return queries
    .selectFrom('tracks')
    .select(['rowId', ...MEDIA_COLUMNS])
    .where('rowId', '>', rowId)
    .where(({ fn, eb }) => eb(fn.coalesce(...MEDIA_COLUMNS), 'is not', null))
    .orderBy('rowId');
}

function partsAfter(queries: Queries, { rowId } = { rowId: 0 }) {
  return queries
    .selectFrom('trackParts')
    .select(['rowId', 'audioKey'])
    .where('rowId', '>', rowId)
    .orderBy('rowId');
}

/** The former tracks after one of them in the order of their key. */
function formerTracksAfter(
  queries: Queries,
  { batchRowId, trackRowId } = { batchRowId: 0, trackRowId: 0 },
) {
  return queries
    .selectFrom('formerTracks')
    .select(['batchRowId', 'trackRowId', ...MEDIA_COLUMNS, 'stems', 'versions'])
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('batchRowId', 'trackRowId'), '>', tuple(batchRowId, trackRowId)),
    )
    .orderBy('batchRowId')
    .orderBy('trackRowId');
}

function formerPartsAfter(queries: Queries, last?: { batchRowId: number; trackRowId: number }) {
  return formerTracksAfter(queries, last).where(({ eb, or }) =>
    or([eb('stems', 'is not', null), eb('versions', 'is not', null)]),
  );
}
