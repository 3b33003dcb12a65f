import { sql } from 'kysely';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import {
  type CollectionItem,
  MAX_COLLECTION_TRACKS,
  refuseAfterEnd,
  tooManyTracks,
} from '../collection.ts';

/** The distance between the positions of a list that was numbered anew, so that others fit between them. */
const STEP = 2 ** 20;
/** The greatest number of rows that one statement writes. */
const SLICE = 1_000;

const COLUMNS = {
  collectionRowId: 'integer',
  position: 'integer',
  trackRowId: 'integer',
  note: 'text',
  noteBy: 'text',
  addedAt: 'integer',
} as const;

type PlacedItem = CollectionItem & { position: number };

/** The tracks of one collection, within a write transaction. Indexes count the live tracks. */
export class CollectionTracks {
  readonly #queries: Queries;
  readonly #dialect: SqlDialect;
  readonly #collectionRowId: number;

  constructor(queries: Queries, dialect: SqlDialect, collectionRowId: number) {
    this.#queries = queries;
    this.#dialect = dialect;
    this.#collectionRowId = collectionRowId;
  }

  /** Returns the given tracks that are in the collection. */
  async present(trackRowIds: readonly number[]): Promise<Set<number>> {
    const rows = await this.#queries
      .selectFrom('collectionTracks')
      .select('trackRowId')
      .where('collectionRowId', '=', this.#collectionRowId)
      .where(({ ref }) => this.#dialect.isOneOf(ref('trackRowId'), trackRowIds))
      .execute();
    return new Set(rows.map(({ trackRowId }) => trackRowId));
  }

  /** Returns the places of all tracks, in order. */
  all(): Promise<(PlacedItem & { state: 'live' | 'taken_down' })[]> {
    return this.#queries
      .selectFrom('collectionTracks')
      .innerJoin('tracks', 'tracks.rowId', 'collectionTracks.trackRowId')
      .select(['position', 'trackRowId', 'note', 'noteBy', 'addedAt', 'tracks.state'])
      .where('collectionRowId', '=', this.#collectionRowId)
      .orderBy('position')
      .execute();
  }

  /**
   * Throws `invalid_request` for a position after the last live track, or, for a new track, after the place behind it.
   * @param position from 1; undefined for the end
   */
  async refuseAfterEnd(position: number | undefined, newTracks: 0 | 1): Promise<void> {
    if (position === undefined) return;
    const { live } = await this.#queries
      .selectFrom('collectionTracks')
      .innerJoin('tracks', 'tracks.rowId', 'collectionTracks.trackRowId')
      .select(({ fn }) => fn.countAll<number>().as('live'))
      .where('collectionRowId', '=', this.#collectionRowId)
      .where('tracks.state', '=', 'live')
      .executeTakeFirstOrThrow();
    refuseAfterEnd(position, live + newTracks);
  }

  /**
   * Adds tracks that are not in the collection, at the end, or so that the first gets the position, which
   * `refuseAfterEnd` has checked. Throws `conflict` if the list gets too long.
   */
  async insert(items: readonly CollectionItem[], position: number | undefined): Promise<void> {
    const { count, last } = await this.#queries
      .selectFrom('collectionTracks')
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        fn.coalesce(fn.max('position'), sql<number>`0`).as('last'),
      ])
      .where('collectionRowId', '=', this.#collectionRowId)
      .executeTakeFirstOrThrow();
    if (count + items.length > MAX_COLLECTION_TRACKS) throw tooManyTracks();
    const positions =
      position === undefined
        ? items.map((_, i) => last + (i + 1) * STEP)
        : await this.#free(position, items.length);
    await this.#write(items.map((item, i) => ({ ...item, position: positions[i]! })));
  }

  async remove(trackRowIds: readonly number[]): Promise<void> {
    await this.#queries
      .deleteFrom('collectionTracks')
      .where('collectionRowId', '=', this.#collectionRowId)
      .where(({ ref }) => this.#dialect.isOneOf(ref('trackRowId'), trackRowIds))
      .execute();
  }

  async replace(items: readonly CollectionItem[]): Promise<void> {
    if (items.length > MAX_COLLECTION_TRACKS) throw tooManyTracks();
    await this.#queries
      .deleteFrom('collectionTracks')
      .where('collectionRowId', '=', this.#collectionRowId)
      .execute();
    await this.#write(items.map((item, i) => ({ ...item, position: (i + 1) * STEP })));
  }

  /**
   * Changes the note or the position of a live track. `refuseAfterEnd` has checked the position.
   *
   * @param by who writes the note, in its stored form
   */
  async edit(
    trackRowId: number,
    { note, position }: { note?: string | undefined; position?: number | undefined },
    by: string | null,
  ): Promise<void> {
    const free =
      position === undefined ? undefined : (await this.#free(position, 1, trackRowId))[0]!;
    await this.#queries
      .updateTable('collectionTracks')
      .set({
        ...(note !== undefined && { note, noteBy: note === '' ? null : by }),
        ...(free !== undefined && { position: free }),
      })
      .where('collectionRowId', '=', this.#collectionRowId)
      .where('trackRowId', '=', trackRowId)
      .execute();
  }

  /**
   * Returns ascending positions that are not in use, so that the first track there gets a position among the live
   * tracks. `moved` is a track of the list that does not count, because it moves there. If it is there already, its own
   * position is returned: it stays on its side of the tracks that were taken down.
   */
  async #free(place: number, count: number, moved?: number): Promise<number[]> {
    for (;;) {
      const all = await this.all();
      const present = all.filter(({ state }) => state === 'live')[place - 1];
      if (present !== undefined && present.trackRowId === moved) return [present.position];
      const places = all.filter(({ trackRowId }) => trackRowId !== moved);
      const live = places.filter(({ state }) => state === 'live');
      const next = live[place - 1];
      if (next === undefined) {
        const last = places.at(-1)?.position ?? 0;
        return Array.from({ length: count }, (_, i) => last + (i + 1) * STEP);
      }
      const before = places[places.indexOf(next) - 1]?.position ?? 0;
      const distance = Math.floor((next.position - before) / (count + 1));
      if (distance > 0) return Array.from({ length: count }, (_, i) => before + (i + 1) * distance);
      await this.#numberAnew();
    }
  }

  /** Gives all tracks positions at an equal distance. They are negative in between, because positions are unique. */
  async #numberAnew(): Promise<void> {
    const ranks = this.#queries
      .selectFrom('collectionTracks')
      .select(['trackRowId', sql<number>`row_number() OVER (ORDER BY position)`.as('rank')])
      .where('collectionRowId', '=', this.#collectionRowId);
    await this.#queries
      .updateTable('collectionTracks')
      .from(ranks.as('ranks'))
      .set({ position: sql<number>`-${sql.lit(STEP)} * ranks.rank` })
      .where('collectionRowId', '=', this.#collectionRowId)
      .whereRef('collectionTracks.trackRowId', '=', 'ranks.trackRowId')
      .execute();
    await this.#queries
      .updateTable('collectionTracks')
      .set({ position: sql<number>`-position` })
      .where('collectionRowId', '=', this.#collectionRowId)
      .execute();
  }

  async #write(items: readonly PlacedItem[]): Promise<void> {
    for (let from = 0; from < items.length; from += SLICE) {
      const collectionRowId = this.#collectionRowId;
      const rows = items.slice(from, from + SLICE).map((item) => ({ collectionRowId, ...item }));
      await insertRows(this.#queries, this.#dialect, 'collectionTracks', COLUMNS, rows).execute();
    }
  }
}
