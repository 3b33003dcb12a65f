import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { availabilityAt, isAvailable, parseAvailability } from '../../availability/availability.ts';
import type { StoredCredit } from '../../catalog/store/references.ts';
import type { LicensableTrack } from '../quote.ts';

/** Returns the live ones of these tracks that are available at a moment, by id. */
export async function licensableTracks(
  queries: Queries,
  { isOneOf }: SqlDialect,
  ids: readonly string[],
  now: number,
): Promise<Map<string, LicensableTrack>> {
  const rows = await queries
    .selectFrom('tracks')
    .select(['id', 'slug', 'name', 'type', 'region', 'isrc', 'artists', 'filters', 'availability'])
    .where(({ ref }) => isOneOf(ref('id'), ids))
    .where('state', '=', 'live')
    .execute();
  const tracks = rows.flatMap(({ availability: entries, ...row }) => {
    const availability = availabilityAt(parseAvailability(entries), now);
    // Its period may have ended before the track was switched.
    if (!isAvailable(availability)) return [];
    return [
      {
        ...row,
        territories: availability.territories,
        // The sort is stable, so the others keep their order.
        artists: parseStored<StoredCredit[]>(row.artists).toSorted((a, b) => +b[2] - +a[2]),
        filters: parseStored<number[]>(row.filters),
      },
    ];
  });
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
