import { csvRow } from '../../common/text/csv.ts';
import type { IssuedLicense } from './issued-license.ts';

const COLUMNS = [
  'Number',
  'Mode',
  'ClientId',
  'IssuedAt',
  'StartsAt',
  'EndsAt',
  'RevokedAt',
  'RevocationReason',
  'Licensee',
  'LicenseeCountry',
  'Project',
  'ProjectReference',
  'ProductionId',
  'Media',
  'Territories',
  'Exclusive',
  'TermsVersion',
  'TrackId',
  'Title',
  'Artists',
  'ISRC',
  'AmountMinor',
  'Currency',
] as const;

/**
 * Returns licenses as CSV (RFC 4180) with a heading: one row for each license and track, with what the track costs in
 * minor units of the currency. Lists are separated by spaces, and artists by semicolons. What is unknown is empty.
 */
export async function* licenseCsv(licenses: AsyncIterable<IssuedLicense>): AsyncIterable<string> {
  yield csvRow(COLUMNS);
  for await (const license of licenses) yield rowsOf(license);
}

function rowsOf({ terms, ...license }: IssuedLicense): string {
  const { project, licensee } = terms;
  return terms.tracks
    .map((track) =>
      csvRow([
        license.number,
        license.mode,
        license.clientId,
        shown(license.issuedAt),
        shown(license.startsAt),
        shown(license.endsAt),
        shown(license.revokedAt),
        license.reason,
        licensee.name,
        licensee.country,
        project.name,
        project.reference,
        project.productionId,
        terms.media.join(' '),
        terms.territories.join(' '),
        terms.exclusive ? 'yes' : 'no',
        terms.termsVersion,
        track.trackId,
        track.name,
        track.artists.join('; '),
        track.isrc,
        track.amountMinor,
        license.currency,
      ]),
    )
    .join('');
}

function shown(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
