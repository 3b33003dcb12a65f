import type { WriteContext } from '../../../common/caller.ts';
import { coversTerritory, type RegionGroup } from '../../../common/codes.ts';
import type { Queries, SqlDialect, WriteTransaction } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import {
  newLicense,
  requireSameRequest,
  requireSpendable,
  startOf,
  tracksForSale,
} from '../issue-license.ts';
import type { Certify, IssuedLicense, LicenseRequest } from '../issued-license.ts';
import { SOLD_PREFIX } from '../license.ts';
import { type LicensableTrack, occupationOf, type Quote } from '../quote.ts';
import { groupsOfStoredCard } from '../rate-card-file.ts';
import { collisionsOf, ENDLESS, licensableTracks } from './licensable-tracks.ts';
import { licenseOf, licensesLike, selectLicenses } from './license-queries.ts';
import { findQuote } from './quote-store.ts';
import { spendableBy } from './spending.ts';

const TRACK_COLUMNS = {
  licenseRowId: 'integer',
  position: 'integer',
  trackId: 'text',
  exclusive: 'boolean',
  mode: 'text',
  occupiedUntil: 'integer',
} as const;

/**
 * Implements `IssuedLicenseStore.issue` within the transaction of the request, under the write lock.
 */
export async function issueLicense(
  { queries, log }: WriteTransaction,
  dialect: SqlDialect,
  { actor, clientId, mode, by }: Omit<WriteContext, 'finish'>,
  request: LicenseRequest,
  { certify, now }: { certify: Certify; now: number },
): Promise<{ license: IssuedLicense; isNew: boolean }> {
  const buyer = { clientId, mode };
  const { rowId, quote } = await findQuote(queries, request.quoteId, buyer);
  if (quote.licenseNumber !== null) {
    const row = await selectLicenses(licensesLike(queries, { now }))
      .where('number', '=', quote.licenseNumber)
      .executeTakeFirstOrThrow();
    const license = licenseOf(row);
    requireSameRequest(license, request);
    return { license, isNew: false };
  }
  const startsAt = startOf(quote, request, now);
  const ids = quote.terms.items.map(({ trackId }) => trackId);
  const live = await licensableTracks(queries, dialect, ids, now);
  const groups = await neededGroups(queries, quote, rowId, [...live.values()]);
  const collided = await collisionsOf(queries, dialect, {
    trackIds: [...live.keys()],
    use: occupationOf(quote.terms, startsAt),
    ...{ buyer, now },
  });
  const tracks = tracksForSale(quote, live, collided, groups);
  requireSpendable(quote.terms, await spendableBy(queries, buyer, now));
  const count = await nextCount(queries, mode, new Date(now).getUTCFullYear());
  const license = newLicense(quote, request, tracks, { now, startsAt, count, by });
  const certified = { ...license, certificate: certify(license) };
  await storeLicense(queries, dialect, certified, rowId);
  await log('license', [['created', license.number]], { actor, clientId, mode });
  return { license: certified, isNew: true };
}

/** Reads the groups of the rate card of a quote only if the region of a track needs one: a card has up to a mebibyte. */
async function neededGroups(
  queries: Queries,
  { terms: { territories } }: Quote,
  quoteRowId: number,
  tracks: readonly LicensableTrack[],
): Promise<readonly RegionGroup[]> {
  const isCovered = ({ region }: LicensableTrack) =>
    territories.every((territory) => coversTerritory(region, territory, []));
  if (tracks.every(isCovered)) return [];
  const { document } = await queries
    .selectFrom('quotes')
    .innerJoin('rateCards', 'rateCards.rowId', 'quotes.rateCardRowId')
    .select('rateCards.document')
    .where('quotes.rowId', '=', quoteRowId)
    .executeTakeFirstOrThrow();
  return groupsOfStoredCard(document);
}

/** Counts one more license of the mode in a year, and returns how many there are. */
async function nextCount(queries: Queries, mode: Quote['mode'], year: number): Promise<number> {
  const { last } = await queries
    .insertInto('licenseCounters')
    .values({ mode, year, last: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['mode', 'year'])
        .doUpdateSet(({ eb }) => ({ last: eb('licenseCounters.last', '+', 1) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}

async function storeLicense(
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

/** Stores the use by which another license may collide with this one. */
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
  const rows = tracks.map(({ trackId }, position) => ({
    ...{ licenseRowId, position, trackId, exclusive, mode },
    occupiedUntil: endsAt ?? ENDLESS,
  }));
  await insertRows(queries, dialect, 'issuedLicenseTracks', TRACK_COLUMNS, rows).execute();
}

/** Adds a row to `licenses` for each track that is in the catalog, for the ranking of popularity. */
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
