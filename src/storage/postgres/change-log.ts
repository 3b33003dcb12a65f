import {
  CHANGE_KINDS,
  type Change,
  type ChangeEntity,
  type ChangeKind,
  type ChangeLog,
} from '../../changes/change-log.ts';
import type { Actor } from '../../common/actor.ts';
import type { Clock } from '../../common/clock.ts';
import type { Database, Transaction } from './database.ts';
import type { ChangeListener } from './listener.ts';
import type { ReplicaGate } from './replica.ts';

const COLUMNS = 'seq, at, entity, kind, entity_id AS "entityId", by, batch_id AS "batchId"';

/**
 * The number of rows that one transaction of `expire` examines; it holds the write lock for a few
 * milliseconds.
 */
const EXPIRY_SLICE = 2_000;

/** Takedowns, withdrawals and removals are kept forever, because a partner may ask about them years later. */
const FORGETTABLE = "NOT (entity = 'track' AND kind IN ('taken_down', 'withdrawn', 'removed'))";

const SINCE = `SELECT ${COLUMNS} FROM change_log WHERE seq > $1 ORDER BY seq LIMIT $2`;
/** Uses the index of each entity, so that a follower of clients does not read a million changes of tracks. */
const SINCE_OF = `
  SELECT c.* FROM unnest($3::text[]) AS wanted (entity_name) CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM change_log
    WHERE entity = wanted.entity_name AND seq > $1 ORDER BY seq LIMIT $2
  ) c ORDER BY seq LIMIT $2`;

/**
 * The change log on PostgreSQL. One writer at a time appends to it (Database.write), so the order of `seq` is
 * the order of commits. A test verified this with readers that poll beside 16 writers.
 */
export class PostgresChangeLog implements ChangeLog {
  readonly #database: Database;
  readonly #listener: ChangeListener | undefined;
  readonly #gate: ReplicaGate | undefined;

  /** `listener` delivers notifications, if there are any. `gate` receives the last `seq` that was read. */
  constructor(database: Database, listener?: ChangeListener, gate?: ReplicaGate) {
    this.#database = database;
    this.#listener = listener;
    this.#gate = gate;
  }

  async since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]> {
    const all = Object.keys(CHANGE_KINDS).length;
    const wanted = [...new Set(entities)];
    if (wanted.length === 0) return [];
    const changes =
      wanted.length === all
        ? await this.#database.rows<Change>(SINCE, [seq, limit])
        : await this.#database.rows<Change>(SINCE_OF, [seq, limit, wanted]);
    this.#gate?.shown(changes.at(-1)?.seq ?? 0);
    return changes;
  }

  latest(limit: number, beforeSeq = Number.MAX_SAFE_INTEGER): Promise<Change[]> {
    const sql = `SELECT ${COLUMNS} FROM change_log WHERE seq < $1 ORDER BY seq DESC LIMIT $2`;
    return this.#database.rows<Change>(sql, [beforeSeq, limit]);
  }

  async head(): Promise<number> {
    const [row] = await this.#database.rows<{ seq: number }>('SELECT seq FROM change_log_head');
    this.#gate?.shown(row!.seq);
    return row!.seq;
  }

  watch(wake: () => void): () => void {
    return this.#listener?.subscribe(wake) ?? (() => {});
  }

  async expire(before: number, signal?: AbortSignal): Promise<number> {
    const look = `
      SELECT max(seq) AS last, count(*) FILTER (WHERE at < $1) AS old,
             count(*) FILTER (WHERE at < $1 AND ${FORGETTABLE}) AS expired
      FROM (SELECT seq, at, entity, kind FROM change_log WHERE seq > $2 ORDER BY seq LIMIT $3) slice`;
    const forget = `
      DELETE FROM change_log WHERE seq > $1 AND seq <= $2 AND at < $3 AND ${FORGETTABLE}`;
    let deleted = 0;
    let seq = 0;
    while (!signal?.aborted) {
      const [slice] = await this.#database.rows<{
        last: number | null;
        old: number;
        expired: number;
      }>(look, [before, seq, EXPIRY_SLICE]);
      const { last, old, expired } = slice!;
      // The log is ordered by time, unless a clock was set back. Therefore one more slice is examined.
      if (last === null || old === 0) return deleted;
      if (expired > 0) {
        const from = seq;
        deleted += await this.#database.write((tx) => tx.run(forget, [from, last, before]));
      }
      seq = last;
    }
    return deleted;
  }
}

/** The actor and the batch of an import or a command, which all of its rows in the log share. */
export interface Cause {
  by: Actor;
  /** Null if the change is not part of a batch. */
  batchId: string | null;
}

/** Appends to the change log, within the transaction of the change. */
export class ChangeAppender {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async append<Entity extends ChangeEntity>(
    tx: Transaction,
    entity: Entity,
    kind: ChangeKind<Entity>,
    entityId: string,
    cause: Cause,
  ): Promise<void> {
    await this.appendAll(tx, entity, [[kind, entityId]], cause);
  }

  /**
   * Appends many rows of one entity with one statement, in this order. Each is `[kind, entityId]`. Returns the
   * last `seq`; undefined if there are no rows.
   */
  async appendAll<Entity extends ChangeEntity>(
    tx: Transaction,
    entity: Entity,
    changes: readonly (readonly [kind: ChangeKind<Entity>, entityId: string])[],
    cause: Cause,
  ): Promise<number | undefined> {
    if (changes.length === 0) return undefined;
    const sql = `
      WITH head AS (UPDATE change_log_head SET seq = seq + $1::bigint RETURNING seq), logged AS (
        INSERT INTO change_log (seq, at, entity, kind, entity_id, by, batch_id)
        SELECT head.seq - $1::bigint + place, $2::bigint, $3::text, change.kind, change.entity_id,
               $4::text, $5::text
        FROM head, unnest($6::text[], $7::text[]) WITH ORDINALITY AS change (kind, entity_id, place)
      )
      SELECT seq FROM head`;
    const [head] = await tx.rows<{ seq: number }>(sql, [
      changes.length,
      this.#clock.now(),
      entity,
      cause.by,
      cause.batchId,
      changes.map(([kind]) => kind),
      changes.map(([, id]) => id),
    ]);
    tx.wake();
    return head!.seq;
  }
}
