import type { LicensableTrack } from '../../licensing/quote.ts';
import type { StoredCredit } from '../references.ts';
import { parseStored } from '../stored-value.ts';
import type { Queries, SqlDialect } from './database.ts';

/** Returns the live ones of these tracks, by id. */
export async function licensableTracks(
  queries: Queries,
  { isOneOf }: SqlDialect,
  ids: readonly string[],
): Promise<Map<string, LicensableTrack>> {
  const rows = await queries
    .selectFrom('tracks')
    .select(['id', 'slug', 'name', 'type', 'region', 'isrc', 'artists', 'filters'])
    .where(({ ref }) => isOneOf(ref('id'), ids))
    .where('state', '=', 'live')
    .execute();
  const tracks = rows.map((row) => ({
    ...row,
    // The sort is stable, so the others keep their order.
    artists: parseStored<StoredCredit[]>(row.artists).toSorted((a, b) => +b[2] - +a[2]),
    filters: parseStored<number[]>(row.filters),
  }));
  const names = new Map(
    (
      await queries
        .selectFrom('artists')
        .select(['rowId', 'name'])
        .where(({ ref }) =>
          isOneOf(ref('rowId'), [
            ...new Set(tracks.flatMap(({ artists }) => artists.map(([rowId]) => rowId))),
          ]),
        )
        .execute()
    ).map(({ rowId, name }) => [rowId, name]),
  );
  const slugs = new Map(
    (
      await queries
        .selectFrom('filters')
        .select(['rowId', 'slug'])
        .where(({ ref }) =>
          isOneOf(ref('rowId'), [...new Set(tracks.flatMap(({ filters }) => filters))]),
        )
        .execute()
    ).map(({ rowId, slug }) => [rowId, slug]),
  );
  const known = (map: ReadonlyMap<number, string>, rowIds: readonly number[]) =>
    new Set(rowIds.flatMap((rowId) => map.get(rowId) ?? []));
  return new Map(
    tracks.map(({ artists, filters, ...track }) => [
      track.id,
      {
        ...track,
        artists: [
          ...known(
            names,
            artists.map(([rowId]) => rowId),
          ),
        ],
        filterSlugs: known(slugs, filters),
      },
    ]),
  );
}
