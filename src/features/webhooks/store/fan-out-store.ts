import type { Clock } from '../../../common/clock.ts';
import type { LogPosition } from '../../../engines/change-log/cursor.ts';
import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { FanOutStore, Subscriber } from '../fan-out-store.ts';
import type { EventType } from '../webhook.ts';
import { deleteEndedChains } from './ended-chains.ts';
import { continuedEndpoints, storeSteps } from './fan-out-messages.ts';
import { FanOutReferences } from './fan-out-references.ts';
import { subscribersIn } from './fan-out-subscribers.ts';
import { beginChains, loggedPosition } from './webhook-chains.ts';
import { discardAll } from './webhook-discards.ts';

/** The endpoints whose chains begin anew in one transaction. */
const BEGUN_AT_ONCE = 50;

/** What turns changes into messages reads and writes. */
export class SqlFanOutStore extends FanOutReferences implements FanOutStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, clock: Clock) {
    super(database);
    this.#database = database;
    this.#clock = clock;
  }

  position(): Promise<LogPosition | undefined> {
    return this.#database.queries
      .selectFrom('webhookPosition')
      .select(['epoch', 'seq'])
      .executeTakeFirst();
  }

  async begin(position: LogPosition, signal?: AbortSignal): Promise<void> {
    if (await this.#beginFirst(position)) return;
    await discardAll(this.#database, this.#clock, signal);
    for (let after = 0; after !== undefined && !signal?.aborted; ) {
      const last = await this.#beginSome(after, position.seq);
      if (last === undefined) break;
      after = last;
    }
    if (signal?.aborted) return;
    await this.#database.write(async ({ queries }) => {
      await queries.deleteFrom('webhookPosition').execute();
      await queries.insertInto('webhookPosition').values(position).execute();
    });
  }

  subscribers(): Promise<Subscriber[]> {
    return this.#database.view(subscribersIn);
  }

  subjectChains(
    keys: Parameters<FanOutStore['subjectChains']>[0],
  ): Promise<(number | undefined)[]> {
    return this.#database.view(async (queries) => {
      if (keys.length === 0) return [];
      const { isOneOf } = this.#database.dialect;
      const webhookRowIds = [...new Set(keys.map(({ webhookRowId }) => webhookRowId))];
      const types = [...new Set(keys.map(({ type }) => type))];
      const subjects = [...new Set(keys.map(({ subject }) => subject))];
      const rows = await queries
        .selectFrom('webhookChains')
        .select(['webhookRowId', 'type', 'subject', 'seq'])
        .where(({ ref }) => isOneOf(ref('webhookRowId'), webhookRowIds))
        .where(({ ref }) => isOneOf(ref('type'), types))
        .where(({ ref }) => isOneOf(ref('subject'), subjects))
        .execute();
      const known = new Map(
        rows.map((row) => [`${row.webhookRowId} ${row.type} ${row.subject}`, row.seq]),
      );
      return keys.map((key) => known.get(`${key.webhookRowId} ${key.type} ${key.subject}`));
    });
  }

  append(
    from: LogPosition,
    to: number,
    endpoints: Parameters<FanOutStore['append']>[2],
  ): Promise<boolean> {
    const { dialect } = this.#database;
    return this.#database.apart(async (queries) => {
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
      await storeSteps(queries, dialect, steps, this.#clock.now());
      return moved.size === endpoints.length;
    });
  }

  move(from: LogPosition, to: number): Promise<boolean> {
    return this.#database.apart((queries) => movePosition(queries, from, to));
  }

  forgetEndedChains(signal?: AbortSignal): Promise<void> {
    return deleteEndedChains(this.#database, signal);
  }

  /** Begins the first time. Returns false if this is not the first time. */
  #beginFirst({ epoch, seq }: LogPosition): Promise<boolean> {
    // Excludes the writers that begin chains.
    return this.#database.write(async ({ queries }) => {
      const known = await queries.selectFrom('webhookPosition').select('seq').executeTakeFirst();
      if (known !== undefined) return false;
      // The endpoints that are here already have begun where they were created.
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
    return this.#database.write(async ({ queries }) => {
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

  /** Moves the positions of endpoints that are as they were read. Returns their row ids. */
  async #moveEndpoints(
    queries: Queries,
    endpoints: readonly Subscriber[],
    to: number,
  ): Promise<Set<number>> {
    const given = this.#database.dialect.rows(
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
