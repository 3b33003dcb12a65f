import Type from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LoginThrottle } from '../../access/login-throttle.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import { shownVerification } from '../verification.ts';
import { LicenseSchema, licenseParams } from './licensing-schema.ts';

/** The form of the number of a license, in either case. Others need no look-up. */
const NUMBER = /^(TEST-)?[0-9]{4}-[0-9]{6,15}-[0-9A-HJKMNP-TV-Z]{8}$/i;

const { properties: shown } = LicenseSchema;

const VerificationSchema = Type.Object(
  {
    number: shown.number,
    valid: Type.Boolean({
      description:
        'Whether the license is in force now: `active`, and of live mode. A test license never is.',
      examples: [true],
    }),
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
    certificateSha256: Type.String({
      description: 'The SHA-256 of the text of the certificate, in lower-case hexadecimal digits.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
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
    version: API_VERSION,
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
      const waitSeconds = loginThrottle.failLookup(address);
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
