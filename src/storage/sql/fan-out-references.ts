import type { CollectionUsers, TrackReference } from '../../changes/webhooks/fan-out-store.ts';
import type { Queries, SqlDatabase } from './database.ts';

/** What refers to changed tracks and lists, and who can read it. */
export class FanOutReferences {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  references(trackIds: readonly string[]): Promise<TrackReference[]> {
    const { isOneOf } = this.#database.dialect;
    return this.#database.view(async (queries) => {
      if (trackIds.length === 0) return [];
      const playlists = await queries
        .selectFrom('tracks')
        .innerJoin('playlistTracks', 'playlistTracks.trackRowId', 'tracks.rowId')
        .innerJoin('playlistGrants', 'playlistGrants.playlistRowId', 'playlistTracks.playlistRowId')
        .innerJoin('clients', 'clients.rowId', 'playlistGrants.clientRowId')
        .select(['tracks.id as trackId', 'clients.id as clientId'])
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(({ ref }) => isOneOf(ref('tracks.id'), trackIds))
        .groupBy(['tracks.id', 'clients.id'])
        .execute();
      const collections = await queries
        .selectFrom('tracks')
        .innerJoin('collectionTracks', 'collectionTracks.trackRowId', 'tracks.rowId')
        .innerJoin('collections', 'collections.rowId', 'collectionTracks.collectionRowId')
        .innerJoin('clients', 'clients.rowId', 'collections.clientRowId')
        .select(['tracks.id as trackId', 'clients.id as clientId', 'collections.mode'])
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(({ ref }) => isOneOf(ref('tracks.id'), trackIds))
        .groupBy(['tracks.id', 'clients.id', 'collections.mode'])
        .execute();
      return [
        ...playlists.map((row) => ({ ...row, mode: null, kind: 'playlists' as const })),
        ...collections.map((row) => ({ ...row, kind: 'collections' as const })),
      ];
    });
  }

  async grants(playlistIds: readonly string[]): Promise<Map<string, string[]>> {
    if (playlistIds.length === 0) return new Map();
    const { queries, dialect } = this.#database;
    const rows = await queries
      .selectFrom('playlists')
      .innerJoin('playlistGrants', 'playlistGrants.playlistRowId', 'playlists.rowId')
      .innerJoin('clients', 'clients.rowId', 'playlistGrants.clientRowId')
      .select(['playlists.id as playlistId', 'clients.id as clientId'])
      .where(({ ref }) => dialect.isOneOf(ref('playlists.id'), playlistIds))
      .execute();
    return idsBy(rows.map(({ playlistId, clientId }) => [playlistId, clientId]));
  }

  collections(ids: readonly string[]): Promise<Map<string, CollectionUsers>> {
    const { isOneOf } = this.#database.dialect;
    return this.#database.view(async (queries) => {
      const found = await queries
        .selectFrom('collections')
        .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
        .select(['collections.rowId', 'collections.id', 'mode', 'version', 'owner.id as ownerId'])
        .where(({ ref }) => isOneOf(ref('collections.id'), ids))
        .execute();
      const readers = await this.#readers(
        queries,
        found.map(({ rowId }) => rowId),
      );
      return new Map(
        found.map(({ rowId, id, mode, version, ownerId }) => [
          id,
          { id, mode, version, clientIds: [ownerId, ...(readers.get(rowId) ?? [])] },
        ]),
      );
    });
  }

  async collectionsWith(trackIds: readonly string[]): Promise<Map<string, string[]>> {
    const { queries, dialect } = this.#database;
    const rows = await queries
      .selectFrom('tracks')
      .innerJoin('collectionTracks', 'collectionTracks.trackRowId', 'tracks.rowId')
      .innerJoin('collections', 'collections.rowId', 'collectionTracks.collectionRowId')
      .select(['tracks.id as trackId', 'collections.id as collectionId'])
      .where(({ ref }) => dialect.isOneOf(ref('tracks.id'), trackIds))
      .execute();
    return idsBy(rows.map(({ trackId, collectionId }) => [trackId, collectionId]));
  }

  /** Returns the clients with a share that counts, by the row id of the collection. */
  async #readers(queries: Queries, rowIds: readonly number[]): Promise<Map<number, string[]>> {
    const rows = await queries
      .selectFrom('collectionShares')
      .innerJoin('collections', 'collections.rowId', 'collectionShares.collectionRowId')
      .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
      .innerJoin('clients as reader', 'reader.rowId', 'collectionShares.clientRowId')
      .select(['collections.rowId', 'reader.id as clientId'])
      .where(({ ref }) => this.#database.dialect.isOneOf(ref('collections.rowId'), rowIds))
      .whereRef('owner.account', '=', 'reader.account')
      .execute();
    return idsBy(rows.map(({ rowId, clientId }) => [rowId, clientId]));
  }
}

function idsBy<Key>(pairs: readonly (readonly [Key, string])[]): Map<Key, string[]> {
  const ids = new Map<Key, string[]>();
  for (const [key, id] of pairs) ids.set(key, [...(ids.get(key) ?? []), id]);
  return ids;
}
