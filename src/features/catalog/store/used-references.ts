import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { RowIdSet } from '../../../engines/search/row-id-set.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import type { StoredCredit } from './references.ts';

/** The number of tracks that one step of a scan reads: a few milliseconds. */
const SCAN_SLICE = 1_000;
/**
 * The greatest number of changes that are examined under the write lock: about 20 ms. One transaction of an
 * import writes fewer, so a removal that has waited for one can go on.
 */
const MAX_CHANGES = 2_500;

/** The tables of what tracks refer to. */
export type ReferredTable = 'artists' | 'filters';

/**
 * Which artists and filters the tracks of all sources but one refer to: a bit for each row. A scan outside
 * the write lock finds them. Under the lock, the tracks that were changed since are examined again.
 */
export class UsedReferences {
  readonly #dialect: SqlDialect;
  /** The source whose tracks do not count. */
  #except: string | null;
  readonly #used = { artists: new RowIdSet(), filters: new RowIdSet() };
  readonly #start: Start;
  /** The change up to which the tracks were examined. */
  #seq: number;

  private constructor(dialect: SqlDialect, except: string, start: Start) {
    this.#dialect = dialect;
    this.#except = except;
    this.#start = start;
    this.#seq = start.seq;
  }

  /** Scans all tracks but those of the source `except`. */
  static async scan(database: SqlDatabase, except: string): Promise<UsedReferences> {
    const start = await database.view(startOf);
    const used = new UsedReferences(database.dialect, except, start);
    let last: number | undefined = 0;
    while (last !== undefined) {
      last = await used.#scanAfter(database.queries, last);
      await nextTurn();
    }
    return used;
  }

  /** Call this when all tracks of the source were removed: new ones count. */
  countAllSources(): void {
    this.#except = null;
  }

  async catchUpFully({ queries }: SqlDatabase): Promise<void> {
    while (!(await this.catchUp(queries))) await nextTurn();
  }

  /**
   * Examines the tracks that were changed since the last call. Returns false if there may be more of them:
   * then nothing may be removed before `catchUpFully`.
   */
  async catchUp(queries: Queries): Promise<boolean> {
    const changes = await queries
      .selectFrom('changeLog')
      .select(['seq', 'entityId'])
      .where('entity', '=', 'track')
      .where('seq', '>', this.#seq)
      .orderBy('seq')
      .limit(MAX_CHANGES)
      .execute();
    if (changes.length === 0) return true;
    const ids = changes.map(({ entityId }) => entityId);
    const tracks = await queries
      .selectFrom('tracks')
      .select(['artists', 'filters', 'source'])
      .where(({ ref }) => this.#dialect.isOneOf(ref('id'), ids))
      .execute();
    for (const track of tracks) this.#examine(track);
    this.#seq = changes.at(-1)!.seq;
    return changes.length < MAX_CHANGES;
  }

  /** Returns the row ids that existed before the scan and that no examined track refers to. */
  unused(table: ReferredTable, rowIds: readonly number[]): number[] {
    return rowIds.filter((rowId) => rowId <= this.#start[table] && !this.#used[table].has(rowId));
  }

  /** Examines the next tracks. Returns the row id of the last one; undefined after the end. */
  async #scanAfter(queries: Queries, rowId: number): Promise<number | undefined> {
    const tracks = await queries
      .selectFrom('tracks')
      .select(['rowId', 'artists', 'filters', 'source'])
      .where('rowId', '>', rowId)
      .orderBy('rowId')
      .limit(SCAN_SLICE)
      .execute();
    for (const track of tracks) this.#examine(track);
    return tracks.at(-1)?.rowId;
  }

  #examine({
    artists,
    filters,
    source,
  }: Pick<Tables['tracks'], 'artists' | 'filters' | 'source'>): void {
    if (source === this.#except) return;
    for (const [rowId] of parseStored<StoredCredit[]>(artists)) this.#used.artists.add(rowId);
    for (const rowId of parseStored<number[]>(filters)) this.#used.filters.add(rowId);
  }
}

/** The state when a scan begins. */
interface Start {
  /** The greatest row ids. */
  artists: number;
  filters: number;
  /** The head of the change log. */
  seq: number;
}

async function startOf(queries: Queries): Promise<Start> {
  const greatest = async (table: ReferredTable) => {
    const query = queries.selectFrom(table).select(({ fn }) => fn.max('rowId').as('rowId'));
    return (await query.executeTakeFirstOrThrow()).rowId ?? 0;
  };
  const { seq } = await queries
    .selectFrom('changeLog')
    .select(sql<number>`coalesce(max(seq), 0)`.as('seq'))
    .executeTakeFirstOrThrow();
  return { artists: await greatest('artists'), filters: await greatest('filters'), seq };
}
