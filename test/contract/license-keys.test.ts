import {
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  decodeProtectedHeader,
} from 'jose';
import { describe, expect, it } from 'vitest';
import type { Mode } from '../../src/common/caller.ts';
import type { CertificateClaims } from '../../src/features/licensing/certificate.ts';
import { newLicenseKeys } from '../../src/features/licensing/certificate.ts';
import { LicenseKeys, rotateLicenseKeys } from '../../src/features/licensing/license-keys.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const BY = 'test:keys';
const ROTATED = { entity: 'key', kind: 'rotated' } as never;

const claims = (mode: Mode) =>
  ({ iss: 'House', jti: 'N', sub: 'Größe & Söhne', mode }) as unknown as CertificateClaims;

const keySet = (keys: LicenseKeys, mode: Mode) =>
  createLocalJWKSet({ keys: [...keys.published(mode)] });

describe.each(ADAPTERS)('keys of certificates on $name', (adapter) => {
  const open = harnessOf(adapter);

  it('are the same for all processes that create the first keys at once', async () => {
    const { store, clock, another } = await open();
    const stores = [store, await another(), await another()];
    await Promise.all(stores.map((one) => one.licenseKeys.ensure(newLicenseKeys(clock), BY)));
    const [first, ...others] = await Promise.all(stores.map((one) => one.licenseKeys.all()));
    expect(first!.map(({ mode }) => mode).sort()).toEqual(['live', 'test']);
    for (const other of others) expect(other).toEqual(first);
  });

  it('are retired by new ones, and kept', async () => {
    const { store, clock } = await open();
    const [first, second, third] = [1, 2, 3].map(() => newLicenseKeys(clock));
    await store.licenseKeys.ensure(first!, BY);
    const head = await store.changes.head();
    clock.advance(400 * 24 * 3_600);
    const retiredAt = clock.now();
    await store.licenseKeys.rotate(second!, BY);
    clock.advance(400 * 24 * 3_600);
    await store.licenseKeys.rotate(third!, BY);
    const all = await store.licenseKeys.all();
    expect(all).toHaveLength(6);
    expect(all.slice(0, 2).map(({ retiredAt }) => retiredAt)).toEqual([null, null]);
    expect(all.slice(4)).toEqual(first!.toReversed().map((key) => ({ ...key, retiredAt })));
    const changes = await store.changes.since(head, ['key'], 10);
    expect(changes.map(({ kind, entityId }) => [kind, entityId])).toEqual(
      [...second!, ...third!].map(({ kid }) => ['rotated', kid]),
    );
    await store.licenseKeys.ensure(newLicenseKeys(clock), BY);
    expect(await store.licenseKeys.all()).toHaveLength(6);
  });

  it('sign what a library verifies with the published keys of the mode alone', async () => {
    const { store, clock } = await open();
    const keys = new LicenseKeys({ keys: store.licenseKeys, clock });
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

  it('are named by their thumbprints', async () => {
    const { store, clock } = await open();
    const keys = new LicenseKeys({ keys: store.licenseKeys, clock });
    await keys.open('test:keys');
    const [key] = keys.published('live');
    expect(key!.kid).toBe(await calculateJwkThumbprint({ ...key! }, 'sha256'));
  });

  it('sign when they are new after a rotation, and the former ones are published', async () => {
    const { store, clock } = await open();
    const keys = new LicenseKeys({ keys: store.licenseKeys, clock });
    await keys.open('test:keys');
    const before = keys.sign(claims('live'));
    const { live } = await rotateLicenseKeys({ keys: store.licenseKeys, clock }, 'test:keys');
    expect(decodeProtectedHeader(keys.sign(claims('live'))).kid).not.toBe(live);
    await keys.apply([ROTATED]);
    expect(decodeProtectedHeader(keys.sign(claims('live'))).kid).toBe(live);
    expect(keys.published('live').map(({ kid }) => kid)).toEqual([
      live,
      decodeProtectedHeader(before).kid,
    ]);
    await compactVerify(before, keySet(keys, 'live'));
  });

  it('show no part of a secret one', async () => {
    const { store, clock } = await open();
    const keys = new LicenseKeys({ keys: store.licenseKeys, clock });
    await keys.open('test:keys');
    const shown = JSON.stringify([keys.published('live'), keys.published('test')]);
    for (const { secret } of await store.licenseKeys.all()) {
      expect(shown).not.toContain(secret.toString('base64url'));
    }
    expect(shown).not.toContain('"d"');
  });
});
