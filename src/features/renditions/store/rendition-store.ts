import { sql } from 'kysely';
import type { Clock } from '../../../common/clock.ts';
import { compiledOnce, type Queries, type SqlDatabase } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { renditionsAfter } from '../../catalog/store/media-keys.ts';
import {
  type MadeRendition,
  NODE_MS,
  type Rendition,
  type RenditionName,
  type RenditionNode,
  type RenditionState,
  type TrackSound,
} from '../rendition.ts';
import {
  BACKGROUND,
  IS_FAILED,
  IS_QUEUED,
  IS_RUNNING,
  insertQueued,
  isNeeded,
  isUnnamed,
  type JobTable,
  jobsOf,
  nameRows,
  updateNamed,
} from './rendition-rows.ts';

/** The renditions of an audio file, unless its tracks begin their clips at different seconds. */
const OF_AUDIO = 3;
const REQUEUE_SLICE = 500;

const allRenditions = (queries: Queries) => queries.selectFrom('renditions');
type RenditionQuery = ReturnType<typeof allRenditions>;

const SOUND = ['audioKey', 'previewStart', 'previewKey', 'waveformKey'] as const;
const COLUMNS = [
  ...(['audioKey', 'kind', 'variant', 'state', 'format', 'attempts', 'error'] as const),
  ...(['mediaKey', 'size'] as const),
] as const;

/** A mapped type, because interfaces have no index signature. */
type Values = Pick<RenditionName, keyof RenditionName>;
const selectOne = compiledOnce((queries, { audioKey, kind, variant }: Values) =>
  queries
    .selectFrom('renditions')
    .select(COLUMNS)
    .where('audioKey', '=', audioKey)
    .where('kind', '=', kind)
    .where('variant', '=', variant),
);

/**
 * The renditions of the catalog, and the jobs to make them. They are not in the change log. Times are by the clock of the
 * database.
 */
export class RenditionStore extends SqlStore {
  readonly #table: JobTable;
  readonly #jobs: ReturnType<typeof jobsOf>;

  constructor(database: SqlDatabase, clock: Clock, table: JobTable = 'renditions') {
    super(database, clock);
    this.#table = table;
    this.#jobs = jobsOf(table);
  }

  async find({ audioKey, kind, variant }: RenditionName): Promise<Rendition | undefined> {
    const [row] = await selectOne(this.database.queries, { audioKey, kind, variant });
    return row && toRendition(row);
  }

  async ofAudio(audioKey: string): Promise<Rendition[]> {
    const rows = await this.database.queries
      .selectFrom(this.#jobs)
      .select(COLUMNS)
      .where('audioKey', '=', audioKey)
      .orderBy('kind')
      .orderBy('variant')
      .execute();
    return rows.map(toRendition);
  }

  /** Adds jobs for the renditions that do not exist. Returns their number. At most 1,024 names. */
  async add(names: readonly RenditionName[]): Promise<number> {
    // When a node starts, most exist already. This check needs no lock.
    const missing = await this.#missing(names);
    if (missing.length === 0) return 0;
    return this.database.apart(async (queries) => {
      const { numInsertedOrUpdatedRows } = await insertQueued(
        queries,
        this.database.dialect,
        missing,
        { priority: sql.lit(BACKGROUND), table: this.#table },
      )
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return Number(numInsertedOrUpdatedRows);
    });
  }

  /** Like `add`; also puts queued ones before those of earlier requests, and before jobs that nobody requested. */
  async request(names: readonly RenditionName[]): Promise<void> {
    const { dialect } = this.database;
    const table = this.#table;
    await this.database.apart((queries) =>
      insertQueued(queries, dialect, names, { priority: dialect.now(), table })
        .onConflict((conflict) =>
          conflict
            .columns(['audioKey', 'kind', 'variant'])
            .doUpdateSet(({ ref }) => ({ priority: ref('excluded.priority') }))
            .where(sql.ref(`${table}.state`), '=', 'queued')
            .where(({ eb, ref }) =>
              eb(sql.ref<number>(`${table}.priority`), '<', ref('excluded.priority')),
            ),
        )
        .execute(),
    );
  }

  /** The sounds of the live tracks with audio among these. */
  async soundsOf(trackIds: readonly string[]): Promise<TrackSound[]> {
    return this.database.queries
      .selectFrom('tracks')
      .select(SOUND)
      .where(({ ref }) => this.database.dialect.isOneOf(ref('id'), trackIds))
      .where('state', '=', 'live')
      .where('audioKey', 'is not', null)
      .execute();
  }

  /**
   * Reads up to `limit` tracks after a row id, in their order. Returns the sounds of the live ones with audio, the audio of
   * the others, and the last row id; undefined after the last track. Does not delay other work of this process.
   */
  async soundsAfter(rowId: number, limit: number) {
    const rows = await this.database.aside
      .selectFrom('tracks')
      .select(['rowId', 'state', ...SOUND])
      .where('rowId', '>', rowId)
      .orderBy('rowId')
      .limit(limit)
      .execute();
    if (rows.length === 0) return undefined;
    const sounds = rows.flatMap(({ rowId: _, state, ...sound }) =>
      state === 'live' && sound.audioKey !== null ? [sound] : [],
    );
    const silent = rows.flatMap(({ state, audioKey }) =>
      state !== 'live' && audioKey !== null ? [audioKey] : [],
    );
    return { sounds, silent, lastRowId: rows.at(-1)!.rowId };
  }

  /** The media keys of the audio of tracks that exist and are not live. */
  async silentAudio(trackIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.queries
      .selectFrom('tracks')
      .select('audioKey')
      .where(({ ref }) => this.database.dialect.isOneOf(ref('id'), trackIds))
      .where('state', '!=', 'live')
      .execute();
    return rows.flatMap(({ audioKey }) => audioKey ?? []);
  }

  /** Deletes the jobs for these audio files that no node has begun. Returns their number. */
  async dropQueued(audioKeys: readonly string[]): Promise<number> {
    const { queries, dialect } = this.database;
    // Few have jobs, so most calls need no lock.
    const found = await queries
      .selectFrom(this.#jobs)
      .select('audioKey')
      .where(({ ref }) => dialect.isOneOf(ref('audioKey'), audioKeys))
      .where('state', '=', 'queued')
      .distinct()
      .execute();
    if (found.length === 0) return 0;
    const keys = found.map(({ audioKey }) => audioKey);
    return this.database.apart(async (own) => {
      const { numDeletedRows } = await own
        .deleteFrom(this.#jobs)
        .where(({ ref }) => dialect.isOneOf(ref('audioKey'), keys))
        .where('state', '=', 'queued')
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    });
  }

  /**
   * Deletes the renditions of audio that neither a track nor the former content of a track names, except running ones.
   * Works in short transactions, until the signal aborts. Returns their number.
   */
  async dropUnnamed(signal?: AbortSignal): Promise<number> {
    let dropped = 0;
    let last = '';
    const dropSome = async (rows: number) => {
      const found = await this.database.aside
        .selectFrom(this.#jobs)
        .select('audioKey')
        .distinct()
        .where('audioKey', '>', last)
        .orderBy('audioKey')
        .limit(Math.ceil(rows / OF_AUDIO))
        .execute();
      const keys = found.map(({ audioKey }) => audioKey);
      last = keys.at(-1) ?? last;
      if (keys.length > 0) dropped += await this.dropUnnamedOf(keys);
      return keys.length > 0;
    };
    await inSlices(this.database, dropSome, { signal });
    return dropped;
  }

  /** As `dropUnnamed`, only for these audio files. */
  async dropUnnamedOf(audioKeys: readonly string[]): Promise<number> {
    const { aside, dialect } = this.database;
    // Tracks name almost all of them, so most calls need no lock.
    const unnamed = await aside
      .selectFrom(this.#jobs)
      .select('audioKey')
      .distinct()
      .where(({ ref }) => dialect.isOneOf(ref('audioKey'), audioKeys))
      .where('state', '!=', 'running')
      .where(isUnnamed('renditions'))
      .execute();
    if (unnamed.length === 0) return 0;
    const keys = unnamed.map(({ audioKey }) => audioKey);
    const dropped = await this.database.discard((queries) =>
      queries
        .deleteFrom(this.#jobs)
        .where(({ ref }) => dialect.isOneOf(ref('audioKey'), keys))
        .where('state', '!=', 'running')
        .where(isUnnamed('renditions'))
        .returning('audioKey')
        .execute(),
    );
    return dropped.length;
  }

  /**
   * The number of renditions in each state. Counts only failed ones that a live track needs. Reads all renditions, but
   * does not delay other work of this process.
   */
  async counts(): Promise<Record<RenditionState, number>> {
    const done = await this.#count((query) => query.where('state', '=', 'done'));
    return { ...(await this.unmade()), done };
  }

  /** As `counts`, but reads only those that are not made. */
  async unmade(): Promise<Record<Exclude<RenditionState, 'done'>, number>> {
    return {
      queued: await this.#count((query) => query.where(IS_QUEUED)),
      running: await this.#count((query) => query.where(IS_RUNNING)),
      failed: await this.#count((query) => query.where(IS_FAILED).where(isNeeded)),
    };
  }

  /** The bytes of the renditions that are made. Reads all of them without delaying other work. */
  async bytes(): Promise<number> {
    const { bytes } = await this.database.aside
      .selectFrom(this.#jobs)
      .select(sql<number>`cast(coalesce(sum(size), 0) AS bigint)`.as('bytes'))
      .where('state', '=', 'done')
      .executeTakeFirstOrThrow();
    return bytes;
  }

  /** Whether a live track has audio. */
  async hasAudio(): Promise<boolean> {
    const found = await this.database.aside
      .selectFrom('tracks')
      .select('id')
      .where('audioKey', 'is not', null)
      .where('state', '=', 'live')
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  async #count(restricted: (query: RenditionQuery) => RenditionQuery): Promise<number> {
    const { count } = await restricted(this.database.aside.selectFrom(this.#jobs))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  /** The formats that nodes must decode for the queued jobs. Reads all of these without delaying other work. */
  async queuedFormats(): Promise<string[]> {
    const rows = await this.database.aside
      .selectFrom(this.#jobs)
      .select('format')
      .where(IS_QUEUED)
      .distinct()
      .orderBy('format')
      .execute();
    return rows.map(({ format }) => format);
  }

  /** Up to `limit` renditions that are made, after `last` in the order of the store, or from the first one. */
  async madeAfter(last: RenditionName | undefined, limit: number): Promise<MadeRendition[]> {
    const rows = await renditionsAfter(this.database.queries, last)
      .where('state', '=', 'done')
      .limit(limit)
      .execute();
    return rows.map(({ mediaKey, ...name }) => ({ ...name, mediaKey: mediaKey! }));
  }

  /** Queues renditions that are made, to be made again. Returns their number. At most 1,024 names. */
  remake(names: readonly RenditionName[]): Promise<number> {
    return this.#requeue(names, 'done');
  }

  /** Queues the failed ones that live tracks need, with new attempts. Returns their number. Works in short transactions. */
  async requeueFailed(): Promise<number> {
    let requeued = 0;
    for (;;) {
      const failed = await this.database.queries
        .selectFrom(this.#jobs)
        .select(['audioKey', 'kind', 'variant'])
        .where(IS_FAILED)
        .where(isNeeded)
        .orderBy('updatedAt')
        .limit(REQUEUE_SLICE)
        .execute();
      if (failed.length === 0) return requeued;
      requeued += await this.#requeue(failed, 'failed');
      await this.database.settle();
    }
  }

  /** Ends the pauses of all postponed jobs, so that they may be claimed. Works in short transactions. */
  async endPauses(): Promise<void> {
    const { dialect } = this.database;
    const now = sql<number>`${dialect.now()}`;
    for (const format of await this.queuedFormats()) {
      for (;;) {
        const paused = await this.database.queries
          .selectFrom(this.#jobs)
          .select(['audioKey', 'kind', 'variant'])
          .where(IS_QUEUED)
          .where('format', '=', format)
          .where('priority', '=', sql.lit(BACKGROUND))
          .where('updatedAt', '>', now)
          .limit(REQUEUE_SLICE)
          .execute();
        if (paused.length === 0) break;
        await this.database.apart((queries) =>
          updateNamed(queries, dialect, { names: paused, jobs: this.#jobs })
            .set({ updatedAt: now })
            .where('renditions.state', '=', 'queued')
            .execute(),
        );
        await this.database.settle();
      }
    }
  }

  async nodes(): Promise<RenditionNode[]> {
    const rows = await this.database.queries
      .selectFrom('renditionNodes')
      .select(['node', 'formats'])
      .where('seenAt', '>', sql<number>`${this.database.dialect.now()} - ${sql.lit(NODE_MS)}`)
      .orderBy('node')
      .execute();
    return rows.map(({ node, formats }) => ({ node, formats: parseStored<string[]>(formats) }));
  }

  /** Queues the renditions that are in a state, as if they were new. */
  #requeue(names: readonly RenditionName[], from: RenditionState): Promise<number> {
    const { dialect } = this.database;
    return this.database.apart(async (queries) => {
      const { numUpdatedRows } = await updateNamed(queries, dialect, { names, jobs: this.#jobs })
        .set({
          ...(this.#table !== 'soundJobs' && { mediaKey: null, size: null }),
          ...{ state: 'queued', error: null },
          ...{ attempts: 0, postponements: 0, updatedAt: sql<number>`${dialect.now()}` },
        })
        .where('renditions.state', '=', from)
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    });
  }

  async #missing(names: readonly RenditionName[]): Promise<RenditionName[]> {
    return this.database.queries
      .selectFrom(nameRows(this.database.dialect, 'given', names))
      .select(['given.audioKey', 'given.kind', 'given.variant'])
      .distinct()
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom(this.#jobs)
              .select('renditions.audioKey')
              .whereRef('renditions.audioKey', '=', 'given.audioKey')
              .whereRef('renditions.kind', '=', 'given.kind')
              .whereRef('renditions.variant', '=', 'given.variant'),
          ),
        ),
      )
      .execute();
  }
}

type Row = Omit<Rendition, 'file'> & { mediaKey: string | null; size: number | null };

function toRendition({ mediaKey, size, ...rendition }: Row): Rendition {
  return { ...rendition, file: mediaKey === null ? null : { mediaKey, sizeBytes: size! } };
}
