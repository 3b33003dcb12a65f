import {
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  decodeProtectedHeader,
} from 'jose';
import { describe, expect, it } from 'vitest';
import type { Mode } from '../../common/caller/scopes.ts';
import type { CertificateClaims } from './certificate.ts';
import { type LicenseKey, type LicenseKeyStore, rotateLicenseKeys } from './license-key.ts';
import { LicenseKeys } from './license-keys.ts';

const clock = { now: () => 1 };
const ROTATED = { entity: 'key', kind: 'rotated' } as never;

/** A store in memory. */
function memoryStore(): LicenseKeyStore {
  let stored: LicenseKey[] = [];
  return {
    all: async () => stored,
    async ensure(keys) {
      if (stored.length === 0) stored = [...keys];
    },
    async rotate(keys) {
      stored = [...keys, ...stored.map((key) => ({ ...key, retiredAt: key.retiredAt ?? 1 }))];
    },
  };
}

const claims = (mode: Mode) =>
  ({ iss: 'House', jti: 'N', sub: 'Größe & Söhne', mode }) as unknown as CertificateClaims;

const keySet = (keys: LicenseKeys, mode: Mode) =>
  createLocalJWKSet({ keys: [...keys.published(mode)] });

describe('LicenseKeys', () => {
  it('signs what a library verifies with the published keys of the mode alone', async () => {
    const keys = new LicenseKeys({ keys: memoryStore(), clock });
    await keys.open('test:keys');
    for (const [mode, other] of [
      ['live', 'test'],
      ['test', 'live'],
    ] as const) {
      const jws = keys.sign(claims(mode));
      const { payload, protectedHeader } = await compactVerify(jws, keySet(keys, mode));
      expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(claims(mode));
      const [key] = keys.published(mode);
      expect(protectedHeader).toEqual({ alg: 'Ed25519', kid: key!.kid, typ: 'license+jwt' });
      await expect(compactVerify(jws, keySet(keys, other))).rejects.toThrow();
    }
  });

  it('names each key by its thumbprint', async () => {
    const keys = new LicenseKeys({ keys: memoryStore(), clock });
    await keys.open('test:keys');
    const [key] = keys.published('live');
    expect(key!.kid).toBe(await calculateJwkThumbprint({ ...key! }, 'sha256'));
  });

  it('signs with new keys after a rotation, and publishes the former ones', async () => {
    const store = memoryStore();
    const keys = new LicenseKeys({ keys: store, clock });
    await keys.open('test:keys');
    const before = keys.sign(claims('live'));
    const { live } = await rotateLicenseKeys({ keys: store, clock }, 'test:keys');
    expect(decodeProtectedHeader(keys.sign(claims('live'))).kid).not.toBe(live);
    await keys.apply([ROTATED]);
    expect(decodeProtectedHeader(keys.sign(claims('live'))).kid).toBe(live);
    expect(keys.published('live').map(({ kid }) => kid)).toEqual([
      live,
      decodeProtectedHeader(before).kid,
    ]);
    await compactVerify(before, keySet(keys, 'live'));
  });

  it('shows no part of a secret key', async () => {
    const store = memoryStore();
    const keys = new LicenseKeys({ keys: store, clock });
    await keys.open('test:keys');
    const shown = JSON.stringify([keys.published('live'), keys.published('test')]);
    for (const { secret } of await store.all()) {
      expect(shown).not.toContain(secret.toString('base64url'));
    }
    expect(shown).not.toContain('"d"');
  });
});
