import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CHANGE_KINDS,
  type Change,
  type ChangeEntity,
  type ChangeKind,
  type ChangeLog,
} from '../../changes/change-log.ts';
import type { Actor } from '../../common/actor.ts';
import type { Clock } from '../../common/clock.ts';
import type { Database } from './database.ts';

const COLUMNS = 'seq, at, entity, kind, entity_id AS entityId, by, batch_id AS batchId';

/**
 * The number of rows that one transaction of `expire` examines; it holds the write lock for a few
 * milliseconds.
 */
const EXPIRY_SLICE = 2_000;

/** Takedowns, withdrawals and removals are kept forever, because a partner may ask about them years later. */
const FORGETTABLE = "NOT (entity = 'track' AND kind IN ('taken_down', 'withdrawn', 'removed'))";

interface ExpirySlice {
  /** The last `seq` of the slice; null after the end of the log. */
  last: number | null;
  /** The number of rows before the given time, and the number of those that may be deleted. */
  old: number;
  expired: number;
}

/**
 * The change log on SQLite. `BEGIN IMMEDIATE` admits one writer at a time, so the order of `seq` is the order
 * of commits.
 */
export class SqliteChangeLog implements ChangeLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]> {
    const wanted = (Object.keys(CHANGE_KINDS) as ChangeEntity[]).filter((entity) =>
      entities.includes(entity),
    );
    if (wanted.length === 0) return [];
    return this.#changes(sinceSql(wanted), seq, limit);
  }

  async latest(limit: number, beforeSeq = Number.MAX_SAFE_INTEGER): Promise<Change[]> {
    const sql = `SELECT ${COLUMNS} FROM change_log WHERE seq < ? ORDER BY seq DESC LIMIT ?`;
    return this.#changes(sql, beforeSeq, limit);
  }

  async head(): Promise<number> {
    // AUTOINCREMENT keeps this number, so it is correct even if all rows have expired.
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'change_log'";
    const row = await this.#database.read(() => this.#database.prepare(sql).get());
    return (row?.seq as number | undefined) ?? 0;
  }

  /** SQLite sends no notifications, so followers poll, which costs microseconds. */
  watch(): () => void {
    return () => {};
  }

  async expire(before: number, signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    let seq = 0;
    while (!signal?.aborted) {
      const { last, old, expired } = await this.#slice(seq, before);
      // The log is ordered by time, unless a clock was set back. Therefore one more slice is examined.
      if (last === null || old === 0) return deleted;
      if (expired > 0) {
        deleted += await this.#database.write(() => this.#expireSlice(seq, last, before));
      }
      seq = last;
      await nextTurn();
    }
    return deleted;
  }

  async #changes(sql: string, seq: number, limit: number): Promise<Change[]> {
    const rows = await this.#database.read(() => this.#database.prepare(sql).all(seq, limit));
    return rows.map((row) => ({ ...row }) as unknown as Change);
  }

  #slice(seq: number, before: number): Promise<ExpirySlice> {
    const sql = `
      SELECT max(seq) AS last, count(*) FILTER (WHERE at < ?1) AS old,
             count(*) FILTER (WHERE at < ?1 AND ${FORGETTABLE}) AS expired
      FROM (SELECT seq, at, entity, kind FROM change_log WHERE seq > ?2 ORDER BY seq LIMIT ?3)`;
    return this.#database.read(
      () => this.#database.prepare(sql).get(before, seq, EXPIRY_SLICE) as unknown as ExpirySlice,
    );
  }

  #expireSlice(afterSeq: number, lastSeq: number, before: number): number {
    const sql = `
      DELETE FROM change_log WHERE seq > ? AND seq <= ? AND at < ? AND ${FORGETTABLE}`;
    return Number(this.#database.prepare(sql).run(afterSeq, lastSeq, before).changes);
  }
}

/**
 * One statement is one consistent view. The second of two statements could see a later commit than the first.
 */
function sinceSql(entities: readonly ChangeEntity[]): string {
  if (entities.length === Object.keys(CHANGE_KINDS).length) {
    return `SELECT ${COLUMNS} FROM change_log WHERE seq > ?1 ORDER BY seq LIMIT ?2`;
  }
  const parts = entities.map(
    (entity) => `SELECT * FROM (
      SELECT ${COLUMNS} FROM change_log
      WHERE entity = '${entity}' AND seq > ?1 ORDER BY seq LIMIT ?2)`,
  );
  return `${parts.join(' UNION ALL ')} ORDER BY seq LIMIT ?2`;
}

/** The actor and the batch of an import or a command, which all of its rows in the log share. */
export interface Cause {
  by: Actor;
  /** Null if the change is not part of a batch. */
  batchId: string | null;
}

/** Appends to the change log, within the transaction of the change. */
export class ChangeAppender {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  append<Entity extends ChangeEntity>(
    entity: Entity,
    kind: ChangeKind<Entity>,
    entityId: string,
    cause: Cause,
  ): void {
    const sql = `
      INSERT INTO change_log (at, entity, kind, entity_id, by, batch_id) VALUES (?, ?, ?, ?, ?, ?)`;
    this.#database
      .prepare(sql)
      .run(this.#clock.now(), entity, kind, entityId, cause.by, cause.batchId);
  }

  /** Appends many rows of one entity with one statement, in this order. Each is `[kind, entityId]`. */
  appendAll<Entity extends ChangeEntity>(
    entity: Entity,
    changes: readonly (readonly [kind: ChangeKind<Entity>, entityId: string])[],
    cause: Cause,
  ): void {
    if (changes.length === 0) return;
    const sql = `
      INSERT INTO change_log (at, entity, kind, entity_id, by, batch_id)
      SELECT ?, ?, value ->> 0, value ->> 1, ?, ? FROM json_each(?) ORDER BY key`;
    this.#database
      .prepare(sql)
      .run(this.#clock.now(), entity, cause.by, cause.batchId, JSON.stringify(changes));
  }
}
