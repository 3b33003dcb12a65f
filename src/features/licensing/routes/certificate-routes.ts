import { hash } from 'node:crypto';
import Type from 'typebox';
import { MODES, type Mode } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { flag, text } from '../../../common/schema-types.ts';
import { repeatingEnvelope } from '../../../engines/http/response/envelope.ts';
import { evaluatePreconditions } from '../../../engines/http/response/preconditions.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LoginThrottle } from '../../access/login-throttle.ts';
import { shownVerification } from '../issued-license.ts';
import type { LicenseKeys } from '../license-keys.ts';
import type { PdfMaker } from '../pdf/pdf-maker.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import { LICENSING_ROUTE, LicenseSchema, licenseParams } from './licensing-schema.ts';

interface Licenses {
  issuedLicenses: Pick<IssuedLicenseStore, 'find'>;
}

/** GET /v1/licenses/{number}/certificate: the signed certificate alone (docs/contract/certificates.md#certificate). */
export function readCertificate({ issuedLicenses }: Licenses): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'readCertificate',
    method: 'GET',
    path: '/v1/licenses/{number}/certificate',
    summary: 'Download the certificate of a license',
    description:
      'The compact JWS (RFC 7515) that `certificate` of the license contains, and nothing else. `/.well-known/jwks.json` has the keys that verify it.',
    errors: ['not_found'],
    params: Type.Object(licenseParams),
    query: Type.Object({}),
    data: undefined,
    produces: ['application/jose'],
    async handle({ params, caller }) {
      const { certificate } = await issuedLicenses.find(params.number, caller!);
      return { body: Buffer.from(certificate), contentType: 'application/jose' };
    },
  });
}

/** GET /v1/licenses/{number}/certificate.pdf: the license for people (docs/contract/certificates.md#pdf). */
export function readCertificatePdf({
  issuedLicenses,
  pdfs,
}: Licenses & { pdfs: Pick<PdfMaker, 'pdfOf'> }): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'readCertificatePdf',
    method: 'GET',
    path: '/v1/licenses/{number}/certificate.pdf',
    summary: 'Download a license as a PDF',
    description:
      'The license and its price for people, with the certificate attached as `certificate.jws`. The bytes of a license are always the same. A name with characters outside of the Latin, Greek and Cyrillic scripts is printed in Latin letters, with the ISRC or the id of the track.',
    errors: ['not_found', 'precondition_failed'],
    params: Type.Object(licenseParams),
    query: Type.Object({}),
    data: undefined,
    produces: ['application/pdf'],
    async handle({ params, caller, headers }) {
      const license = await issuedLicenses.find(params.number, caller!);
      const { number, certificate, amountMinor, currency, terms } = license;
      const { minorUnit, purchaseOrder } = terms;
      const pdf = await pdfs.pdfOf(
        {
          ...{ certificate, amountMinor, currency, minorUnit },
          ...(purchaseOrder !== undefined && { purchaseOrder }),
        },
        caller!.clientId,
      );
      const etag = `"${hash('sha256', pdf, 'hex')}"`;
      const cacheHeaders = {
        ETag: etag,
        'Content-Disposition': `inline; filename="license-${number}.pdf"`,
      };
      const contentType = 'application/pdf';
      switch (evaluatePreconditions(headers, { etag, modifiedMs: undefined })) {
        case 'failed':
          throw new StaveError(
            'precondition_failed',
            'The PDF is not the one that the condition names.',
          );
        case 'not-modified':
          return { status: 304, headers: cacheHeaders, body: null, contentType };
        default:
          return { headers: cacheHeaders, body: pdf, contentType };
      }
    },
  });
}

/** Numbers of another form need no look-up. */
const NUMBER = /^(TEST-)?[0-9]{4}-[0-9]{6,15}-[0-9A-HJKMNP-TV-Z]{8}$/i;

const { properties: shown } = LicenseSchema;

const VerificationSchema = Type.Object(
  {
    number: shown.number,
    valid: flag(
      'Whether the license is in force now: `active`, and of live mode. A test license never is.',
      true,
    ),
    status: shown.status,
    mode: shown.mode,
    issuedAt: shown.issuedAt,
    startsAt: shown.startsAt,
    endsAt: shown.endsAt,
    licensee: Type.Object({ name: Type.String({ examples: ['Lighthouse Film GmbH'] }) }),
    project: Type.Object({ name: Type.String({ examples: ['Spring ad'] }) }),
    media: shown.media,
    territories: shown.territories,
    exclusive: shown.exclusive,
    tracks: shown.tracks,
    certificateSha256: text(
      'The SHA-256 of the text of the certificate, in lower-case hexadecimal digits.',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ),
  },
  { title: 'LicenseVerification', description: 'What anyone may know about a license.' },
);

/** GET /v1/licenses/{number}/verify: whether a license is in force (docs/contract/certificates.md#verify). */
export function verifyLicense({
  issuedLicenses,
  loginThrottle,
  clock,
}: {
  issuedLicenses: Pick<IssuedLicenseStore, 'findAny'>;
  loginThrottle: Pick<LoginThrottle, 'failLookup'>;
  clock: Clock;
}): Route {
  return route({
    operationId: 'verifyLicense',
    method: 'GET',
    path: '/v1/licenses/{number}/verify',
    tag: 'Licensing',
    summary: 'Verify a license by its number',
    description:
      'For everyone who holds a certificate: whether the license is in force now, and what it covers. A certificate alone cannot tell whether the license was revoked. After 30 unknown numbers in a minute, an address gets 429 for further ones.',
    access: 'public',
    errors: ['not_found', 'rate_limited'],
    params: Type.Object(licenseParams),
    data: VerificationSchema,
    async handle({ params: { number }, address }) {
      const license = NUMBER.test(number) ? await issuedLicenses.findAny(number) : undefined;
      if (license !== undefined) return { data: shownVerification(license, clock.now()) };
      const waitSeconds = loginThrottle.failLookup(address());
      if (waitSeconds === undefined) {
        throw new StaveError('not_found', 'There is no license with this number.');
      }
      throw new StaveError(
        'rate_limited',
        `Too many unknown license numbers from this address; retry in ${waitSeconds} s.`,
        { headers: { 'Retry-After': String(waitSeconds) } },
      );
    },
  });
}

const LicenseKeySchema = Type.Object(
  {
    kty: Type.Literal('OKP', { examples: ['OKP'] }),
    crv: Type.Literal('Ed25519', { examples: ['Ed25519'] }),
    x: text(
      'The public key, 32 bytes in base64url.',
      '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    ),
    kid: text(
      'The thumbprint of the key (RFC 7638), which the header of a certificate names.',
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    ),
    use: Type.Literal('sig', { examples: ['sig'] }),
  },
  { title: 'LicenseKey', description: 'A public key of certificates (RFC 7517, RFC 8037).' },
);

const LicenseKeySetSchema = Type.Object(
  {
    keys: Type.Array(LicenseKeySchema, {
      description: 'Every key that ever signed certificates, newest first.',
    }),
  },
  { title: 'LicenseKeySet' },
);

const OPERATIONS = {
  live: {
    operationId: 'readLicenseKeys',
    path: '/.well-known/jwks.json',
    summary: 'Read the keys of certificates',
    description:
      'A JSON Web Key Set (RFC 7517) with the public keys of the certificates of licenses. The set is also beside `data`, where libraries expect it. Keys stay in it forever.',
  },
  test: {
    operationId: 'readTestLicenseKeys',
    path: '/.well-known/jwks-test.json',
    summary: 'Read the keys of test certificates',
    description:
      'As `/.well-known/jwks.json`, for the certificates of test licenses. Software that relies on licenses must not use it.',
  },
} as const satisfies Record<Mode, object>;

/** The keys that verify certificates, one operation for each mode (docs/contract/certificates.md#keys). */
export function licenseKeyRoutes({
  licenseKeys,
}: {
  licenseKeys: Pick<LicenseKeys, 'published'>;
}): Route[] {
  return MODES.toReversed().map((mode) =>
    route({
      ...OPERATIONS[mode],
      method: 'GET',
      tag: 'Licensing',
      access: 'public',
      data: LicenseKeySetSchema,
      besideData: ['keys'],
      handle: () => ({
        envelope: repeatingEnvelope({ keys: licenseKeys.published(mode) }, ['keys']),
      }),
    }),
  );
}
