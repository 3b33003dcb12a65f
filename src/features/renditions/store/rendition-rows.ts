import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { extensionOf } from '../../../engines/blobs/content-types.ts';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import type { RenditionName } from '../rendition.ts';

/** Conditions with the text of the partial indexes. With a parameter, the index would not be used. */
export const IS_QUEUED = sql<SqlBool>`state = 'queued'`;
export const IS_RUNNING = sql<SqlBool>`state = 'running'`;
export const IS_FAILED = sql<SqlBool>`state = 'failed'`;

/**
 * The table of the jobs. All of them have the columns that jobs need. In queries, the others have the alias of the first
 * one, so that all conditions are the same.
 */
export type JobTable = 'renditions' | 'soundJobs' | 'streams';
type Jobs = 'renditions';

export function jobsOf(table: JobTable): Jobs {
  return table === 'renditions' ? table : (`${table} as renditions` as Jobs);
}

/** The priority of jobs that nobody requested. The priority of others is the time of the last request. */
export const BACKGROUND = 0;

/** Whether a live track needs the rendition: it names the audio, and nothing was imported instead. */
export const isNeeded = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'renditions'>) =>
  exists(
    selectFrom('tracks')
      .select('tracks.rowId')
      .whereRef('tracks.audioKey', '=', 'renditions.audioKey')
      .where('tracks.state', '=', 'live')
      .where(
        sql<SqlBool>`CASE renditions.kind WHEN 'preview' THEN tracks.preview_key IS NULL
          AND renditions.variant = coalesce(CAST(tracks.preview_start AS text), '')
          WHEN 'analysis' THEN true WHEN 'stream' THEN true ELSE tracks.waveform_key IS NULL END`,
      ),
  );

/** Whether neither a track names the audio of a row, nor the former content of a track. */
export const isUnnamed =
  (of: 'renditions' | 'sounds') =>
  ({
    and,
    not,
    exists,
    selectFrom,
  }: Pick<ExpressionBuilder<Tables, never>, 'and' | 'not' | 'exists' | 'selectFrom'>) =>
    and(
      (['tracks', 'formerTracks'] as const).map((table) =>
        not(
          exists(
            selectFrom(table)
              .select(`${table}.audioKey`)
              .where(`${table}.audioKey`, '=', sql.ref<string>(`${of}.audioKey`)),
          ),
        ),
      ),
    );

const NAME_TYPES = { audioKey: 'text', kind: 'text', variant: 'text' } as const;

export function nameRows<Alias extends string>(
  dialect: SqlDialect,
  alias: Alias,
  names: readonly RenditionName[],
) {
  const rows = names.map(({ audioKey, kind, variant }) => ({ audioKey, kind, variant }));
  return dialect.rows(alias, NAME_TYPES, rows);
}

/**
 * Inserts queued renditions in the order of their key, so that no two such queries wait for each other. Conflicts with
 * renditions that exist.
 */
export function insertQueued(
  queries: Queries,
  dialect: SqlDialect,
  names: readonly RenditionName[],
  { priority, table = 'renditions' }: { priority: RawBuilder<number>; table?: JobTable },
) {
  const rows = names
    .map(({ audioKey, kind, variant }) => {
      return { audioKey, kind, variant, format: extensionOf(audioKey) };
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const given = dialect.rows('given', { ...NAME_TYPES, format: 'text' }, rows);
  const now = dialect.now();
  return queries
    .insertInto(table as Jobs)
    .columns([
      ...(['audioKey', 'kind', 'variant', 'format'] as const),
      ...(['state', 'attempts', 'priority', 'updatedAt'] as const),
    ])
    .expression(({ selectFrom }) =>
      selectFrom(given)
        .select(['given.audioKey', 'given.kind', 'given.variant', 'given.format'])
        .select([
          sql<'queued'>`'queued'`.as('state'),
          sql<number>`0`.as('attempts'),
          priority.as('priority'),
          sql<number>`${now}`.as('updatedAt'),
        ])
        // Without a condition, SQLite parses ON CONFLICT as a part of a join.
        .where(sql<SqlBool>`true`),
    );
}

function keyOf({ audioKey, kind, variant }: RenditionName): string {
  return `${audioKey} ${kind} ${variant}`;
}

export function updateNamed(
  queries: Queries,
  dialect: SqlDialect,
  { names, jobs }: { names: readonly RenditionName[]; jobs: Jobs },
) {
  return queries
    .updateTable(jobs)
    .from(nameRows(dialect, 'given', names))
    .whereRef('renditions.audioKey', '=', 'given.audioKey')
    .whereRef('renditions.kind', '=', 'given.kind')
    .whereRef('renditions.variant', '=', 'given.variant');
}
