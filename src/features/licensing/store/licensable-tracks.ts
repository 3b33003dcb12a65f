import type { QueryCreator } from 'kysely';
import type { ClientMode } from '../../../common/caller.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import { availabilityAt, isAvailable, parseAvailability } from '../../availability/availability.ts';
import { provenanceOf } from '../../catalog/provenance.ts';
import type { StoredCredit } from '../../catalog/store/references.ts';
import { SHOWN_PROVENANCE } from '../../catalog/store/shown-provenance.ts';
import type { LicensableTrack, Occupation } from '../quote.ts';

/** Returns the tracks of these ids that are live, and available at a time, by id. */
export async function licensableTracks(
  queries: Queries,
  { isOneOf }: SqlDialect,
  ids: readonly string[],
  now: number,
): Promise<Map<string, LicensableTrack>> {
  const rows = await queries
    .selectFrom('tracks')
    .select(['id', 'slug', 'name', 'type', 'region', 'isrc', 'artists', 'filters', 'availability'])
    .select(SHOWN_PROVENANCE)
    .where(({ ref }) => isOneOf(ref('id'), ids))
    .where('state', '=', 'live')
    .execute();
  const tracks = rows.flatMap(({ availability: entries, ...found }) => {
    const { ai, aiParts, trainingAllowed, provenanceStatement, ...row } = found;
    const availability = availabilityAt(parseAvailability(entries), now);
    // Its period may have ended before the track was switched.
    if (!isAvailable(availability)) return [];
    // The sort is stable, so the others keep their order.
    const credits = parseStored<StoredCredit[]>(row.artists).sort((a, b) => +b[2] - +a[2]);
    const artists = credits.map(([rowId]) => rowId);
    const filters = parseStored<number[]>(row.filters);
    const provenance = provenanceOf({ ai, aiParts, trainingAllowed, provenanceStatement });
    return [{ ...row, provenance, territories: availability.territories, artists, filters }];
  });
  const artistRowIds = new Set(tracks.flatMap(({ artists }) => artists));
  const artists = await queries
    .selectFrom('artists')
    .select(['rowId', 'name'])
    .where(({ ref }) => isOneOf(ref('rowId'), [...artistRowIds]))
    .execute();
  const filterRowIds = new Set(tracks.flatMap(({ filters }) => filters));
  const filters = await queries
    .selectFrom('filters')
    .select(['rowId', 'slug'])
    .where(({ ref }) => isOneOf(ref('rowId'), [...filterRowIds]))
    .execute();
  const names = new Map(artists.map(({ rowId, name }) => [rowId, name]));
  const slugs = new Map(filters.map(({ rowId, slug }) => [rowId, slug]));
  const known = (texts: ReadonlyMap<number, string>, rowIds: readonly number[]) =>
    new Set(rowIds.flatMap((rowId) => texts.get(rowId) ?? []));
  return new Map(
    tracks.map(({ artists: credited, filters: set, ...track }) => [
      track.id,
      { ...track, artists: [...known(names, credited)], filterSlugs: known(slugs, set) },
    ]),
  );
}

/** `occupiedUntil` of the tracks of a license that does not end. */
export const ENDLESS = Number.MAX_SAFE_INTEGER;
/** `occupiedUntil` of the tracks of a license that was revoked. */
export const REVOKED = 0;

/** The tracks of licenses that one statement may read in the thread that serves requests. They take 2 ms. */
const READ_AT_ONCE = 5_000;

interface CollisionSearch {
  trackIds: readonly string[];
  use: Occupation;
  buyer: ClientMode;
  /** In milliseconds since the epoch. */
  now: number;
}

/** Implements `QuoteStore.collisions`. Does not block other requests, however many licenses the tracks have. */
export async function collisionsAside(
  { queries, aside, dialect, blocksEventLoop }: SqlDatabase,
  search: CollisionSearch,
): Promise<ReadonlySet<string>> {
  const isLong = blocksEventLoop && (await hasMany(queries, dialect, search));
  return collisionsOf(isLong ? aside : queries, dialect, search);
}

/** Implements `QuoteStore.collisions` within a transaction. Reads a few short columns of licenses that have not ended. */
export async function collisionsOf(
  queries: Queries,
  dialect: SqlDialect,
  search: CollisionSearch,
): Promise<ReadonlySet<string>> {
  const { trackIds, use, buyer } = search;
  const { isOneOf, hasOneOf } = dialect;
  const client = await queries
    .selectFrom('clients')
    .select('account')
    .where('id', '=', buyer.clientId)
    .executeTakeFirst();
  const account = client?.account ?? null;
  const rows = await queries
    .with(
      (cte) => cte('held').materialized(),
      (db) => held(db, dialect, search).select('licenseRowId').distinct(),
    )
    .with(
      (cte) => cte('colliding').materialized(),
      (db) => {
        let query = db
          .selectFrom('held')
          .innerJoin('issuedLicenseUses as other', 'other.licenseRowId', 'held.licenseRowId')
          .leftJoin('clients as holder', 'holder.id', 'other.clientId')
          .select('other.licenseRowId')
          .where(({ ref }) => hasOneOf(ref('other.media'), use.media));
        if (!use.territories.includes('WORLD')) {
          const territories = ['WORLD', ...use.territories];
          query = query.where(({ ref }) => hasOneOf(ref('other.territories'), territories));
        }
        if (use.endsAt !== null) query = query.where('other.startsAt', '<', use.endsAt);
        if (buyer.mode === 'test') return query.where('other.clientId', '=', buyer.clientId);
        query = query.where('other.clientId', '<>', buyer.clientId);
        if (account === null) return query;
        return query.where(({ or, eb }) =>
          or([eb('holder.account', 'is', null), eb('holder.account', '<>', account)]),
        );
      },
    )
    .selectFrom('colliding')
    .innerJoin('issuedLicenseTracks as track', 'track.licenseRowId', 'colliding.licenseRowId')
    .select('track.trackId')
    .distinct()
    .where(({ ref }) => isOneOf(ref('track.trackId'), trackIds))
    .execute();
  return new Set(rows.map(({ trackId }) => trackId));
}

/** The tracks of licenses that may collide, by the columns of an index. */
function held(
  queries: QueryCreator<Tables>,
  { isOneOf }: SqlDialect,
  { trackIds, use, buyer, now }: CollisionSearch,
) {
  return queries
    .selectFrom('issuedLicenseTracks')
    .where(({ ref }) => isOneOf(ref('trackId'), trackIds))
    .where('mode', '=', buyer.mode)
    .where('exclusive', 'in', use.exclusive ? [true, false] : [true])
    .where('occupiedUntil', '>', Math.max(now, use.startsAt));
}

/** Whether a statement that reads all licenses of the tracks would delay other requests. */
async function hasMany(
  queries: Queries,
  dialect: SqlDialect,
  search: CollisionSearch,
): Promise<boolean> {
  const { count } = await queries
    .selectFrom(
      held(queries, dialect, search)
        .select('licenseRowId')
        .limit(READ_AT_ONCE + 1)
        .as('some'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count > READ_AT_ONCE;
}
