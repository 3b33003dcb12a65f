import { createHash, generateKeyPairSync } from 'node:crypto';
import { MODES, type Mode } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import type { Provenance } from '../catalog/provenance.ts';

/** A track in a certificate, under its original name. */
export interface CertifiedTrack {
  trackId: string;
  name: string;
  /** The names of its artists, the primary one first. */
  artists: readonly string[];
  /** `''` if it is unknown. */
  isrc: string;
  /** As partners saw it when the license was issued. Licenses of earlier versions lack it. */
  provenance?: Provenance;
}

export interface LicensedProject {
  name: string;
  /** What the client calls it. */
  reference?: string;
  /** The `production.id` of its reported use. */
  productionId?: string;
}

/** A license as its certificate describes it: without price, status and email address. */
export interface CertifiedLicense {
  number: string;
  licensee: { name: string; country: string };
  project: LicensedProject;
  media: readonly string[];
  /** Countries, or only `WORLD`. */
  territories: readonly string[];
  exclusive: boolean;
  /** UTC with milliseconds, as in the response. */
  startsAt: string;
  /** UTC with milliseconds. Null if the license does not end. */
  endsAt: string | null;
  tracks: readonly CertifiedTrack[];
  termsVersion: string;
  termsUrl: string;
}

/** The claims of a certificate (RFC 7519). Times are whole seconds since the epoch, rounded down. */
export interface CertificateClaims {
  /** `STAVE_PUBLIC_URL`, or else `STAVE_LICENSOR`. */
  iss: string;
  /** The number of the license. */
  jti: string;
  /** The name of the licensee. */
  sub: string;
  /** When it was issued. */
  iat: number;
  /** When it starts. */
  nbf: number;
  /** When it ends. Absent if it does not. */
  exp?: number;
  mode: Mode;
  license: CertifiedLicense;
}

/** A key that signs certificates of licenses. It stays published forever, because certificates do not expire. */
export interface LicenseKey {
  /** The thumbprint of the public key (RFC 7638), in base64url. */
  kid: string;
  mode: Mode;
  /** The public key of Ed25519, 32 bytes. */
  public: Buffer;
  /** The private key, 32 bytes. */
  secret: Buffer;
  /** In milliseconds since the epoch. */
  createdAt: number;
  /** Since when it no longer signs. Null if it signs. */
  retiredAt: number | null;
}

/**
 * Returns a public key as it is published (RFC 7517, RFC 8037). It has no `alg`: libraries that know the algorithm only as
 * EdDSA would skip the key.
 */
export function publishedKey({ kid, public: bytes }: LicenseKey) {
  const x = bytes.toString('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig' } as const;
}

export function newLicenseKeys(clock: Clock): LicenseKey[] {
  return MODES.map((mode) => {
    const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    return {
      kid: thumbprint(x!),
      mode,
      public: Buffer.from(x!, 'base64url'),
      secret: Buffer.from(d!, 'base64url'),
      createdAt: clock.now(),
      retiredAt: null,
    };
  });
}

/** RFC 7638 §3: the hash of the required members in the order of their names. */
function thumbprint(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}
