import { hash, randomBytes } from 'node:crypto';
import type { By, ClientMode, Mode } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';
import { CSV_MARK, csvTable } from '../../common/text/shown.ts';
import { isoOrNull } from '../../common/time.ts';
import { shownBy } from '../access/made-by.ts';
import type { CertificateClaims, CertifiedLicense, CertifiedTrack } from './certificate.ts';

/** Who gets a license. The email is in no certificate. */
export interface Licensee {
  name: string;
  /** ISO 3166-1. */
  country: string;
  email?: string;
}

/** The stored terms of a license. They never change. */
export interface LicenseTerms
  extends Pick<
    CertifiedLicense,
    'project' | 'media' | 'territories' | 'exclusive' | 'termsVersion' | 'termsUrl'
  > {
  quoteId: string;
  licensee: Licensee;
  /** Absent if the quote has none. In no certificate. */
  purchaseOrder?: string;
  /** The decimals of the currency, as in the quote. */
  minorUnit: number;
  /** Whether it includes stems and versions. Absent in licenses from before this could be sold. */
  parts?: boolean;
  /** Who bought it. Absent in licenses of before this was stored, which the client itself has bought. */
  by?: By;
  /** In the order of the quote, with what each costs. */
  tracks: readonly (CertifiedTrack & { amountMinor: number })[];
}

export const LICENSE_STATES = ['scheduled', 'active', 'expired', 'revoked'] as const;
export type LicenseState = (typeof LICENSE_STATES)[number];

/** A license that was sold through the API. Times are in milliseconds since the epoch. */
export interface IssuedLicense extends ClientMode {
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
  reason: string | null;
}

export interface LicenseView extends IssuedLicense {
  /** The ids of its tracks that were taken down. */
  takenDown: ReadonlySet<string>;
}

export interface LicenseRequest {
  quoteId: string;
  termsVersion: string;
  licensee: Licensee;
}

export interface LicenseFilter {
  status?: LicenseState | undefined;
  trackId?: string | undefined;
}

export interface OperatorLicenseFilter extends LicenseFilter {
  clientId?: string | undefined;
  mode?: Mode | undefined;
  /** The first and the last moment of `issuedAt`, in milliseconds since the epoch. */
  from?: number | undefined;
  to?: number | undefined;
  /** How the number begins, in upper case. */
  numberPrefix?: string | undefined;
}

/** What the licenses of a client cost in one currency. */
export interface Revenue {
  clientId: string;
  currency: string;
  licenses: number;
  amountMinor: number;
  /** How many of them were revoked, and what these cost. */
  revoked: number;
  revokedMinor: number;
}

/** Returns the certificate of a license. Synchronous, because a transaction awaits only its statements. */
export type Certify = (
  license: Pick<IssuedLicense, 'number' | 'mode' | 'terms' | 'issuedAt' | 'startsAt' | 'endsAt'>,
) => string;

export interface Issue {
  license: LicenseView;
  /** False if the license was issued before. */
  isNew: boolean;
  /** The time of the sale, in milliseconds since the epoch. */
  now: number;
}

export function unknownLicense(): StaveError {
  return new StaveError('not_found', 'You have no license with this number.');
}

export function licenseState(
  { startsAt, endsAt, revokedAt }: Pick<IssuedLicense, 'startsAt' | 'endsAt' | 'revokedAt'>,
  now: number,
): LicenseState {
  if (revokedAt !== null) return 'revoked';
  if (now < startsAt) return 'scheduled';
  return endsAt !== null && endsAt <= now ? 'expired' : 'active';
}

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
 * @param clientName the name of its client
 */
export function shownLicense(
  license: LicenseView,
  { now, base, clientName }: { now: number; base: string; clientName: string },
) {
  const { number, mode, terms, startsAt, endsAt } = license;
  const url = `${base}/v1/licenses/${number}`;
  return {
    number,
    status: licenseState(license, now),
    mode,
    quoteId: terms.quoteId,
    licensee: terms.licensee,
    project: terms.project,
    purchaseOrder: terms.purchaseOrder ?? null,
    media: terms.media,
    territories: terms.territories,
    exclusive: terms.exclusive,
    parts: terms.parts ?? false,
    startsAt: new Date(startsAt).toISOString(),
    endsAt: isoOrNull(endsAt),
    tracks: shownTracks(license),
    amountMinor: license.amountMinor,
    currency: license.currency,
    termsVersion: terms.termsVersion,
    termsUrl: terms.termsUrl,
    issuedAt: new Date(license.issuedAt).toISOString(),
    certificate: license.certificate,
    pdfUrl: `${url}/certificate.pdf`,
    verifyUrl: `${url}/verify`,
    by: shownBy(terms.by, clientName),
  };
}

function shownTracks({ terms, takenDown }: LicenseView) {
  return terms.tracks.map(({ amountMinor: _, ...track }) => ({
    ...track,
    takenDown: takenDown.has(track.trackId),
  }));
}

function seconds(at: number): number {
  return Math.floor(at / 1000);
}

/** Base32 of Crockford: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 40 bits, so that nobody can guess a number. */
const RANDOM_BYTES = 5;
const MIN_DIGITS = 6;

/**
 * Returns the number of a license, such as `2026-000123-7K2QX9MD`. Those of test licenses begin with `TEST-`.
 * @param count how many licenses the mode has in this year, with this one
 */
export function licenseNumber(mode: Mode, year: number, count: number): string {
  const prefix = mode === 'test' ? 'TEST-' : '';
  const counted = String(count).padStart(MIN_DIGITS, '0');
  return `${prefix}${year}-${counted}-${crockford(randomBytes(RANDOM_BYTES))}`;
}

/** Writes five bits of each group of five bytes as one character. */
function crockford(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < (bytes.length * 8) / 5; i++) {
    text = ALPHABET[Number(bits & 31n)]! + text;
    bits >>= 5n;
  }
  return text;
}

/** Whether a license may be relied on: a test license never is. */
export function isInForce(license: LicenseView, now: number): boolean {
  return license.mode === 'live' && licenseState(license, now) === 'active';
}

/**
 * Returns what anyone who knows the number of a license may know about it, as JSON: no price, no email address, and no
 * client (docs/contract/certificates.md#verify).
 *
 * @param now in milliseconds since the epoch
 */
export function shownVerification(license: LicenseView, now: number) {
  const { number, mode, terms, startsAt, endsAt } = license;
  const status = licenseState(license, now);
  return {
    number,
    valid: isInForce(license, now),
    status,
    mode,
    issuedAt: new Date(license.issuedAt).toISOString(),
    startsAt: new Date(startsAt).toISOString(),
    endsAt: isoOrNull(endsAt),
    licensee: { name: terms.licensee.name },
    project: { name: terms.project.name },
    media: terms.media,
    territories: terms.territories,
    exclusive: terms.exclusive,
    tracks: shownTracks(license),
    certificateSha256: hash('sha256', license.certificate, 'hex'),
  };
}

interface ExportedTrack {
  license: IssuedLicense;
  clientName: string | null;
  /** Who bought it. */
  by: By;
  track: LicenseTerms['tracks'][number];
}

const CSV = csvTable<ExportedTrack>({
  Number: ({ license }) => license.number,
  Mode: ({ license }) => license.mode,
  ClientId: ({ license }) => license.clientId,
  ClientName: ({ clientName }) => clientName,
  IssuedAt: ({ license }) => isoOrNull(license.issuedAt),
  StartsAt: ({ license }) => isoOrNull(license.startsAt),
  EndsAt: ({ license }) => isoOrNull(license.endsAt),
  RevokedAt: ({ license }) => isoOrNull(license.revokedAt),
  RevocationReason: ({ license }) => license.reason,
  Licensee: ({ license }) => license.terms.licensee.name,
  LicenseeCountry: ({ license }) => license.terms.licensee.country,
  Project: ({ license }) => license.terms.project.name,
  ProjectReference: ({ license }) => license.terms.project.reference,
  ProductionId: ({ license }) => license.terms.project.productionId,
  Media: ({ license }) => license.terms.media.join(' '),
  Territories: ({ license }) => license.terms.territories.join(' '),
  Exclusive: ({ license }) => (license.terms.exclusive ? 'yes' : 'no'),
  TermsVersion: ({ license }) => license.terms.termsVersion,
  TrackId: ({ track }) => track.trackId,
  Title: ({ track }) => track.name,
  Artists: ({ track }) => track.artists.join('; '),
  ISRC: ({ track }) => track.isrc,
  AmountMinor: ({ track }) => track.amountMinor,
  Currency: ({ license }) => license.currency,
  PurchaseOrder: ({ license }) => license.terms.purchaseOrder,
  ByType: ({ by }) => by.type,
  ByName: ({ by }) => by.name,
});

/**
 * Returns licenses as CSV for people (RFC 4180) with a heading: one row for each license and track, with what the track
 * costs in minor units of the currency. Lists are separated by spaces, and artists by semicolons. What is unknown is empty.
 *
 * @param nameOf returns the name of a client; null if the client was deleted
 */
export async function* licenseCsv(
  licenses: AsyncIterable<IssuedLicense>,
  nameOf: (clientId: string) => string | null,
): AsyncIterable<string> {
  yield CSV_MARK + CSV.heading;
  for await (const license of licenses) {
    const clientName = nameOf(license.clientId);
    const by = shownBy(license.terms.by, clientName ?? '');
    yield license.terms.tracks.map((track) => CSV.row({ license, clientName, by, track })).join('');
  }
}

/** Formats an amount in minor units as a decimal. */
export function shownAmount(amountMinor: number, minorUnit: number): string {
  const digits = String(amountMinor).padStart(minorUnit + 1, '0');
  if (minorUnit === 0) return digits;
  return `${digits.slice(0, -minorUnit)}.${digits.slice(-minorUnit)}`;
}
