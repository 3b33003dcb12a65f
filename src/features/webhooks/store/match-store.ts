import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { lastTrack } from '../../catalog/store/created-tracks.ts';
import type {
  Creation,
  MatchStore,
  NotifyingSearch,
  PresentTracks,
  SearchMatches,
} from '../match-store.ts';
import { storeSteps } from './fan-out-messages.ts';
import { IS_OF_TYPE } from './fan-out-subscribers.ts';

/** How much later than a track its change may be in the log, whose times do not decrease: a minute. */
const LATE_MS = 60_000;

/** What messages about saved searches read and write. */
export class SqlMatchStore implements MatchStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  notifying(): Promise<NotifyingSearch[]> {
    return this.#database.queries
      .selectFrom('savedSearches')
      .innerJoin('clients', 'clients.rowId', 'savedSearches.clientRowId')
      .select(['savedSearches.id', 'clients.id as clientId', 'mode', 'savedSearches.name'])
      .select(['query', 'version', 'createdSeq', 'notifiedRowId', 'notifiedAt'])
      .where('notify', '=', true)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('webhooks')
            .innerJoin('webhookChains', 'webhookRowId', 'webhooks.rowId')
            .select('webhooks.rowId')
            .whereRef('webhooks.clientRowId', '=', 'savedSearches.clientRowId')
            .whereRef('webhooks.mode', '=', 'savedSearches.mode')
            .where('webhooks.enabled', '=', true)
            .where('type', '=', 'saved_search.matched')
            .where(IS_OF_TYPE),
        ),
      )
      .orderBy('savedSearches.rowId')
      .execute();
  }

  presentTracks(): Promise<PresentTracks> {
    return this.#database.view(async (queries) => {
      const { seq } = await queries
        .selectFrom('changeLog')
        .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
        .where('entity', '=', 'track')
        .executeTakeFirstOrThrow();
      return { rowId: await lastTrack(queries), seq: seq ?? 0 };
    });
  }

  async trackIds(rowIds: readonly number[]): Promise<Map<number, string>> {
    const tracks = await this.#tracks(this.#database.queries, rowIds);
    return new Map(tracks.map(({ rowId, id }) => [rowId, id]));
  }

  creations(rowIds: readonly number[]): Promise<Map<number, Creation>> {
    return this.#database.view(async (queries) => {
      const creations = new Map<number, Creation>();
      for (const { rowId, id, createdAt } of await this.#tracks(queries, rowIds)) {
        const creation = await creationOf(queries, id, createdAt);
        if (creation !== undefined) creations.set(rowId, creation);
      }
      return creations;
    });
  }

  append(epoch: string, matches: readonly SearchMatches[], now: number): Promise<void> {
    return this.#database.apart(async (queries) => {
      const position = await queries
        .selectFrom('webhookPosition')
        .select('seq')
        .where('epoch', '=', epoch)
        .executeTakeFirst();
      if (position === undefined) return;
      const steps = [];
      for (const match of matches) {
        if (await moveNotified(queries, match, now)) steps.push(...match.steps);
      }
      const enabled = await this.#locked(
        queries,
        steps.map(({ subscriber }) => subscriber.rowId),
      );
      const sent = steps.filter(({ subscriber }) => enabled.has(subscriber.rowId));
      await storeSteps(queries, this.#database.dialect, sent, now);
    });
  }

  /** Lets edits of endpoints wait for this transaction, which reads their chains. Returns those that are enabled. */
  async #locked(queries: Queries, rowIds: readonly number[]): Promise<Set<number>> {
    const locked = await queries
      .updateTable('webhooks')
      .set(({ ref }) => ({ position: ref('position') }))
      .where(({ ref }) => this.#database.dialect.isOneOf(ref('rowId'), [...new Set(rowIds)]))
      .where('enabled', '=', true)
      .returning('rowId')
      .execute();
    return new Set(locked.map(({ rowId }) => rowId));
  }

  async #tracks(queries: Queries, rowIds: readonly number[]) {
    if (rowIds.length === 0) return [];
    return queries
      .selectFrom('tracks')
      .select(['rowId', 'id', 'createdAt'])
      .where(({ ref }) => this.#database.dialect.isOneOf(ref('rowId'), rowIds))
      .execute();
  }
}

/** Finds the change that created a track among those of its time, because the log has no index by track. */
function creationOf(
  queries: Queries,
  id: string,
  createdAt: number,
): Promise<Creation | undefined> {
  return queries
    .selectFrom('changeLog')
    .select(['seq', 'at'])
    .where('at', '>=', createdAt)
    .where('at', '<=', createdAt + LATE_MS)
    .where('entityId', '=', id)
    .where('kind', '=', 'created')
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
}

/** Marks tracks as reported. Returns false if the search is not as it was read. */
async function moveNotified(
  queries: Queries,
  { search, notifiedRowId }: SearchMatches,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('savedSearches')
    .set({ notifiedRowId, notifiedAt: now })
    .where('id', '=', search.id)
    .where('notify', '=', true)
    .where('version', '=', search.version)
    .where('notifiedRowId', '=', search.notifiedRowId)
    // A message of tracks that were only held leaves the row id as it is.
    .where('notifiedAt', search.notifiedAt === null ? 'is' : '=', search.notifiedAt)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
