import { createPrivateKey, sign } from 'node:crypto';
import type { Actor, Mode } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import type { Change } from '../../engines/change-log/change-log.ts';
import type { KeyStore } from '../access/store/key-store.ts';
import {
  type CertificateClaims,
  type LicenseKey,
  newLicenseKeys,
  publishedKey,
} from './certificate.ts';
import type { LicenseKeyStore } from './store/license-key-store.ts';

interface KeysOfMode {
  sign(claims: CertificateClaims): string;
  /** Newest first. */
  published: readonly ReturnType<typeof publishedKey>[];
  /** When the key that signs was made, in milliseconds since the epoch. */
  since: number;
}

/** The keys of certificates in memory. Signatures and reads are synchronous and do no I/O. */
export class LicenseKeys {
  readonly #store: LicenseKeyStore;
  readonly #clock: Clock;
  readonly #byMode = new Map<Mode, KeysOfMode>();

  constructor(deps: { keys: LicenseKeyStore; clock: Clock }) {
    this.#store = deps.keys;
    this.#clock = deps.clock;
  }

  /** Loads the keys, and creates them if there are none. Call it once, before the first request. */
  async open(by: Actor): Promise<void> {
    await this.#store.ensure(newLicenseKeys(this.#clock), by);
    await this.#reload();
  }

  /** Reloads the keys if a change concerns them. It may be repeated. */
  async apply(changes: readonly Change[]): Promise<void> {
    if (changes.some(({ entity }) => entity === 'key')) await this.#reload();
  }

  /** All keys of a mode that ever signed, newest first. */
  published(mode: Mode): KeysOfMode['published'] {
    return this.#of(mode).published;
  }

  /** For each mode, when the key that signs was made, in milliseconds since the epoch. Empty before `open`. */
  signingSince(): [mode: Mode, since: number][] {
    return Array.from(this.#byMode, ([mode, { since }]) => [mode, since]);
  }

  /** Returns the compact JWS of the claims, signed by the present key of their mode. */
  sign(claims: CertificateClaims): string {
    return this.#of(claims.mode).sign(claims);
  }

  #of(mode: Mode): KeysOfMode {
    const keys = this.#byMode.get(mode);
    if (keys === undefined) throw new Error(`There is no ${mode} key for certificates`);
    return keys;
  }

  async #reload(): Promise<void> {
    const all = await this.#store.all();
    for (const mode of new Set(all.map((key) => key.mode))) {
      const keys = all.filter((key) => key.mode === mode);
      const signing = keys.find(({ retiredAt }) => retiredAt === null);
      if (signing === undefined) throw new Error(`There is no ${mode} key that signs certificates`);
      const published = keys.map(publishedKey);
      this.#byMode.set(mode, { sign: signedBy(signing), published, since: signing.createdAt });
    }
  }
}

/**
 * Signs the certificates of later licenses with new keys. Certificates that were issued before stay valid. Returns the
 * ids of the new keys.
 */
export async function rotateLicenseKeys(
  { keys, clock }: { keys: Pick<LicenseKeyStore, 'rotate'>; clock: Clock },
  by: Actor,
): Promise<Record<Mode, string>> {
  const made = newLicenseKeys(clock);
  await keys.rotate(made, by);
  const idOf = (mode: Mode) => made.find((key) => key.mode === mode)!.kid;
  return { test: idOf('test'), live: idOf('live') };
}

/** A key without its secret. Times are in milliseconds since the epoch. */
export interface ListedKey {
  id: string;
  purpose: 'tokens' | 'URLs' | 'live certificates' | 'test certificates';
  createdAt: number;
  /** Since when it no longer signs. Null if it signs. */
  retiredAt: number | null;
}

/** Lists the keys of tokens and URLs, and then those of certificates, each newest first. */
export async function listKeys(store: {
  keys: Pick<KeyStore, 'all'>;
  licenseKeys: Pick<LicenseKeyStore, 'all'>;
}): Promise<ListedKey[]> {
  const keys = (await store.keys.all()).map(
    ({ id, purpose, createdAt, retiredAt }): ListedKey => ({
      ...{ id, createdAt, retiredAt },
      purpose: purpose === 'token' ? 'tokens' : 'URLs',
    }),
  );
  const ofLicenses = (await store.licenseKeys.all()).map(
    ({ kid, mode, createdAt, retiredAt }): ListedKey => ({
      ...{ id: kid, createdAt, retiredAt },
      purpose: `${mode} certificates`,
    }),
  );
  return [...keys, ...ofLicenses];
}

export function signedBy(key: LicenseKey): (claims: CertificateClaims) => string {
  const x = key.public.toString('base64url');
  const d = key.secret.toString('base64url');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x, d };
  const secret = createPrivateKey({ key: jwk, format: 'jwk' });
  const header = encoded({ alg: 'Ed25519', kid: key.kid, typ: 'license+jwt' });
  return (claims) => {
    const signed = `${header}.${encoded(claims)}`;
    const signature = sign(null, Buffer.from(signed), secret);
    return `${signed}.${signature.toString('base64url')}`;
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
