import { expect, it } from 'vitest';
import { newLicenseKeys } from '../../src/licensing/license-key.ts';
import { openStoreOf, serve, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { publishedKeys } from '../harness/published-keys.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import { newDatabase, open } from './migrate-store-support.ts';

it('a backup carries the keys of certificates, and a restore publishes them', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  let kids: string[];
  {
    await using serving = await serve(data);
    kids = await publishedKeys(serving.url);
  }
  await staveJson(data, ['backup', folder.at('backup')]);
  const restored = folder.at('restored');
  await staveJson(restored, ['restore', folder.at('backup')]);
  await using serving = await serve(restored);
  expect(await publishedKeys(serving.url)).toEqual(kids);
});

it.skipIf(POSTGRES_URL === undefined)('a move carries the keys of certificates', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const store = await openStoreOf(data);
  await store.licenseKeys.ensure(newLicenseKeys({ now: () => 1 }), 'test:keys');
  await store.licenseKeys.rotate(newLicenseKeys({ now: () => 2 }), 'test:keys');
  const keys = await store.licenseKeys.all();
  await store.close();
  const url = await newDatabase();
  const moved = await stave(data, ['migrate-store', '--json'], {
    env: { STAVE_DATABASE_URL: url },
  });
  expect(moved.code).toBe(0);
  expect(moved.json.tables).toMatchObject({ license_keys: { rows: 4 } });
  const there = await open({ url });
  expect(await there.licenseKeys.all()).toEqual(keys);
  await there.close();
});
