import { type SqlBool, sql } from 'kysely';
import { isUuid } from '../../../common/ids.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { CREATIONS } from '../../../engines/sql/migrations/first-schema/catalog.ts';

/** A track as a request named it. */
export interface NamedTrack {
  rowId: number;
  id: string;
  isLive: boolean;
}

/** Returns the track of each name, a slug or an id in any case; undefined if there is none. */
export async function tracksNamed(
  queries: Queries,
  { isOneOf }: SqlDialect,
  names: readonly string[],
): Promise<(NamedTrack | undefined)[]> {
  const keys = names.map((name) => name.toLowerCase());
  const select = (column: 'id' | 'slug', values: readonly string[]) =>
    values.length === 0
      ? []
      : queries
          .selectFrom('tracks')
          .select(['rowId', 'id', 'state', `${column} as key`])
          .where(({ ref }) => isOneOf(ref(column), values))
          .execute();
  const rows = [
    ...(await select('id', keys.filter(isUuid))),
    ...(await select(
      'slug',
      keys.filter((key) => !isUuid(key)),
    )),
  ];
  const byKey = new Map(
    rows.map(({ key, rowId, id, state }) => [key, { rowId, id, isLive: state === 'live' }]),
  );
  return keys.map((key) => byKey.get(key));
}

/**
 * Returns a row id that divides the tracks that were created by changes up to a `seq` from later ones; undefined if all
 * present tracks were created by then. Returns 0, which no track has, if the log no longer has the changes after `seq`.
 * Reads the creations that the log has of removed tracks, if these are the last before `seq`. A track that was removed and
 * delivered again is created by the last of its creations.
 */
export async function greatestCreated(
  { aside }: Pick<SqlDatabase, 'aside'>,
  seq: number,
): Promise<number | undefined> {
  const before = created(aside).where('seq', '<=', seq).orderBy('seq', 'desc');
  const last = await before.executeTakeFirst();
  if (last !== undefined) return last.rowId;
  const floor = await aside.selectFrom('changeLogFloor').select('seq').executeTakeFirstOrThrow();
  if (seq < floor.seq) return 0;
  // The creations up to `seq` have expired. They precede all that the log has.
  const next = await created(aside).orderBy('seq').executeTakeFirst();
  return next && next.rowId - 1;
}

/** Returns the greatest row id of a track, or 0. Later tracks have greater ones. */
export async function lastTrack(queries: Queries): Promise<number> {
  const { last } = await queries
    .selectFrom('tracks')
    .select(({ fn }) => fn.max<number | null>('rowId').as('last'))
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/**
 * One creation of a track that still exists. An earlier one of the same id is of a track that was removed with its source:
 * it is older than the track.
 */
function created(queries: Queries) {
  return queries
    .selectFrom('changeLog')
    .innerJoin('tracks', 'tracks.id', 'changeLog.entityId')
    .select('tracks.rowId')
    .whereRef('changeLog.at', '>=', 'tracks.createdAt')
    .where(sql<SqlBool>`${sql.raw(CREATIONS)}`)
    .limit(1);
}
