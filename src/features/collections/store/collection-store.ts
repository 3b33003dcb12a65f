import type { RequireVersion, WriteContext } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { unknownClient } from '../../access/client.ts';
import { clientNumber } from '../../access/store/client-store.ts';
import {
  type CollectionRecord,
  type CollectionShare,
  type CollectionStore,
  type CollectionSummary,
  type CollectionUser,
  sharedWithOwner,
  unknownShare,
} from '../collection.ts';
import {
  type CollectionChanges,
  liveTracks,
  logChange,
  ownerOfOneMore,
  placesOf,
} from './collection-changes.ts';
import {
  owned,
  readable,
  readersOf,
  recordsOf,
  selectReadable,
  sharesOf,
  summariesOf,
} from './collection-queries.ts';
import { CollectionTracks } from './collection-tracks.ts';

/** Collections and their shares. */
export class SqlCollectionStore implements CollectionStore {
  readonly #database: SqlDatabase;
  readonly #changes: CollectionChanges;

  constructor(changes: CollectionChanges) {
    this.#database = changes.database;
    this.#changes = changes;
  }

  create(
    { id, name, description, items }: Parameters<CollectionStore['create']>[0],
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary> {
    return this.#database.write(async (transaction) => {
      const { queries } = transaction;
      const { dialect } = this.#database;
      const tracks = await liveTracks(queries, dialect, items);
      const clientRowId = await ownerOfOneMore(queries, context);
      const { mode } = context;
      const now = this.#changes.clock.now();
      const times = { createdAt: now, updatedAt: now };
      const { rowId } = await queries
        .insertInto('collections')
        .values({ id, clientRowId, mode, name, description, version: 1, ...times })
        .returning('rowId')
        .executeTakeFirstOrThrow();
      await new CollectionTracks(queries, dialect, rowId).replace(placesOf(tracks, items, now));
      await logChange(transaction, 'created', id, context);
      return this.#changes.summary(queries, rowId, context);
    }, context);
  }

  async list(
    user: CollectionUser,
    { shared, offset, limit }: Parameters<CollectionStore['list']>[1],
  ): Promise<{ collections: CollectionSummary[]; total: number }> {
    const { queries, aside, dialect } = this.#database;
    const rowIds = await selectReadable(queries, user, shared);
    // The sums read each track of the page: a hundred collections may have a million.
    const shown = rowIds.slice(offset, offset + limit);
    const collections = await summariesOf(aside, dialect, shown, user.clientId);
    return { collections, total: rowIds.length };
  }

  find(id: string, user: CollectionUser): Promise<CollectionSummary> {
    return this.#database.view(async (queries) => {
      const { rowId } = await readable(queries, id, user);
      return this.#changes.summary(queries, rowId, user);
    });
  }

  update(
    id: string,
    change: { name?: string; description?: string },
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary> {
    return this.#changes.edit(id, requireVersion, context, {
      find: async () => {},
      make: (queries, rowId) =>
        queries.updateTable('collections').set(change).where('rowId', '=', rowId).execute(),
    });
  }

  delete(id: string, requireVersion: RequireVersion, context: WriteContext<void>): Promise<void> {
    return this.#database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId, version } = await owned(queries, id, context);
      requireVersion(version);
      const readers = await readersOf(queries, rowId);
      await queries.deleteFrom('collections').where('rowId', '=', rowId).execute();
      await logChange(transaction, 'deleted', id, context, readers);
    }, context);
  }

  async share(id: string, clientId: string, context: WriteContext<void>): Promise<void> {
    if (clientId === context.clientId) throw sharedWithOwner();
    return this.#database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId } = await owned(queries, id, context);
      const reader = await clientOfAccount(queries, clientId, context);
      if (reader === undefined) throw unknownReader();
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('collectionShares')
        .values({ collectionRowId: rowId, clientRowId: reader.rowId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return;
      await logChange(transaction, 'shared', id, context, [clientId]);
    }, context);
  }

  unshare(id: string, clientId: string, context: WriteContext<void>): Promise<void> {
    return this.#database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId } = await owned(queries, id, context);
      const { numDeletedRows } = await queries
        .deleteFrom('collectionShares')
        .where('collectionRowId', '=', rowId)
        .where('clientRowId', '=', ({ selectFrom }) =>
          selectFrom('clients').select('rowId').where('id', '=', clientId),
        )
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) throw unknownShare();
      await logChange(transaction, 'unshared', id, context, [clientId]);
    }, context);
  }

  shares(id: string, user: CollectionUser): Promise<CollectionShare[]> {
    return this.#database.view(async (queries) => {
      const { rowId } = await owned(queries, id, user);
      return sharesOf(queries, rowId);
    });
  }

  ofClient(clientId: string): Promise<CollectionRecord[]> {
    return this.#database.view(async (queries) => {
      if ((await clientNumber(queries, clientId)) === undefined) throw unknownClient(clientId);
      return recordsOf(queries, { clientId });
    });
  }

  record(id: string): ReturnType<CollectionStore['record']> {
    return this.#database.view(async (queries) => {
      const [found] = await recordsOf(queries, { id });
      if (found === undefined) throw new StaveError('not_found', `There is no collection ${id}.`);
      const rows = await queries
        .selectFrom('collections')
        .innerJoin('collectionTracks', 'collectionRowId', 'collections.rowId')
        .innerJoin('tracks', 'tracks.rowId', 'trackRowId')
        .select(['tracks.id as trackId', 'tracks.state', 'note', 'addedAt'])
        .where('collections.id', '=', id)
        .orderBy('position')
        .execute();
      let position = 0;
      const tracks = rows.map(({ state, ...item }) => ({
        position: state === 'live' ? ++position : null,
        ...item,
      }));
      return { ...found, tracks };
    });
  }
}

/** Finds a client by its id, if it is in the account of the user. */
function clientOfAccount(queries: Queries, clientId: string, user: CollectionUser) {
  return queries
    .selectFrom('clients as reader')
    .innerJoin('clients as owner', 'owner.account', 'reader.account')
    .select('reader.rowId')
    .where('reader.id', '=', clientId)
    .where('owner.id', '=', user.clientId)
    .executeTakeFirst();
}

function unknownReader(): StaveError {
  return new StaveError('not_found', 'There is no client with this id in your account.');
}
