import { sql } from 'kysely';
import type {
  Rendition,
  RenditionName,
  RenditionNode,
  RenditionState,
  RenditionStore,
  TrackSound,
} from '../../media/renditions/rendition-store.ts';
import { NODE_MS } from '../../media/renditions/rendition-store.ts';
import { parseStored } from '../stored-value.ts';
import { compiledOnce } from './compiled-query.ts';
import type { SqlDatabase } from './database.ts';
import { IS_FAILED, insertQueued, nameRows } from './rendition-rows.ts';

/** What nobody requested, and what a request waits for. */
const BACKGROUND = 0;
const REQUESTED = 1;
/** The number of failed renditions that one transaction queues. */
const REQUEUE_SLICE = 500;

const SOUND = ['audioKey', 'previewStart', 'previewKey', 'waveformKey'] as const;
const COLUMNS = [
  ...(['audioKey', 'kind', 'variant', 'state', 'format', 'attempts', 'error'] as const),
  ...(['mediaKey', 'size'] as const),
] as const;

const selectOne = compiledOnce((queries, { audioKey, kind, variant }: Values) =>
  queries
    .selectFrom('renditions')
    .select(COLUMNS)
    .where('audioKey', '=', audioKey)
    .where('kind', '=', kind)
    .where('variant', '=', variant),
);

type Values = Pick<RenditionName, 'audioKey' | 'kind' | 'variant'>;

/** The renditions of both databases. Their changes are apart from those of the catalog. */
export class SqlRenditionStore implements RenditionStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async find({ audioKey, kind, variant }: RenditionName): Promise<Rendition | undefined> {
    const [row] = await selectOne(this.#database.queries, { audioKey, kind, variant });
    return row && toRendition(row);
  }

  async ofAudio(audioKey: string): Promise<Rendition[]> {
    const rows = await this.#database.queries
      .selectFrom('renditions')
      .select(COLUMNS)
      .where('audioKey', '=', audioKey)
      .orderBy('kind')
      .orderBy('variant')
      .execute();
    return rows.map(toRendition);
  }

  async add(names: readonly RenditionName[]): Promise<number> {
    // Most exist already when a node starts. Finding that out needs no lock.
    const missing = await this.#missing(names);
    if (missing.length === 0) return 0;
    return this.#database.apart(async (queries) => {
      const { numInsertedOrUpdatedRows } = await insertQueued(
        queries,
        this.#database.dialect,
        missing,
        BACKGROUND,
      )
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return Number(numInsertedOrUpdatedRows);
    });
  }

  async request(names: readonly RenditionName[]): Promise<void> {
    await this.#database.apart((queries) =>
      insertQueued(queries, this.#database.dialect, names, REQUESTED)
        .onConflict((conflict) =>
          conflict
            .columns(['audioKey', 'kind', 'variant'])
            .doUpdateSet({ priority: REQUESTED })
            .where('renditions.state', '=', 'queued')
            .where('renditions.priority', '<', REQUESTED),
        )
        .execute(),
    );
  }

  async soundsOf(trackIds: readonly string[]): Promise<TrackSound[]> {
    return this.#database.queries
      .selectFrom('tracks')
      .select(SOUND)
      .where(({ ref }) => this.#database.dialect.isOneOf(ref('id'), trackIds))
      .where('state', '=', 'live')
      .where('audioKey', 'is not', null)
      .execute();
  }

  async soundsAfter(rowId: number, limit: number) {
    const rows = await this.#database.aside
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
    return { sounds, lastRowId: rows.at(-1)!.rowId };
  }

  async counts(): Promise<Record<RenditionState, number>> {
    const rows = await this.#database.aside
      .selectFrom('renditions')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .groupBy('state')
      .execute();
    const counts = { queued: 0, running: 0, done: 0, failed: 0 };
    for (const { state, count } of rows) counts[state] = count;
    return counts;
  }

  async requeueFailed(): Promise<number> {
    let requeued = 0;
    for (;;) {
      const failed = await this.#database.queries
        .selectFrom('renditions')
        .select(['audioKey', 'kind', 'variant'])
        .where(IS_FAILED)
        .orderBy('updatedAt')
        .limit(REQUEUE_SLICE)
        .execute();
      if (failed.length === 0) return requeued;
      requeued += await this.#requeue(failed);
      await this.#database.settle();
    }
  }

  async nodes(): Promise<RenditionNode[]> {
    const rows = await this.#database.queries
      .selectFrom('renditionNodes')
      .select(['node', 'formats'])
      .where('seenAt', '>', sql<number>`${this.#database.dialect.now()} - ${sql.lit(NODE_MS)}`)
      .orderBy('node')
      .execute();
    return rows.map(({ node, formats }) => ({ node, formats: parseStored<string[]>(formats) }));
  }

  async #missing(names: readonly RenditionName[]): Promise<RenditionName[]> {
    return this.#database.queries
      .selectFrom(nameRows(this.#database.dialect, 'given', names))
      .select(['given.audioKey', 'given.kind', 'given.variant'])
      .distinct()
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('renditions')
              .select('renditions.audioKey')
              .whereRef('renditions.audioKey', '=', 'given.audioKey')
              .whereRef('renditions.kind', '=', 'given.kind')
              .whereRef('renditions.variant', '=', 'given.variant'),
          ),
        ),
      )
      .execute();
  }

  #requeue(failed: readonly RenditionName[]): Promise<number> {
    return this.#database.apart(async (queries) => {
      const { numUpdatedRows } = await queries
        .updateTable('renditions')
        .from(nameRows(this.#database.dialect, 'given', failed))
        .set({
          state: 'queued',
          attempts: 0,
          error: null,
          updatedAt: sql<number>`${this.#database.dialect.now()}`,
        })
        .whereRef('renditions.audioKey', '=', 'given.audioKey')
        .whereRef('renditions.kind', '=', 'given.kind')
        .whereRef('renditions.variant', '=', 'given.variant')
        .where('renditions.state', '=', 'failed')
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    });
  }
}

type Row = Omit<Rendition, 'file'> & { mediaKey: string | null; size: number | null };

function toRendition({ mediaKey, size, ...rendition }: Row): Rendition {
  return { ...rendition, file: mediaKey === null ? null : { mediaKey, sizeBytes: size! } };
}
