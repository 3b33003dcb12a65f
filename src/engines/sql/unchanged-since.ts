import { type SqlBool, sql } from 'kysely';
import { type ChangeEntity, StaleVersion } from '../change-log/change-log.ts';
import type { Queries, SqlDatabase, WriteTransaction } from './database.ts';
import { TAKEDOWNS } from './migrations/first-schema/catalog.ts';

/**
 * Returns a database whose writes throw StaleVersion if an entity of which they log a change was changed after `seq`.
 * A write that logs nothing is not refused. A write may log each entity once.
 */
export function unchangedSince(database: SqlDatabase, seq: number): SqlDatabase {
  const { dialect, blocksEventLoop, queries, unflushed, aside } = database;
  return {
    ...{ dialect, blocksEventLoop, queries, unflushed, aside },
    view: (work) => database.view(work),
    write: (work, context) => {
      const guarded = (transaction: WriteTransaction) => {
        const log: WriteTransaction['log'] = async (entity, changes, cause) => {
          for (const [, id] of changes) await refuseLater(transaction.queries, { entity, id, seq });
          await transaction.log(entity, changes, cause);
        };
        return work({ ...transaction, log });
      };
      return database.write(guarded, context);
    },
    apart: (work, context) => database.apart(work, context),
    discard: (work) => database.discard(work),
    settle: () => database.settle(),
  };
}

/** Throws StaleVersion if a change of this entity with a greater `seq` was logged. */
async function refuseLater(
  queries: Queries,
  { entity, id, seq }: { entity: ChangeEntity; id: string; seq: number },
): Promise<void> {
  const later = queries.selectFrom('changeLog').select('entityId').where('seq', '>', seq);
  const ofId = later.where('entityId', '=', id);
  const rows =
    await // An import may have updated a million tracks meanwhile. Operators change only their states.
    (entity === 'track'
      ? ofId.where(sql<SqlBool>`${sql.raw(TAKEDOWNS)}`)
      : // Each version of a rate card has an id of its own.
        (entity === 'rate_card' ? later : ofId).where('entity', '=', entity)
    ).execute();
  const found = rows.find(({ entityId }) => nameOf(entityId) === nameOf(id));
  if (found === undefined) return;
  throw new StaleVersion(
    `The ${entity.replace('_', ' ')} was changed meanwhile, so nothing was saved.`,
    { entity, entityId: found.entityId },
  );
}

/** Returns what the versions of a rate card have in common. */
function nameOf(id: string): string {
  return id.split('@')[0]!;
}
