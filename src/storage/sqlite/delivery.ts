import type { DeliverySession } from '../../catalog/store.ts';
import type { DeliveryChange, DeliveryOutcome, TrackDelivery } from '../../catalog/track.ts';
import { deliveryFingerprint } from '../../catalog/track-document.ts';
import type { Clock } from '../../common/clock.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';
import { type KnownTrack, TrackWriter } from './track-writer.ts';

/**
 * For how long a transaction takes in tracks before it commits. With the commit, it stays well under 100 ms.
 */
const LOCK_MS = 20;
/** The number of tracks that one transaction of a prune withdraws. */
const WITHDRAWAL_SLICE = 500;

// A rollback must also undo the writes to the temporary tables, so there is a journal. It is in memory and
// contains at most one batch.
const SETTINGS_AND_TABLES = `
  -- Index pages are written in random order. With fewer checkpoints, more writes of the same page become one.
  PRAGMA wal_autocheckpoint = 16000;
  PRAGMA temp.journal_mode = MEMORY;
  PRAGMA temp.cache_size = -4096;
  -- By row id, because row ids come almost in order. A random key would cost three times as much.
  CREATE TEMP TABLE delivered (track_row_id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL) STRICT;
  -- Tracks whose records were rejected.
  CREATE TEMP TABLE listed (track_row_id INTEGER PRIMARY KEY) STRICT;
  -- Tracks that a preview would create.
  CREATE TEMP TABLE previewed (id TEXT PRIMARY KEY, fingerprint BLOB NOT NULL)
  STRICT, WITHOUT ROWID`;

/**
 * A delivery session on a connection of its own. The temporary table of delivered tracks is in a temporary
 * file of SQLite, which is deleted with the connection.
 */
export class SqliteDeliverySession implements DeliverySession {
  readonly #database: Database;
  readonly #cause: Cause;
  readonly #writer: TrackWriter;
  readonly #changes: ChangeAppender;
  readonly #batch: BatchRecorder;
  readonly #clock: Clock;

  private constructor(database: Database, clock: Clock, cause: Cause & { label: string }) {
    this.#database = database;
    this.#clock = clock;
    this.#cause = cause;
    this.#batch = new BatchRecorder(database, clock, cause);
    this.#writer = new TrackWriter(database, clock, this.#batch);
    this.#changes = new ChangeAppender(database, clock);
  }

  /** The session owns the connection, and closes it at its end. */
  static async open(
    database: Database,
    clock: Clock,
    cause: Cause & { label: string },
  ): Promise<SqliteDeliverySession> {
    try {
      await database.read(() => database.exec(SETTINGS_AND_TABLES));
      return new SqliteDeliverySession(database, clock, cause);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async deliver(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]> {
    const outcomes: DeliveryOutcome[] = [];
    while (outcomes.length < batch.length) {
      outcomes.push(...(await this.#write(() => this.#deliverSome(batch, outcomes.length))));
    }
    return outcomes;
  }

  async preview(batch: readonly TrackDelivery[]): Promise<DeliveryOutcome[]> {
    return this.#database.view(() => {
      this.#writer.begin();
      return batch.map((delivery) => {
        const fingerprint = deliveryFingerprint(delivery);
        const track = this.#writer.find(delivery.id);
        if (track === undefined) {
          return this.#repetition(PREVIEWED, delivery.id, fingerprint) ?? 'created';
        }
        if (this.#isForeign(track, delivery)) return 'foreign';
        return (
          this.#repetition(DELIVERED, track.rowId, fingerprint) ??
          this.#writer.preview(track, delivery, fingerprint)
        );
      });
    });
  }

  async list(ids: readonly string[]): Promise<void> {
    const sql = `
      INSERT INTO temp.listed SELECT row_id FROM tracks WHERE id IN (SELECT value FROM json_each(?))
      ON CONFLICT DO NOTHING`;
    await this.#database.view(() => this.#database.prepare(sql).run(JSON.stringify(ids)));
  }

  async takenDown(limit: number): Promise<{ count: number; slugs: string[] }> {
    const { count, slugs } = await this.#database.view(() => ({
      count: this.#database.prepare(`SELECT count(*) AS count ${DOWN}`).get()!.count as number,
      slugs: this.#database.prepare(`SELECT slug ${DOWN} ORDER BY row_id LIMIT ?`).all(limit),
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

  async close(): Promise<void> {
    await this.#database.close();
  }

  #withdraw(tracks: readonly { rowId: number; id: string }[]): number {
    const isLive = this.#database.prepare(
      "SELECT 1 FROM tracks WHERE row_id = ? AND state = 'live'",
    );
    const sql = `
      UPDATE tracks SET state = 'taken_down', withdrawn = 1, updated_at = ?, batch_row_id = ?
      WHERE row_id = ?`;
    const statement = this.#database.prepare(sql);
    const now = this.#clock.now();
    const live = tracks.filter(({ rowId }) => isLive.get(rowId) !== undefined);
    if (live.length === 0) return 0;
    const batchRowId = this.#batch.rowId();
    for (const { rowId } of live) {
      this.#batch.keep(rowId, null);
      statement.run(now, batchRowId, rowId);
    }
    this.#log(live.map(({ id }) => ['withdrawn', id] as const));
    return live.length;
  }

  /** Delivers from this position until the time is up, but at least one delivery. */
  #deliverSome(batch: readonly TrackDelivery[], from: number): DeliveryOutcome[] {
    const until = performance.now() + LOCK_MS;
    this.#writer.begin();
    const outcomes: DeliveryOutcome[] = [];
    const changes: [DeliveryChange, string][] = [];
    for (let i = from; i < batch.length; i++) {
      const delivery = batch[i]!;
      const { outcome, change } = this.#deliverOne(delivery);
      if (change !== undefined) changes.push([change, delivery.id]);
      outcomes.push(outcome);
      if (performance.now() > until) break;
    }
    this.#log(changes);
    return outcomes;
  }

  #deliverOne(delivery: TrackDelivery): Delivered {
    const fingerprint = deliveryFingerprint(delivery);
    const track = this.#writer.find(delivery.id);
    if (track === undefined) {
      const trackRowId = this.#writer.create(delivery, fingerprint);
      const sql = 'INSERT INTO temp.delivered VALUES (?, ?)';
      this.#database.prepare(sql).run(trackRowId, fingerprint);
      return { outcome: 'created', change: 'created' };
    }
    if (this.#isForeign(track, delivery)) return { outcome: 'foreign' };
    const repetition = this.#repetition(DELIVERED, track.rowId, fingerprint);
    if (repetition !== undefined) return { outcome: repetition };
    const change = this.#writer.update(track, delivery, fingerprint);
    return change === undefined ? { outcome: 'unchanged' } : { outcome: 'updated', change };
  }

  /**
   * Whether the track belongs to another source. A withdrawn track belongs to no source. A track that this
   * session has delivered is not foreign: its next record is a repetition.
   */
  #isForeign(track: KnownTrack, { source }: TrackDelivery): boolean {
    if (track.source === source || track.withdrawn !== 0) return false;
    return this.#database.prepare(DELIVERED.recall).get(track.rowId) === undefined;
  }

  /**
   * Returns the outcome of a repeated record of a track in this import; for the first record, remembers it
   * and returns undefined.
   */
  #repetition(
    table: RememberedTable,
    key: string | number,
    fingerprint: Buffer,
  ): 'unchanged' | 'duplicate' | undefined {
    const { changes } = this.#database.prepare(table.remember).run(key, fingerprint);
    if (changes === 1) return undefined;
    const first = this.#database.prepare(table.recall).get(key)!.fingerprint as Uint8Array;
    return fingerprint.equals(first) ? 'unchanged' : 'duplicate';
  }

  #log(changes: readonly (readonly [DeliveryChange | 'withdrawn', string])[]): void {
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

const ABSENT = `source = ? AND state = 'live'
  AND NOT EXISTS (SELECT 1 FROM temp.delivered WHERE track_row_id = tracks.row_id)
  AND NOT EXISTS (SELECT 1 FROM temp.listed WHERE track_row_id = tracks.row_id)`;

const DOWN = `FROM tracks WHERE state = 'taken_down' AND NOT withdrawn
  AND EXISTS (SELECT 1 FROM temp.delivered WHERE track_row_id = tracks.row_id)`;

/** The outcome of a delivery, and the change to log, if there is one. */
interface Delivered {
  outcome: DeliveryOutcome;
  change?: DeliveryChange;
}

interface RememberedTable {
  remember: string;
  recall: string;
}

const DELIVERED: RememberedTable = {
  remember: 'INSERT INTO temp.delivered VALUES (?, ?) ON CONFLICT DO NOTHING',
  recall: 'SELECT fingerprint FROM temp.delivered WHERE track_row_id = ?',
};

const PREVIEWED: RememberedTable = {
  remember: 'INSERT INTO temp.previewed VALUES (?, ?) ON CONFLICT DO NOTHING',
  recall: 'SELECT fingerprint FROM temp.previewed WHERE id = ?',
};
