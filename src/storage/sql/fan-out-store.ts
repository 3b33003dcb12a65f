import { sql } from 'kysely';
import type { Feature } from '../../access/client.ts';
import type { LogPosition } from '../../changes/cursor.ts';
import type {
  Chain,
  CollectionUsers,
  FanOutStore,
  NewMessage,
  Subscriber,
  TrackReference,
} from '../../changes/webhooks/fan-out-store.ts';
import { type EventType, isSent } from '../../changes/webhooks/webhook.ts';
import type { Clock } from '../../common/clock.ts';
import { parseStored } from '../stored-value.ts';
import type { Queries, SqlDatabase } from './database.ts';
import { insertMessages, withPresentChain } from './fan-out-messages.ts';
import { beginChains, discardPending, IS_PENDING } from './webhook-chains.ts';

/** What turns changes into messages reads and writes. */
export class SqlFanOutStore implements FanOutStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  position(): Promise<LogPosition | undefined> {
    return this.#database.queries
      .selectFrom('webhookPosition')
      .select(['epoch', 'seq'])
      .executeTakeFirst();
  }

  begin({ epoch, seq }: LogPosition): Promise<void> {
    // Excludes the writers that begin chains.
    return this.#database.write(async ({ queries }) => {
      const { numDeletedRows } = await queries
        .deleteFrom('webhookPosition')
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) {
        // The first time. The endpoints that are here already have begun where they were created.
        const { first } = await queries
          .selectFrom('webhookChains')
          .select(({ fn }) => fn.min<number | null>('startSeq').as('first'))
          .executeTakeFirstOrThrow();
        await queries
          .insertInto('webhookPosition')
          .values({ epoch, seq: first ?? seq })
          .execute();
        return;
      }
      await queries.insertInto('webhookPosition').values({ epoch, seq }).execute();
      const webhooks = await queries
        .selectFrom('webhooks')
        .select(['rowId', 'eventTypes'])
        .where('enabled', '=', true)
        .execute();
      const webhookRowIds = webhooks.map(({ rowId }) => rowId);
      const { dialect } = this.#database;
      await discardPending(queries, dialect, { webhookRowIds, now: this.#clock.now() });
      for (const { rowId, eventTypes } of webhooks) {
        const types = parseStored<EventType[]>(eventTypes);
        await beginChains(queries, rowId, types, { startSeq: seq, seq });
      }
    });
  }

  subscribers(): Promise<Subscriber[]> {
    return this.#database.view(async (queries) => {
      const webhooks = await queries
        .selectFrom('webhooks')
        .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
        .select(['webhooks.rowId', 'clients.id as clientId', 'mode', 'referencedOnly', 'features'])
        .where('webhooks.enabled', '=', true)
        .where('clients.enabled', '=', true)
        .execute();
      const chains = await queries
        .selectFrom('webhookChains')
        .select(['webhookRowId', 'type', 'startSeq', 'seq'])
        .where('subject', '=', '')
        .execute();
      const undelivered = await queries
        .selectFrom('webhookDeliveries')
        .select(['webhookRowId', 'type', sql<number>`cast(sum(count) AS bigint)`.as('count')])
        .where(IS_PENDING)
        .where('seq', 'is not', null)
        .groupBy(['webhookRowId', 'type'])
        .execute();
      const chainsOf = Map.groupBy(chains, ({ webhookRowId }) => webhookRowId);
      const undeliveredOf = Map.groupBy(undelivered, ({ webhookRowId }) => webhookRowId);
      return webhooks.map(({ features: stored, ...webhook }) => {
        const features = parseStored<Feature[]>(stored);
        const own = (chainsOf.get(webhook.rowId) ?? [])
          .filter(({ type }) => isSent(type, features))
          .map(({ type, startSeq, seq }) => [type, { startSeq, seq }] as const);
        const counts = (undeliveredOf.get(webhook.rowId) ?? []).map(
          ({ type, count }) => [type as EventType, count] as const,
        );
        return {
          ...webhook,
          hasFeed: features.includes('changes'),
          chains: new Map<EventType, Chain>(own),
          undelivered: new Map(counts),
        };
      });
    });
  }

  subjectChains(
    keys: Parameters<FanOutStore['subjectChains']>[0],
  ): Promise<(number | undefined)[]> {
    return this.#database.view(async (queries) => {
      const { isOneOf } = this.#database.dialect;
      const subjects = [...new Set(keys.map(({ subject }) => subject))];
      const rows = await queries
        .selectFrom('webhookChains')
        .select(['webhookRowId', 'type', 'subject', 'seq'])
        .where(({ ref }) => isOneOf(ref('subject'), subjects))
        .execute();
      const known = new Map(
        rows.map((row) => [`${row.webhookRowId} ${row.type} ${row.subject}`, row.seq]),
      );
      return keys.map((key) => known.get(`${key.webhookRowId} ${key.type} ${key.subject}`));
    });
  }

  append(from: LogPosition, to: number, messages: readonly NewMessage[]): Promise<boolean> {
    const { dialect } = this.#database;
    return this.#database.apart(async (queries) => {
      const { numUpdatedRows } = await queries
        .updateTable('webhookPosition')
        .set({ seq: to })
        .where('epoch', '=', from.epoch)
        .where('seq', '=', from.seq)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      const present = await withPresentChain(queries, dialect, messages);
      await insertMessages(queries, dialect, present, this.#clock.now());
      return true;
    });
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
