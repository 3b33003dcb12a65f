import type { Clock } from '../../../common/clock.ts';
import type { ChangeEntity } from '../../change-log/change-log.ts';
import { type Cause, HEAD_AT, type NewChange } from '../logged-change.ts';
import type { Database } from './database.ts';

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
