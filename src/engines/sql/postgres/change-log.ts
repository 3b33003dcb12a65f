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
import type { Database, Transaction } from './database.ts';
import type { ChangeListener } from './link/listener.ts';

const EXPIRY = expiryStatements((n) => `$${n}`);

const BOUNDS = `
  SELECT head.seq AS head, ${HEAD_AT} AS "headAt", floor.seq AS floor, floor.at AS "floorAt",
         (SELECT value FROM settings WHERE name = '${LOG_EPOCH}') AS epoch
  FROM change_log_head AS head, change_log_floor AS floor`;

const SINCE = `SELECT ${CHANGE_COLUMNS} FROM change_log WHERE seq > $1 ORDER BY seq LIMIT $2`;
/** Uses the index of each entity, so that a follower of clients does not read a million changes of tracks. */
const SINCE_OF = `
  SELECT c.* FROM unnest($3::text[]) AS wanted (entity_name) CROSS JOIN LATERAL (
    SELECT ${CHANGE_COLUMNS} FROM change_log
    WHERE entity = wanted.entity_name AND seq > $1 ORDER BY seq LIMIT $2
  ) c ORDER BY seq LIMIT $2`;

const FIRST_AT = 'SELECT seq FROM change_log WHERE at >= $1 ORDER BY at, seq LIMIT 1';

/**
 * The change log on PostgreSQL. One writer at a time appends to it (Database.write), so the order of `seq` is
 * the order of commits. A test verified this with readers that poll beside 16 writers.
 */
export class PostgresChangeLog implements ChangeLog {
  readonly #database: Database;
  readonly #listener: ChangeListener | undefined;

  /** `listener` delivers notifications, if there are any. */
  constructor(database: Database, listener?: ChangeListener) {
    this.#database = database;
    this.#listener = listener;
  }

  async since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]> {
    const all = Object.keys(CHANGE_KINDS).length;
    const wanted = [...new Set(entities)];
    if (wanted.length === 0) return [];
    const rows =
      wanted.length === all
        ? await this.#database.rows<ChangeRow>(SINCE, [seq, limit])
        : await this.#database.rows<ChangeRow>(SINCE_OF, [seq, limit, wanted]);
    return rows.map(changeOf);
  }

  async latest(limit: number, filter: ChangeFilter = {}): Promise<ExplainedChange[]> {
    const where = changeConditions(filter, (n) => `$${n + 1}`);
    const sql = `SELECT ${EXPLAINED_COLUMNS} FROM change_log WHERE ${where.sql} ORDER BY seq DESC LIMIT $1`;
    const rows = await this.#database.rows<ChangeRow & ChangeReason>(sql, [limit, ...where.values]);
    return rows.map(changeOf);
  }

  async head(): Promise<number> {
    const [row] = await this.#database.rows<{ seq: number }>('SELECT seq FROM change_log_head');
    return row!.seq;
  }

  async bounds(): Promise<LogBounds> {
    const [bounds] = await this.#database.rows<LogBounds>(BOUNDS);
    return bounds!;
  }

  async firstAt(time: number): Promise<number | undefined> {
    return (await this.#database.rows<{ seq: number }>(FIRST_AT, [time]))[0]?.seq;
  }

  watch(wake: () => void): () => void {
    return this.#listener?.subscribe(wake) ?? (() => {});
  }

  async expire(before: number, signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    let seq = 0;
    const expireSome = async (rows: number) => {
      const [slice] = await this.#database.rows<ExpirySlice>(EXPIRY.look, [before, seq, rows]);
      const { last, old, expired } = slice!;
      // The log is ordered by time, unless an older version wrote it. Therefore one more slice is examined.
      if (last === null || old === 0) return false;
      if (expired > 0) {
        const range = [seq, last, before];
        deleted += await this.#database.write(async (tx) => {
          await tx.run(EXPIRY.raiseFloor, range);
          return tx.run(EXPIRY.forget, range);
        });
      }
      seq = last;
      return true;
    };
    await inSlices(expireSome, { signal });
    return deleted;
  }
}

/** Appends to the change log, within the transaction of the change. */
export class ChangeAppender {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Appends many rows of one entity with one statement, in this order. Returns the last `seq`; undefined if
   * there are no rows.
   */
  async appendAll<Entity extends ChangeEntity>(
    tx: Transaction,
    entity: Entity,
    changes: readonly NewChange<Entity>[],
    cause: Cause,
  ): Promise<number | undefined> {
    if (changes.length === 0) return undefined;
    const sql = `
      WITH head AS (UPDATE change_log_head SET seq = seq + $1::bigint RETURNING seq), logged AS (
        INSERT INTO change_log (seq, at, entity, by, batch_id, client_id, mode, reason, reference,
          kind, entity_id, changed)
        SELECT head.seq - $1::bigint + place, greatest($2::bigint, ${HEAD_AT}), $3::text, $4::text, $5::text, $6::text,
               $7::text, $8::text, $9::text, change.kind, change.entity_id, change.changed
        FROM head, unnest($10::text[], $11::text[], $12::text[])
             WITH ORDINALITY AS change (kind, entity_id, changed, place)
      )
      SELECT seq FROM head`;
    const [head] = await tx.rows<{ seq: number }>(sql, [
      changes.length,
      this.#clock.now(),
      entity,
      cause.by,
      cause.batchId,
      cause.clientId ?? null,
      cause.mode ?? null,
      cause.reason ?? null,
      cause.reference ?? null,
      changes.map(([kind]) => kind),
      changes.map(([, id]) => id),
      changes.map(([, , changed]) => (changed === undefined ? null : JSON.stringify(changed))),
    ]);
    tx.wake();
    return head!.seq;
  }
}
