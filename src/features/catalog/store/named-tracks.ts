import { isUuid } from '../../../common/ids.ts';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';

/** A track as a request named it. */
export interface NamedTrack {
  rowId: number;
  id: string;
  isLive: boolean;
}

/** Returns the track of each name, a slug or an id in any case; undefined if there is none. Any number of names. */
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
