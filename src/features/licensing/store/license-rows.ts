import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import type { IssuedLicense } from '../issued-license.ts';
import { SOLD_PREFIX } from '../license.ts';
import { ENDLESS } from './license-collisions.ts';

/** The columns of the tracks of a license, with their kinds. */
const TRACK_COLUMNS = {
  licenseRowId: 'integer',
  position: 'integer',
  trackId: 'text',
  exclusive: 'boolean',
  mode: 'text',
  occupiedUntil: 'integer',
} as const;
const TRACK_NAMES = Object.keys(TRACK_COLUMNS) as (keyof typeof TRACK_COLUMNS)[];

/** Stores a license that a quote has bought. */
export async function storeLicense(
  queries: Queries,
  dialect: SqlDialect,
  { terms, ...license }: IssuedLicense,
  quoteRowId: number,
): Promise<void> {
  const { rowId } = await queries
    .insertInto('issuedLicenses')
    .values({
      ...license,
      quoteRowId,
      document: JSON.stringify(terms),
      productionId: terms.project.productionId ?? null,
    })
    .returning('rowId')
    .executeTakeFirstOrThrow();
  await queries
    .updateTable('quotes')
    .set({ licenseRowId: rowId })
    .where('rowId', '=', quoteRowId)
    .execute();
  await occupy(queries, dialect, rowId, { terms, ...license });
  await count(queries, dialect, { terms, ...license });
}

/** Adds what decides whether another license collides with this one. */
async function occupy(
  queries: Queries,
  dialect: SqlDialect,
  licenseRowId: number,
  { terms, clientId, mode, startsAt, endsAt }: IssuedLicense,
): Promise<void> {
  const { exclusive, media, territories, tracks } = terms;
  await queries
    .insertInto('issuedLicenseUses')
    .values({
      ...{ licenseRowId, clientId, startsAt },
      media: JSON.stringify(media),
      territories: JSON.stringify(territories),
    })
    .execute();
  const given = dialect.rows(
    'given',
    TRACK_COLUMNS,
    tracks.map(({ trackId }, position) => ({
      ...{ licenseRowId, position, trackId, exclusive, mode },
      occupiedUntil: endsAt ?? ENDLESS,
    })),
  );
  await queries
    .insertInto('issuedLicenseTracks')
    .columns(TRACK_NAMES)
    .expression(({ selectFrom }) => selectFrom(given).select(TRACK_NAMES))
    .execute();
}

/** Adds a row for each track of the catalog, which determines popularity. */
async function count(
  queries: Queries,
  dialect: SqlDialect,
  { number, mode, issuedAt, clientId, terms }: IssuedLicense,
): Promise<void> {
  const given = dialect.rows(
    'given',
    { trackId: 'text', externalId: 'text' },
    terms.tracks.map(({ trackId }, position) => ({
      trackId,
      externalId: popularityId(number, position),
    })),
  );
  await queries
    .insertInto('licenses')
    .columns(['externalId', 'trackRowId', 'mode', 'licensedAt', 'clientId'])
    .expression(({ selectFrom, cast, val }) =>
      selectFrom(given)
        .innerJoin('tracks', 'tracks.id', 'given.trackId')
        .select(['given.externalId', 'tracks.rowId as trackRowId'])
        .select([
          cast<typeof mode>(val(mode), 'text').as('mode'),
          cast<number>(val(issuedAt), 'bigint').as('licensedAt'),
          cast<string>(val(clientId), 'text').as('clientId'),
        ]),
    )
    .execute();
}

/** Returns the id of the row of `licenses` of a track, by its place in the license. */
export function popularityId(number: string, position: number): string {
  return `${SOLD_PREFIX}${number}:${position + 1}`;
}
