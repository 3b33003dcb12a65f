import type { Actor } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import type {
  Queries,
  SqlDatabase,
  SqlDialect,
  WriteTransaction,
} from '../../../engines/sql/database.ts';
import { releaseSlugs } from '../../../engines/sql/release-slugs.ts';
import { UsedReferences } from './used-references.ts';

/** The number of tracks that one transaction removes; it holds the lock for about 20 ms. */
const REMOVAL_SLICE = 300;
/** The number of artists that one transaction examines, and removes if they are unused. */
const ARTIST_SLICE = 1_000;

export class SourceRemoval {
  readonly #database: SqlDatabase;
  readonly #dialect: SqlDialect;
  readonly #clock: Clock;
  readonly #source: string;
  readonly #cause: { by: Actor; batchId: null };

  constructor(database: SqlDatabase, clock: Clock, source: string, by: Actor) {
    this.#database = database;
    this.#dialect = database.dialect;
    this.#clock = clock;
    this.#source = source;
    this.#cause = { by, batchId: null };
  }

  /**
   * Removes the tracks in short transactions, with their licenses and their positions in playlists, then the
   * artists and filters that no track refers to. Filters disappear with the last tracks, because followers of
   * the log read the filters again when tracks are removed. Returns the number of tracks. If it is killed, run
   * it again.
   */
  async run(): Promise<number> {
    let removed = 0;
    for (;;) {
      removed += await this.#removeAllButLast();
      const used = await UsedReferences.scan(this.#database, this.#source);
      const last = await this.#removeLast(used);
      if (last === undefined) continue;
      used.countAllSources();
      await this.#removeArtists(used);
      return removed + last;
    }
  }

  /** Removes the tracks of the source except the last slice. */
  async #removeAllButLast(): Promise<number> {
    for (let removed = 0; ; removed += REMOVAL_SLICE) {
      const isLast = await this.#database.write(async (transaction) => {
        const tracks = await this.#nextTracks(transaction);
        if (tracks.length <= REMOVAL_SLICE) return true;
        await this.#remove(transaction, tracks.slice(0, REMOVAL_SLICE));
        return false;
      });
      if (isLast) return removed;
    }
  }

  /**
   * Removes the last slice of the tracks with the unused filters. Returns undefined if another process has
   * added too many tracks to the source meanwhile.
   */
  async #removeLast(used: UsedReferences): Promise<number | undefined> {
    for (;;) {
      await used.catchUpFully(this.#database);
      const removed = await this.#database.write(async (transaction) => {
        const tracks = await this.#nextTracks(transaction);
        if (tracks.length > REMOVAL_SLICE) return undefined;
        if (!(await used.catchUp(transaction.queries))) return 'behind';
        if (tracks.length > 0) {
          await this.#remove(transaction, tracks);
          await this.#removeFilters(transaction.queries, used);
        }
        return tracks.length;
      });
      if (removed !== 'behind') return removed;
    }
  }

  #nextTracks({ queries }: WriteTransaction): Promise<RemovedTrack[]> {
    return queries
      .selectFrom('tracks')
      .select(['rowId', 'id', 'slug'])
      .where('source', '=', this.#source)
      .orderBy('rowId')
      .limit(REMOVAL_SLICE + 1)
      .execute();
  }

  async #remove(
    { queries, log }: WriteTransaction,
    tracks: readonly RemovedTrack[],
  ): Promise<void> {
    const rowIds = tracks.map(({ rowId }) => rowId);
    const listed = await this.#listed(queries, rowIds);
    // Positions in lists and licenses are deleted with their track (ON DELETE CASCADE).
    const own = ['formerTracks', 'trackEdits', 'trackWriters', 'trackParts', 'trackTexts'] as const;
    for (const table of own) {
      await queries
        .deleteFrom(table)
        .where(({ ref }) => this.#dialect.isOneOf(ref('trackRowId'), rowIds))
        .execute();
    }
    await queries
      .deleteFrom('tracks')
      .where(({ ref }) => this.#dialect.isOneOf(ref('rowId'), rowIds))
      .execute();
    await queries
      .updateTable('removedNumbers')
      .set({ greatest: rowIds.at(-1)! })
      .where('greatest', '<', rowIds.at(-1)!)
      .execute();
    await releaseSlugs(
      queries,
      this.#dialect,
      'track',
      tracks.map(({ slug }) => slug),
    );
    await this.#editLists(queries, listed);
    await log('license', each('removed', listed.licenses), this.#cause);
    await log('playlist', each('updated', listed.playlists), this.#cause);
    const byOwner = Map.groupBy(listed.collections, ({ clientId, mode }) => `${clientId} ${mode}`);
    for (const collections of byOwner.values()) {
      const { clientId, mode } = collections[0]!;
      await log('collection', each('updated', collections), { ...this.#cause, clientId, mode });
    }
    await log('track', each('removed', tracks), this.#cause);
  }

  /** Returns the playlists, collections and licenses of tracks. */
  async #listed(queries: Queries, rowIds: readonly number[]) {
    const { isOneOf } = this.#dialect;
    const playlists = await queries
      .selectFrom('playlistTracks')
      .innerJoin('playlists', 'rowId', 'playlistRowId')
      .select('id')
      .distinct()
      .where(({ ref }) => isOneOf(ref('trackRowId'), rowIds))
      .execute();
    const collections = await queries
      .selectFrom('collectionTracks')
      .innerJoin('collections', 'collections.rowId', 'collectionRowId')
      .innerJoin('clients', 'clients.rowId', 'collections.clientRowId')
      .select(['collections.id', 'collections.mode', 'clients.id as clientId'])
      .distinct()
      .where(({ ref }) => isOneOf(ref('trackRowId'), rowIds))
      .execute();
    const licenses = await queries
      .selectFrom('licenses')
      .select('externalId as id')
      .where(({ ref }) => isOneOf(ref('trackRowId'), rowIds))
      .execute();
    return { playlists, collections, licenses };
  }

  /** Sets the times and the versions of lists that have lost tracks. */
  async #editLists(queries: Queries, { playlists, collections }: Lists): Promise<void> {
    const { isOneOf } = this.#dialect;
    const updatedAt = this.#clock.now();
    const ids = (lists: readonly { id: string }[]) => lists.map(({ id }) => id);
    await queries
      .updateTable('playlists')
      .set({ updatedAt })
      .where(({ ref }) => isOneOf(ref('id'), ids(playlists)))
      .execute();
    await queries
      .updateTable('collections')
      .set(({ eb }) => ({ version: eb('version', '+', 1), updatedAt }))
      .where(({ ref }) => isOneOf(ref('id'), ids(collections)))
      .execute();
  }

  async #removeFilters(queries: Queries, used: UsedReferences): Promise<void> {
    const filters = await queries.selectFrom('filters').select(['rowId', 'slug']).execute();
    const unused = used.unused(
      'filters',
      filters.map(({ rowId }) => rowId),
    );
    await queries
      .deleteFrom('filters')
      .where(({ ref }) => this.#dialect.isOneOf(ref('rowId'), unused))
      .execute();
    const gone = new Set(unused);
    await releaseSlugs(
      queries,
      this.#dialect,
      'filter',
      filters.filter(({ rowId }) => gone.has(rowId)).map(({ slug }) => slug),
    );
  }

  /** Artists that stay because other processes write without a pause are removed by the next removal. */
  async #removeArtists(used: UsedReferences): Promise<void> {
    for (let after = 0; ; ) {
      const artists = await this.#database.queries
        .selectFrom('artists')
        .select('rowId')
        .where('rowId', '>', after)
        .orderBy('rowId')
        .limit(ARTIST_SLICE)
        .execute();
      const last = artists.at(-1);
      if (last === undefined) return;
      const rowIds = artists.map(({ rowId }) => rowId);
      if (used.unused('artists', rowIds).length > 0) {
        await used.catchUpFully(this.#database);
        await this.#database.write(async ({ queries }) => {
          if (!(await used.catchUp(queries))) return;
          await queries
            .deleteFrom('artists')
            .where(({ ref }) => this.#dialect.isOneOf(ref('rowId'), used.unused('artists', rowIds)))
            .execute();
        });
      }
      after = last.rowId;
    }
  }
}

interface Lists {
  playlists: readonly { id: string }[];
  collections: readonly { id: string }[];
}

interface RemovedTrack {
  rowId: number;
  id: string;
  slug: string;
}

function each<Kind extends string>(kind: Kind, rows: readonly { id: string }[]): [Kind, string][] {
  return rows.map(({ id }) => [kind, id]);
}
