import type { Clock } from '../../../common/clock.ts';
import type { ChangeEntity } from '../../change-log/change-log.ts';
import { type Cause, HEAD_AT, type NewChange } from '../logged-change.ts';
import type { Transaction } from './database.ts';

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
