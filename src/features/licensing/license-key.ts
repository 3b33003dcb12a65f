import { createHash, generateKeyPairSync } from 'node:crypto';
import { MODES, type Mode } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';

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

/** A public key as it is published (RFC 7517, RFC 8037, RFC 9864). */
export interface PublishedKey {
  kty: 'OKP';
  crv: 'Ed25519';
  /** The public key in base64url. */
  x: string;
  kid: string;
  use: 'sig';
  alg: 'Ed25519';
}

export function publishedKey({ kid, public: bytes }: LicenseKey): PublishedKey {
  const x = bytes.toString('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'Ed25519' };
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
