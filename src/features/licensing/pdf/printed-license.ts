import { createHash } from 'node:crypto';
import type { Provenance } from '../../catalog/provenance.ts';
import type { CertificateClaims, CertifiedTrack } from '../certificate.ts';
import { shownAmount } from '../issued-license.ts';
import type { Printable, Typeface } from './typeface.ts';

/** The input of a PDF. Equal licenses give equal bytes. */
export interface PrintableLicense {
  /** The compact JWS. */
  certificate: string;
  amountMinor: number;
  currency: string;
  /** The decimals of the currency. */
  minorUnit: number;
  /** Absent if the quote has none. */
  purchaseOrder?: string;
}

export interface Detail {
  label: string;
  value: string;
  /** Printed below the value in small letters. */
  note?: string;
}

export interface TrackLine {
  name: string;
  artists: string;
  isrc: string;
  /** Printed below the name in small letters. */
  notes: readonly string[];
}

/** The contents of the PDF as printable texts. */
export interface PrintedLicense {
  number: string;
  issuer: string;
  isTest: boolean;
  /** In pairs, which are printed beside each other; the last one may be alone. */
  details: readonly (readonly Detail[])[];
  tracks: readonly TrackLine[];
  verification: readonly string[];
  /** When it was issued, in milliseconds since the epoch, rounded down to a second. */
  issuedAt: number;
}

/** Describes a license in words. All but the price and the purchase order comes from its certificate. */
export function printedLicense(given: PrintableLicense, typeface: Typeface): PrintedLicense {
  const claims = claimsOf(given.certificate);
  const { license, iss } = claims;
  const { amountMinor, minorUnit } = given;
  const named = (label: string, text: string): Detail => {
    const { text: value, isTransliterated } = typeface.printable(text);
    const note = 'In Latin letters; the attached certificate has the original.';
    return { label, value, ...(isTransliterated && { note }) };
  };
  const { reference, productionId } = license.project;
  const pairs: Detail[][] = [
    [named('Licensee', license.licensee.name), named('Project', license.project.name)],
    [
      named('Country of the licensee', license.licensee.country),
      named('Reference', reference ?? '–'),
    ],
    [named('Media', license.media.join(', ')), named('Territories', territories(license))],
    [
      named('Valid from', inWords(license.startsAt)),
      named('Valid until', license.endsAt === null ? 'Perpetual' : inWords(license.endsAt)),
    ],
    [
      named('Exclusivity', license.exclusive ? 'Exclusive' : 'Non-exclusive'),
      named('Price, net of tax', `${shownAmount(amountMinor, minorUnit)} ${given.currency}`),
    ],
    [named('Terms', license.termsVersion), named('Text of the terms', license.termsUrl)],
    [
      named('Issued', inWords(new Date(claims.iat * 1_000).toISOString())),
      named('Production', productionId ?? '–'),
    ],
  ];
  // Without one, the bytes are those of PDFs from before there were purchase orders.
  if (given.purchaseOrder !== undefined) pairs.push([named('Purchase order', given.purchaseOrder)]);
  return {
    number: license.number,
    issuer: typeface.printable(iss).text,
    isTest: claims.mode === 'test',
    details: pairs,
    tracks: license.tracks.map((track) => trackLine(track, typeface)),
    verification: verification(claims, given, typeface),
    issuedAt: claims.iat * 1_000,
  };
}

/** Returns the claims of a compact JWS, without verifying it. */
function claimsOf(certificate: string): CertificateClaims {
  const [, payload = ''] = certificate.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as CertificateClaims;
}

function trackLine(track: CertifiedTrack, typeface: Typeface): TrackLine {
  const { trackId, name, artists, isrc, provenance } = track;
  const printed: Printable = typeface.printable(name);
  const names = artists.map((artist) => typeface.printable(artist));
  const isTransliterated = [printed, ...names].some((one) => one.isTransliterated);
  return {
    name: printed.text,
    artists: names.map(({ text }) => text).join(', '),
    isrc: isrc === '' ? '–' : isrc,
    notes: [
      ...(isTransliterated
        ? [`In Latin letters; ${isrc === '' ? `track ${trackId}` : `ISRC ${isrc}`}`]
        : []),
      ...(provenance === undefined ? [] : provenanceNotes(provenance)),
    ],
  };
}

/** Leaves out what is unknown. */
function provenanceNotes({ ai, aiParts, trainingAllowed }: Provenance): string[] {
  const parts = aiParts.length === 0 ? '' : ` (${aiParts.join(', ')})`;
  return [
    ...(ai === 'unknown' && parts === '' ? [] : [`Made by AI: ${ai}${parts}`]),
    ...(trainingAllowed === null ? [] : [`AI training: ${trainingAllowed ? '' : 'not '}allowed`]),
  ];
}

function territories({ territories: codes }: CertificateClaims['license']): string {
  return codes.length === 1 && codes[0] === 'WORLD' ? 'Worldwide' : codes.join(', ');
}

/** Returns a time of a response as `2026-12-01 00:00:00 UTC`. */
function inWords(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

function verification(
  { iss, jti, mode }: CertificateClaims,
  { certificate, purchaseOrder }: PrintableLicense,
  typeface: Typeface,
): string[] {
  const keys = mode === 'test' ? 'jwks-test.json' : 'jwks.json';
  const hash = createHash('sha256').update(certificate).digest('hex');
  const isUrl = /^https?:\/\//.test(iss);
  const lines = [
    `The signed certificate of this license is attached to this document as certificate.jws. It is the authority for everything above except the price${purchaseOrder === undefined ? '' : ' and the purchase order'}.`,
    ...(isUrl
      ? [
          `Status: ${iss}/v1/licenses/${jti}/verify`,
          `Keys of the signature: ${iss}/.well-known/${keys}`,
        ]
      : []),
    `SHA-256 of the certificate: ${hash}`,
  ];
  return lines.map((line) => typeface.printable(line).text);
}
