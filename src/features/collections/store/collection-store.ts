import type { ClientMode, RequireVersion, WriteContext } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import type { ChangeKind } from '../../../engines/change-log/change-log.ts';
import type { Queries, SqlDialect, WriteTransaction } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { storedBy } from '../../access/made-by.ts';
import { clientNumber, ownerOfOneMore } from '../../access/store/client-store.ts';
import { type GivenItem, repeatedNames, unknownTracks } from '../../catalog/given-items.ts';
import { type NamedTrack, tracksNamed } from '../../catalog/store/track-names.ts';
import {
  type Collection,
  type CollectionItem,
  type CollectionRecord,
  type CollectionShare,
  type CollectionSummary,
  MAX_COLLECTIONS,
  repeatedTracks,
  sharedWithOwner,
  unknownShare,
} from '../collection.ts';
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
import { endLinks } from './link-store.ts';

type Cause = Omit<WriteContext, 'finish'>;

/** The edits of collections: transactions that compare the version, raise it, and log the change. */
export class CollectionChanges extends SqlStore {
  /**
   * Makes an edit of an own collection that its version guards.
   *
   * @param edit.find returns what the edit needs. It throws, before the version is compared, if a part of the request
   * does not exist, or does not fit the list as it is.
   */
  protected edit<Part>(
    id: string,
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
    edit: {
      find(queries: Queries, rowId: number): Promise<Part>;
      make(queries: Queries, rowId: number, part: Part): Promise<unknown>;
    },
  ): Promise<CollectionSummary> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId, version } = await owned(queries, id, context);
      const part = await edit.find(queries, rowId);
      requireVersion(version);
      await edit.make(queries, rowId, part);
      await this.touch(transaction, rowId, id, context);
      return this.summary(queries, rowId, context);
    }, context);
  }

  /** Raises the version of a collection, logs that, and returns the version. */
  protected async touch(
    transaction: WriteTransaction,
    rowId: number,
    id: string,
    cause: Cause,
  ): Promise<number> {
    const { version } = await transaction.queries
      .updateTable('collections')
      .set(({ eb }) => ({ version: eb('version', '+', 1), updatedAt: this.clock.now() }))
      .where('rowId', '=', rowId)
      .returning('version')
      .executeTakeFirstOrThrow();
    await logChange(transaction, 'updated', id, cause);
    return version;
  }

  protected async summary(
    queries: Queries,
    rowId: number,
    { clientId }: Pick<ClientMode, 'clientId'>,
  ): Promise<CollectionSummary> {
    const [summary] = await summariesOf(queries, this.database.dialect, [rowId], clientId);
    return summary!;
  }
}

/**
 * The collections of clients (docs/contract/collections.md). The owner of a collection and the clients with whom it is
 * shared read it; only the owner changes it. A collection that a client may not read or change is `not_found`, as an
 * unknown one. Ids are in lower case. Every change is in the change log.
 */
export class CollectionStore extends CollectionChanges {
  /**
   * Creates a collection. Throws `not_found` for tracks that are unknown or not live, `invalid_request` for repeated
   * ones, and `conflict` if the client has MAX_COLLECTIONS.
   */
  create(
    {
      id,
      name,
      description,
      items,
    }: Pick<Collection, 'id' | 'name' | 'description'> & { items: readonly GivenItem[] },
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { dialect } = this.database;
      const tracks = await liveTracks(queries, dialect, items);
      const clientRowId = await ownerOfOneMore(queries, context, 'collections', MAX_COLLECTIONS);
      const { mode } = context;
      const now = this.clock.now();
      const times = { createdAt: now, updatedAt: now };
      const by = storedBy(context.by);
      const { rowId } = await queries
        .insertInto('collections')
        .values({ id, clientRowId, mode, name, description, version: 1, by, ...times })
        .returning('rowId')
        .executeTakeFirstOrThrow();
      await new CollectionTracks(queries, dialect, rowId).replace(
        placesOf(tracks, items, { now, by }),
      );
      await logChange(transaction, 'created', id, context);
      return this.summary(queries, rowId, context);
    }, context);
  }

  /** A page of the own collections (`shared` false), of those of others (true) or of both; newest first. */
  async list(
    user: ClientMode,
    { shared, offset, limit }: { shared?: boolean | undefined; offset: number; limit: number },
  ): Promise<{ collections: CollectionSummary[]; total: number }> {
    const { queries, aside, dialect } = this.database;
    const rowIds = await selectReadable(queries, user, shared);
    // The sums read each track of the page: a hundred collections may have a million.
    const shown = rowIds.slice(offset, offset + limit);
    const collections = await summariesOf(aside, dialect, shown, user.clientId);
    return { collections, total: rowIds.length };
  }

  find(id: string, user: ClientMode): Promise<CollectionSummary> {
    return this.database.view(async (queries) => {
      const { rowId } = await readable(queries, id, user);
      return this.summary(queries, rowId, user);
    });
  }

  update(
    id: string,
    change: { name?: string; description?: string },
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary> {
    return this.edit(id, requireVersion, context, {
      find: async () => {},
      make: (queries, rowId) =>
        queries.updateTable('collections').set(change).where('rowId', '=', rowId).execute(),
    });
  }

  delete(id: string, requireVersion: RequireVersion, context: WriteContext<void>): Promise<void> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId, version } = await owned(queries, id, context);
      requireVersion(version);
      const readers = await readersOf(queries, rowId);
      await endLinks(
        transaction,
        { collectionRowId: rowId },
        { now: this.clock.now(), cause: context },
      );
      await queries.deleteFrom('collections').where('rowId', '=', rowId).execute();
      await logChange(transaction, 'deleted', id, context, readers);
    }, context);
  }

  /**
   * Lets another client of the same account read a collection. Throws `not_found` if there is no such client, and
   * `invalid_request` for the caller itself, whether there is the collection or not.
   */
  async share(id: string, clientId: string, context: WriteContext<void>): Promise<void> {
    if (clientId === context.clientId) throw sharedWithOwner();
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId } = await owned(queries, id, context);
      const reader = await clientOfAccount(queries, clientId, context);
      if (reader === undefined) {
        throw new StaveError('not_found', 'There is no client with this id in your account.');
      }
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('collectionShares')
        .values({ collectionRowId: rowId, clientRowId: reader.rowId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return;
      await logChange(transaction, 'shared', id, context, [clientId]);
    }, context);
  }

  /** Ends a share, also with a client that has left the account. Throws `not_found` if there is none. */
  unshare(id: string, clientId: string, context: WriteContext<void>): Promise<void> {
    return this.database.write(async (transaction) => {
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

  /** The shares, as `sharesOf` orders them. Only for the owner. */
  shares(id: string, user: ClientMode): Promise<CollectionShare[]> {
    return this.database.view(async (queries) => {
      const { rowId } = await owned(queries, id, user);
      return sharesOf(queries, rowId);
    });
  }

  /** The collections of a client in both modes, newest first. Throws `not_found` for an unknown client. */
  ofClient(clientId: string): Promise<CollectionRecord[]> {
    return this.database.view(async (queries) => {
      await clientNumber(queries, clientId);
      return recordsOf(queries, { clientId });
    });
  }

  /** A collection with its tracks in order, for the operator. `position` is null for tracks that were taken down. */
  record(id: string): Promise<
    CollectionRecord & {
      tracks: { position: number | null; trackId: string; note: string; addedAt: number }[];
    }
  > {
    return this.database.view(async (queries) => {
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
function clientOfAccount(queries: Queries, clientId: string, user: ClientMode) {
  return queries
    .selectFrom('clients as reader')
    .innerJoin('clients as owner', 'owner.account', 'reader.account')
    .select('reader.rowId')
    .where('reader.id', '=', clientId)
    .where('owner.id', '=', user.clientId)
    .executeTakeFirst();
}

/** Logs a change of a collection. `readers` are the clients of a share, or those that could read a deleted collection. */
async function logChange(
  { log }: WriteTransaction,
  kind: ChangeKind<'collection'>,
  id: string,
  { actor, clientId, mode }: Cause,
  readers?: readonly string[],
): Promise<void> {
  const change = readers === undefined ? ([kind, id] as const) : ([kind, id, readers] as const);
  await log('collection', [change], { actor, clientId, mode });
}

/** Returns the tracks of a new list. Throws `invalid_request` for repeated ones, and `not_found` unless all are live. */
export async function liveTracks(
  queries: Queries,
  dialect: SqlDialect,
  items: readonly GivenItem[],
): Promise<NamedTrack[]> {
  const named = await tracksNamed(
    queries,
    dialect,
    items.map(({ track }) => track),
  );
  // A repetition of a track that was taken down would tell that it exists.
  const repeated = repeatedNames(items, (_, i) => {
    const track = named[i];
    return track?.isLive ? track.rowId : undefined;
  });
  if (repeated.length > 0) throw repeatedTracks(repeated);
  const unknown = items.filter((_, i) => !named[i]?.isLive);
  if (unknown.length > 0) throw unknownTracks(unknown.map(({ track }) => track));
  return named as NamedTrack[];
}

/**
 * Returns the places of tracks in a new list. Tracks of `before` keep their time, and their note unless another one is
 * given.
 *
 * @param by who writes the given notes, in its stored form
 */
export function placesOf(
  tracks: readonly NamedTrack[],
  items: readonly GivenItem[],
  { now, by }: { now: number; by: string | null },
  before: ReadonlyMap<number, CollectionItem> = new Map(),
): CollectionItem[] {
  return tracks.map(({ rowId: trackRowId }, i) => {
    const known = before.get(trackRowId);
    const note = items[i]!.note ?? known?.note ?? '';
    const isKnown = note === known?.note;
    const noteBy = isKnown ? known.noteBy : note === '' ? null : by;
    return { trackRowId, note, noteBy, addedAt: known?.addedAt ?? now };
  });
}
