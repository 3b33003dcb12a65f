import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { TestClock } from '../harness/clock.ts';
import { startRenditionNode } from '../harness/rendition-node.ts';
import { hasS3Server } from '../harness/s3-server.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { bytesOf, openInBucket, provideMediaStores, s3 } from './media-support.ts';
import { namesOf } from './renditions-support.ts';

provideMediaStores();

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe.runIf(hasS3Server)('renditions of audio in a bucket', () => {
  // A job that was put off waits for its time.
  const open = harnessOf(ADAPTERS[0]!, () => TestClock.running());

  async function start(prefix: string) {
    const { store } = await open();
    const media = openInBucket(prefix);
    const { key } = await media.putBytes(wavFile([tone(2, 44_100)]), 'wav');
    await store.renditions.add(namesOf(key));
    const copies = await mkdtemp(join(tmpdir(), 'stave-copies-'));
    ends.push(() => rm(copies, { recursive: true }));
    const made = async () => (await store.renditions.counts()).done === 3;
    const node = async () => {
      const started = await startRenditionNode(store, media, { copies });
      ends.push(() => started.stop());
      return started;
    };
    const left = () => readdir(join(copies, 'audio-copies'));
    return { store, media, key, copies, node, made, left };
  }

  it('are made of a copy that is removed, and stored in the bucket', async () => {
    const { store, media, key, node, made, left } = await start('made');
    await node();
    await until(made);
    for (const { file } of await store.renditions.ofAudio(key)) {
      expect((await bytesOf(await media.read(file!.mediaKey))).length).toBe(file!.sizeBytes);
    }
    await until(async () => (await left()).length === 0);
  });

  it('are made once the bucket is there again, without an attempt for its absence', async () => {
    const { store, key, node, made, left } = await start('away');
    await s3!.kill();
    const { events } = await node();
    await until(() => events.filter((one) => one === 'retried 3').length > 3);
    await until(async () => (await store.renditions.ofAudio(key))[0]!.attempts === 0);
    await s3!.start();
    await until(made);
    expect((await store.renditions.ofAudio(key))[0]).toMatchObject({ attempts: 1, error: null });
    await until(async () => (await left()).length === 0);
  });

  it('leave no copies of a process that was killed, and those of others alone', async () => {
    const { copies, node, made, left } = await start('swept');
    const folder = join(copies, 'audio-copies');
    await mkdir(folder);
    const longAgo = new Date(0);
    await writeFile(join(folder, 'old.wav'), 'x');
    await utimes(join(folder, 'old.wav'), longAgo, longAgo);
    await writeFile(join(folder, 'other.wav'), 'x');
    await node();
    await until(made);
    await until(async () => (await left()).join() === 'other.wav');
  });
});
