import { describe, expect, it } from 'vitest';
import { newLicenseKeys } from '../../src/features/licensing/license-key.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const BY = 'test:keys';

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
});
