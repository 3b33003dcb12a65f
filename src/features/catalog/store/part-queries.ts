import { sql } from 'kysely';
import { compiledOnce, type Queries, type SqlDatabase } from '../../../engines/sql/database.ts';
import type { TrackState } from '../../availability/availability.ts';
import { TRACK_STATE } from '../../availability/store/track-period.ts';
import type { PartAudio, TrackWithParts } from '../catalog-stores.ts';
import type { TrackPart } from '../track-parts.ts';
import { nameOf } from './track-names.ts';

const state = sql<TrackState>`${sql.raw(TRACK_STATE)}`;

const selectTrackBy = (column: 'id' | 'slug') =>
  compiledOnce((queries, { key }: { key: string }) =>
    queries
      .selectFrom('tracks')
      .select(['rowId', 'id', 'slug', state.as('state')])
      .where(column, '=', key),
  );
const selectTrack = { id: selectTrackBy('id'), slug: selectTrackBy('slug') };

const selectParts = compiledOnce((queries, { rowId }: { rowId: number }) =>
  queries
    .selectFrom('trackParts')
    .select(['id', 'part', 'kind', 'name', 'durationSeconds', 'audioKey', 'sizeBytes'])
    .where('trackRowId', '=', rowId)
    .orderBy('part')
    .orderBy('position'),
);

const selectPart = compiledOnce((queries, { id }: { id: string }) =>
  queries
    .selectFrom('trackParts')
    .innerJoin('tracks', 'tracks.rowId', 'trackParts.trackRowId')
    .select(['tracks.id as trackId', 'trackParts.audioKey', state.as('state')])
    .where('trackParts.id', '=', id),
);

/** Returns the parts of a track of any state, by its slug or its id, on one consistent view. */
export function trackParts(
  database: SqlDatabase,
  slugOrId: string,
): Promise<TrackWithParts | undefined> {
  const { column, key } = nameOf(slugOrId);
  return database.view(async (queries) => {
    const [track] = await selectTrack[column](queries, { key });
    if (track === undefined) return undefined;
    const { rowId, ...found } = track;
    const parts = { stems: [] as TrackPart[], versions: [] as TrackPart[] };
    for (const { part, ...stored } of await selectParts(queries, { rowId })) {
      parts[part === 'stem' ? 'stems' : 'versions'].push(stored);
    }
    return { ...found, parts };
  });
}

/** Returns what a media request needs of a part. */
export async function partAudio(queries: Queries, id: string): Promise<PartAudio | undefined> {
  return (await selectPart(queries, { id }))[0];
}
