import { sql } from 'kysely';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import type { RenditionName, RenditionState } from '../rendition-store.ts';
import { BACKGROUND, IS_FAILED, IS_QUEUED, isNeeded, nameRows } from './rendition-rows.ts';

/** The number of renditions that one transaction queues, or whose pause it ends. */
const REQUEUE_SLICE = 500;

/** Implements `requeueFailed` of the store. */
export async function requeueFailed(database: SqlDatabase): Promise<number> {
  let requeued = 0;
  for (;;) {
    const failed = await database.queries
      .selectFrom('renditions')
      .select(['audioKey', 'kind', 'variant'])
      .where(IS_FAILED)
      .where(isNeeded)
      .orderBy('updatedAt')
      .limit(REQUEUE_SLICE)
      .execute();
    if (failed.length === 0) return requeued;
    requeued += await requeue(database, failed, 'failed');
    await database.settle();
  }
}

/** Implements `endPauses` of the store. */
export async function endPauses(database: SqlDatabase): Promise<void> {
  const { dialect } = database;
  const now = sql<number>`${dialect.now()}`;
  for (const format of await queuedFormats(database)) {
    for (;;) {
      const paused = await database.queries
        .selectFrom('renditions')
        .select(['audioKey', 'kind', 'variant'])
        .where(IS_QUEUED)
        .where('format', '=', format)
        .where('priority', '=', sql.lit(BACKGROUND))
        .where('updatedAt', '>', now)
        .limit(REQUEUE_SLICE)
        .execute();
      if (paused.length === 0) break;
      await database.apart((queries) =>
        queries
          .updateTable('renditions')
          .from(nameRows(dialect, 'given', paused))
          .set({ updatedAt: now })
          .whereRef('renditions.audioKey', '=', 'given.audioKey')
          .whereRef('renditions.kind', '=', 'given.kind')
          .whereRef('renditions.variant', '=', 'given.variant')
          .where('renditions.state', '=', 'queued')
          .execute(),
      );
      await database.settle();
    }
  }
}

/** Queues those that are in a state, as if they were new. */
export function requeue(
  database: SqlDatabase,
  names: readonly RenditionName[],
  from: RenditionState,
): Promise<number> {
  return database.apart(async (queries) => {
    const { numUpdatedRows } = await queries
      .updateTable('renditions')
      .from(nameRows(database.dialect, 'given', names))
      .set({
        state: 'queued',
        mediaKey: null,
        size: null,
        attempts: 0,
        postponements: 0,
        error: null,
        updatedAt: sql<number>`${database.dialect.now()}`,
      })
      .whereRef('renditions.audioKey', '=', 'given.audioKey')
      .whereRef('renditions.kind', '=', 'given.kind')
      .whereRef('renditions.variant', '=', 'given.variant')
      .where('renditions.state', '=', from)
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
}

/** Implements `queuedFormats` of the store. */
export async function queuedFormats(database: SqlDatabase): Promise<string[]> {
  const rows = await database.aside
    .selectFrom('renditions')
    .select('format')
    .where(IS_QUEUED)
    .distinct()
    .orderBy('format')
    .execute();
  return rows.map(({ format }) => format);
}
