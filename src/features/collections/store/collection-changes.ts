import type { RequireVersion, WriteContext } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import type { ChangeKind } from '../../../engines/change-log/change-log.ts';
import type {
  Queries,
  SqlDatabase,
  SqlDialect,
  WriteTransaction,
} from '../../../engines/sql/database.ts';
import { unknownClient } from '../../access/client.ts';
import { clientNumber } from '../../access/store/client-store.ts';
import { type GivenItem, repeatedNames, unknownTracks } from '../../catalog/given-items.ts';
import { type NamedTrack, tracksNamed } from '../../catalog/store/track-names.ts';
import {
  type CollectionItem,
  type CollectionSummary,
  type CollectionUser,
  MAX_COLLECTIONS,
  repeatedTracks,
} from '../collection.ts';
import { owned, summariesOf } from './collection-queries.ts';

/** The part of a context that its transaction uses. */
type Cause = Omit<WriteContext, 'finish'>;

/** The edits of collections: transactions that compare the version, raise it, and log the change. */
export class CollectionChanges {
  readonly database: SqlDatabase;
  readonly clock: Clock;

  constructor(database: SqlDatabase, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  /**
   * Makes an edit of an own collection that its version guards.
   *
   * @param edit.find returns what the edit needs. It throws, before the version is compared, if a part of the request
   * does not exist, or does not fit the list as it is.
   */
  edit<Part>(
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
  async touch(
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

  async summary(
    queries: Queries,
    rowId: number,
    { clientId }: Pick<CollectionUser, 'clientId'>,
  ): Promise<CollectionSummary> {
    const [summary] = await summariesOf(queries, this.database.dialect, [rowId], clientId);
    return summary!;
  }
}

/** Logs a change of a collection. `readers` are the clients of a share, or those that could read a deleted collection. */
export async function logChange(
  { log }: WriteTransaction,
  kind: ChangeKind<'collection'>,
  id: string,
  { actor, clientId, mode }: Cause,
  readers?: readonly string[],
): Promise<void> {
  const change = readers === undefined ? ([kind, id] as const) : ([kind, id, readers] as const);
  await log('collection', [change], { actor, clientId, mode });
}

/** Returns the row id of a client. Throws `conflict` if it has MAX_COLLECTIONS in the mode. */
export async function ownerOfOneMore(
  queries: Queries,
  { clientId, mode }: CollectionUser,
): Promise<number> {
  const clientRowId = await clientNumber(queries, clientId);
  if (clientRowId === undefined) throw unknownClient(clientId);
  const { count } = await queries
    .selectFrom('collections')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('clientRowId', '=', clientRowId)
    .where('mode', '=', mode)
    .executeTakeFirstOrThrow();
  if (count >= MAX_COLLECTIONS) {
    throw new StaveError(
      'conflict',
      `You have ${MAX_COLLECTIONS} collections, the most of a client in one mode; delete one first.`,
    );
  }
  return clientRowId;
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

/** Returns the places of tracks in a new list. Those that are in the list keep the time, and the note unless given. */
export function placesOf(
  tracks: readonly NamedTrack[],
  items: readonly GivenItem[],
  now: number,
  before: ReadonlyMap<number, CollectionItem> = new Map(),
): CollectionItem[] {
  return tracks.map(({ rowId: trackRowId }, i) => {
    const known = before.get(trackRowId);
    const note = items[i]!.note ?? known?.note ?? '';
    return { trackRowId, note, addedAt: known?.addedAt ?? now };
  });
}
