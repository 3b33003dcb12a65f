import { type SqlBool, sql } from 'kysely';
import { type ChangeEntity, StaleVersion } from '../change-log/change-log.ts';
import type { Queries, SqlDatabase, WriteTransaction } from './database.ts';
import { CREATIONS, TAKEDOWNS } from './migrations/first-schema/catalog.ts';

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
          for (const [kind, id] of changes) {
            await refuseLater(transaction.queries, { entity, kind, id, seq });
          }
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

/**
 * Throws StaleVersion if a change of this entity with a greater `seq` was logged. For a write that changes the state of a
 * track, only other states count.
 */
async function refuseLater(
  queries: Queries,
  { entity, kind, id, seq }: { entity: ChangeEntity; kind: string; id: string; seq: number },
): Promise<void> {
  const later = queries.selectFrom('changeLog').select('entityId').where('seq', '>', seq);
  const ofId = later.where('entityId', '=', id);
  const sameEntity = () => {
    // By an index: an import may have updated a million tracks meanwhile. It lacks creations.
    if (entity === 'track' && kind === 'updated') {
      const isIndexed = sql<SqlBool>`NOT (${sql.raw(CREATIONS)})`;
      return ofId.where(sql<SqlBool>`substr(entity_id, 29) = substr(${id}, 29) AND ${isIndexed}`);
    }
    if (entity === 'track') return ofId.where(sql<SqlBool>`${sql.raw(TAKEDOWNS)}`);
    // Each version of a rate card has an id of its own.
    return (entity === 'rate_card' ? later : ofId).where('entity', '=', entity);
  };
  const rows = await sameEntity().execute();
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
