import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type {
  IssuedLicense,
  LicenseTerms,
  LicenseView,
  OperatorLicenseFilter,
} from '../issued-license.ts';
import { fixtureTrack } from '../quote.ts';

const COLUMNS = [
  'issuedLicenses.rowId',
  'issuedLicenses.number',
  'issuedLicenses.clientId',
  'issuedLicenses.mode',
  'issuedLicenses.document',
  'issuedLicenses.certificate',
  'issuedLicenses.amountMinor',
  'issuedLicenses.currency',
  'issuedLicenses.issuedAt',
  'issuedLicenses.startsAt',
  'issuedLicenses.endsAt',
  'issuedLicenses.revokedAt',
  'issuedLicenses.reason',
] as const;

export function licensesLike(queries: Queries, filter: OperatorLicenseFilter & { now: number }) {
  const { clientId, mode, status, trackId, from, to, numberPrefix, now } = filter;
  let query = queries.selectFrom('issuedLicenses');
  if (clientId !== undefined) query = query.where('clientId', '=', clientId);
  if (mode !== undefined) query = query.where('mode', '=', mode);
  if (from !== undefined) query = query.where('issuedAt', '>=', from);
  if (to !== undefined) query = query.where('issuedAt', '<=', to);
  if (numberPrefix !== undefined) {
    // A number has no greater character than Z. Unlike LIKE, this reads a part of the index.
    query = query.where('number', '>=', numberPrefix).where('number', '<', `${numberPrefix}~`);
  }
  if (trackId !== undefined) {
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('issuedLicenseTracks')
          .select('position')
          .where('trackId', '=', trackId)
          .whereRef('licenseRowId', '=', 'issuedLicenses.rowId'),
      ),
    );
  }
  if (status === undefined) return query;
  if (status === 'revoked') return query.where('revokedAt', 'is not', null);
  query = query.where('revokedAt', 'is', null);
  if (status === 'scheduled') return query.where('startsAt', '>', now);
  query = query.where('startsAt', '<=', now);
  if (status === 'expired') return query.where('endsAt', '<=', now);
  return query.where(({ or, eb }) => or([eb('endsAt', 'is', null), eb('endsAt', '>', now)]));
}

export function selectLicenses(query: ReturnType<typeof licensesLike>) {
  return query.select(COLUMNS);
}

export type LicenseRow = Awaited<ReturnType<ReturnType<typeof selectLicenses>['execute']>>[number];

export function licenseOf({ rowId: _, document, ...license }: LicenseRow): IssuedLicense {
  return { ...license, terms: parseStored<LicenseTerms>(document) };
}

/** Adds the ids of tracks that were taken down or removed. */
export async function viewsOf(
  queries: Queries,
  { isOneOf }: SqlDialect,
  licenses: readonly IssuedLicense[],
): Promise<LicenseView[]> {
  const trackIds = licenses.flatMap(({ terms }) => terms.tracks.map(({ trackId }) => trackId));
  const live = await queries
    .selectFrom('tracks')
    .select('id')
    .where(({ ref }) => isOneOf(ref('id'), [...new Set(trackIds)]))
    .where('state', '=', 'live')
    .execute();
  const isLive = new Set(live.map(({ id }) => id));
  return licenses.map((license) => ({
    ...license,
    takenDown: new Set(
      license.terms.tracks
        .map(({ trackId }) => trackId)
        .filter((id) => !isLive.has(id) && fixtureTrack(id, license.mode) === undefined),
    ),
  }));
}
