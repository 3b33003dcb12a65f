import type { Clock } from '../../../../common/clock.ts';
import type { BatchChange, Cause } from '../../../../engines/sql/logged-change.ts';
import { ChangeAppender } from '../../../../engines/sql/sqlite/change-appender.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { LIVE_OR_UNAVAILABLE } from '../../../availability/store/track-period.ts';
import type { DeliveryCause, DeliverySession, TakeCreated } from '../../catalog-stores.ts';
import type { DeliveryOutcome, TrackDelivery } from '../../track.ts';
import { type Seal, sealOf } from '../../track-document.ts';
import type { HiddenChange } from '../../track-edits.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { ABSENT, DeliveryMemory, DOWN, SETTINGS_AND_TABLES } from './delivery-memory.ts';
import { type KnownTrack, TrackWriter } from './track-writer.ts';

/** For how long a transaction should hold the lock, with its commit, so that it stays under 100 ms. */
const LOCK_MS = 50;
/** For how long it takes in tracks at least, however slow the disk is. */
const MIN_WORK_MS = 10;
/**
 * How much of the WAL an import copies into the database at once. Index pages are written in random order; the
 * more is copied at once, the more writes of the same page become one.
 */
const CHECKPOINT_BYTES = 128_000_000;
/** The number of tracks that one transaction of a prune withdraws. */
const WITHDRAWAL_SLICE = 500;

/**
 * A delivery session on a connection of its own. The temporary table of delivered tracks is in a temporary
 * file of SQLite, which is deleted with the connection.
 */
export class SqliteDeliverySession implements DeliverySession {
  readonly #database: Database;
  readonly #cause: Cause;
  readonly #writer: TrackWriter;
  readonly #memory: DeliveryMemory;
  readonly #changes: ChangeAppender;
  readonly #batch: BatchRecorder;
  readonly #clock: Clock;
  readonly #onCreated: TakeCreated | undefined;
  #hidden: HiddenChange[] = [];
  /** When the work of the last transaction ended, and how long its commit took; by performance.now(). */
  #workEnd = 0;
  #commitMs = 0;

  private constructor(database: Database, clock: Clock, { onCreated, ...cause }: DeliveryCause) {
    this.#onCreated = onCreated;
    this.#database = database;
    this.#clock = clock;
    this.#cause = cause;
    this.#batch = new BatchRecorder(database, clock, cause);
    this.#writer = new TrackWriter(database, clock, this.#batch, onCreated !== undefined);
    this.#memory = new DeliveryMemory(database);
    this.#changes = new ChangeAppender(database, clock);
  }

  /** The session owns the connection, and closes it at its end. */
  static async open(
    database: Database,
    clock: Clock,
    cause: DeliveryCause,
  ): Promise<SqliteDeliverySession> {
    try {
      await database.read(() => {
        database.exec(SETTINGS_AND_TABLES);
        database.checkpointAt(CHECKPOINT_BYTES);
      });
      return new SqliteDeliverySession(database, clock, cause);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async deliver(
    batch: readonly TrackDelivery[],
    seals: readonly Seal[] = batch.map(sealOf),
  ): Promise<DeliveryOutcome[]> {
    const outcomes: DeliveryOutcome[] = [];
    while (outcomes.length < batch.length) {
      const from = outcomes.length;
      outcomes.push(...(await this.#write(() => this.#deliverSome(batch, seals, from))));
      this.#commitMs = performance.now() - this.#workEnd;
      this.#hidden.push(...this.#writer.hidden);
      if (this.#writer.created.length > 0) await this.#onCreated?.(this.#writer.created);
    }
    return outcomes;
  }

  async preview(
    batch: readonly TrackDelivery[],
    seals: readonly Seal[] = batch.map(sealOf),
  ): Promise<DeliveryOutcome[]> {
    const outcomes = await this.#database.view(() => {
      this.#writer.begin();
      return batch.map((delivery, i): DeliveryOutcome => {
        const { fingerprint } = seals[i]!;
        const track = this.#writer.find(delivery.id);
        if (track === undefined) {
          return this.#memory.repetitionOfPreviewed(delivery.id, fingerprint) ?? 'created';
        }
        if (this.#isForeign(track, delivery)) return 'foreign';
        const repetition = this.#memory.repetition(track, fingerprint);
        if (repetition !== undefined) return repetition;
        if (this.#writer.isCrowdedBy(delivery, track)) return 'crowded';
        return this.#writer.preview(track, delivery, fingerprint);
      });
    });
    this.#hidden.push(...this.#writer.hidden);
    return outcomes;
  }

  takeHidden(): HiddenChange[] {
    const hidden = this.#hidden;
    this.#hidden = [];
    return hidden;
  }

  async list(ids: readonly string[]): Promise<void> {
    await this.#database.view(() => this.#memory.list(ids));
  }

  async takenDown(limit: number): Promise<{ count: number; slugs: string[] }> {
    const { count, slugs } = await this.#database.view(() => ({
      count: this.#database.prepare(`SELECT count(*) AS count FROM tracks WHERE ${DOWN}`).get()!
        .count as number,
      slugs: this.#database
        .prepare(`SELECT slug FROM tracks WHERE ${DOWN} ORDER BY row_id LIMIT ?`)
        .all(limit),
    }));
    return { count, slugs: slugs.map(({ slug }) => slug as string) };
  }

  async countAbsent(source: string): Promise<number> {
    const sql = `SELECT count(*) AS count FROM tracks WHERE ${ABSENT}`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get(source));
    return row!.count as number;
  }

  async withdrawAbsent(source: string): Promise<number> {
    // This search may read the whole source, so it runs before the lock is taken.
    const sql = `SELECT row_id AS rowId, id FROM tracks WHERE ${ABSENT} AND row_id > ? ORDER BY row_id LIMIT ?`;
    let withdrawn = 0;
    let lastRowId = 0;
    for (;;) {
      const absent = (await this.#database.read(() =>
        this.#database.prepare(sql).all(source, lastRowId, WITHDRAWAL_SLICE),
      )) as { rowId: number; id: string }[];
      if (absent.length === 0) return withdrawn;
      withdrawn += await this.#write(() => this.#withdraw(absent));
      lastRowId = absent.at(-1)!.rowId;
    }
  }

  async withdraw(source: string, ids: readonly string[]): Promise<number> {
    let withdrawn = 0;
    for (let at = 0; at < ids.length; at += WITHDRAWAL_SLICE) {
      const slice = ids.slice(at, at + WITHDRAWAL_SLICE);
      withdrawn += await this.#write(() => this.#withdraw(this.#withdrawable(source, slice)));
    }
    return withdrawn;
  }

  countWithdrawable(source: string, ids: readonly string[]): Promise<number> {
    return this.#database.read(() => this.#withdrawable(source, ids).length);
  }

  #withdrawable(source: string, ids: readonly string[]): { rowId: number; id: string }[] {
    const sql = `
      SELECT row_id AS rowId, id FROM tracks
      WHERE id IN (SELECT value FROM json_each(?)) AND source = ? AND ${LIVE_OR_UNAVAILABLE} ORDER BY row_id`;
    const rows = this.#database.prepare(sql).all(JSON.stringify(ids), source);
    return rows as { rowId: number; id: string }[];
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  #withdraw(tracks: readonly { rowId: number; id: string }[]): number {
    const isThere = this.#database.prepare(
      `SELECT 1 FROM tracks WHERE row_id = ? AND ${LIVE_OR_UNAVAILABLE}`,
    );
    const sql = `
      UPDATE tracks SET state = 'taken_down', withdrawn = 1, unavailable = 0, updated_at = ?, batch_row_id = ?
      WHERE row_id = ?`;
    const statement = this.#database.prepare(sql);
    const now = this.#clock.now();
    const there = tracks.filter(({ rowId }) => isThere.get(rowId) !== undefined);
    if (there.length === 0) return 0;
    const batchRowId = this.#batch.rowId();
    for (const { rowId } of there) {
      this.#batch.keep(rowId, null);
      statement.run(now, batchRowId, rowId);
    }
    this.#log(there.map(({ id }) => ['withdrawn', id] as const));
    return there.length;
  }

  /** Delivers from this position until the time is up, but at least one delivery. */
  #deliverSome(
    batch: readonly TrackDelivery[],
    seals: readonly Seal[],
    from: number,
  ): DeliveryOutcome[] {
    const until = performance.now() + Math.max(MIN_WORK_MS, LOCK_MS - this.#commitMs);
    this.#writer.begin();
    this.#memory.begin();
    const outcomes: DeliveryOutcome[] = [];
    const changes: BatchChange[] = [];
    for (let i = from; i < batch.length; i++) {
      const delivery = batch[i]!;
      const { outcome, change } = this.#deliverOne(delivery, seals[i]!.fingerprint);
      if (change !== undefined) changes.push(change);
      outcomes.push(outcome);
      if (performance.now() > until) break;
    }
    this.#memory.end();
    this.#log(changes);
    this.#workEnd = performance.now();
    return outcomes;
  }

  #deliverOne(delivery: TrackDelivery, fingerprint: Buffer): Delivered {
    const track = this.#writer.find(delivery.id);
    if (track === undefined) {
      this.#memory.rememberCreated(this.#writer.create(delivery, fingerprint));
      return { outcome: 'created', change: ['created', delivery.id] };
    }
    if (this.#isForeign(track, delivery)) return { outcome: 'foreign' };
    const repetition = this.#memory.repetition(track, fingerprint);
    if (repetition !== undefined) return { outcome: repetition };
    if (this.#writer.isCrowdedBy(delivery, track)) return { outcome: 'crowded' };
    const change = this.#writer.update(track, delivery, fingerprint);
    return change === undefined ? { outcome: 'unchanged' } : { outcome: 'updated', change };
  }

  /**
   * Whether the track belongs to another source. A withdrawn track belongs to no source. A track that this
   * session has delivered is not foreign: its next record is a repetition.
   */
  #isForeign(track: KnownTrack, { source }: TrackDelivery): boolean {
    if (track.source === source || track.state === 'withdrawn') return false;
    return !this.#memory.hasDelivered(track.rowId);
  }

  #log(changes: readonly BatchChange[]): void {
    this.#changes.appendAll('track', changes, this.#cause);
    this.#batch.count(changes);
  }

  async #write<T>(work: () => T): Promise<T> {
    try {
      return await this.#database.write(work);
    } catch (error) {
      this.#writer.forget();
      this.#batch.forget();
      throw error;
    }
  }
}

/** The outcome of a delivery, and the change to log, if there is one. */
interface Delivered {
  outcome: DeliveryOutcome;
  change?: BatchChange;
}
