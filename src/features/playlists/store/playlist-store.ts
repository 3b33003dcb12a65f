import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../common/caller.ts';
import { slugBase } from '../../../common/text/slug.ts';
import type { ChangeKind } from '../../../engines/change-log/change-log.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import { releaseSlugs } from '../../../engines/sql/release-slugs.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { clientNumber } from '../../access/store/client-store.ts';
import {
  checkTrackList,
  editedPlaylist,
  type Playlist,
  type PlaylistSummary,
  type PlaylistWithTracks,
  playlistExists,
} from '../playlist.ts';
import {
  existingPlaylist,
  findNamedPlaylist,
  findPlaylist,
  selectGrantedSummaries,
  selectSummaries,
  sumsOf,
  trackIds,
} from './playlist-queries.ts';

const TRACK_COLUMNS = {
  playlistRowId: 'integer',
  position: 'integer',
  trackRowId: 'integer',
} as const;

/** Playlists and their grants in the system of record. Each change is logged. */
export class PlaylistStore extends SqlStore {
  /** Creates a playlist with a slug. Checks the tracks as `setTracks` does. */
  create(
    playlist: Omit<Playlist, 'slug'>,
    trackIds: readonly string[],
    by: Actor,
  ): Promise<Playlist> {
    return this.database.write(async (transaction) => {
      const { queries, allocateSlug } = transaction;
      const { id, name, description, createdAt, updatedAt } = playlist;
      if ((await findPlaylist(queries, 'id', id)) !== undefined) throw playlistExists(id);
      const slug = await allocateSlug('playlist', slugBase('playlist', name, id));
      const created = { id, name, slug, description, createdAt, updatedAt };
      const { rowId } = await queries
        .insertInto('playlists')
        .values(created)
        .returning('rowId')
        .executeTakeFirstOrThrow();
      await this.#insertTracks(queries, rowId, trackIds);
      await logChange(transaction, 'created', id, by);
      return created;
    });
  }

  /** Changes the given members. The slug stays the same. Throws not_found. */
  update(
    id: string,
    change: { name?: string; description?: string },
    by: Actor,
  ): Promise<Playlist> {
    return this.database.write(async (transaction) => {
      const { rowId, ...before } = await existingPlaylist(transaction.queries, id);
      const after = editedPlaylist(before, change, this.clock.now());
      if (after === before) return before;
      await transaction.queries
        .updateTable('playlists')
        .set(after)
        .where('rowId', '=', rowId)
        .execute();
      await logChange(transaction, 'updated', id, by);
      return after;
    });
  }

  delete(id: string, by: Actor): Promise<void> {
    return this.database.write(async (transaction) => {
      const { rowId, slug } = await existingPlaylist(transaction.queries, id);
      const clients = await grantedClients(transaction.queries, rowId);
      await transaction.queries.deleteFrom('playlists').where('rowId', '=', rowId).execute();
      await releaseSlugs(transaction.queries, this.database.dialect, 'playlist', [slug]);
      await logChange(transaction, 'deleted', id, by, clients);
    });
  }

  /**
   * Replaces the list of tracks. Throws `not_found` for unknown tracks and `conflict` for repeated ones, and
   * changes nothing then. An equal list changes and logs nothing. If `expected` is given and is not the
   * present list, changes nothing and returns false; this is checked under the write lock.
   */
  setTracks(
    id: string,
    wanted: readonly string[],
    by: Actor,
    expected?: readonly string[],
  ): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId } = await existingPlaylist(queries, id);
      const before = await trackIds(queries, rowId);
      if (expected !== undefined && !isDeepStrictEqual(before, expected)) return false;
      if (isDeepStrictEqual(before, wanted)) return true;
      await queries.deleteFrom('playlistTracks').where('playlistRowId', '=', rowId).execute();
      await this.#insertTracks(queries, rowId, wanted);
      await queries
        .updateTable('playlists')
        .set({ updatedAt: this.clock.now() })
        .where('rowId', '=', rowId)
        .execute();
      await logChange(transaction, 'updated', id, by);
      return true;
    });
  }

  /**
   * Grants a playlist. Returns false if the client already has the grant. Throws not_found for an unknown
   * playlist or client.
   */
  grant(id: string, clientId: string, by: Actor): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const grant = await existingGrant(transaction.queries, id, clientId);
      const { numInsertedOrUpdatedRows } = await transaction.queries
        .insertInto('playlistGrants')
        .values(grant)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return false;
      await logChange(transaction, 'granted', id, by, [clientId]);
      return true;
    });
  }

  /** Revokes a grant. Returns false if there is none. Throws not_found for an unknown playlist or client. */
  revoke(id: string, clientId: string, by: Actor): Promise<boolean> {
    return this.database.write(async (transaction) => {
      const { playlistRowId, clientRowId } = await existingGrant(transaction.queries, id, clientId);
      const { numDeletedRows } = await transaction.queries
        .deleteFrom('playlistGrants')
        .where('playlistRowId', '=', playlistRowId)
        .where('clientRowId', '=', clientRowId)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await logChange(transaction, 'revoked', id, by, [clientId]);
      return true;
    });
  }

  /**
   * Finds a playlist by slug or id; with a client, only one that is granted to it. A playlist that is granted
   * only to others then costs the same work as an unknown one, so that a caller cannot distinguish them by
   * time. The work grows with the number of the client's own grants.
   */
  find(slugOrId: string, grantedTo?: string): Promise<PlaylistWithTracks | undefined> {
    return this.database.view(async (queries) => {
      const found = await findNamedPlaylist(queries, slugOrId, grantedTo);
      if (found === undefined) return undefined;
      const { rowId, ...playlist } = found;
      return { ...playlist, trackIds: await trackIds(queries, rowId) };
    });
  }

  /** Finds a granted playlist as `find` does, with the sums over its live tracks. */
  summary(slugOrId: string, grantedTo: string): Promise<PlaylistSummary | undefined> {
    return this.database.view(async (queries) => {
      const found = await findNamedPlaylist(queries, slugOrId, grantedTo);
      if (found === undefined) return undefined;
      const { rowId, ...playlist } = found;
      const [sums] = await sumsOf(queries, { rowId });
      return { ...playlist, ...sums! };
    });
  }

  /** All playlists, or those granted to a client, ordered by name and then by id. */
  list({ clientId }: { clientId?: string }): Promise<PlaylistSummary[]> {
    const { queries } = this.database;
    return clientId === undefined
      ? selectSummaries(queries, {})
      : selectGrantedSummaries(queries, { clientId });
  }

  /** The names of all playlists, in their order. */
  names(): Promise<Pick<Playlist, 'id' | 'slug' | 'name'>[]> {
    return this.database.queries
      .selectFrom('playlists')
      .select(['id', 'slug', 'name'])
      .orderBy('name')
      .orderBy('id')
      .execute();
  }

  grantsOf(id: string): Promise<string[]> {
    return this.database.view(async (queries) => {
      const { rowId } = await existingPlaylist(queries, id);
      return grantedClients(queries, rowId);
    });
  }

  async #insertTracks(queries: Queries, playlistRowId: number, ids: readonly string[]) {
    const { dialect } = this.database;
    const tracks = await queries
      .selectFrom('tracks')
      .select(['id', 'rowId'])
      .where(({ ref }) => dialect.isOneOf(ref('id'), ids))
      .execute();
    const numbers = new Map(tracks.map(({ id, rowId }) => [id, rowId]));
    checkTrackList(ids, numbers);
    const rows = ids.map((id, position) => ({
      ...{ playlistRowId, position },
      trackRowId: numbers.get(id)!,
    }));
    await insertRows(queries, dialect, 'playlistTracks', TRACK_COLUMNS, rows).execute();
  }
}

/** Returns the ids of the clients that have a playlist, by age. */
async function grantedClients(queries: Queries, playlistRowId: number): Promise<string[]> {
  const clients = await queries
    .selectFrom('playlistGrants')
    .innerJoin('clients', 'clients.rowId', 'playlistGrants.clientRowId')
    .select('clients.id')
    .where('playlistRowId', '=', playlistRowId)
    .orderBy('clients.createdAt')
    .orderBy('clients.id')
    .execute();
  return clients.map((client) => client.id);
}

/** Logs a change of a playlist. `clients` are the clients that got it or lost it. */
async function logChange(
  { log }: WriteTransaction,
  kind: ChangeKind<'playlist'>,
  id: string,
  by: Actor,
  clients?: readonly string[],
): Promise<void> {
  const change = clients === undefined ? ([kind, id] as const) : ([kind, id, clients] as const);
  await log('playlist', [change], { by, batchId: null });
}

async function existingGrant(queries: Queries, id: string, clientId: string) {
  const { rowId: playlistRowId } = await existingPlaylist(queries, id);
  const clientRowId = await clientNumber(queries, clientId);
  return { playlistRowId, clientRowId };
}
