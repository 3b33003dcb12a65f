import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import { FFMPEG } from '../harness/ffmpeg.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../harness/import-bench.ts';
import { startRenditionNode } from '../harness/rendition-node.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { namesOf, statesOf } from './renditions-support.ts';

const AUDIO = join(SHARED_DATA, 'audio');

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The first file of each extension, all that are faulty on purpose, and what is no audio. */
async function samples(): Promise<{ name: string; extension: string; bytes: Buffer }[]> {
  const files: { file: string }[] = JSON.parse(
    await readFile(join(AUDIO, 'manifest.json'), 'utf8'),
  );
  const isFirst = new Map<string, string>();
  for (const { file } of files) {
    const extension = extname(file).slice(1);
    if (!isFirst.has(extension)) isFirst.set(extension, file);
  }
  const named = files.filter(
    ({ file }) => [...isFirst.values()].includes(file) || file.includes('faulty'),
  );
  const real = await Promise.all(
    named.map(async ({ file }) => {
      return {
        name: file,
        extension: extname(file).slice(1),
        bytes: await readFile(join(AUDIO, file)),
      };
    }),
  );
  const none = [...isFirst.keys()].map((extension) => {
    const bytes = createHash('shake256', { outputLength: 5_000 }).update(extension).digest();
    return { name: `noise.${extension}`, extension, bytes };
  });
  return [...real, ...none];
}

const open = harnessOf(ADAPTERS[0]!);

it.skipIf(!HAS_SHARED_DATA || FFMPEG === undefined)(
  'each kind of audio file ends as renditions or with a reason',
  { timeout: 300_000 },
  async () => {
    const { store } = await open();
    const folder = await mkdtemp(join(tmpdir(), 'stave-real-'));
    ends.push(() => rm(folder, { recursive: true }));
    const media = await openDiskMediaStore({ folder });
    const node = await startRenditionNode(store, media, { threads: 2, ffmpeg: FFMPEG });
    ends.push(() => node.stop());
    const files = await samples();
    const keys = new Map<string, string>();
    for (const { name, extension, bytes } of files) {
      const { key } = await media.putBytes(bytes, extension);
      keys.set(name, key);
      await store.renditions.add(namesOf(key));
    }
    await until(
      async () => {
        const { queued, running } = await store.renditions.unmade();
        return queued + running === 0;
      },
      'the end of all jobs',
      280_000,
    );
    const failed: string[] = [];
    for (const [name, key] of keys) {
      const states = new Set(await statesOf(store, key));
      expect(states.size, name).toBe(1);
      if (states.has('done')) continue;
      const [rendition] = await store.renditions.ofAudio(key);
      expect(rendition!.error, name).toMatch(/^[^\n/]{10,300}$/);
      failed.push(name);
    }
    expect(failed.filter((name) => !name.startsWith('noise'))).toEqual([
      'flac/faulty-08-blocksize-65536.flac',
    ]);
    expect(failed.filter((name) => name.startsWith('noise')).length).toBeGreaterThan(5);
  },
);
