import { type SqlBool, sql } from 'kysely';
import type { ClientMode, Feature } from '../../../common/caller.ts';
import type { LogPosition } from '../../../engines/change-log/positions.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { lastTrack } from '../../catalog/store/track-names.ts';
import type { ChainStep, HeldChanges, Subscriber } from '../subscriber.ts';
import { type EventType, isSent } from '../webhook.ts';
import {
  type ChainName,
  continuedEndpoints,
  nameOf,
  storedChains,
  storeSteps,
} from './fan-out-messages.ts';
import { FanOutReferences } from './fan-out-references.ts';
import { beginChains, deleteEndedChains, IS_PENDING, loggedPosition } from './webhook-chains.ts';
import { discardAll } from './webhook-discards.ts';

/** A condition without a parameter, because the partial index of the chains of types applies only to that. */
const IS_OF_TYPE = sql<SqlBool>`subject = ''`;

/** How much later than its track a change may be in the log, because the times of the log do not decrease. */
const LATE_MS = 60_000;

/** The endpoints whose chains begin anew in one transaction. */
const BEGUN_AT_ONCE = 50;

/** A saved search with notifications whose client has an endpoint for them. */
export interface NotifyingSearch extends ClientMode {
  id: string;
  name: string;
  /** JSON, as the client sent it. */
  query: string;
  version: number;
  /** The position of the log when it was created. */
  createdSeq: number;
  /** Tracks with a greater row id are in no message yet. */
  notifiedRowId: number;
  /** The time of the last message, in milliseconds since the epoch; null if there was none. */
  notifiedAt: number | null;
}

/** The tracks that existed at a moment. */
export interface PresentTracks {
  /** The greatest row id. */
  rowId: number;
  /** The last change of a track in the log. */
  seq: number;
}

/** The change that created a track. */
export interface Creation {
  seq: number;
  /** In milliseconds since the epoch. */
  at: number;
}

/** What continues the chains of a saved search. */
export interface SearchMatches {
  search: NotifyingSearch;
  /** The new value of `notifiedRowId`. */
  notifiedRowId: number;
  steps: readonly ChainStep[];
}

/**
 * The store of the fan-out. One node at a time uses it. Each call works in short transactions.
 */
export class FanOutStore extends FanOutReferences {
  /** The last change whose messages are made; undefined before the first run. */
  position(): Promise<LogPosition | undefined> {
    return this.database.queries
      .selectFrom('webhookPosition')
      .select(['epoch', 'seq'])
      .executeTakeFirst();
  }

  /**
   * Begins at a position of a new history of the log: discards all pending messages, and begins all chains there. If that
   * is interrupted, the position stays, and the next call repeats it. The first call ever begins where the first endpoint
   * was created.
   */
  async begin(position: LogPosition, signal?: AbortSignal): Promise<void> {
    if (await this.#beginFirst(position)) return;
    await discardAll(this.database, this.clock, signal);
    for (let after = 0; after !== undefined && !signal?.aborted; ) {
      const last = await this.#beginSome(after, position.seq);
      if (last === undefined) break;
      after = last;
    }
    if (signal?.aborted) return;
    await this.database.write(async ({ queries }) => {
      await queries.deleteFrom('webhookPosition').execute();
      await queries.insertInto('webhookPosition').values(position).execute();
    });
  }

  subscribers(): Promise<Subscriber[]> {
    return this.database.view(subscribersIn);
  }

  /** The last message of each chain; undefined for a chain that is not stored. */
  async subjectChains(names: readonly ChainName[]): Promise<(number | undefined)[]> {
    const { queries, dialect } = this.database;
    const chains = await storedChains(queries, dialect, names);
    return names.map((name) => chains.get(nameOf(name))?.seq);
  }

  /**
   * Stores the steps of endpoints, and moves their positions to the change `to`. Leaves out steps whose chain began anew
   * or ended since it was read, and endpoints that were disabled, or whose position or chains moved. Returns whether it
   * left out no endpoint and the position is still `from`.
   */
  append(
    from: LogPosition,
    to: number,
    endpoints: readonly { subscriber: Subscriber; steps: readonly ChainStep[] }[],
  ): Promise<boolean> {
    const { dialect } = this.database;
    return this.database.apart(async (queries) => {
      // This also waits for a transaction that moves the position.
      if (!(await movePosition(queries, from, from.seq))) return false;
      // The position of an endpoint stays if only held changes became messages.
      const continued = await continuedEndpoints(
        queries,
        dialect,
        endpoints.flatMap(({ steps: own }) => own),
      );
      const subscribers = endpoints
        .map(({ subscriber }) => subscriber)
        .filter(({ rowId }) => !continued.has(rowId));
      const moved = await this.#moveEndpoints(queries, subscribers, to);
      const steps = endpoints
        .filter(({ subscriber }) => moved.has(subscriber.rowId))
        .flatMap((endpoint) => endpoint.steps);
      await storeSteps(queries, dialect, steps, this.clock.now());
      return moved.size === endpoints.length;
    });
  }

  /** Moves the position of all endpoints. Returns false, and does nothing, if it is not `from`. */
  move(from: LogPosition, to: number): Promise<boolean> {
    return this.database.apart((queries) => movePosition(queries, from, to));
  }

  /** The saved searches whose new tracks are reported. */
  notifying(): Promise<NotifyingSearch[]> {
    return this.database.queries
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
      .$narrowType<{ createdSeq: number }>()
      .execute();
  }

  presentTracks(): Promise<PresentTracks> {
    return this.database.view(async (queries) => {
      const { seq } = await queries
        .selectFrom('changeLog')
        .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
        .where('entity', '=', 'track')
        .executeTakeFirstOrThrow();
      return { rowId: await lastTrack(queries), seq: seq ?? 0 };
    });
  }

  /** The ids of the tracks that exist, by row id. */
  async trackIds(rowIds: readonly number[]): Promise<Map<number, string>> {
    const tracks = await this.#tracks(this.database.queries, rowIds);
    return new Map(tracks.map(({ rowId, id }) => [rowId, id]));
  }

  /** The changes that created tracks, by row id, if the log still has them. Reads some hundred changes for each track. */
  creations(rowIds: readonly number[]): Promise<Map<number, Creation>> {
    return this.database.view(async (queries) => {
      const creations = new Map<number, Creation>();
      for (const { rowId, id, createdAt } of await this.#tracks(queries, rowIds)) {
        const creation = await creationOf(queries, id, createdAt);
        if (creation !== undefined) creations.set(rowId, creation);
      }
      return creations;
    });
  }

  /**
   * Stores messages, and which tracks they report, in one transaction. Leaves out searches that were changed or reported
   * since they were read, and the same steps as `append`. Does nothing in another history of the log.
   */
  appendMatches(epoch: string, matches: readonly SearchMatches[], now: number): Promise<void> {
    return this.database.apart(async (queries) => {
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
      await storeSteps(queries, this.database.dialect, sent, now);
    });
  }

  /**
   * Deletes the chains of deleted collections whose messages are all made. Works in short transactions.
   * @param signal ends this early
   */
  async forgetEndedChains(signal?: AbortSignal): Promise<void> {
    let place: ChainName | undefined;
    const deleteSome = async (limit: number) => {
      place = await deleteEndedChains(this.database, place, limit);
      return place !== undefined;
    };
    await inSlices(this.database, deleteSome, { signal });
  }

  /** Stores the first position. Returns false if there is one. */
  #beginFirst({ epoch, seq }: LogPosition): Promise<boolean> {
    // Excludes the writers that begin chains.
    return this.database.write(async ({ queries }) => {
      const known = await queries.selectFrom('webhookPosition').select('seq').executeTakeFirst();
      if (known !== undefined) return false;
      // The present endpoints began where they were created.
      const { first } = await queries
        .selectFrom('webhookChains')
        .select(({ fn }) => fn.min<number | null>('startSeq').as('first'))
        .executeTakeFirstOrThrow();
      await queries
        .insertInto('webhookPosition')
        .values({ epoch, seq: first ?? seq })
        .execute();
      return true;
    });
  }

  /** Begins the chains of some endpoints at the end of the log. Returns the last one; undefined if there is none. */
  #beginSome(after: number, least: number): Promise<number | undefined> {
    return this.database.write(async ({ queries }) => {
      const webhooks = await queries
        .selectFrom('webhooks')
        .select(['rowId', 'eventTypes'])
        .where('rowId', '>', after)
        .where('enabled', '=', true)
        .orderBy('rowId')
        .limit(BEGUN_AT_ONCE)
        .execute();
      const seq = Math.max(least, await loggedPosition(queries));
      for (const { rowId, eventTypes } of webhooks) {
        const types = parseStored<EventType[]>(eventTypes);
        await beginChains(queries, rowId, types, { startSeq: seq, seq });
        await queries
          .updateTable('webhooks')
          .set({ position: seq })
          .where('rowId', '=', rowId)
          .execute();
      }
      return webhooks.at(-1)?.rowId;
    });
  }

  /** Makes edits of endpoints wait for this transaction, which reads their chains. Returns the enabled ones. */
  async #locked(queries: Queries, rowIds: readonly number[]): Promise<Set<number>> {
    const locked = await queries
      .updateTable('webhooks')
      .set(({ ref }) => ({ position: ref('position') }))
      .where(({ ref }) => this.database.dialect.isOneOf(ref('rowId'), [...new Set(rowIds)]))
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
      .where(({ ref }) => this.database.dialect.isOneOf(ref('rowId'), rowIds))
      .execute();
  }

  /** Moves the positions of endpoints that were not changed since they were read. Returns their row ids. */
  async #moveEndpoints(
    queries: Queries,
    endpoints: readonly Subscriber[],
    to: number,
  ): Promise<Set<number>> {
    const given = this.database.dialect.rows(
      'given',
      { rowId: 'integer', position: 'integer' },
      endpoints.map(({ rowId, position }) => ({ rowId, position })),
    );
    const moved = await queries
      .updateTable('webhooks')
      .from(given)
      .set({ position: to })
      .whereRef('webhooks.rowId', '=', 'given.rowId')
      .whereRef('webhooks.position', '=', 'given.position')
      .where('webhooks.enabled', '=', true)
      .returning('webhooks.rowId')
      .execute();
    return new Set(moved.map(({ rowId }) => rowId));
  }
}

/** Moves the position of all endpoints. Returns false, and does nothing, if it is not `from`. */
async function movePosition(queries: Queries, from: LogPosition, to: number): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('webhookPosition')
    .set({ seq: to })
    .where('epoch', '=', from.epoch)
    .where('seq', '=', from.seq)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Searches the changes of the time of creation, because the log has no index by track. */
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

/** Marks tracks as reported. Returns false if the search was changed since it was read. */
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
    // A message that only reports tracks that were held does not change the row id.
    .where('notifiedAt', search.notifiedAt === null ? 'is' : '=', search.notifiedAt)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** `queries` must have one view. */
export async function subscribersIn(queries: Queries): Promise<Subscriber[]> {
  const webhooks = await queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'clients.id as clientId', 'mode', 'referencedOnly', 'position'])
    .select(['features', 'lastSuccessAt'])
    .where('webhooks.enabled', '=', true)
    .where('clients.enabled', '=', true)
    .orderBy('webhooks.rowId')
    .execute();
  const chains = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'startSeq', 'startRowId', 'seq'])
    .where(IS_OF_TYPE)
    .execute();
  const held = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'subject', 'seq', 'held'])
    .where('held', 'is not', null)
    .execute();
  const chainsOf = Map.groupBy(chains, ({ webhookRowId }) => webhookRowId);
  const heldOf = Map.groupBy(held, ({ webhookRowId }) => webhookRowId);
  const pendingOf = Map.groupBy(await pendingIn(queries), ({ webhookRowId }) => webhookRowId);
  return webhooks.map(({ features: stored, ...webhook }) => {
    const features = parseStored<Feature[]>(stored);
    const isOwn = ({ type }: { type: EventType }) => isSent(type, features);
    const own = (chainsOf.get(webhook.rowId) ?? []).filter(isOwn);
    const waiting = (heldOf.get(webhook.rowId) ?? []).filter(isOwn);
    const pending = pendingOf.get(webhook.rowId) ?? [];
    return {
      ...webhook,
      hasFeed: features.includes('changes'),
      chains: new Map(own.map(({ webhookRowId: _, type, ...chain }) => [type, chain])),
      held: waiting.map(({ webhookRowId: _, held: changes, ...chain }) => {
        return { ...chain, held: parseStored<HeldChanges>(changes!) };
      }),
      pending: new Map(
        pending.map(({ webhookRowId: _, type, ...ofType }) => [type as EventType, ofType]),
      ),
    };
  });
}

/** Pings and simulated messages report no change, and do not delay messages. */
function pendingIn(queries: Queries) {
  return queries
    .selectFrom('webhookDeliveries')
    .select(['webhookRowId', 'type', sql<number>`cast(sum(count) AS bigint)`.as('count')])
    .select(({ fn }) => {
      const since = fn.coalesce('replayedAt', 'createdAt');
      return [fn.min<number>(since).as('oldestAt'), fn.max<number>(since).as('newestAt')];
    })
    .where(IS_PENDING)
    .where('count', '>', 0)
    .groupBy(['webhookRowId', 'type'])
    .execute();
}
