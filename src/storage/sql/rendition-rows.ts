import { type SqlBool, sql } from 'kysely';
import { formatOf, type RenditionName } from '../../media/renditions/rendition-store.ts';
import type { Queries, SqlDialect } from './database.ts';

/** Conditions with the words of the partial indexes. A parameter in their place would prevent the use of the index. */
export const IS_QUEUED = sql<SqlBool>`state = 'queued'`;
export const IS_RUNNING = sql<SqlBool>`state = 'running'`;
export const IS_FAILED = sql<SqlBool>`state = 'failed'`;

/** The columns by which a rendition is found. */
const NAME_TYPES = { audioKey: 'text', kind: 'text', variant: 'text' } as const;

/** The names as a table of a query. */
export function nameRows<Alias extends string>(
  dialect: SqlDialect,
  alias: Alias,
  names: readonly RenditionName[],
) {
  const rows = names.map(({ audioKey, kind, variant }) => ({ audioKey, kind, variant }));
  return dialect.rows(alias, NAME_TYPES, rows);
}

/** Returns the query that inserts queued renditions. It conflicts with those that exist. */
export function insertQueued(
  queries: Queries,
  dialect: SqlDialect,
  names: readonly RenditionName[],
  priority: number,
) {
  const given = dialect.rows(
    'given',
    { ...NAME_TYPES, format: 'text' },
    names.map(({ audioKey, kind, variant }) => {
      return { audioKey, kind, variant, format: formatOf(audioKey) };
    }),
  );
  const now = dialect.now();
  return queries
    .insertInto('renditions')
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
          sql<number>`${sql.lit(priority)}`.as('priority'),
          sql<number>`${now}`.as('updatedAt'),
        ])
        // SQLite reads ON CONFLICT after a query without a condition as a part of a join.
        .where(sql<SqlBool>`true`),
    );
}
