import { sql } from 'kysely';
import type { Mode } from '../../access/client.ts';
import type { TrackUse } from '../../catalog/track-references.ts';
import { DAY_MS } from '../../common/clock.ts';
import type { Queries, SqlDialect } from './database.ts';

/**
 * Returns what a client has reported of a track in a mode. Reads one entry of an index for each day since its first
 * report.
 */
export async function useOfTrack(
  queries: Queries,
  dialect: SqlDialect,
  { trackId, clientId, mode }: { trackId: string; clientId: string; mode: Mode },
): Promise<TrackUse> {
  const none = { events: 0, lastOccurredAt: null };
  const tracks = await queries
    .selectFrom('usageTracks')
    .select('trackRowId')
    .where('id', '=', trackId)
    .execute();
  const source = await queries
    .selectFrom('usageSources')
    .select('rowId')
    .where('clientId', '=', clientId)
    .where('mode', '=', mode)
    .executeTakeFirst();
  if (tracks.length === 0 || source === undefined) return none;
  const daysOf = queries.selectFrom('usageDays').where('sourceRowId', '=', source.rowId);
  const end = (direction: 'asc' | 'desc') =>
    daysOf.select('day').orderBy('day', direction).limit(1).executeTakeFirst();
  const [first, last] = [await end('asc'), await end('desc')];
  if (first === undefined || last === undefined) return none;
  const days = Array.from({ length: last.day - first.day + 1 }, (_, n) => first.day + n);
  const rowIds = tracks.map(({ trackRowId }) => trackRowId);
  return daysOf
    .select([
      sql<number>`cast(coalesce(sum(events), 0) AS bigint)`.as('events'),
      // A day that only an earlier version has written has no time: its beginning stands for it.
      sql<number | null>`max(coalesce(${sql.ref('lastOccurredAt')}, day * ${sql.lit(DAY_MS)}))`.as(
        'lastOccurredAt',
      ),
    ])
    .where(({ ref }) => dialect.isOneOf(ref('day'), days))
    .where(({ ref }) => dialect.isOneOf(ref('trackRowId'), rowIds))
    .executeTakeFirstOrThrow();
}
