import { LRUCache } from 'lru-cache';
import { deliveryOf, type FormerTrack } from '../../catalog/batches.ts';
import {
  differs,
  type EffectiveTrack,
  effectiveTrack,
  type StoredTrack,
} from '../../catalog/effective-track.ts';
import type { Filter } from '../../catalog/filter.ts';
import { slugBase } from '../../catalog/slug.ts';
import type { DeliveredCredit, TrackDelivery } from '../../catalog/track.ts';
import type { Clock } from '../../common/clock.ts';
import { DELIVERED_COLUMNS, deliveredValues } from '../delivered-columns.ts';
import type { BatchRecorder } from './batch-recorder.ts';
import type { Database } from './database.ts';
import { FilterRegistry, type StoredFilter } from './filter-registry.ts';
import { allocateSlug } from './slug-allocator.ts';

/** The number of artists whose row ids are kept between tracks; about 8 MB when full. */
const MAX_REMEMBERED_ARTISTS = 50_000;

/**
 * The maximum number of rows in one INSERT for the artists or filters of a track. A call costs more than a
 * row.
 */
const MAX_ROWS = 8;
const INSERT_ARTISTS = insertsOf('track_artists (track_row_id, artist_row_id)');
const INSERT_FILTERS = insertsOf('track_filters (track_row_id, filter_row_id)');

/**
 * Greater than the row ids of all existing and removed tracks. SQLite alone would reuse those of removed
 * tracks.
 */
const NEXT_NUMBER = `
  (SELECT max(greatest, coalesce((SELECT max(row_id) FROM tracks), 0)) + 1 FROM removed_numbers)`;

const MARKS = DELIVERED_COLUMNS.replace(/\w+/g, '?');
const INSERT = `
  INSERT INTO tracks (row_id, id, slug, created_at, ${DELIVERED_COLUMNS})
  VALUES (${NEXT_NUMBER}, ?, ?, ?, ${MARKS})`;
const UPDATE = `UPDATE tracks SET ${DELIVERED_COLUMNS.replace(/\w+/g, '$& = ?')} WHERE row_id = ?`;

/** Returns the statements by their number of rows. The row id of the track is `?1`. */
function insertsOf(target: string): readonly string[] {
  return Array.from({ length: MAX_ROWS + 1 }, (_, size) => {
    const rows = Array.from({ length: size }, (_, i) => `(?1, ?${i + 2})`);
    return `INSERT INTO ${target} VALUES ${rows.join()}`;
  });
}

/** A stored track. */
export interface KnownTrack {
  rowId: number;
  source: string;
  /** The fingerprint of the last delivery. */
  fingerprint: Uint8Array;
  /** 1 for a withdrawn track, which a delivery restores; otherwise 0. */
  withdrawn: number;
}

/**
 * Writes deliveries into the tables of the catalog, one at a time, within the transactions of its caller.
 * Remembers the row ids of filters and artists between them.
 */
export class TrackWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #batch: BatchRecorder;
  readonly #filters: FilterRegistry;
  /** By artist id: the row id, and the name that was written last. */
  readonly #artists = new LRUCache<string, { rowId: number; name: string }>({
    max: MAX_REMEMBERED_ARTISTS,
  });
  #dataVersion = -1;

  constructor(database: Database, clock: Clock, batch: BatchRecorder) {
    this.#database = database;
    this.#clock = clock;
    this.#batch = batch;
    this.#filters = new FilterRegistry(database);
  }

  /** Call this first in each transaction: another process may have removed what is remembered. */
  begin(): void {
    const version = this.#database.dataVersion();
    if (version !== this.#dataVersion) this.forget();
    this.#dataVersion = version;
  }

  /** Call this when a transaction was rolled back. */
  forget(): void {
    this.#filters.forget();
    this.#artists.clear();
  }

  find(id: string): KnownTrack | undefined {
    const sql = `
      SELECT row_id AS rowId, source, fingerprint, state = 'taken_down' AND withdrawn AS withdrawn
      FROM tracks WHERE id = ?`;
    const row = this.#database.prepare(sql).get(id);
    return row as unknown as KnownTrack | undefined;
  }

  /** Updates a stored track. Returns undefined, and writes nothing, if the delivery makes no difference. */
  update(
    track: KnownTrack,
    delivery: TrackDelivery,
    fingerprint: Buffer,
  ): 'updated' | 'restored' | undefined {
    const isUpdated = this.#updateContent(track, delivery, fingerprint);
    if (track.withdrawn === 0) return isUpdated ? 'updated' : undefined;
    // Stores nothing more if the content was stored above.
    this.#batch.keep(track.rowId, { content: false });
    const sql = `
      UPDATE tracks SET state = 'live', withdrawn = 0, updated_at = ?, batch_row_id = ? WHERE row_id = ?`;
    this.#database.prepare(sql).run(this.#clock.now(), this.#batch.rowId(), track.rowId);
    return 'restored';
  }

  #updateContent(track: KnownTrack, delivery: TrackDelivery, fingerprint: Buffer): boolean {
    if (fingerprint.equals(track.fingerprint)) return false;
    const stored = this.#stored(track.rowId);
    const filters = this.#filters.resolve(delivery.filters);
    const effective = effectiveTrack(delivery, stored, filters.map(toFilter));
    if (!differs(delivery, stored, effective)) return false;
    this.#batch.keep(track.rowId, { content: true });
    this.#update(delivery, fingerprint, track.rowId, filters, effective);
    return true;
  }

  /** Gives a track its former content. The caller records which batch did that. */
  putBack(trackRowId: number, former: FormerTrack): void {
    const delivery = deliveryOf(former);
    const filters = this.#filters.resolve(delivery.filters);
    const stored = this.#stored(trackRowId);
    // A member that the delivery lacks was absent in the former track.
    const bare = { ...stored, audioKey: null, artworkKey: null };
    const effective = effectiveTrack(delivery, bare, filters.map(toFilter));
    this.#update(delivery, former.fingerprint, trackRowId, filters, effective);
  }

  /** Returns what `update` would do. Writes nothing. */
  preview(track: KnownTrack, delivery: TrackDelivery, fingerprint: Buffer) {
    if (track.withdrawn !== 0) return 'updated';
    if (fingerprint.equals(track.fingerprint)) return 'unchanged';
    const filters = this.#filters.lookUp(delivery.filters);
    if (filters === undefined) return 'updated';
    const stored = this.#stored(track.rowId);
    const effective = effectiveTrack(delivery, stored, filters.map(toFilter));
    return differs(delivery, stored, effective) ? 'updated' : 'unchanged';
  }

  #stored(trackRowId: number): StoredTrack {
    const sql = `
      SELECT slug, source, external_id AS externalId, released_at AS releasedAt,
             audio_key AS audioKey, artwork_key AS artworkKey, document
      FROM tracks WHERE row_id = ?`;
    return this.#database.prepare(sql).get(trackRowId) as unknown as StoredTrack;
  }

  /** Creates a track and returns its row id. */
  create(delivery: TrackDelivery, fingerprint: Buffer): number {
    const now = this.#clock.now();
    const base = delivery.slug ?? slugBase('track', delivery.name, delivery.id);
    const slug = allocateSlug(this.#database, 'track', base);
    const filters = this.#filters.resolve(delivery.filters);
    const effective = effectiveTrack(
      delivery,
      { slug, releasedAt: now, audioKey: null, artworkKey: null },
      filters.map(toFilter),
    );
    const values = this.#values(delivery, fingerprint, effective, now);
    const { lastInsertRowid } = this.#database
      .prepare(INSERT)
      .run(delivery.id, slug, now, ...values);
    const trackRowId = Number(lastInsertRowid);
    this.#relate(trackRowId, delivery.artists, filters);
    return trackRowId;
  }

  #update(
    delivery: TrackDelivery,
    fingerprint: Uint8Array,
    trackRowId: number,
    filters: readonly StoredFilter[],
    effective: EffectiveTrack,
  ): void {
    const values = this.#values(delivery, fingerprint, effective, this.#clock.now());
    this.#database.prepare(UPDATE).run(...values, trackRowId);
    this.#database.prepare('DELETE FROM track_artists WHERE track_row_id = ?').run(trackRowId);
    this.#database.prepare('DELETE FROM track_filters WHERE track_row_id = ?').run(trackRowId);
    this.#relate(trackRowId, delivery.artists, filters);
  }

  #values(
    delivery: TrackDelivery,
    fingerprint: Uint8Array,
    effective: EffectiveTrack,
    now: number,
  ) {
    const values = deliveredValues({ delivery, fingerprint, effective }, now, this.#batch.rowId());
    return values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  }

  #relate(
    trackRowId: number,
    artists: readonly DeliveredCredit[],
    filters: readonly StoredFilter[],
  ): void {
    const artistRowIds = new Set(artists.map((credit) => this.#artistRowId(credit)));
    this.#insertPairs(INSERT_ARTISTS, trackRowId, [...artistRowIds]);
    this.#insertPairs(
      INSERT_FILTERS,
      trackRowId,
      filters.map(({ rowId }) => rowId),
    );
  }

  #insertPairs(inserts: readonly string[], trackRowId: number, others: readonly number[]): void {
    for (let from = 0; from < others.length; from += MAX_ROWS) {
      const slice = others.slice(from, from + MAX_ROWS);
      this.#database.prepare(inserts[slice.length]!).run(trackRowId, ...slice);
    }
  }

  #artistRowId(credit: DeliveredCredit): number {
    const remembered = this.#artists.get(credit.id);
    if (remembered?.name === credit.name) return remembered.rowId;
    const sql = `
      INSERT INTO artists (id, external_id, name) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING row_id AS rowId`;
    const row = this.#database.prepare(sql).get(credit.id, credit.externalId, credit.name);
    const rowId = row!.rowId as number;
    this.#artists.set(credit.id, { rowId, name: credit.name });
    return rowId;
  }
}

function toFilter({ filter }: StoredFilter): Filter {
  return filter;
}
