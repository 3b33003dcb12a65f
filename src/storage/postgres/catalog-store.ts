import type { IndexEntry } from '../../catalog/catalog-index.ts';
import type { Filter } from '../../catalog/filter.ts';
import type {
  CatalogStore,
  DeliverySession,
  TrackAudio,
  TrackRecord,
} from '../../catalog/store.ts';
import type { Track, TrackDocument, TrackState } from '../../catalog/track.ts';
import { toDocument } from '../../catalog/track-document.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';
import { PostgresDeliverySession } from './delivery.ts';
import { type RowReader, readDocuments } from './documents.ts';
import { IndexEntryReader } from './index-entries.ts';
import { removeSource } from './source-removal.ts';

/** How many tracks one slice of a walk over the whole catalog reads. */
const WALK_SLICE = 5_000;

/** The catalog on PostgreSQL. */
export class PostgresCatalogStore implements CatalogStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: ChangeAppender;
  readonly #entries: IndexEntryReader;
  readonly #documents: RowReader;

  /** `gate`: where documents may come from a replica. */
  constructor(database: Database, clock: Clock, gate?: RowReader) {
    this.#database = database;
    this.#clock = clock;
    this.#changes = new ChangeAppender(clock);
    this.#entries = new IndexEntryReader(database);
    this.#documents = gate ?? database;
  }

  openDelivery(by: Actor, batchId: string): Promise<DeliverySession> {
    return PostgresDeliverySession.open(this.#database, this.#clock, { by, batchId });
  }

  async document(slugOrId: string): Promise<TrackDocument | undefined> {
    const { column, key } = nameOf(slugOrId);
    const sql = `
      SELECT document, artwork_key FROM tracks WHERE ${column} = $1 AND state = 'live'`;
    const [row] = await this.#database.rows<{ document: string; artwork_key: string | null }>(sql, [
      key,
    ]);
    return row && toDocument(row.document, row.artwork_key);
  }

  documents(numbers: readonly number[]): Promise<(TrackDocument | undefined)[]> {
    return readDocuments(this.#documents, numbers);
  }

  indexEntries(ids: readonly string[]): Promise<IndexEntry[]> {
    return this.#entries.of(ids);
  }

  async *allIndexEntries(): AsyncIterable<IndexEntry[]> {
    let slice = await this.#entries.after(0, WALK_SLICE);
    while (slice.length > 0) {
      // The next slice is on its way while this one is worked on.
      const next = this.#entries.after(slice.at(-1)!.no, WALK_SLICE);
      // Whoever stops in the middle does not wait for it.
      next.catch(() => {});
      yield slice;
      slice = await next;
    }
  }

  filters(): Promise<Filter[]> {
    return this.#database.rows<Filter>(
      'SELECT id, name, slug, type FROM filters ORDER BY type, name, id',
    );
  }

  async resolveTrack(slugOrId: string): Promise<string | undefined> {
    const { column, key } = nameOf(slugOrId);
    const sql = `SELECT id FROM tracks WHERE ${column} = $1`;
    return (await this.#database.rows<{ id: string }>(sql, [key]))[0]?.id;
  }

  async trackRecord(id: string): Promise<TrackRecord | undefined> {
    const sql = `
      SELECT document, state, source, external_id AS "externalId", audio_key AS "audioKey",
             artwork_key AS "artworkKey", created_at AS "createdAt", updated_at AS "updatedAt"
      FROM tracks WHERE id = $1`;
    const [row] = await this.#database.rows<Omit<TrackRecord, 'track'> & { document: string }>(
      sql,
      [id],
    );
    if (row === undefined) return undefined;
    const { document, ...record } = row;
    return { track: JSON.parse(document) as Track, ...record };
  }

  async trackAudio(id: string): Promise<TrackAudio | undefined> {
    const sql = 'SELECT state, audio_key AS "audioKey" FROM tracks WHERE id = $1';
    return (await this.#database.rows<TrackAudio>(sql, [id]))[0];
  }

  async isUntouched(): Promise<boolean> {
    const [row] = await this.#database.rows<{ untouched: boolean }>(`
      SELECT NOT EXISTS (SELECT 1 FROM tracks)
         AND NOT EXISTS (SELECT 1 FROM change_log WHERE entity = 'track') AS untouched`);
    return row!.untouched;
  }

  async counts(): Promise<{ live: number; takenDown: number; filters: number; playlists: number }> {
    type Counts = Record<'tracks' | 'takenDown' | 'filters' | 'playlists', number>;
    const [row] = await this.#database.rows<Counts>(`
      SELECT (SELECT count(*) FROM tracks) AS tracks,
             (SELECT count(*) FROM tracks WHERE state = 'taken_down') AS "takenDown",
             (SELECT count(*) FROM filters) AS filters,
             (SELECT count(*) FROM playlists) AS playlists`);
    const { tracks, takenDown, filters, playlists } = row!;
    return { live: tracks - takenDown, takenDown, filters, playlists };
  }

  setState(id: string, state: TrackState, by: Actor): Promise<boolean> {
    return this.#database.write(async (tx) => {
      const sql = `UPDATE tracks SET state = $1, updated_at = $2 WHERE id = $3 AND state <> $1`;
      if ((await tx.run(sql, [state, this.#clock.now(), id])) === 0) {
        const there = await tx.rows('SELECT 1 FROM tracks WHERE id = $1', [id]);
        if (there.length === 0) throw new StaveError('not_found', `There is no track ${id}.`);
        return false;
      }
      const kind = state === 'live' ? 'restored' : 'taken_down';
      await this.#changes.append(tx, 'track', kind, id, { by, batchId: null });
      return true;
    });
  }

  removeSource(source: string, by: Actor): Promise<number> {
    return removeSource(this.#database, this.#clock, source, { by, batchId: null });
  }

  async *mediaKeys(): AsyncIterable<string[]> {
    const sql = `
      SELECT no, audio_key, artwork_key FROM tracks
      WHERE no > $1 AND (audio_key IS NOT NULL OR artwork_key IS NOT NULL) ORDER BY no LIMIT $2`;
    let lastNo = 0;
    for (;;) {
      const rows = await this.#database.rows<{
        no: number;
        audio_key: string | null;
        artwork_key: string | null;
      }>(sql, [lastNo, WALK_SLICE]);
      if (rows.length === 0) return;
      yield rows
        .flatMap(({ audio_key, artwork_key }) => [audio_key, artwork_key])
        .filter((key) => key !== null);
      lastNo = rows.at(-1)!.no;
    }
  }
}

/** By which column a slug or an id is looked up. */
function nameOf(slugOrId: string): { column: 'id' | 'slug'; key: string } {
  return isUuid(slugOrId)
    ? { column: 'id', key: slugOrId.toLowerCase() }
    : { column: 'slug', key: slugOrId };
}
