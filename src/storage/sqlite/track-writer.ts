import { LRUCache } from 'lru-cache';
import {
  differs,
  type EffectiveTrack,
  effectiveTrack,
  type StoredTrack,
} from '../../catalog/effective-track.ts';
import type { Filter } from '../../catalog/filter.ts';
import { slugBase } from '../../catalog/slug.ts';
import type { DeliveredCredit, TrackDelivery } from '../../catalog/track.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from './database.ts';
import { FilterRegistry, type StoredFilter } from './filter-registry.ts';
import { allocateSlug } from './slug-allocator.ts';

/** Artists whose numbers are remembered between tracks; about 8 MB when full. */
const MAX_REMEMBERED_ARTISTS = 50_000;

/** The most rows that one insert of a track's artists or filters carries: a call costs more than a row. */
const MAX_ROWS = 8;
const INSERT_ARTISTS = insertsOf('track_artists (track_no, artist_no)');
const INSERT_FILTERS = insertsOf('track_filters (track_no, filter_no)');

/** Beyond those that are there and those that were removed: SQLite alone would give the latter again. */
const NEXT_NUMBER = `
  (SELECT max(greatest, coalesce((SELECT max(no) FROM tracks), 0)) + 1 FROM removed_numbers)`;

/** By the number of rows; the track's number is ?1. */
function insertsOf(target: string): readonly string[] {
  return Array.from({ length: MAX_ROWS + 1 }, (_, size) => {
    const rows = Array.from({ length: size }, (_, i) => `(?1, ?${i + 2})`);
    return `INSERT INTO ${target} VALUES ${rows.join()}`;
  });
}

/** A track that is there: its number, and the fingerprint of what was delivered last. */
export interface KnownTrack {
  no: number;
  fingerprint: Uint8Array;
}

/**
 * Writes deliveries into the tables of the catalog, one at a time, within the transactions of its
 * caller. Remembers numbers of filters and artists between them.
 */
export class TrackWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #filters: FilterRegistry;
  /** By id: the artist's number, and the name that was written last. */
  readonly #artists = new LRUCache<string, { no: number; name: string }>({
    max: MAX_REMEMBERED_ARTISTS,
  });
  #dataVersion = -1;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#filters = new FilterRegistry(database);
  }

  /** To be called first in each transaction: another process may have removed what is remembered. */
  begin(): void {
    const version = this.#database.dataVersion();
    if (version !== this.#dataVersion) this.forget();
    this.#dataVersion = version;
  }

  /** To be called when a transaction was undone. */
  forget(): void {
    this.#filters.forget();
    this.#artists.clear();
  }

  find(id: string): KnownTrack | undefined {
    const row = this.#database.prepare('SELECT no, fingerprint FROM tracks WHERE id = ?').get(id);
    return row as unknown as KnownTrack | undefined;
  }

  /** Updates a known track; a delivery that makes no difference writes nothing. */
  update(track: KnownTrack, delivery: TrackDelivery, fingerprint: Buffer): 'updated' | 'unchanged' {
    if (fingerprint.equals(track.fingerprint)) return 'unchanged';
    const stored = this.#stored(track.no);
    const filters = this.#filters.resolve(delivery.filters);
    const effective = effectiveTrack(delivery, stored, filters.map(toFilter));
    if (!differs(delivery, stored, effective)) return 'unchanged';
    this.#update(delivery, fingerprint, track.no, filters, effective);
    return 'updated';
  }

  /** What update would do; writes nothing. */
  preview(track: KnownTrack, delivery: TrackDelivery, fingerprint: Buffer) {
    if (fingerprint.equals(track.fingerprint)) return 'unchanged';
    const filters = this.#filters.lookUp(delivery.filters);
    if (filters === undefined) return 'updated';
    const stored = this.#stored(track.no);
    const effective = effectiveTrack(delivery, stored, filters.map(toFilter));
    return differs(delivery, stored, effective) ? 'updated' : 'unchanged';
  }

  #stored(trackNo: number): StoredTrack {
    const sql = `
      SELECT slug, source, external_id AS externalId, released_at AS releasedAt,
             audio_key AS audioKey, artwork_key AS artworkKey, document
      FROM tracks WHERE no = ?`;
    return this.#database.prepare(sql).get(trackNo) as unknown as StoredTrack;
  }

  /** Creates a track that is not there; returns its number. */
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
    const sql = `
      INSERT INTO tracks (no, id, slug, source, external_id, name, type, has_vocals, released_at,
        duration_seconds, bpm, song_keys, isrc, audio_key, artwork_key, fingerprint, created_at,
        updated_at, document)
      VALUES (${NEXT_NUMBER}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const { lastInsertRowid } = this.#database
      .prepare(sql)
      .run(
        delivery.id,
        slug,
        delivery.source,
        delivery.externalId,
        delivery.name,
        delivery.type,
        delivery.hasVocals ? 1 : 0,
        effective.releasedAt,
        delivery.durationSeconds,
        Number(delivery.bpm),
        JSON.stringify(delivery.songKey),
        delivery.isrc,
        effective.audioKey,
        effective.artworkKey,
        fingerprint,
        now,
        now,
        effective.document,
      );
    const trackNo = Number(lastInsertRowid);
    this.#relate(trackNo, delivery.artists, filters);
    return trackNo;
  }

  #update(
    delivery: TrackDelivery,
    fingerprint: Buffer,
    trackNo: number,
    filters: readonly StoredFilter[],
    effective: EffectiveTrack,
  ): void {
    const sql = `
      UPDATE tracks SET source = ?, external_id = ?, name = ?, type = ?, has_vocals = ?,
        released_at = ?, duration_seconds = ?, bpm = ?, song_keys = ?, isrc = ?, audio_key = ?,
        artwork_key = ?, fingerprint = ?, updated_at = ?, document = ?
      WHERE no = ?`;
    this.#database
      .prepare(sql)
      .run(
        delivery.source,
        delivery.externalId,
        delivery.name,
        delivery.type,
        delivery.hasVocals ? 1 : 0,
        effective.releasedAt,
        delivery.durationSeconds,
        Number(delivery.bpm),
        JSON.stringify(delivery.songKey),
        delivery.isrc,
        effective.audioKey,
        effective.artworkKey,
        fingerprint,
        this.#clock.now(),
        effective.document,
        trackNo,
      );
    this.#database.prepare('DELETE FROM track_artists WHERE track_no = ?').run(trackNo);
    this.#database.prepare('DELETE FROM track_filters WHERE track_no = ?').run(trackNo);
    this.#relate(trackNo, delivery.artists, filters);
  }

  #relate(
    trackNo: number,
    artists: readonly DeliveredCredit[],
    filters: readonly StoredFilter[],
  ): void {
    const artistNos = new Set(artists.map((credit) => this.#artistNo(credit)));
    this.#insertPairs(INSERT_ARTISTS, trackNo, [...artistNos]);
    this.#insertPairs(
      INSERT_FILTERS,
      trackNo,
      filters.map(({ no }) => no),
    );
  }

  #insertPairs(inserts: readonly string[], trackNo: number, others: readonly number[]): void {
    for (let from = 0; from < others.length; from += MAX_ROWS) {
      const slice = others.slice(from, from + MAX_ROWS);
      this.#database.prepare(inserts[slice.length]!).run(trackNo, ...slice);
    }
  }

  #artistNo(credit: DeliveredCredit): number {
    const remembered = this.#artists.get(credit.id);
    if (remembered?.name === credit.name) return remembered.no;
    const sql = `
      INSERT INTO artists (id, external_id, name) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING no`;
    const row = this.#database.prepare(sql).get(credit.id, credit.externalId, credit.name);
    const no = row!.no as number;
    this.#artists.set(credit.id, { no, name: credit.name });
    return no;
  }
}

function toFilter({ filter }: StoredFilter): Filter {
  return filter;
}
