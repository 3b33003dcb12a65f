import type { Clock } from '../../../common/clock.ts';
import {
  CHANGE_KINDS,
  type Change,
  type ChangeEntity,
  type ChangeFilter,
  type ChangeLog,
  type ChangeReason,
  type ExplainedChange,
  type LogBounds,
} from '../../change-log/change-log.ts';
import { LOG_EPOCH } from '../../change-log/log-epoch.ts';
import { changeConditions } from '../change-conditions.ts';
import { type ExpirySlice, expiryStatements } from '../log-expiry-sql.ts';
import {
  type Cause,
  CHANGE_COLUMNS,
  type ChangeRow,
  changeOf,
  EXPLAINED_COLUMNS,
  HEAD_AT,
  type NewChange,
} from '../logged-change.ts';
import { inSlices } from '../slices.ts';
import type { Database } from './database.ts';

const EXPIRY = expiryStatements((n) => `?${n}`);

// AUTOINCREMENT keeps this number, so it is correct even if all rows have expired.
const HEAD = "(SELECT seq FROM sqlite_sequence WHERE name = 'change_log')";
const BOUNDS = `
  SELECT coalesce(${HEAD}, 0) AS head, ${HEAD_AT} AS headAt, seq AS floor, at AS floorAt,
         (SELECT value FROM settings WHERE name = '${LOG_EPOCH}') AS epoch
  FROM change_log_floor`;

const FIRST_AT = 'SELECT seq FROM change_log WHERE at >= ? ORDER BY at, seq LIMIT 1';

/**
 * The change log on SQLite. `BEGIN IMMEDIATE` admits one writer at a time, so the order of `seq` is the order
 * of commits.
 */
export class SqliteChangeLog implements ChangeLog {
  readonly #database: Database;
  readonly #settle: () => Promise<void>;

  /** @param settle runs between the transactions of `expire` (SqlDatabase.settle) */
  constructor(database: Database, settle: () => Promise<void>) {
    this.#database = database;
    this.#settle = settle;
  }

  async since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]> {
    const wanted = (Object.keys(CHANGE_KINDS) as ChangeEntity[]).filter((entity) =>
      entities.includes(entity),
    );
    if (wanted.length === 0) return [];
    return this.#changes(sinceSql(wanted), seq, limit);
  }

  latest(limit: number, filter: ChangeFilter = {}): Promise<ExplainedChange[]> {
    const where = changeConditions(filter, () => '?');
    const sql = `SELECT ${EXPLAINED_COLUMNS} FROM change_log WHERE ${where.sql} ORDER BY seq DESC LIMIT ?`;
    return this.#changes<ChangeRow & ChangeReason>(sql, ...where.values, limit);
  }

  async head(): Promise<number> {
    const row = await this.#database.read(() =>
      this.#database.prepare(`SELECT ${HEAD} AS seq`).get(),
    );
    return (row!.seq as number | null) ?? 0;
  }

  bounds(): Promise<LogBounds> {
    return this.#database.read(
      () => ({ ...this.#database.prepare(BOUNDS).get() }) as unknown as LogBounds,
    );
  }

  async firstAt(time: number): Promise<number | undefined> {
    const first = await this.#database.read(() => this.#database.prepare(FIRST_AT).get(time));
    return first?.seq as number | undefined;
  }

  /** SQLite sends no notifications, so followers poll, which costs microseconds. */
  watch(): () => void {
    return () => {};
  }

  async expire(before: number, signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    let seq = 0;
    const expireSome = async (rows: number) => {
      const { last, old, expired } = await this.#slice(seq, before, rows);
      // The log is ordered by time, unless an older version wrote it. Therefore one more slice is examined.
      if (last === null || old === 0) return false;
      if (expired > 0) {
        const after = seq;
        deleted += await this.#database.write(() => this.#expireSlice(after, last, before));
      }
      seq = last;
      return true;
    };
    await inSlices(expireSome, { between: () => this.#settle(), signal });
    return deleted;
  }

  async #changes<Row extends ChangeRow>(sql: string, ...values: (string | number)[]) {
    const rows = await this.#database.read(() => this.#database.prepare(sql).all(...values));
    return (rows as unknown as Row[]).map(changeOf);
  }

  #slice(seq: number, before: number, rows: number): Promise<ExpirySlice> {
    const look = () =>
      this.#database.prepare(EXPIRY.look).get(before, seq, rows) as unknown as ExpirySlice;
    return this.#database.read(look);
  }

  #expireSlice(...slice: [afterSeq: number, lastSeq: number, before: number]): number {
    this.#database.prepare(EXPIRY.raiseFloor).run(...slice);
    return Number(this.#database.prepare(EXPIRY.forget).run(...slice).changes);
  }
}

/**
 * One statement is one consistent view. The second of two statements could see a later commit than the first.
 */
function sinceSql(entities: readonly ChangeEntity[]): string {
  if (entities.length === Object.keys(CHANGE_KINDS).length) {
    return `SELECT ${CHANGE_COLUMNS} FROM change_log WHERE seq > ?1 ORDER BY seq LIMIT ?2`;
  }
  const parts = entities.map(
    (entity) => `SELECT * FROM (
      SELECT ${CHANGE_COLUMNS} FROM change_log
      WHERE entity = '${entity}' AND seq > ?1 ORDER BY seq LIMIT ?2)`,
  );
  return `${parts.join(' UNION ALL ')} ORDER BY seq LIMIT ?2`;
}

/** Appends to the change log, within the transaction of the change. */
export class ChangeAppender {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Appends many rows of one entity with one statement, in this order. */
  appendAll<Entity extends ChangeEntity>(
    entity: Entity,
    changes: readonly NewChange<Entity>[],
    cause: Cause,
  ): void {
    if (changes.length === 0) return;
    const sql = `
      INSERT INTO change_log (at, entity, kind, entity_id, by, batch_id, client_id, mode, reason, reference, changed)
      SELECT ?, ?, value ->> 0, value ->> 1, ?, ?, ?, ?, ?, ?, value ->> 2 FROM json_each(?) ORDER BY key`;
    const { by, batchId, clientId = null, mode = null, reason = null, reference = null } = cause;
    const last = this.#database.prepare(`SELECT ${HEAD_AT} AS at`).get()!.at as number;
    this.#database
      .prepare(sql)
      .run(
        Math.max(this.#clock.now(), last),
        entity,
        by,
        batchId,
        clientId,
        mode,
        reason,
        reference,
        JSON.stringify(changes),
      );
  }
}
