import { sql } from 'kysely';
import type { Mode } from '../../../common/caller.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import type { TrackUse } from '../usage.ts';
import { rowIdsOf, sourceOf, usedDays } from './usage-days.ts';

/**
 * Reads two entries of an index for each day on which the client has reported anything.
 */
export async function useOfTrack(
  database: SqlDatabase,
  { trackId, clientId, mode }: { trackId: string; clientId: string; mode: Mode },
): Promise<TrackUse> {
  const use: TrackUse = { events: 0, lastOccurredAt: null };
  const tracks = await rowIdsOf(database.aside, trackId);
  const source = await sourceOf(database.aside, { clientId, mode });
  if (tracks.length === 0 || source === undefined) return use;
  for await (const days of usedDays(database.aside, source)) {
    const { events, lastOccurredAt } = await usedOn(database, source, tracks, days);
    use.events += events;
    use.lastOccurredAt = lastOccurredAt ?? use.lastOccurredAt;
  }
  return use;
}

function usedOn(
  { aside, dialect }: SqlDatabase,
  source: number,
  tracks: readonly number[],
  days: readonly number[],
): Promise<TrackUse> {
  return aside
    .selectFrom('usageDays')
    .select([
      sql<number>`cast(coalesce(sum(events), 0) AS bigint)`.as('events'),
      sql<number | null>`max(${sql.ref('lastOccurredAt')})`.as('lastOccurredAt'),
    ])
    .where('sourceRowId', '=', source)
    .where(({ ref }) => dialect.isOneOf(ref('day'), days))
    .where(({ ref }) => dialect.isOneOf(ref('trackRowId'), tracks))
    .executeTakeFirstOrThrow();
}
