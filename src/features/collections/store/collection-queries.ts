import { sql } from 'kysely';
import type { ClientMode, Mode } from '../../../common/caller.ts';
import { compiledOnce, type Queries, type SqlDialect } from '../../../engines/sql/database.ts';
import { shownBy } from '../../access/made-by.ts';
import {
  type CollectionRecord,
  type CollectionShare,
  type CollectionSummary,
  unknownCollection,
} from '../collection.ts';

/** The columns of a collection, without its row id and its owner. */
const COLLECTION_COLUMNS = [
  'id',
  'name',
  'description',
  'version',
  'createdAt',
  'updatedAt',
] as const;

export interface FoundCollection {
  rowId: number;
  version: number;
  isOwner: boolean;
  ownerName: string;
}

/** Whether the owner and a reader of a share are in one account. A client without an account has one of its own. */
const isCounted = sql<boolean>`owner.account = reader.account`;

/** Selects a collection that the client owns or that is shared with it. */
const selectFound = compiledOnce(
  (queries, { id, clientId, mode }: { id: string; clientId: string; mode: Mode }) =>
    queries
      .selectFrom('collections')
      .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
      .select(['collections.rowId', 'version', 'owner.id as ownerId', 'owner.name as ownerName'])
      .where('collections.id', '=', id)
      .where('mode', '=', mode)
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb('owner.id', '=', clientId),
          exists(
            selectFrom('collectionShares')
              .innerJoin('clients as reader', 'reader.rowId', 'collectionShares.clientRowId')
              .select('reader.rowId')
              .whereRef('collectionShares.collectionRowId', '=', 'collections.rowId')
              .where('reader.id', '=', clientId)
              .where(isCounted),
          ),
        ]),
      ),
);

/** Finds a collection that the user may read. Throws `not_found`. */
export async function readable(
  queries: Queries,
  id: string,
  { clientId, mode }: ClientMode,
): Promise<FoundCollection> {
  const [found] = await selectFound(queries, { id, clientId, mode });
  if (found === undefined) throw unknownCollection();
  const { ownerId, ...others } = found;
  return { ...others, isOwner: ownerId === clientId };
}

/** Finds a collection that the user may change. Throws `not_found`. */
export async function owned(
  queries: Queries,
  id: string,
  user: ClientMode,
): Promise<FoundCollection> {
  const found = await readable(queries, id, user);
  if (!found.isOwner) throw unknownCollection();
  return found;
}

export const selectTrackIds = compiledOnce(
  (queries, { collectionRowId }: { collectionRowId: number }) =>
    queries
      .selectFrom('collectionTracks')
      .innerJoin('tracks', 'tracks.rowId', 'collectionTracks.trackRowId')
      .select('tracks.id')
      .where('collectionRowId', '=', collectionRowId)
      .orderBy('position'),
);

/** The columns of a summary, from the tables `collections` and `owner`. */
function summaries(queries: Queries) {
  return queries
    .selectFrom('collections')
    .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
    .leftJoin('collectionTracks', 'collectionTracks.collectionRowId', 'collections.rowId')
    .leftJoin('tracks', 'tracks.rowId', 'collectionTracks.trackRowId')
    .select(COLLECTION_COLUMNS.map((name) => `collections.${name}` as const))
    .select(['collections.mode', 'collections.by', 'owner.id as ownerId'])
    .select('owner.name as ownerName')
    .select(({ selectFrom }) => [
      countOf('live').as('trackCount'),
      countOf('taken_down').as('unavailableCount'),
      sql<number>`cast(coalesce(sum(CASE WHEN tracks.state = 'live' THEN tracks.duration_seconds END), 0) AS bigint)`.as(
        'durationSeconds',
      ),
      selectFrom('collectionShares')
        .innerJoin('clients as reader', 'reader.rowId', 'collectionShares.clientRowId')
        .select(({ fn }) => fn.countAll<number>().as('readers'))
        .whereRef('collectionShares.collectionRowId', '=', 'collections.rowId')
        .where(isCounted)
        .as('readers'),
    ])
    .groupBy(['collections.rowId', 'owner.rowId'])
    .orderBy('collections.createdAt', 'desc')
    .orderBy('collections.id', 'desc');
}

function countOf(state: 'live' | 'taken_down') {
  return sql<number>`cast(count(CASE WHEN tracks.state = ${sql.lit(state)} THEN 1 END) AS bigint)`;
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['execute']>>[number];

/** Returns the row ids of the collections that a user may read: its own, those of others, or both; newest first. */
export async function selectReadable(
  queries: Queries,
  { clientId, mode }: ClientMode,
  shared: boolean | undefined,
): Promise<number[]> {
  const own = queries
    .selectFrom('collections')
    .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
    .select(['collections.rowId', 'collections.createdAt', 'collections.id'])
    .where('owner.id', '=', clientId)
    .where('mode', '=', mode);
  const ofOthers = queries
    .selectFrom('collectionShares')
    .innerJoin('clients as reader', 'reader.rowId', 'collectionShares.clientRowId')
    .innerJoin('collections', 'collections.rowId', 'collectionShares.collectionRowId')
    .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
    .select(['collections.rowId', 'collections.createdAt', 'collections.id'])
    .where('reader.id', '=', clientId)
    .where('mode', '=', mode)
    .where(isCounted);
  const chosen = shared === undefined ? own.unionAll(ofOthers) : shared ? ofOthers : own;
  const rows = await queries
    .selectFrom(chosen.as('chosen'))
    .select('rowId')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ rowId }) => rowId);
}

/** Returns the summaries of some collections, newest first, as a client sees them. */
export async function summariesOf(
  queries: Queries,
  { isOneOf }: SqlDialect,
  rowIds: readonly number[],
  clientId: string,
): Promise<CollectionSummary[]> {
  const rows = await summaries(queries)
    .where(({ ref }) => isOneOf(ref('collections.rowId'), rowIds))
    .execute();
  return rows.map((row) => seenBy(clientId, row));
}

/** Returns all collections of a client, newest first, or the collection with this id. */
export async function recordsOf(
  queries: Queries,
  by: { clientId: string } | { id: string },
): Promise<CollectionRecord[]> {
  const rows = await summaries(queries)
    .where(({ eb }) =>
      'id' in by ? eb('collections.id', '=', by.id) : eb('owner.id', '=', by.clientId),
    )
    .execute();
  return rows.map((row) => {
    const { mode, ownerId } = row;
    return { ...seenBy(ownerId, row), mode, clientId: ownerId };
  });
}

function seenBy(
  clientId: string,
  { ownerId, ownerName, mode: _, readers, ...collection }: SummaryRow,
): CollectionSummary {
  const isOwner = ownerId === clientId;
  const by = shownBy(collection.by, ownerName);
  return { ...collection, isOwner, sharedWith: isOwner ? (readers ?? 0) : 0, by };
}

/** Returns the shares of a collection: those that count by name and then by id, then the others by id. */
export async function sharesOf(
  queries: Queries,
  collectionRowId: number,
): Promise<CollectionShare[]> {
  const shares = await queries
    .selectFrom('collectionShares')
    .innerJoin('collections', 'collections.rowId', 'collectionShares.collectionRowId')
    .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
    .innerJoin('clients as reader', 'reader.rowId', 'collectionShares.clientRowId')
    .select([
      'reader.id as clientId',
      sql<string | null>`CASE WHEN ${isCounted} THEN reader.name END`.as('name'),
    ])
    .where('collectionShares.collectionRowId', '=', collectionRowId)
    // The databases disagree on where null belongs.
    .orderBy(sql`CASE WHEN ${isCounted} THEN 0 ELSE 1 END`)
    .orderBy('name')
    .orderBy('reader.id')
    .execute();
  return shares.map((share) => ({ ...share, canRead: share.name !== null }));
}

/** Returns the ids of the clients that can read a collection besides its owner. */
export async function readersOf(queries: Queries, collectionRowId: number): Promise<string[]> {
  const shares = await sharesOf(queries, collectionRowId);
  return shares.flatMap(({ clientId, canRead }) => (canRead ? [clientId] : []));
}

/** Returns the collections of a client in both modes, each with the ids of the other clients that can read it. */
export async function ownCollections(
  queries: Queries,
  clientId: string,
): Promise<{ rowId: number; id: string; mode: Mode; readers: string[] }[]> {
  const own = await queries
    .selectFrom('collections')
    .innerJoin('clients as owner', 'owner.rowId', 'collections.clientRowId')
    .select(['collections.rowId', 'collections.id', 'collections.mode'])
    .where('owner.id', '=', clientId)
    .orderBy('collections.rowId')
    .execute();
  const collections = [];
  for (const { rowId, id, mode } of own) {
    collections.push({ rowId, id, mode, readers: await readersOf(queries, rowId) });
  }
  return collections;
}
