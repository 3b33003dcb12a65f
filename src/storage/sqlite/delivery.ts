import type { DeliverySession } from '../../catalog/store.ts';
import type { DeliveryOutcome, TrackDelivery } from '../../catalog/track.ts';
import { deliveryFingerprint } from '../../catalog/track-document.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';
import { TrackWriter } from './track-writer.ts';

/** How long a transaction takes in tracks before it commits; with the commit it stays well under 100 ms. */
const LOCK_MS = 20;
/** How many tracks one transaction of a prune takes down. */
const TAKEDOWN_SLICE = 500;

// A rollback must take back what was remembered too, so there is a journal; in memory it is a batch's worth.
const SETTINGS_AND_TABLES = `
  -- Index pages are written at random: the rarer the checkpoints, the more writes of one page become one.
  PRAGMA wal_autocheckpoint = 16000;
  PRAGMA temp.journal_mode = MEMORY;
  PRAGMA temp.cache_size = -4096;
  -- By number, for numbers come nearly in order: a random key would cost three times as much.
  CREATE TEMP TABLE delivered (track_no INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL) STRICT;
  -- Those that a preview would create.
  CREATE TEMP TABLE previewed (id TEXT PRIMARY KEY, fingerprint BLOB NOT NULL)
  STRICT, WITHOUT ROWID`;

/**
 * An import's way into the catalog, on a connection of its own: its temporary table of delivered ids
 * lies in a file of SQLite's that goes with the connection.
 */
export class SqliteDeliverySession implements DeliverySession {
  readonly #database: Database;
  readonly #cause: Cause;
  readonly #writer: TrackWriter;
  readonly #changes: ChangeAppender;
  readonly #clock: Clock;

  private constructor(database: Database, clock: Clock, cause: Cause) {
    this.#database = database;
    this.#clock = clock;
    this.#cause = cause;
    this.#writer = new TrackWriter(database, clock);
    this.#changes = new ChangeAppender(database, clock);
  }

  /** Takes the connection over; the session closes it at its end. */
  static async open(
    database: Database,
    clock: Clock,
    cause: Cause,
  ): Promise<SqliteDeliverySession> {
    try {
      await database.read(() => database.exec(SETTINGS_AND_TABLES));
      return new SqliteDeliverySession(database, clock, cause);
    } catch (error) {
      database.close();
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
        return (
          this.#repetition(DELIVERED, track.no, fingerprint) ??
          this.#writer.preview(track, delivery, fingerprint)
        );
      });
    });
  }

  async countAbsent(source: string): Promise<number> {
    const sql = `SELECT count(*) AS count FROM tracks WHERE ${ABSENT}`;
    const row = await this.#database.read(() => this.#database.prepare(sql).get(source));
    return row!.count as number;
  }

  async takeDownAbsent(source: string): Promise<number> {
    // The search runs before the lock is taken, for it may pass over the whole source.
    const sql = `SELECT no, id FROM tracks WHERE ${ABSENT} AND no > ? ORDER BY no LIMIT ?`;
    let takenDown = 0;
    let lastNo = 0;
    for (;;) {
      const absent = (await this.#database.read(() =>
        this.#database.prepare(sql).all(source, lastNo, TAKEDOWN_SLICE),
      )) as { no: number; id: string }[];
      if (absent.length === 0) return takenDown;
      takenDown += await this.#write(() => this.#takeDown(absent));
      lastNo = absent.at(-1)!.no;
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #takeDown(tracks: readonly { no: number; id: string }[]): number {
    const sql = `UPDATE tracks SET state = 'taken_down', updated_at = ? WHERE no = ? AND state = 'live'`;
    const statement = this.#database.prepare(sql);
    const now = this.#clock.now();
    const changed = tracks.filter(({ no }) => statement.run(now, no).changes === 1);
    this.#changes.appendAll(
      'track',
      changed.map(({ id }) => ['taken_down', id] as const),
      this.#cause,
    );
    return changed.length;
  }

  /** Delivers from the given place on until the time is up; at least one. */
  #deliverSome(batch: readonly TrackDelivery[], from: number): DeliveryOutcome[] {
    const until = performance.now() + LOCK_MS;
    this.#writer.begin();
    const outcomes: DeliveryOutcome[] = [];
    const changes: ['created' | 'updated', string][] = [];
    for (let i = from; i < batch.length; i++) {
      const delivery = batch[i]!;
      const outcome = this.#deliverOne(delivery);
      if (outcome === 'created' || outcome === 'updated') changes.push([outcome, delivery.id]);
      outcomes.push(outcome);
      if (performance.now() > until) break;
    }
    this.#changes.appendAll('track', changes, this.#cause);
    return outcomes;
  }

  #deliverOne(delivery: TrackDelivery): DeliveryOutcome {
    const fingerprint = deliveryFingerprint(delivery);
    const track = this.#writer.find(delivery.id);
    if (track === undefined) {
      const trackNo = this.#writer.create(delivery, fingerprint);
      const sql = 'INSERT INTO temp.delivered VALUES (?, ?)';
      this.#database.prepare(sql).run(trackNo, fingerprint);
      return 'created';
    }
    return (
      this.#repetition(DELIVERED, track.no, fingerprint) ??
      this.#writer.update(track, delivery, fingerprint)
    );
  }

  /** What a second record of one track in this import is; undefined for the first, which it remembers. */
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

  async #write<T>(work: () => T): Promise<T> {
    try {
      return await this.#database.write(work);
    } catch (error) {
      this.#writer.forget();
      throw error;
    }
  }
}

const ABSENT = `source = ? AND state = 'live'
  AND NOT EXISTS (SELECT 1 FROM temp.delivered WHERE track_no = tracks.no)`;

interface RememberedTable {
  remember: string;
  recall: string;
}

const DELIVERED: RememberedTable = {
  remember: 'INSERT INTO temp.delivered VALUES (?, ?) ON CONFLICT DO NOTHING',
  recall: 'SELECT fingerprint FROM temp.delivered WHERE track_no = ?',
};

const PREVIEWED: RememberedTable = {
  remember: 'INSERT INTO temp.previewed VALUES (?, ?) ON CONFLICT DO NOTHING',
  recall: 'SELECT fingerprint FROM temp.previewed WHERE id = ?',
};
