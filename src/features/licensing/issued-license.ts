import type { Mode } from '../../common/caller/scopes.ts';
import { StaveError } from '../../common/errors.ts';
import type { CertificateClaims, CertifiedLicense, CertifiedTrack } from './certificate.ts';
import type { Buyer } from './quote.ts';

/** Who gets a license. The email is in no certificate. */
export interface Licensee {
  name: string;
  /** ISO 3166-1. */
  country: string;
  email?: string;
}

/** What a license says for good, as it is stored. */
export interface LicenseTerms
  extends Pick<
    CertifiedLicense,
    'project' | 'media' | 'territories' | 'exclusive' | 'termsVersion' | 'termsUrl'
  > {
  quoteId: string;
  licensee: Licensee;
  /** The decimals of the currency, as in the quote. Absent in licenses of versions that did not store it. */
  minorUnit?: number;
  /** In the order of the quote, with what each costs. */
  tracks: readonly (CertifiedTrack & { amountMinor: number })[];
}

/** The states of a license. */
export const LICENSE_STATES = ['scheduled', 'active', 'expired', 'revoked'] as const;
/** The state of a license at a time: before, within or after its term, or revoked. */
export type LicenseState = (typeof LICENSE_STATES)[number];

/** A license that was sold through the API. Times are in milliseconds since the epoch. */
export interface IssuedLicense extends Buyer {
  number: string;
  terms: LicenseTerms;
  /** The compact JWS. */
  certificate: string;
  amountMinor: number;
  currency: string;
  issuedAt: number;
  startsAt: number;
  /** Null if it does not end. */
  endsAt: number | null;
  revokedAt: number | null;
  /** The reason of the revocation. */
  reason: string | null;
}

/** A license, with the ids of those of its tracks that were taken down. */
export interface LicenseView extends IssuedLicense {
  takenDown: ReadonlySet<string>;
}

/** The request for a license. */
export interface LicenseRequest {
  quoteId: string;
  termsVersion: string;
  licensee: Licensee;
}

/** Which licenses to read. Each member that is given restricts them. */
export interface LicenseFilter {
  status?: LicenseState | undefined;
  trackId?: string | undefined;
}

/** The same for the operator. */
export interface OperatorLicenseFilter extends LicenseFilter {
  clientId?: string | undefined;
  mode?: Mode | undefined;
  /** The first and the last moment of `issuedAt`, in milliseconds since the epoch. */
  from?: number | undefined;
  to?: number | undefined;
  /** How the number begins, in upper case. */
  numberPrefix?: string | undefined;
}

/** Returns the certificate of a license that is being issued. */
export type Certify = (
  license: Pick<IssuedLicense, 'number' | 'mode' | 'terms' | 'issuedAt' | 'startsAt' | 'endsAt'>,
) => string | Promise<string>;

/** The result of a request for a license. */
export interface Issue {
  license: LicenseView;
  /** False if the license was issued before. */
  isNew: boolean;
  /** The time of the request by which it was judged, in milliseconds since the epoch. */
  now: number;
}

/** The error for a license that a client does not have. */
export function unknownLicense(): StaveError {
  return new StaveError('not_found', 'You have no license with this number.');
}

/** Returns the state of a license at a time. */
export function licenseState(
  { startsAt, endsAt, revokedAt }: Pick<IssuedLicense, 'startsAt' | 'endsAt' | 'revokedAt'>,
  now: number,
): LicenseState {
  if (revokedAt !== null) return 'revoked';
  if (now < startsAt) return 'scheduled';
  return endsAt !== null && endsAt <= now ? 'expired' : 'active';
}

/** Returns the claims of the certificate of a license. */
export function claimsOf(
  {
    number,
    mode,
    terms,
    issuedAt,
    startsAt,
    endsAt,
  }: Pick<IssuedLicense, 'number' | 'mode' | 'terms' | 'issuedAt' | 'startsAt' | 'endsAt'>,
  issuer: string,
): CertificateClaims {
  const { licensee, project, media, territories, exclusive, termsVersion, termsUrl } = terms;
  return {
    iss: issuer,
    jti: number,
    sub: licensee.name,
    iat: seconds(issuedAt),
    nbf: seconds(startsAt),
    ...(endsAt !== null && { exp: seconds(endsAt) }),
    mode,
    license: {
      number,
      licensee: { name: licensee.name, country: licensee.country },
      project,
      media,
      territories,
      exclusive,
      startsAt: new Date(startsAt).toISOString(),
      endsAt: isoOrNull(endsAt),
      tracks: terms.tracks.map(({ amountMinor: _, ...track }) => track),
      termsVersion,
      termsUrl,
    },
  };
}

/**
 * Returns a license as JSON (docs/contract/licensing.md#licenses).
 *
 * @param base of the URLs, without a trailing slash
 */
export function shownLicense(license: LicenseView, { now, base }: { now: number; base: string }) {
  const { number, mode, terms, startsAt, endsAt, takenDown } = license;
  const url = `${base}/v1/licenses/${number}`;
  return {
    number,
    status: licenseState(license, now),
    mode,
    quoteId: terms.quoteId,
    licensee: terms.licensee,
    project: terms.project,
    media: terms.media,
    territories: terms.territories,
    exclusive: terms.exclusive,
    startsAt: new Date(startsAt).toISOString(),
    endsAt: isoOrNull(endsAt),
    tracks: terms.tracks.map(({ amountMinor: _, ...track }) => ({
      ...track,
      takenDown: takenDown.has(track.trackId),
    })),
    amountMinor: license.amountMinor,
    currency: license.currency,
    termsVersion: terms.termsVersion,
    termsUrl: terms.termsUrl,
    issuedAt: new Date(license.issuedAt).toISOString(),
    certificate: license.certificate,
    pdfUrl: `${url}/certificate.pdf`,
    verifyUrl: `${url}/verify`,
  };
}

function seconds(at: number): number {
  return Math.floor(at / 1000);
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
