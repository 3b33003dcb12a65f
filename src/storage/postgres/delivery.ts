import type { DeliverySession } from '../../catalog/store.ts';
import type { DeliveryOutcome, TrackDelivery } from '../../catalog/track.ts';
import { deliveryFingerprint } from '../../catalog/track-document.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database, Transaction } from './database.ts';
import { NumberRanges } from './number-ranges.ts';
import { type Delivered, type Redelivered, TrackWriter } from './track-writer.ts';

/** How long a transaction should hold the lock of all writers: well under 100 ms with its commit. */
const LOCK_MS = 50;
const FIRST_SLICE = 250;
const LEAST_SLICE = 20;
const MOST_SLICE = 2_000;
/** How many tracks one transaction of a prune takes down. */
const TAKEDOWN_SLICE = 500;

/** What a killed import left behind goes when another begins so much later. */
const ABANDONED = "opened_at < now() - interval '7 days'";

/** A delivery and what it turned out to be: final, or to be written first. */
type Judged = { outcome: DeliveryOutcome } | { create: Delivered } | { update: Redelivered };

/**
 * An import's way into the catalog. What it created is remembered here, as ranges of numbers, few even
 * for a million tracks; what else it delivered in unlogged tables, for a temporary one lasts no longer
 * than a transaction where PgBouncer shares connections.
 */
export class PostgresDeliverySession implements DeliverySession {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #cause: Cause;
  readonly #id: string;
  readonly #writer: TrackWriter;
  readonly #changes: ChangeAppender;
  #slice = FIRST_SLICE;
  #hasPreviewed = false;
  /** Numbers of tracks that this session created: each slice's follow each other, for its writer was alone. */
  readonly #created = new NumberRanges();
  /** The log's head after our last write: another one means that somebody else wrote. */
  #head = -1;

  private constructor(database: Database, clock: Clock, cause: Cause, id: string) {
    this.#database = database;
    this.#clock = clock;
    this.#cause = cause;
    this.#id = id;
    this.#writer = new TrackWriter(clock);
    this.#changes = new ChangeAppender(clock);
  }

  static async open(
    database: Database,
    clock: Clock,
    cause: Cause,
  ): Promise<PostgresDeliverySession> {
    const id = newId();
    await database.write(async (tx) => {
      const abandoned = await tx.rows<{ id: string }>(
        `SELECT id FROM delivery_sessions WHERE ${ABANDONED}`,
      );
      await forgetSessions(
        tx,
        abandoned.map((session) => session.id),
      );
      await tx.run('INSERT INTO delivery_sessions (id) VALUES ($1)', [id]);
    });
    return new PostgresDeliverySession(database, clock, cause, id);
  }

  async deliver(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]> {
    const outcomes: DeliveryOutcome[] = [];
    while (outcomes.length < batch.length) {
      const from = outcomes.length;
      const slice = batch.slice(from, from + this.#slice).map(delivered);
      const { result, lockMs } = await this.#write((tx) => this.#deliverSlice(tx, slice));
      outcomes.push(...result.outcomes);
      this.#created.add(result.numbers);
      const fitting = Math.round((slice.length * LOCK_MS) / Math.max(lockMs, 1));
      this.#slice = Math.min(MOST_SLICE, Math.max(LEAST_SLICE, fitting), 2 * this.#slice);
    }
    return outcomes;
  }

  async preview(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]> {
    const slice = batch.map(delivered);
    this.#hasPreviewed = true;
    // Nothing of the catalog is written; what was seen is remembered as a delivery's is.
    const { result } = await this.#write(async (tx) => {
      const judged = await this.#judge(tx, slice);
      const creations = judged.flatMap((one) => ('create' in one ? [one.create] : []));
      const updates = judged.flatMap((one) => ('update' in one ? [one.update] : []));
      const unchanged = await this.#writer.preview(tx, updates);
      await tx.copy(
        'previewed_tracks (session_id, id, fingerprint)',
        creations.map(({ delivery, fingerprint }) => [this.#id, delivery.id, fingerprint]),
      );
      return judged.map((one) => outcomeOf(one, unchanged));
    });
    return result;
  }

  async countAbsent(source: string): Promise<number> {
    await this.#makeSure((text, values) => this.#database.rows(text, values));
    const sql = `SELECT count(*) AS count FROM tracks WHERE ${ABSENT}`;
    const [row] = await this.#database.rows<{ count: number }>(sql, this.#absentees(source));
    return row!.count;
  }

  async takeDownAbsent(source: string): Promise<number> {
    // The search runs before the lock is taken, for it may pass over the whole source.
    const sql = `SELECT no, id FROM tracks WHERE ${ABSENT} AND no > $4 ORDER BY no LIMIT $5`;
    let takenDown = 0;
    let lastNo = 0;
    for (;;) {
      const absent = await this.#database.rows<{ no: number; id: string }>(sql, [
        ...this.#absentees(source),
        lastNo,
        TAKEDOWN_SLICE,
      ]);
      if (absent.length === 0) return takenDown;
      const numbers = absent.map(({ no }) => no);
      takenDown += (await this.#write((tx) => this.#takeDown(tx, numbers))).result;
      lastNo = absent.at(-1)!.no;
    }
  }

  /** The values of ABSENT. */
  #absentees(source: string): string[] {
    return [source, this.#id, String(this.#created)];
  }

  async close(): Promise<void> {
    await this.#database.write((tx) => forgetSessions(tx, [this.#id]));
  }

  async #takeDown(tx: Transaction, numbers: readonly number[]): Promise<number> {
    const taken = await tx.rows<{ no: number; id: string }>(
      `UPDATE tracks SET state = 'taken_down', updated_at = $1
       WHERE no = ANY($2::bigint[]) AND state = 'live' RETURNING no, id`,
      [this.#clock.now(), numbers],
    );
    taken.sort((a, b) => a.no - b.no);
    await this.#changes.appendAll(
      tx,
      'track',
      taken.map(({ id }) => ['taken_down', id] as const),
      this.#cause,
    );
    return taken.length;
  }

  async #deliverSlice(
    tx: Transaction,
    slice: readonly Delivered[],
  ): Promise<{ outcomes: DeliveryOutcome[]; numbers: readonly number[] }> {
    const judged = await this.#judge(tx, slice);
    const creations = judged.flatMap((one) => ('create' in one ? [one.create] : []));
    const updates = judged.flatMap((one) => ('update' in one ? [one.update] : []));
    const { numbers, unchanged } = await this.#writer.write(tx, creations, updates);
    const outcomes = judged.map((one) => outcomeOf(one, unchanged));
    const changes = slice.flatMap(({ delivery }, i): ['created' | 'updated', string][] => {
      const outcome = outcomes[i]!;
      return outcome === 'created' || outcome === 'updated' ? [[outcome, delivery.id]] : [];
    });
    await this.#changes.appendAll(tx, 'track', changes, this.#cause);
    return { outcomes, numbers };
  }

  /** What each of the deliveries is, in their order, with those before it in mind. */
  async #judge(tx: Transaction, slice: readonly Delivered[]): Promise<Judged[]> {
    const ids = [...new Set(slice.map(({ delivery }) => delivery.id))];
    const tracks = await tx.rows<{ no: number; id: string; fingerprint: Buffer }>(
      'SELECT no, id, fingerprint FROM tracks WHERE id = ANY($1::text[])',
      [ids],
    );
    const known = new Map(tracks.map((track) => [track.id, track]));
    const seen = await this.#seen(
      tx,
      tracks,
      ids.filter((id) => !known.has(id)),
    );
    const firsts: [number, Buffer][] = [];
    const judged = slice.map((one): Judged => {
      const { id } = one.delivery;
      const first = seen.get(id);
      if (first !== undefined) {
        return { outcome: one.fingerprint.equals(first) ? 'unchanged' : 'duplicate' };
      }
      seen.set(id, one.fingerprint);
      const track = known.get(id);
      if (track === undefined) return { create: one };
      firsts.push([track.no, one.fingerprint]);
      return one.fingerprint.equals(track.fingerprint)
        ? { outcome: 'unchanged' }
        : { update: { ...one, no: track.no } };
    });
    await this.#remember(tx, firsts);
    return judged;
  }

  /** By id, the fingerprint of the first record of each that this session had before. */
  async #seen(
    tx: Transaction,
    known: readonly { no: number; id: string; fingerprint: Buffer }[],
    unknown: readonly string[],
  ): Promise<Map<string, Buffer>> {
    const own = known.filter(({ no }) => this.#created.has(no));
    const others = known.filter(({ no }) => !this.#created.has(no));
    const idOf = new Map(others.map(({ no, id }) => [no, id]));
    const delivered = await this.#recall<{ track_no: number; fingerprint: Buffer }>(
      tx,
      `SELECT track_no, fingerprint FROM delivered_tracks
       WHERE track_no = ANY($2::bigint[]) AND session_id = $1`,
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
      ...delivered.map((row) => [idOf.get(row.track_no)!, row.fingerprint] as const),
      ...previewed.map((row) => [row.id, row.fingerprint] as const),
    ]);
  }

  /** $1 is the session, $2 the keys. */
  async #recall<T>(tx: Transaction, sql: string, keys: readonly (number | string)[]): Promise<T[]> {
    return keys.length === 0 ? [] : tx.rows<T>(sql, [this.#id, keys]);
  }

  async #remember(tx: Transaction, firsts: readonly (readonly [number, Buffer])[]): Promise<void> {
    if (firsts.length === 0) return;
    await tx.copy(
      'delivered_tracks (session_id, track_no, fingerprint)',
      firsts.map(([no, fingerprint]) => [this.#id, no, fingerprint]),
    );
  }

  /** Throws where a crash of the server emptied the tables that remember what this session has seen. */
  async #makeSure(rows: Transaction['rows']): Promise<void> {
    const sql = 'SELECT 1 FROM delivery_sessions WHERE id = $1';
    if ((await rows(sql, [this.#id])).length > 0) return;
    throw new OperatorError(
      'The database was restarted, or failed over, in the middle of this import: run it again.',
    );
  }

  /** `lockMs`: how long the lock of all writers was held. */
  async #write<T>(work: (tx: Transaction) => Promise<T>): Promise<{ result: T; lockMs: number }> {
    let startMs = 0;
    try {
      const result = await this.#database.write(async (tx) => {
        startMs = performance.now();
        const expected = this.#head;
        // Until this one is through: it may be undone, and done again.
        this.#head = -1;
        if ((await headOf(tx)) !== expected) this.#writer.forget();
        await this.#makeSure(tx.rows);
        const made = await work(tx);
        this.#head = await headOf(tx);
        return made;
      });
      return { result, lockMs: performance.now() - startMs };
    } catch (error) {
      this.#head = -1;
      throw error;
    }
  }
}

async function forgetSessions(tx: Transaction, ids: readonly string[]): Promise<void> {
  for (const table of ['delivered_tracks', 'previewed_tracks']) {
    await tx.run(`DELETE FROM ${table} WHERE session_id = ANY($1::text[])`, [ids]);
  }
  await tx.run('DELETE FROM delivery_sessions WHERE id = ANY($1::text[])', [ids]);
}

/** $1: the source; $2: the session; $3: the numbers of tracks that it created. */
const ABSENT = `source = $1 AND state = 'live' AND NOT no <@ $3::int8multirange AND NOT EXISTS (
  SELECT 1 FROM delivered_tracks WHERE session_id = $2 AND track_no = tracks.no)`;

function delivered(delivery: TrackDelivery): Delivered {
  return { delivery, fingerprint: deliveryFingerprint(delivery) };
}

function outcomeOf(judged: Judged, unchanged: ReadonlySet<string>): DeliveryOutcome {
  if ('outcome' in judged) return judged.outcome;
  if ('create' in judged) return 'created';
  return unchanged.has(judged.update.delivery.id) ? 'unchanged' : 'updated';
}

async function headOf(tx: Transaction): Promise<number> {
  return (await tx.rows<{ seq: number }>('SELECT seq FROM change_log_head'))[0]!.seq;
}
