import Type from 'typebox';
import { MODES, type Mode } from '../../../common/caller/scopes.ts';
import { API_VERSION } from '../../../common/version.ts';
import { repeatingEnvelope } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LicenseKeys } from '../license-keys.ts';

const LicenseKeySchema = Type.Object(
  {
    kty: Type.Literal('OKP', { examples: ['OKP'] }),
    crv: Type.Literal('Ed25519', { examples: ['Ed25519'] }),
    x: Type.String({
      description: 'The public key, 32 bytes in base64url.',
      examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
    }),
    kid: Type.String({
      description: 'The thumbprint of the key (RFC 7638), which the header of a certificate names.',
      examples: ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
    }),
    use: Type.Literal('sig', { examples: ['sig'] }),
    alg: Type.Literal('Ed25519', { examples: ['Ed25519'] }),
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

/** The keys that certificates can be verified with, of each mode (docs/contract/certificates.md#keys). */
export function licenseKeyRoutes({
  licenseKeys,
}: {
  licenseKeys: Pick<LicenseKeys, 'published'>;
}): Route[] {
  return MODES.toReversed().map((mode) =>
    route({
      ...OPERATIONS[mode],
      method: 'GET',
      version: API_VERSION,
      tag: 'Licensing',
      access: 'public',
      errors: [],
      data: LicenseKeySetSchema,
      besideData: ['keys'],
      handle: () => ({
        envelope: repeatingEnvelope({ keys: licenseKeys.published(mode) }, ['keys']),
      }),
    }),
  );
}
