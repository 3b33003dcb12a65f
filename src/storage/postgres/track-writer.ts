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
import type { Transaction, Value } from './database.ts';
import { FilterRegistry, type StoredFilter } from './filter-registry.ts';
import { allocateSlugs } from './slug-allocator.ts';

/** Artists whose numbers are remembered between tracks; about 8 MB when full. */
const MAX_REMEMBERED_ARTISTS = 50_000;

/** A delivery, with its fingerprint. */
export interface Delivered {
  delivery: TrackDelivery;
  fingerprint: Buffer;
}

/** A delivery of a track that is there under this number, with another fingerprint. */
export interface Redelivered extends Delivered {
  no: number;
}

/** A track to be written, with all that is written of it. */
interface Written extends Delivered {
  no: number;
  slug: string;
  filters: readonly StoredFilter[];
  effective: EffectiveTrack;
}

/** As the columns of COLUMNS, in their order. */
const COLUMNS = `source, external_id, name, type, has_vocals, released_at, duration_seconds, bpm,
  song_keys, isrc, audio_key, artwork_key, fingerprint, updated_at, document`;
const TYPES = [
  'text',
  'text',
  'text',
  'text',
  'boolean',
  'bigint',
  'bigint',
  'float8',
  'text',
  'text',
  'text',
  'text',
  'bytea',
  'bigint',
  'text',
];

/** Sets all columns of so many tracks; the arrays come in the order of COLUMNS, the numbers last. */
const UPDATE = `
  UPDATE tracks SET (${COLUMNS}) = (${COLUMNS.replace(/\w+/g, (name) => `new.${name}`)})
  FROM unnest(${[...TYPES, 'bigint'].map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
    AS new (${COLUMNS}, no)
  WHERE tracks.no = new.no`;

/**
 * Writes deliveries into the tables of the catalog, many at a time, within the transactions of its
 * caller. Remembers numbers of filters and artists between them.
 */
export class TrackWriter {
  readonly #clock: Clock;
  readonly #filters = new FilterRegistry();
  /** By id: the artist's number, and the name that was written last. */
  readonly #artists = new LRUCache<string, { no: number; name: string }>({
    max: MAX_REMEMBERED_ARTISTS,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called when a transaction was undone, or another process may have removed what is remembered. */
  forget(): void {
    this.#filters.forget();
    this.#artists.clear();
  }

  /**
   * Creates tracks that are not there and updates others; returns the ids of those updates that made
   * no difference, which wrote nothing, and the numbers of the created ones, in their order.
   */
  async write(
    tx: Transaction,
    creations: readonly Delivered[],
    updates: readonly Redelivered[],
  ): Promise<{ numbers: number[]; unchanged: Set<string> }> {
    const { created, updated, unchanged } = await this.#effective(tx, creations, updates);
    await this.#insert(tx, created);
    await this.#update(tx, updated);
    await this.#relate(tx, [...created, ...updated]);
    return { numbers: created.map(({ no }) => no), unchanged };
  }

  /** The ids of the updates that would make no difference; writes nothing. */
  async preview(tx: Transaction, updates: readonly Redelivered[]): Promise<Set<string>> {
    const stored = await storedTracks(tx, updates);
    const filters = await this.#filters.resolve(tx, updates.map(filtersOf), false);
    const unchanged = updates.filter(({ delivery, no }, i) => {
      const list = filters[i]?.map(({ filter }) => filter);
      const before = stored.get(no)!;
      return list && !differs(delivery, before, effectiveTrack(delivery, before, list));
    });
    return new Set(unchanged.map(({ delivery }) => delivery.id));
  }

  /** What the tracks become; makes the filters and takes the slugs that they need. */
  async #effective(
    tx: Transaction,
    creations: readonly Delivered[],
    updates: readonly Redelivered[],
  ) {
    const all = [...creations, ...updates];
    const filters = await this.#filters.resolve(tx, all.map(filtersOf), true);
    const slugs = await allocateSlugs(
      tx,
      'track',
      creations.map(
        ({ delivery }) => delivery.slug ?? slugBase('track', delivery.name, delivery.id),
      ),
    );
    const first = creations.length === 0 ? 0 : await nextNumber(tx);
    const releasedAt = this.#clock.now();
    const created = creations.map((one, i): Written => {
      const fresh = { slug: slugs[i]!, releasedAt, audioKey: null, artworkKey: null };
      return written(one, first + i, filters[i]!, fresh);
    });
    const stored = await storedTracks(tx, updates);
    const updated: Written[] = [];
    const unchanged = new Set<string>();
    for (const [i, one] of updates.entries()) {
      const before = stored.get(one.no)!;
      const next = written(one, one.no, filters[creations.length + i]!, before);
      if (differs(one.delivery, before, next.effective)) updated.push(next);
      else unchanged.add(one.delivery.id);
    }
    return { created, updated, unchanged };
  }

  async #insert(tx: Transaction, tracks: readonly Written[]): Promise<void> {
    if (tracks.length === 0) return;
    const now = this.#clock.now();
    await tx.copy(
      `tracks (no, id, slug, created_at, ${COLUMNS})`,
      tracks.map((track) => [
        track.no,
        track.delivery.id,
        track.slug,
        now,
        ...valuesOf(track, now),
      ]),
    );
  }

  async #update(tx: Transaction, tracks: readonly Written[]): Promise<void> {
    if (tracks.length === 0) return;
    const now = this.#clock.now();
    const rows = tracks.map((track) => [...valuesOf(track, now), track.no]);
    const columns = rows[0]!.map((_, i) => rows.map((row) => row[i]!));
    await tx.run(UPDATE, columns as Value[]);
    const numbers = tracks.map(({ no }) => no);
    await tx.run('DELETE FROM track_artists WHERE track_no = ANY($1::bigint[])', [numbers]);
    await tx.run('DELETE FROM track_filters WHERE track_no = ANY($1::bigint[])', [numbers]);
  }

  async #relate(tx: Transaction, tracks: readonly Written[]): Promise<void> {
    if (tracks.length === 0) return;
    const artistNo = await this.#artistNumbers(
      tx,
      tracks.flatMap(({ delivery }) => delivery.artists),
    );
    await tx.copy(
      'track_artists (track_no, artist_no)',
      tracks.flatMap(({ no, delivery }) =>
        [...new Set(delivery.artists.map(({ id }) => artistNo.get(id)!))].map((one) => [no, one]),
      ),
    );
    await tx.copy(
      'track_filters (track_no, filter_no)',
      tracks.flatMap(({ no, filters }) => filters.map((filter) => [no, filter.no])),
    );
  }

  /** The numbers of artists by id, made where there are none; an artist's last name is kept. */
  async #artistNumbers(
    tx: Transaction,
    credits: readonly DeliveredCredit[],
  ): Promise<Map<string, number>> {
    const byId = new Map(credits.map((credit) => [credit.id, credit]));
    const numbers = new Map<string, number>();
    const others: DeliveredCredit[] = [];
    for (const credit of byId.values()) {
      const known = this.#artists.get(credit.id);
      if (known?.name === credit.name) numbers.set(credit.id, known.no);
      else others.push(credit);
    }
    if (others.length === 0) return numbers;
    const rows = await tx.rows<{ no: number; id: string; name: string }>(
      `INSERT INTO artists (id, external_id, name)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
       ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING no, id, name`,
      [
        others.map(({ id }) => id),
        others.map(({ externalId }) => externalId),
        others.map(({ name }) => name),
      ],
    );
    for (const { no, id, name } of rows) {
      numbers.set(id, no);
      this.#artists.set(id, { no, name });
    }
    return numbers;
  }
}

function filtersOf({ delivery }: Delivered) {
  return delivery.filters;
}

function written(
  { delivery, fingerprint }: Delivered,
  no: number,
  filters: readonly StoredFilter[],
  stored: Pick<StoredTrack, 'slug' | 'releasedAt' | 'audioKey' | 'artworkKey'>,
): Written {
  const list: Filter[] = filters.map(({ filter }) => filter);
  const effective = effectiveTrack(delivery, stored, list);
  return { delivery, fingerprint, no, slug: stored.slug, filters, effective };
}

/** In the order of COLUMNS. */
function valuesOf({ delivery, fingerprint, effective }: Written, now: number): Value[] {
  return [
    delivery.source,
    delivery.externalId,
    delivery.name,
    delivery.type,
    delivery.hasVocals,
    effective.releasedAt,
    delivery.durationSeconds,
    Number(delivery.bpm),
    JSON.stringify(delivery.songKey),
    delivery.isrc,
    effective.audioKey,
    effective.artworkKey,
    fingerprint,
    now,
    effective.document,
  ];
}

/** Beyond those that are there and those that were removed: a number is never given twice. */
async function nextNumber(tx: Transaction): Promise<number> {
  const [row] = await tx.rows<{ next: number }>(`
    SELECT greatest(greatest, coalesce((SELECT max(no) FROM tracks), 0)) + 1 AS next
    FROM removed_numbers`);
  return row!.next;
}

async function storedTracks(
  tx: Transaction,
  tracks: readonly Redelivered[],
): Promise<Map<number, StoredTrack>> {
  if (tracks.length === 0) return new Map();
  const rows = await tx.rows<StoredTrack & { no: number }>(
    `SELECT no, slug, source, external_id AS "externalId", released_at AS "releasedAt",
            audio_key AS "audioKey", artwork_key AS "artworkKey", document
     FROM tracks WHERE no = ANY($1::bigint[])`,
    [tracks.map(({ no }) => no)],
  );
  return new Map(rows.map((row) => [row.no, row]));
}
