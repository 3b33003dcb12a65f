import { sql } from 'kysely';
import type { ClientMode, Mode, RequireVersion, WriteContext } from '../../../common/caller.ts';
import { compiledOnce, type Queries } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { refuseOneMore, unknownClient } from '../../access/client.ts';
import { clientNumber } from '../../access/store/client-store.ts';
import { greatestCreated, lastTrack } from '../../catalog/store/track-names.ts';
import { dropHeld, endSubject, loggedPosition } from '../../webhooks/store/webhook-chains.ts';
import {
  foldedName,
  MAX_SAVED_SEARCHES,
  nameTaken,
  type SavedSearch,
  type SavedSearchContent,
  type SavedSearchRecord,
  unknownSavedSearch,
} from '../saved-search.ts';

const NAMES = [
  ...(['id', 'name', 'query', 'notify', 'seenRowId', 'seenAt'] as const),
  ...(['version', 'createdAt', 'updatedAt'] as const),
];
const COLUMNS = NAMES.map((name) => `savedSearches.${name}` as const);

const selectFound = compiledOnce(
  (queries, { id, clientId, mode }: { id: string; clientId: string; mode: Mode }) =>
    queries
      .selectFrom('savedSearches')
      .innerJoin('clients', 'clients.rowId', 'savedSearches.clientRowId')
      .select(COLUMNS)
      .where('savedSearches.id', '=', id)
      .where('mode', '=', mode)
      .where('clients.id', '=', clientId),
);

const selectCount = compiledOnce((queries, { clientId, mode }: { clientId: string; mode: Mode }) =>
  queries
    .selectFrom('savedSearches')
    .innerJoin('clients', 'clients.rowId', 'savedSearches.clientRowId')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('clients.id', '=', clientId)
    .where('mode', '=', mode),
);

/**
 * The saved searches of clients (docs/contract/saved-searches.md). A search of another client or mode is `not_found`. Ids
 * are in lower case. The change log does not have them.
 */
export class SavedSearchStore extends SqlStore {
  /**
   * Creates a search. All present tracks count as seen. Throws `conflict` if the client has another search with the name,
   * or MAX_SAVED_SEARCHES.
   */
  create(
    { name, ...search }: SavedSearchContent & Pick<SavedSearch, 'id'>,
    context: WriteContext<SavedSearch>,
  ): Promise<SavedSearch> {
    return this.database.apart(async (queries) => {
      const { mode } = context;
      const clientRowId = await lockedClient(queries, context);
      const [{ count }] = (await selectCount(queries, context)) as [{ count: number }];
      refuseOneMore(count, MAX_SAVED_SEARCHES, 'saved searches');
      const now = this.clock.now();
      // Read first: the change of each later track comes after it.
      const createdSeq = await loggedPosition(queries);
      const last = await lastTrack(queries);
      const created = await queries
        .insertInto('savedSearches')
        .values({
          ...{ ...search, clientRowId, mode, name, foldedName: foldedName(name), version: 1 },
          ...{ seenRowId: last, seenAt: now, notifiedRowId: last, notifiedAt: null, createdSeq },
          ...{ createdAt: now, updatedAt: now },
        })
        .onConflict((conflict) =>
          conflict.columns(['clientRowId', 'mode', 'foldedName']).doNothing(),
        )
        .returning(NAMES)
        .executeTakeFirst();
      if (created === undefined) throw nameTaken();
      return created;
    }, context);
  }

  /** Newest first. */
  list(
    user: ClientMode,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ searches: SavedSearch[]; total: number }> {
    return this.database.view(async (queries) => {
      const [{ count: total }] = (await selectCount(queries, user)) as [{ count: number }];
      const searches = await newestFirst(queries)
        .select(COLUMNS)
        .where('clients.id', '=', user.clientId)
        .where('mode', '=', user.mode)
        .offset(offset)
        .limit(limit)
        .execute();
      return { searches, total };
    });
  }

  async find(id: string, { clientId, mode }: ClientMode): Promise<SavedSearch> {
    const [found] = await selectFound(this.database.queries, { id, clientId, mode });
    if (found === undefined) throw unknownSavedSearch();
    return found;
  }

  /** Changes the given members. Throws `conflict` if the client has another search with the name. */
  update(
    id: string,
    change: Partial<SavedSearchContent>,
    requireVersion: RequireVersion,
    context: WriteContext<SavedSearch>,
  ): Promise<SavedSearch> {
    return this.database.apart(async (queries) => {
      const clientRowId = await lockedClient(queries, context);
      const found = await locked(queries, id, context);
      requireVersion(found.version);
      const folded = change.name === undefined ? {} : { foldedName: foldedName(change.name) };
      if (folded.foldedName !== undefined) {
        const other = await queries
          .selectFrom('savedSearches')
          .select('id')
          .where('clientRowId', '=', clientRowId)
          .where('mode', '=', context.mode)
          .where('foldedName', '=', folded.foldedName)
          .where('id', '!=', id)
          .executeTakeFirst();
        if (other !== undefined) throw nameTaken();
      }
      const begins = change.notify === true && !found.notify;
      if (begins) await dropHeld(queries, { clientRowId, mode: context.mode, searchId: id });
      const notified = begins ? { notifiedRowId: await lastTrack(queries) } : {};
      return queries
        .updateTable('savedSearches')
        .set({ ...change, ...folded, ...notified })
        .set({ version: found.version + 1, updatedAt: this.clock.now() })
        .where('id', '=', id)
        .returning(NAMES)
        .executeTakeFirstOrThrow();
    }, context);
  }

  delete(id: string, requireVersion: RequireVersion, context: WriteContext<void>): Promise<void> {
    return this.database.apart(async (queries) => {
      const { version } = await locked(queries, id, context);
      requireVersion(version);
      await queries.deleteFrom('savedSearches').where('id', '=', id).execute();
      const clientRowId = await clientNumber(queries, context.clientId);
      await endSubject(queries, { clientRowId, mode: context.mode, searchId: id });
    }, context);
  }

  /**
   * Marks all present tracks as seen, or the tracks that were created up to a `seq` of the change log. Does not change the
   * version. A `seq` that the log no longer has marks no track.
   */
  async see(
    id: string,
    seq: number | undefined,
    context: WriteContext<SavedSearch>,
  ): Promise<SavedSearch> {
    const created = seq === undefined ? undefined : await greatestCreated(this.database, seq);
    return this.database.apart(async (queries) => {
      const found = await locked(queries, id, context);
      const seen = created ?? (await lastTrack(queries));
      return queries
        .updateTable('savedSearches')
        .set({ seenRowId: Math.max(found.seenRowId, seen) })
        .set({ seenAt: Math.max(found.seenAt, this.clock.now()) })
        .where('id', '=', id)
        .returning(NAMES)
        .executeTakeFirstOrThrow();
    }, context);
  }

  /** The searches of a client in both modes, newest first. Throws `not_found` for an unknown client. */
  ofClient(clientId: string): Promise<SavedSearchRecord[]> {
    return this.database.view(async (queries) => {
      await clientNumber(queries, clientId);
      return newestFirst(queries)
        .select([...COLUMNS, 'clients.id as clientId', 'mode'])
        .where('clients.id', '=', clientId)
        .execute();
    });
  }
}

function newestFirst(queries: Queries) {
  return queries
    .selectFrom('savedSearches')
    .innerJoin('clients', 'clients.rowId', 'savedSearches.clientRowId')
    .orderBy('savedSearches.createdAt', 'desc')
    .orderBy('savedSearches.id', 'desc');
}

/**
 * Returns the row id of a client, and locks its row by an update, so that no other transaction creates or renames one of
 * its searches until the commit.
 */
async function lockedClient(queries: Queries, { clientId }: ClientMode): Promise<number> {
  const client = await queries
    .updateTable('clients')
    .set({ name: sql.ref('name') })
    .where('id', '=', clientId)
    .returning('rowId')
    .executeTakeFirst();
  if (client === undefined) throw unknownClient(clientId);
  return client.rowId;
}

/** Returns a search, and locks it until the commit. */
async function locked(
  queries: Queries,
  id: string,
  { clientId, mode }: ClientMode,
): Promise<SavedSearch> {
  const found = await queries
    .updateTable('savedSearches')
    .set({ version: sql.ref('version') })
    .where('id', '=', id)
    .where('mode', '=', mode)
    .where('clientRowId', '=', ({ selectFrom }) =>
      selectFrom('clients').select('rowId').where('clients.id', '=', clientId),
    )
    .returning(NAMES)
    .executeTakeFirst();
  if (found === undefined) throw unknownSavedSearch();
  return found;
}
