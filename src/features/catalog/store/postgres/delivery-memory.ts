import { OperatorError } from '../../../../common/errors.ts';
import { newId } from '../../../../common/ids.ts';
import type { Database, Transaction } from '../../../../engines/sql/postgres/database.ts';
import type { TrackState } from '../../../availability/availability.ts';
import { LIVE_OR_UNAVAILABLE, TRACK_STATE } from '../../../availability/store/track-period.ts';

/** When an import begins, it deletes the rows of killed imports that are older than this. */
const ABANDONED = "opened_at < now() - interval '7 days'";

/** A stored track, with the fingerprint of its last delivery. */
export interface KnownTrack {
  rowId: number;
  id: string;
  source: string;
  fingerprint: Buffer;
  state: TrackState;
}

/** The state of the catalog at the beginning of a write of a session. */
export interface Look {
  head: CatalogHead;
  /** The row id of the next track; row ids are never reused. */
  nextRowId: number;
  /** The tracks with the ids in question. */
  tracks: KnownTrack[];
}

/** Two numbers, of which one changes with every write of tracks, artists or filters. */
export interface CatalogHead {
  /** The last change of the log. */
  seq: number;
  /** Removals of artists are not in the log. */
  artistRemovals: number;
}

/** One statement, so that the lock of all writers is held for one round trip less for each part. */
const LOOK = `
  SELECT head.seq, head.artist_removals AS "artistRemovals",
         EXISTS (SELECT 1 FROM delivery_sessions WHERE id = $1) AS "isOpen",
         (SELECT greatest(greatest, coalesce((SELECT max(row_id) FROM tracks), 0)) + 1 FROM removed_numbers)
           AS "nextRowId",
         known.*
  FROM change_log_head head LEFT JOIN (
    SELECT row_id AS "rowId", id, source, fingerprint, ${TRACK_STATE} AS state
    FROM tracks WHERE id = ANY($2::text[])
  ) known ON true`;

/**
 * The condition for tracks that are live in their periods, and that a session has not seen. Its values come from `DeliveryMemory.absentees`.
 */
export const ABSENT = `source = $1 AND ${LIVE_OR_UNAVAILABLE} AND NOT row_id <@ $3::int8multirange AND NOT EXISTS (
  SELECT 1 FROM delivered_tracks WHERE session_id = $2 AND track_row_id = tracks.row_id)
  AND NOT EXISTS (SELECT 1 FROM listed_tracks WHERE session_id = $2 AND track_row_id = tracks.row_id)`;

/**
 * The condition for tracks that a session has delivered and that stay down. Its values come from
 * `DeliveryMemory.own`.
 */
export const DOWN = `state = 'taken_down' AND NOT withdrawn AND (row_id <@ $2::int8multirange OR EXISTS (
  SELECT 1 FROM delivered_tracks WHERE session_id = $1 AND track_row_id = tracks.row_id))`;

/**
 * Remembers what one import has seen. The tracks that it created are in memory, as ranges of row ids, of
 * which there are few even for a million tracks. The other tracks that it delivered are in unlogged tables,
 * because through PgBouncer a temporary table exists only within one transaction.
 */
export class DeliveryMemory {
  readonly #id: string;
  /**
   * The row ids of the tracks that this session created. Those of one slice are consecutive, because it held
   * the write lock.
   */
  readonly #created = new NumberRanges();
  #hasPreviewed = false;

  private constructor(id: string) {
    this.#id = id;
  }

  /** Opens a session; `forget` deletes it. */
  static async open(database: Database): Promise<DeliveryMemory> {
    const id = newId();
    await database.write(async (tx) => {
      const abandoned = await tx.rows<{ id: string }>(
        `SELECT id FROM delivery_sessions WHERE ${ABANDONED}`,
      );
      await forgetSessions(
        tx,
        abandoned.map((session) => session.id),
      );
      await tx.rows('INSERT INTO delivery_sessions (id) VALUES ($1)', [id]);
    });
    return new DeliveryMemory(id);
  }

  forget(tx: Transaction): Promise<void> {
    return forgetSessions(tx, [this.#id]);
  }

  /** Throws if a crash of the server has emptied the tables of this session. */
  async makeSure(rows: Transaction['rows']): Promise<void> {
    const sql = 'SELECT 1 FROM delivery_sessions WHERE id = $1';
    if ((await rows(sql, [this.#id])).length === 0) throw emptied();
  }

  /** Looks tracks up by id. Throws as `makeSure` does. */
  async look(tx: Transaction, ids: readonly string[]): Promise<Look> {
    type Row = CatalogHead & { isOpen: boolean; nextRowId: number } & KnownTrack;
    const rows = await tx.rows<Row>(LOOK, [this.#id, ids]);
    const { seq, artistRemovals, isOpen, nextRowId } = rows[0]!;
    if (!isOpen) throw emptied();
    const tracks = rows.filter(({ rowId }) => rowId !== null);
    return { head: { seq, artistRemovals }, nextRowId, tracks };
  }

  /** Returns the fingerprint of the first record of each track that this session has seen, by track id. */
  async seen(
    tx: Transaction,
    known: readonly KnownTrack[],
    unknown: readonly string[],
  ): Promise<Map<string, Buffer>> {
    const own = known.filter(({ rowId }) => this.#created.has(rowId));
    const others = known.filter(({ rowId }) => !this.#created.has(rowId));
    const idOf = new Map(others.map(({ rowId, id }) => [rowId, id]));
    const delivered = await this.#recall<{ track_row_id: number; fingerprint: Buffer }>(
      tx,
      `SELECT track_row_id, fingerprint FROM delivered_tracks
       WHERE track_row_id = ANY($2::bigint[]) AND session_id = $1`,
      [...idOf.keys()],
    );
    const previewed = await this.#recall<{ id: string; fingerprint: Buffer }>(
      tx,
      `SELECT id, fingerprint FROM previewed_tracks
       WHERE id = ANY($2::text[]) AND session_id = $1`,
      this.#hasPreviewed ? unknown : [],
    );
    return new Map([
      ...own.map(({ id, fingerprint }) => [id, fingerprint] as const),
      ...delivered.map((row) => [idOf.get(row.track_row_id)!, row.fingerprint] as const),
      ...previewed.map((row) => [row.id, row.fingerprint] as const),
    ]);
  }

  /** Remembers existing tracks, by row id, with the first record of each. */
  async remember(tx: Transaction, firsts: readonly (readonly [number, Buffer])[]): Promise<void> {
    if (firsts.length === 0) return;
    await tx.copy(
      'delivered_tracks (session_id, track_row_id, fingerprint)',
      firsts.map(([rowId, fingerprint]) => [this.#id, rowId, fingerprint]),
    );
  }

  /** Remembers tracks that this session created. Call this after their commit. */
  rememberCreated(numbers: readonly number[]): void {
    this.#created.add(numbers);
  }

  /** Remembers tracks that this session would create, by id, with the first record of each. */
  async rememberPreviewed(
    tx: Transaction,
    firsts: readonly (readonly [string, Buffer])[],
  ): Promise<void> {
    this.#hasPreviewed = true;
    await tx.copy(
      'previewed_tracks (session_id, id, fingerprint)',
      firsts.map(([id, fingerprint]) => [this.#id, id, fingerprint]),
    );
  }

  /** Remembers tracks whose records were rejected. Ignores unknown ids. */
  async list(tx: Transaction, ids: readonly string[]): Promise<void> {
    const sql = `
      INSERT INTO listed_tracks (session_id, track_row_id)
      SELECT $1, row_id FROM tracks WHERE id = ANY($2::text[]) ON CONFLICT DO NOTHING`;
    await tx.rows(sql, [this.#id, ids]);
  }

  /** Returns the values of ABSENT. */
  absentees(source: string): string[] {
    return [source, ...this.own()];
  }

  /** Returns the values of DOWN. */
  own(): string[] {
    return [this.#id, String(this.#created)];
  }

  /** In the statement, `$1` is the session and `$2` the keys. */
  async #recall<T>(tx: Transaction, sql: string, keys: readonly (number | string)[]): Promise<T[]> {
    return keys.length === 0 ? [] : tx.rows<T>(sql, [this.#id, keys]);
  }
}

function emptied(): OperatorError {
  return new OperatorError(
    'The database was restarted, or failed over, in the middle of this import: run it again.',
  );
}

async function forgetSessions(tx: Transaction, ids: readonly string[]): Promise<void> {
  for (const table of ['delivered_tracks', 'listed_tracks', 'previewed_tracks']) {
    await tx.rows(`DELETE FROM ${table} WHERE session_id = ANY($1::text[])`, [ids]);
  }
  await tx.rows('DELETE FROM delivery_sessions WHERE id = ANY($1::text[])', [ids]);
}

/** A set of numbers, stored as ranges that include both ends. Small if most numbers are consecutive. */
export class NumberRanges {
  readonly #ranges: [first: number, last: number][] = [];

  /** Adds consecutive numbers that are greater than all numbers in the set. */
  add(numbers: readonly number[]): void {
    const [first] = numbers;
    if (first === undefined) return;
    const last = this.#ranges.at(-1);
    if (last?.[1] === first - 1) last[1] = numbers.at(-1)!;
    else this.#ranges.push([first, numbers.at(-1)!]);
  }

  has(number: number): boolean {
    return this.#ranges.some(([first, last]) => number >= first && number <= last);
  }

  /** Returns the set in PostgreSQL's notation of an int8multirange. */
  toString(): string {
    return `{${this.#ranges.map(([first, last]) => `[${first},${last}]`).join()}}`;
  }
}
