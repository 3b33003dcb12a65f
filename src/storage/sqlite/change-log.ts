import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CHANGE_KINDS,
  type Change,
  type ChangeEntity,
  type ChangeKind,
  type ChangeLog,
} from '../../changes/change-log.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from './database.ts';

const COLUMNS = 'seq, at, entity, kind, entity_id AS entityId, by, batch_id AS batchId';

/** How many rows one transaction of expire looks at: a few milliseconds of lock. */
const EXPIRY_SLICE = 2_000;

/** Takedowns and removals are kept for ever: a partner may ask years later. */
const FORGETTABLE = "NOT (entity = 'track' AND kind IN ('taken_down', 'removed'))";

interface ExpirySlice {
  /** The slice's last seq; null past the end. */
  last: number | null;
  /** Rows before the given time, and those of them that may go. */
  old: number;
  expired: number;
}

/** The change log on SQLite: `BEGIN IMMEDIATE` lets one writer in at a time, so seq is in the order of commits. */
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
    // Kept by AUTOINCREMENT, so it holds even when every row has expired.
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'change_log'";
    const row = await this.#database.read(() => this.#database.prepare(sql).get());
    return (row?.seq as number | undefined) ?? 0;
  }

  /** A file tells nobody; looking at it costs microseconds. */
  watch(): () => void {
    return () => {};
  }

  async expire(before: number, signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    let seq = 0;
    while (!signal?.aborted) {
      const { last, old, expired } = await this.#slice(seq, before);
      // The log is in the order of time, but for a clock that was set back: one slice of slack.
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

/** One statement, so one view: of two statements the second could see a later commit than the first. */
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

/** Who does what in one import or command: what all its log rows have in common. */
export interface Cause {
  by: Actor;
  /** Null where the change is not part of a batch. */
  batchId: string | null;
}

/** Appends to the change log; called within the transaction of the change. */
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

  /** Many rows of one entity by one statement, in the order given: `[kind, entityId]` each. */
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
