import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Clock, HOUR_MS } from '../../../common/clock.ts';
import { compiledOnce, type SqlDatabase } from '../../../engines/sql/database.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import type { StreamedColumns } from '../../catalog/streamed-audio.ts';
import type { RenditionFile, RenditionName, RenditionState } from '../rendition.ts';
import { STREAM } from '../streams/stream-name.ts';
import { IS_FAILED, insertQueued, isUnnamed, jobsOf } from './rendition-rows.ts';
import { RenditionStore } from './rendition-store.ts';

/** A use is recorded at most once in this time. */
const USED_MS = HOUR_MS;

export interface KnownStream {
  state: RenditionState;
  /** What a node must decode to make it. */
  format: string;
  /** Why it or its last attempt failed; a line for people. */
  error: string | null;
  /** Null unless it is made. */
  file: RenditionFile | null;
  /** Whether its use is to be recorded. */
  isStale: boolean;
}

export interface LeastUsed extends RenditionName {
  mediaKey: string;
  sizeBytes: number;
  usedAt: number;
}

/** What decides whether a track needs a stream, and how long it is. */
export interface StreamedTrack extends StreamedColumns {
  id: string;
  rowId: number;
  audioKey: string;
}

const STREAMED = ['id', 'rowId', 'audioKey', 'audioProperties', 'samples', 'isPlayable'] as const;

/** A mapped type, because interfaces have no index signature. */
type Values = Pick<RenditionName, 'audioKey' | 'variant'>;

const isNamed =
  ({ audioKey, variant }: Values) =>
  ({ and }: ExpressionBuilder<Tables, 'streams'>) =>
    and({ audioKey, kind: STREAM, variant });

const IS_MADE = sql<SqlBool>`state = 'done'`;

/**
 * The streams that are made of audio, and the jobs to make them. They differ from other renditions in their table, and in
 * that the least used ones are removed: the time of a row that is made is that of its last use.
 */
export class StreamStore extends RenditionStore {
  readonly #selectOne: ReturnType<typeof selectOneOn>;

  constructor(database: SqlDatabase, clock: Clock) {
    super(database, clock, 'streams');
    this.#selectOne = selectOneOn(sql<number>`${database.dialect.now()}`);
  }

  async known({ audioKey, variant }: RenditionName): Promise<KnownStream | undefined> {
    const [row] = await this.#selectOne(this.database.queries, { audioKey, variant });
    if (row === undefined) return undefined;
    const { state, format, error, mediaKey, size, isOld } = row;
    const file = mediaKey === null ? null : { mediaKey, sizeBytes: size! };
    return { state, format, error, file, isStale: file !== null && Boolean(isOld) };
  }

  /** Records the use of a stream that is made. */
  async use({ audioKey, variant }: RenditionName): Promise<void> {
    await this.database.discard((queries) =>
      queries
        .updateTable('streams')
        .set({ updatedAt: this.#now })
        .where(isNamed({ audioKey, variant }))
        .where(IS_MADE)
        .returning('audioKey')
        .execute(),
    );
  }

  /** Stores a stream that was made without a claim. A claim of it ends. */
  keep(name: RenditionName, { mediaKey, sizeBytes }: RenditionFile): Promise<void> {
    return this.#settle(name, { state: 'done', mediaKey, size: sizeBytes, error: null });
  }

  /** Stores that no stream can be made, with a reason; a line for people. A claim of it ends. */
  refuse(name: RenditionName, reason: string): Promise<void> {
    return this.#settle(name, { state: 'failed', mediaKey: null, size: null, error: reason });
  }

  /** Forgets the streams that failed, so that the next request makes them again. Returns their number. */
  async forgetFailed(): Promise<number> {
    return this.database.apart(async (queries) => {
      const { numDeletedRows } = await queries
        .deleteFrom('streams')
        .where(IS_FAILED)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    });
  }

  /** The streams that were not used for the longest time, that one first. */
  async leastUsed(limit: number): Promise<LeastUsed[]> {
    const rows = await this.database.queries
      .selectFrom('streams')
      .select(['audioKey', 'kind', 'variant', 'mediaKey', 'size', 'updatedAt as usedAt'])
      .where(IS_MADE)
      .orderBy('updatedAt')
      .limit(limit)
      .execute();
    return rows.map(({ mediaKey, size, ...row }) => {
      return { ...row, mediaKey: mediaKey!, sizeBytes: size! };
    });
  }

  /** Forgets a stream unless it was used meanwhile. Returns whether it did. */
  async forget({ audioKey, variant, usedAt }: LeastUsed): Promise<boolean> {
    return this.database.apart(async (queries) => {
      const { numDeletedRows } = await queries
        .deleteFrom('streams')
        .where(isNamed({ audioKey, variant }))
        .where(IS_MADE)
        .where('updatedAt', '=', usedAt)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    });
  }

  /**
   * Up to `limit` streams of audio after a media key, in their order, that neither a track nor the former content of a track
   * names.
   */
  async unnamed(
    after: string,
    limit: number,
  ): Promise<{ audioKey: string; mediaKey: string | null }[]> {
    return this.database.aside
      .selectFrom(jobsOf('streams'))
      .select(['audioKey', 'mediaKey'])
      .where('audioKey', '>', after)
      .where(isUnnamed('renditions'))
      .orderBy('audioKey')
      .limit(limit)
      .execute();
  }

  /** The live tracks with audio among these. */
  async streamedTracks(trackIds: readonly string[]): Promise<StreamedTrack[]> {
    const rows = await this.database.aside
      .selectFrom('tracks')
      .select(STREAMED)
      .where(({ ref }) => this.database.dialect.isOneOf(ref('id'), trackIds))
      .where('state', '=', 'live')
      .where('audioKey', 'is not', null)
      .execute();
    return rows as StreamedTrack[];
  }

  /** Up to `limit` live tracks with audio, from the newest one on, or from the one before a row id. */
  async streamedBefore(rowId: number | undefined, limit: number): Promise<StreamedTrack[]> {
    const rows = await this.database.aside
      .selectFrom('tracks')
      .select(STREAMED)
      .where('state', '=', 'live')
      .where('audioKey', 'is not', null)
      .where('rowId', '<', rowId ?? Number.MAX_SAFE_INTEGER)
      .orderBy('rowId', 'desc')
      .limit(limit)
      .execute();
    return rows as StreamedTrack[];
  }

  get #now() {
    return sql<number>`${this.database.dialect.now()}`;
  }

  async #settle(
    name: RenditionName,
    set: {
      state: 'done' | 'failed';
      mediaKey: string | null;
      size: number | null;
      error: string | null;
    },
  ): Promise<void> {
    const { dialect } = this.database;
    await this.database.apart(async (queries) => {
      await insertQueued(queries, dialect, [name], { priority: dialect.now(), table: 'streams' })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await queries
        .updateTable('streams')
        .set({ ...set, claimedBy: null, claimedUntil: null, updatedAt: this.#now })
        .where(isNamed(name))
        .execute();
    });
  }
}

const selectOneOn = (now: RawBuilder<number>) =>
  compiledOnce((queries, { audioKey, variant }: Values) =>
    queries
      .selectFrom('streams')
      .select(['state', 'format', 'error', 'mediaKey', 'size'])
      .select(sql<SqlBool>`updated_at < ${now} - ${sql.lit(USED_MS)}`.as('isOld'))
      .where(isNamed({ audioKey, variant })),
  );
