import { type SqlBool, sql } from 'kysely';
import type { Mode } from '../../../common/caller.ts';
import { isUuid } from '../../../common/ids.ts';
import { compiledOnce, type SqlDatabase } from '../../../engines/sql/database.ts';
import { TAKEDOWNS } from '../../../engines/sql/migrations/first-schema/catalog.ts';
import { useOfTrack } from '../../usage/store/usage-of-track.ts';
import {
  MAX_REFERENCES,
  type ReferenceStore,
  type TrackHolders,
  type TrackReferences,
} from '../track-references.ts';
import { holdersOf } from './track-holders.ts';

const selectBy = (key: 'id' | 'slug') =>
  compiledOnce((queries, { value }: { value: string }) =>
    queries.selectFrom('tracks').select(['rowId', 'id', 'state']).where(key, '=', value),
  );
const SELECT = { id: selectBy('id'), slug: selectBy('slug') };

const selectPlaylists = compiledOnce(
  (queries, { trackRowId, clientId }: { trackRowId: number; clientId: string }) =>
    queries
      .selectFrom('playlistTracks')
      .innerJoin('playlistGrants', 'playlistGrants.playlistRowId', 'playlistTracks.playlistRowId')
      .innerJoin('playlists', 'playlists.rowId', 'playlistTracks.playlistRowId')
      .select(['playlists.id', 'playlists.name', 'playlists.slug'])
      .where('playlistTracks.trackRowId', '=', trackRowId)
      .where('playlistGrants.clientRowId', '=', ({ selectFrom }) =>
        selectFrom('clients').select('clients.rowId').where('clients.id', '=', clientId),
      )
      .orderBy('playlists.name')
      .orderBy('playlists.id')
      .limit(MAX_REFERENCES + 1),
);

const selectCollections = compiledOnce(
  (queries, { trackRowId, clientId, mode }: { trackRowId: number; clientId: string; mode: Mode }) =>
    queries
      .selectFrom('collectionTracks')
      .innerJoin('collections', 'collections.rowId', 'collectionTracks.collectionRowId')
      .select(['collections.id', 'collections.name'])
      .where('collectionTracks.trackRowId', '=', trackRowId)
      .where('collections.mode', '=', mode)
      .where('collections.clientRowId', '=', ({ selectFrom }) =>
        selectFrom('clients').select('clients.rowId').where('clients.id', '=', clientId),
      )
      .orderBy('collections.name')
      .orderBy('collections.id')
      .limit(MAX_REFERENCES + 1),
);

const selectLicenses = compiledOnce(
  (queries, { trackId, clientId, mode }: { trackId: string; clientId: string; mode: Mode }) =>
    queries
      .selectFrom('issuedLicenseTracks')
      .innerJoin('issuedLicenses', 'issuedLicenses.rowId', 'issuedLicenseTracks.licenseRowId')
      .select(['number', 'startsAt', 'endsAt', 'revokedAt'])
      .where('trackId', '=', trackId)
      .where('clientId', '=', clientId)
      .where('issuedLicenses.mode', '=', mode)
      .orderBy('issuedAt', 'desc')
      .orderBy('number', 'desc')
      .limit(MAX_REFERENCES + 1),
);

const selectTakedown = compiledOnce((queries, { id }: { id: string }) =>
  queries
    .selectFrom('changeLog')
    .select('at')
    .where('entityId', '=', id)
    .where(sql<SqlBool>`${sql.raw(TAKEDOWNS)}`)
    .orderBy('seq', 'desc')
    .limit(1),
);

/** What refers to tracks. */
export class SqlReferenceStore implements ReferenceStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async ofTrack(
    slugOrId: string,
    clientId: string,
    mode: Mode,
  ): Promise<TrackReferences | undefined> {
    const found = await this.#stateOf(slugOrId, clientId, mode);
    if (found === undefined) return undefined;
    const { trackId } = found;
    return { ...found, usage: await useOfTrack(this.#database, { trackId, clientId, mode }) };
  }

  holdersOf(rowIds: readonly number[]): Promise<TrackHolders> {
    return holdersOf(this.#database, rowIds);
  }

  #stateOf(
    slugOrId: string,
    clientId: string,
    mode: Mode,
  ): Promise<Omit<TrackReferences, 'usage'> | undefined> {
    return this.#database.view(async (queries) => {
      const [track] = isUuid(slugOrId)
        ? await SELECT.id(queries, { value: slugOrId.toLowerCase() })
        : await SELECT.slug(queries, { value: slugOrId });
      // Also read for an unknown track, so that it costs the same as one that is not referred to.
      const trackRowId = track?.rowId ?? 0;
      const playlists = await selectPlaylists(queries, { trackRowId, clientId });
      const collections = await selectCollections(queries, { trackRowId, clientId, mode });
      const licenses = await selectLicenses(queries, { trackId: track?.id ?? '', clientId, mode });
      const lengths = [playlists.length, collections.length, licenses.length];
      const isReferred = Math.max(...lengths) > 0;
      if (track === undefined || (track.state !== 'live' && !isReferred)) return undefined;
      const { id: trackId, state } = track;
      const [takedown] = state === 'live' ? [] : await selectTakedown(queries, { id: trackId });
      return {
        trackId,
        state,
        since: takedown?.at ?? null,
        playlists: playlists.slice(0, MAX_REFERENCES),
        collections: collections.slice(0, MAX_REFERENCES),
        licenses: licenses.slice(0, MAX_REFERENCES),
        isTruncated: Math.max(...lengths) > MAX_REFERENCES,
      };
    });
  }
}
