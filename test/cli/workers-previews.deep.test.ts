import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { openStoreOf, serve, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { metric, newClient, TWO } from './workers-support.ts';

it('one of two workers makes previews, beside a build, and a stop leaves none that are begun', async () => {
  using folder = temporaryFolder();
  const [data, port] = [folder.at('data'), await freePort()];
  const media = await openDiskMediaStore({ folder: join(data, 'media') });
  const store = await openStoreOf(data);
  /** Imports tracks from one number to another, with audio of so many seconds. */
  const add = async (from: number, to: number, seconds: number) => {
    const tracks = Array.from({ length: to - from }, async (_, i) => {
      const bytes = wavFile([tone(seconds + (from + i) / 10, 8_000)], { sampleRate: 8_000 });
      const { key } = await media.putBytes(bytes, 'wav');
      return delivery(from + i, { audioKey: key });
    });
    await importAll(store, await Promise.all(tracks), `batch ${from}`);
  };
  await add(0, 6, 1);
  await using service = await serve(data, { STAVE_METRICS_PORT: String(port) }, TWO);
  await newClient(data, '--features', 'previews');
  await until(async () => (await store.renditions.nodes()).length === 1, 'the node');
  const built = await staveJson(data, ['previews', 'build']);
  expect(built.failed).toBe(0);
  await until(async () => (await store.renditions.counts()).done === 18, 'all previews');
  const values = [...(await metric(port, 'stave_renditions_total'))];
  const made = values.filter(([labels]) => labels.includes('outcome="made"'));
  expect(made.reduce((sum, [, count]) => sum + count, 0)).toBe(18 - built.made);
  expect(made.find(([labels]) => labels.includes('worker="1"'))![1]).toBe(0);
  expect((await store.renditions.nodes()).length).toBe(1);

  await add(10, 12, 1_800);
  await until(async () => (await store.renditions.counts()).running > 0, 'a long file');
  expect(await service.stop()).toBe(0);
  expect(await store.renditions.unmade()).toMatchObject({ running: 0, failed: 0 });
  expect(await store.renditions.nodes()).toEqual([]);
  const shown = await stave(data, ['previews', 'status']);
  expect(shown.stdout).toContain('no node makes them now');
  await store.close();
});
