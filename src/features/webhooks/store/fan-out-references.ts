import { type SqlBool, sql } from 'kysely';
import type { Mode } from '../../../common/caller.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { NEW_COLLECTIONS } from '../../../engines/sql/migrations/first-schema/catalog.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';

export interface TrackReference {
  trackId: string;
  clientId: string;
  /** Null for both modes. */
  mode: Mode | null;
  kind: 'playlists' | 'collections' | 'licenses';
  count: number;
}

export interface CollectionUsers {
  id: string;
  mode: Mode;
  version: number;
  ownerId: string;
  /** All clients that can read it, with its owner. */
  clientIds: string[];
}

export interface SentLicense {
  number: string;
  /** Whether it starts after its issue. */
  isScheduled: boolean;
  /** In the order of the license. */
  trackIds: string[];
}

/** What refers to changed tracks and lists, and which clients can read it. */
export class FanOutReferences extends SqlStore {
  references(trackIds: readonly string[]): Promise<TrackReference[]> {
    const { isOneOf } = this.database.dialect;
    return this.database.view(async (queries) => {
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
      const licenses = await queries
        .selectFrom('issuedLicenseTracks')
        .innerJoin('issuedLicenses', 'issuedLicenses.rowId', 'issuedLicenseTracks.licenseRowId')
        .select(['trackId', 'clientId', 'issuedLicenses.mode'])
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(({ ref }) => isOneOf(ref('trackId'), trackIds))
        .groupBy(['trackId', 'clientId', 'issuedLicenses.mode'])
        .execute();
      return [
        ...playlists.map((row) => ({ ...row, mode: null, kind: 'playlists' as const })),
        ...collections.map((row) => ({ ...row, kind: 'collections' as const })),
        ...licenses.map((row) => ({ ...row, kind: 'licenses' as const })),
      ];
    });
  }

  /** By number. */
  async licenses(numbers: readonly string[]): Promise<Map<string, SentLicense>> {
    if (numbers.length === 0) return new Map();
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('issuedLicenses')
      .innerJoin('issuedLicenseTracks', 'licenseRowId', 'issuedLicenses.rowId')
      .select(['number', 'issuedAt', 'startsAt', 'trackId'])
      .where(({ ref }) => dialect.isOneOf(ref('number'), numbers))
      .orderBy('licenseRowId')
      .orderBy('position')
      .execute();
    return new Map(
      [...Map.groupBy(rows, ({ number }) => number)].map(([number, tracks]) => {
        const { issuedAt, startsAt } = tracks[0]!;
        const trackIds = tracks.map(({ trackId }) => trackId);
        return [number, { number, isScheduled: startsAt > issuedAt, trackIds }];
      }),
    );
  }

  /** The ids of the clients with grants, by the id of the playlist. */
  async grants(playlistIds: readonly string[]): Promise<Map<string, string[]>> {
    if (playlistIds.length === 0) return new Map();
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('playlists')
      .innerJoin('playlistGrants', 'playlistGrants.playlistRowId', 'playlists.rowId')
      .innerJoin('clients', 'clients.rowId', 'playlistGrants.clientRowId')
      .select(['playlists.id as playlistId', 'clients.id as clientId'])
      .where(({ ref }) => dialect.isOneOf(ref('playlists.id'), playlistIds))
      .execute();
    return idsBy(rows.map(({ playlistId, clientId }) => [playlistId, clientId]));
  }

  /** By id. */
  collections(ids: readonly string[]): Promise<Map<string, CollectionUsers>> {
    const { isOneOf } = this.database.dialect;
    return this.database.view(async (queries) => {
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
          { id, mode, version, ownerId, clientIds: [ownerId, ...(readers.get(rowId) ?? [])] },
        ]),
      );
    });
  }

  /** The accounts of clients by the id of the client; null for an account of its own. */
  async accounts(clientIds: readonly string[]): Promise<Map<string, string | null>> {
    if (clientIds.length === 0) return new Map();
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('clients')
      .select(['id', 'account'])
      .where(({ ref }) => dialect.isOneOf(ref('id'), clientIds))
      .execute();
    return new Map(rows.map(({ id, account }) => [id, account]));
  }

  /** The `seq` of the changes that created collections, by the id of the collection, if the log still has them. */
  async collectionCreations(ids: readonly string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('changeLog')
      .select(['entityId', 'seq'])
      .where(sql<SqlBool>`${sql.raw(NEW_COLLECTIONS)}`)
      .where(({ ref }) => dialect.isOneOf(ref('entityId'), ids))
      .execute();
    return new Map(rows.map(({ entityId, seq }) => [entityId, seq]));
  }

  /** The ids of the collections that contain tracks, by the id of the track. */
  async collectionsWith(trackIds: readonly string[]): Promise<Map<string, string[]>> {
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('tracks')
      .innerJoin('collectionTracks', 'collectionTracks.trackRowId', 'tracks.rowId')
      .innerJoin('collections', 'collections.rowId', 'collectionTracks.collectionRowId')
      .select(['tracks.id as trackId', 'collections.id as collectionId'])
      .where(({ ref }) => dialect.isOneOf(ref('tracks.id'), trackIds))
      .execute();
    return idsBy(rows.map(({ trackId, collectionId }) => [trackId, collectionId]));
  }

  /** Returns the ids of the clients with an effective share, by the row id of the collection. */
  async #readers(queries: Queries, rowIds: readonly number[]): Promise<Map<number, string[]>> {
    const rows = await queries
      .selectFrom('collectionShares')
      .innerJoin('collections', 'collections.rowId', 'collectionShares.collectionRowId')
      .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
      .innerJoin('clients as reader', 'reader.rowId', 'collectionShares.clientRowId')
      .select(['collections.rowId', 'reader.id as clientId'])
      .where(({ ref }) => this.database.dialect.isOneOf(ref('collections.rowId'), rowIds))
      .whereRef('owner.account', '=', 'reader.account')
      .execute();
    return idsBy(rows.map(({ rowId, clientId }) => [rowId, clientId]));
  }
}

function idsBy<Key>(pairs: readonly (readonly [Key, string])[]): Map<Key, string[]> {
  const byKey = Map.groupBy(pairs, ([key]) => key);
  return new Map([...byKey].map(([key, found]) => [key, found.map(([, id]) => id)]));
}
