import { deliveryOf, type FormerTrack } from '../../catalog/batches.ts';
import { differs, effectiveTrack, type StoredTrack } from '../../catalog/effective-track.ts';
import type { Filter } from '../../catalog/filter.ts';
import { slugBase } from '../../catalog/slug.ts';
import type { Clock } from '../../common/clock.ts';
import { DELIVERED_COLUMNS, deliveredValues } from '../delivered-columns.ts';
import { ArtistRegistry } from './artist-registry.ts';
import type { BatchRecorder } from './batch-recorder.ts';
import type { Transaction, Value } from './database.ts';
import { FilterRegistry, type StoredFilter } from './filter-registry.ts';
import { allocateSlugs } from './slug-allocator.ts';
import { type Delivered, UPDATE, type Written } from './track-columns.ts';

/** A delivery of a stored track with this row id, which is withdrawn or has another fingerprint. */
export interface Redelivered extends Delivered {
  rowId: number;
  isWithdrawn: boolean;
}

/**
 * Writes deliveries into the tables of the catalog, many at a time, within the transactions of its caller.
 * Remembers the row ids of filters and artists between them.
 */
export class TrackWriter {
  readonly #clock: Clock;
  readonly #batch: BatchRecorder;
  readonly #filters = new FilterRegistry();
  readonly #artists = new ArtistRegistry();

  constructor(clock: Clock, batch: BatchRecorder) {
    this.#clock = clock;
    this.#batch = batch;
  }

  /**
   * Call this when a transaction was rolled back, and when another process may have removed what is
   * remembered.
   */
  forget(): void {
    this.#filters.forget();
    this.#artists.forget();
  }

  /**
   * Creates new tracks and updates existing ones. Returns the ids of the updates that made no difference and
   * therefore wrote nothing, and the row ids of the created tracks, in order.
   */
  async write(
    tx: Transaction,
    creations: readonly Delivered[],
    updates: readonly Redelivered[],
  ): Promise<{ numbers: number[]; unchanged: Set<string> }> {
    const { created, updated, unchanged } = await this.#effective(tx, creations, updates);
    await this.#insert(tx, created);
    const changed = updates.filter(({ delivery }) => !unchanged.has(delivery.id));
    const withContent = updated.map(({ rowId }) => rowId);
    await this.#batch.keep(
      tx,
      changed.map(({ rowId }) => rowId),
      withContent,
    );
    await this.#update(tx, updated);
    await this.#restore(tx, updates);
    await this.#relate(tx, [...created, ...updated]);
    return { numbers: created.map(({ rowId }) => rowId), unchanged };
  }

  /** Returns the ids of the updates that would make no difference. Writes nothing. */
  async preview(tx: Transaction, updates: readonly Redelivered[]): Promise<Set<string>> {
    const stored = await storedTracks(tx, updates);
    const filters = await this.#filters.resolve(tx, updates.map(filtersOf), false);
    const unchanged = updates.filter(({ delivery, rowId, isWithdrawn }, i) => {
      const list = filters[i]?.map(({ filter }) => filter);
      const before = stored.get(rowId)!;
      return (
        !isWithdrawn && list && !differs(delivery, before, effectiveTrack(delivery, before, list))
      );
    });
    return new Set(unchanged.map(({ delivery }) => delivery.id));
  }

  /** Returns the effective tracks. Creates their filters and allocates their slugs. */
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
      const before = stored.get(one.rowId)!;
      const next = written(one, one.rowId, filters[creations.length + i]!, before);
      if (differs(one.delivery, before, next.effective)) updated.push(next);
      else if (!one.isWithdrawn) unchanged.add(one.delivery.id);
    }
    return { created, updated, unchanged };
  }

  /** Gives tracks their former content. The caller records which batch did that. */
  async putBack(
    tx: Transaction,
    tracks: readonly { rowId: number; former: FormerTrack }[],
  ): Promise<void> {
    const deliveries = tracks.map(
      ({ rowId, former }): Redelivered => ({
        rowId,
        delivery: deliveryOf(former),
        fingerprint: Buffer.from(former.fingerprint),
        isWithdrawn: false,
      }),
    );
    const filters = await this.#filters.resolve(tx, deliveries.map(filtersOf), true);
    const stored = await storedTracks(tx, deliveries);
    const all = deliveries.map((one, i): Written => {
      // A member that the delivery lacks was absent in the former track.
      const bare = { ...stored.get(one.rowId)!, audioKey: null, artworkKey: null };
      return written(one, one.rowId, filters[i]!, bare);
    });
    await this.#update(tx, all);
    await this.#relate(tx, all);
  }

  async #insert(tx: Transaction, tracks: readonly Written[]): Promise<void> {
    if (tracks.length === 0) return;
    const now = this.#clock.now();
    const batchRowId = await this.#batch.rowId(tx);
    await tx.copy(
      `tracks (row_id, id, slug, created_at, ${DELIVERED_COLUMNS})`,
      tracks.map((track) => [
        track.rowId,
        track.delivery.id,
        track.slug,
        now,
        ...deliveredValues(track, now, batchRowId),
      ]),
    );
  }

  async #update(tx: Transaction, tracks: readonly Written[]): Promise<void> {
    if (tracks.length === 0) return;
    const now = this.#clock.now();
    const batchRowId = await this.#batch.rowId(tx);
    const rows = tracks.map((track) => [...deliveredValues(track, now, batchRowId), track.rowId]);
    const columns = rows[0]!.map((_, i) => rows.map((row) => row[i]!));
    await tx.run(UPDATE, columns as Value[]);
    const numbers = tracks.map(({ rowId }) => rowId);
    await tx.run('DELETE FROM track_artists WHERE track_row_id = ANY($1::bigint[])', [numbers]);
    await tx.run('DELETE FROM track_filters WHERE track_row_id = ANY($1::bigint[])', [numbers]);
  }

  /** Makes withdrawn tracks live. */
  async #restore(tx: Transaction, tracks: readonly Redelivered[]): Promise<void> {
    const numbers = tracks.filter(({ isWithdrawn }) => isWithdrawn).map(({ rowId }) => rowId);
    if (numbers.length === 0) return;
    const sql = `
      UPDATE tracks SET state = 'live', withdrawn = false, updated_at = $1, batch_row_id = $2
      WHERE row_id = ANY($3::bigint[])`;
    await tx.run(sql, [this.#clock.now(), await this.#batch.rowId(tx), numbers]);
  }

  async #relate(tx: Transaction, tracks: readonly Written[]): Promise<void> {
    if (tracks.length === 0) return;
    const artistRowId = await this.#artists.numbers(
      tx,
      tracks.flatMap(({ delivery }) => delivery.artists),
    );
    await tx.copy(
      'track_artists (track_row_id, artist_row_id)',
      tracks.flatMap(({ rowId, delivery }) =>
        [...new Set(delivery.artists.map(({ id }) => artistRowId.get(id)!))].map((one) => [
          rowId,
          one,
        ]),
      ),
    );
    await tx.copy(
      'track_filters (track_row_id, filter_row_id)',
      tracks.flatMap(({ rowId, filters }) => filters.map((filter) => [rowId, filter.rowId])),
    );
  }
}

function filtersOf({ delivery }: Delivered) {
  return delivery.filters;
}

function written(
  { delivery, fingerprint }: Delivered,
  rowId: number,
  filters: readonly StoredFilter[],
  stored: Pick<StoredTrack, 'slug' | 'releasedAt' | 'audioKey' | 'artworkKey'>,
): Written {
  const list: Filter[] = filters.map(({ filter }) => filter);
  const effective = effectiveTrack(delivery, stored, list);
  return { delivery, fingerprint, rowId, slug: stored.slug, filters, effective };
}

/** Greater than the row ids of all existing and removed tracks, because a row id is never reused. */
async function nextNumber(tx: Transaction): Promise<number> {
  const [row] = await tx.rows<{ next: number }>(`
    SELECT greatest(greatest, coalesce((SELECT max(row_id) FROM tracks), 0)) + 1 AS next
    FROM removed_numbers`);
  return row!.next;
}

async function storedTracks(
  tx: Transaction,
  tracks: readonly Redelivered[],
): Promise<Map<number, StoredTrack>> {
  if (tracks.length === 0) return new Map();
  const rows = await tx.rows<StoredTrack & { rowId: number }>(
    `SELECT row_id AS "rowId", slug, source, external_id AS "externalId", released_at AS "releasedAt",
            audio_key AS "audioKey", artwork_key AS "artworkKey", document
     FROM tracks WHERE row_id = ANY($1::bigint[])`,
    [tracks.map(({ rowId }) => rowId)],
  );
  return new Map(rows.map((row) => [row.rowId, row]));
}
