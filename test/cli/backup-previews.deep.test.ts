import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import type { Store } from '../../src/features/store.ts';
import { audioKey, namesOf } from '../contract/renditions-support.ts';
import {
  openStoreOf,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import { wav } from '../harness/wav.ts';
import { newDatabase, open, removePlacesAfterTests } from './migrate-store-support.ts';
import { allRows } from './reported-use.ts';

removePlacesAfterTests();

let folder: TemporaryFolder;
let data: string;
beforeEach(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

/** Fills the data folder with previews that are made, that a node is making, and that failed. */
async function filled(): Promise<Store> {
  const media = await openDiskMediaStore({ folder: join(data, 'media') });
  const { key } = await media.putBytes(wav(800), 'wav');
  const store = await openStoreOf(data);
  await importAll(store, [delivery(0, { name: 'one', audioKey: key })]);
  expect(await staveJson(data, ['previews', 'build'])).toEqual({ made: 3, failed: 0 });
  const claim = async (n: number) => {
    await store.renditions.add(namesOf(audioKey(n)));
    return (await store.renditionClaims.claim('node 0', ['mp3'], 1))!;
  };
  await store.renditionClaims.fail(await claim(2), 'the audio is damaged', false);
  await claim(1);
  await store.renditionClaims.see({ node: 'node', formats: ['mp3'] });
  // No track needs what failed.
  expect(await store.renditions.counts()).toEqual({ queued: 0, running: 3, done: 3, failed: 0 });
  return store;
}

it('a backup carries previews and their files, and a restore continues those that were begun', async () => {
  const store = await filled();
  const { renditions } = await allRows(store);
  await store.close();
  await staveJson(data, ['backup', folder.at('backup')]);
  const restored = folder.at('restored');
  await staveJson(restored, ['restore', folder.at('backup')]);
  const copy = await openStoreOf(restored);
  expect((await allRows(copy)).renditions).toEqual(renditions);
  const media = await openDiskMediaStore({ folder: join(restored, 'media') });
  for (const { mediaKey } of await copy.renditions.madeAfter(undefined, 9)) {
    expect(await media.stat(mediaKey)).toBeDefined();
  }
  // The audio of those that were begun is not in this backup.
  const built = await stave(restored, ['previews', 'build', '--json']);
  expect(built).toMatchObject({ code: 1, json: { made: 0, failed: 0 } });
  expect(await copy.renditions.counts()).toEqual({ queued: 3, running: 0, done: 3, failed: 0 });
  await copy.close();
});

it.skipIf(POSTGRES_URL === undefined)('a move carries previews, and not the nodes', async () => {
  const store = await filled();
  const { renditions } = await allRows(store);
  await store.close();
  const url = await newDatabase();
  const moved = await stave(data, ['migrate-store', '--json'], {
    env: { STAVE_DATABASE_URL: url },
  });
  expect(moved.code).toBe(0);
  expect(moved.json.tables).toMatchObject({ renditions: { rows: 9 } });
  const there = await open({ url });
  expect((await allRows(there)).renditions).toEqual(renditions);
  expect(await there.renditions.nodes()).toEqual([]);
  await there.close();
});
