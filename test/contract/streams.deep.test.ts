import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import { OpenCounts } from '../../src/common/memory/open-counts.ts';
import { mp3Bytes } from '../../src/engines/audio/mp3/mp3-layout.ts';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import type { MediaStore } from '../../src/engines/blobs/media-store.ts';
import { Metrics } from '../../src/engines/http/metrics/metrics.ts';
import type { StreamPolicy } from '../../src/features/catalog/streamed-audio.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import {
  recipeOf,
  streamFile,
  streamName,
} from '../../src/features/renditions/streams/stream-name.ts';
import { addAhead } from '../../src/features/renditions/streams/streams-ahead.ts';
import {
  removeLeastUsed,
  removeUnnamed,
  streaming,
} from '../../src/features/renditions/work/streaming.ts';
import type { Store } from '../../src/features/store.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { startRenditionNode } from '../harness/rendition-node.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { provideMediaStores, temporaryFolder } from './media-support.ts';
import { audioKey, tick } from './renditions-support.ts';

provideMediaStores();

const KBPS = 128;
const SECONDS = 60;
const LENGTH = { sampleRate: 44_100, samples: SECONDS * 44_100 };
const BYTES = mp3Bytes(LENGTH.samples, LENGTH.sampleRate, KBPS);
const POLICY: StreamPolicy = { mode: 'playable', kbps: KBPS, formats: ['aiff', 'wav'] };
const TAG = Buffer.from('a tag');
const MP3 = { format: 'mp3' } as const;
let audio: Buffer;
beforeAll(() => {
  audio = wavFile([tone(SECONDS, 44_100), tone(SECONDS, 44_100, () => 0.3, 660)]);
});

for (const adapter of ADAPTERS) {
  describe(`streams on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    /** A node, and a file of audio. */
    const start = async ({ threads = 1, bytes = audio } = {}) => {
      const harness = await open();
      const folder = await temporaryFolder();
      const media = await openDiskMediaStore({ folder: join(folder, 'media') });
      const { key } = await media.putBytes(bytes, 'wav');
      const openCounts = new OpenCounts();
      const node = nodeOf(harness.store, media, { folder, threads, openCounts });
      return { ...harness, media, folder, openCounts, key, node, streams: node.streams };
    };
    const nodeOf = (
      store: Store,
      media: MediaStore,
      options: { folder: string; threads?: number; openCounts?: OpenCounts },
    ) =>
      streaming(
        {
          config: {
            dataFolder: options.folder,
            previewThreads: options.threads ?? 1,
            ffmpeg: { setting: 'off', searchPath: '' },
            streamKbps: KBPS,
            streamAhead: 0,
            streamCacheGb: 50,
          },
          store: Object.assign(Object.create(store), { isReachable: () => true }),
          media,
          clock: systemClock,
          log: silentLog,
        },
        {
          metrics: new Metrics(),
          openCounts: options.openCounts ?? new OpenCounts(),
          policy: POLICY,
          popularity: async () => new Map(),
        },
      );
    const nameOf = (key: string) =>
      streamName(key, recipeOf({ audioKey: key, ...LENGTH }, { ...MP3, kbps: KBPS }));
    const isMade = (store: Store, key: string) => async () =>
      (await store.streams.known(nameOf(key)))?.state === 'done';

    it('sends what is being encoded, and the same bytes afterwards', async () => {
      const { store, media, key, streams } = await start();
      const source = { audioKey: key, ...LENGTH };
      const before = (await streams.open(source, MP3, TAG))!;
      expect(await before.sizeBytes()).toBe(TAG.length + BYTES);
      const [whole, part] = await Promise.all([
        buffer(await before.open()),
        before.open({ start: 400_000, end: 500_000 }).then(buffer),
      ]);
      expect(whole.length).toBe(TAG.length + BYTES);
      expect(whole.subarray(0, TAG.length).equals(TAG)).toBe(true);
      expect(part.equals(whole.subarray(400_000, 500_001))).toBe(true);
      await until(isMade(store, key), 'the stream');
      expect(await store.streams.counts()).toMatchObject({ queued: 0, running: 0, done: 1 });
      const kept = (await media.readDerived(streamFile(nameOf(key))))!;
      expect(kept.equals(whole.subarray(TAG.length))).toBe(true);

      const after = (await streams.open(source, MP3, TAG))!;
      expect(after.etag).toBe(before.etag);
      expect((await buffer(await after.open())).equals(whole)).toBe(true);
      for (const [start, end] of [
        [0, 1],
        [2, 700],
        [TAG.length, whole.length - 1],
        [whole.length - 1, whole.length - 1],
      ] as const) {
        const bytes = await buffer(await after.open({ start, end }));
        expect(bytes.equals(whole.subarray(start, end + 1))).toBe(true);
      }
      const other = (await streams.open(source, MP3, Buffer.from('another tag')))!;
      expect(other.etag).not.toBe(before.etag);
    });

    it('has the first bytes at once, and encodes two streams at the same time', async () => {
      const { store, key, streams, openCounts } = await start();
      expect([1, 2].map(() => openCounts.enter('stream encoding', 2))).toEqual([true, true]);
      const stream = (await streams.open({ audioKey: key, ...LENGTH }, MP3, TAG))!;
      expect((await buffer(await stream.open({ start: 0, end: 1 }))).toString()).toBe('a ');
      await expect(stream.open({ start: 0, end: 9_999 })).rejects.toMatchObject({
        kind: 'unavailable',
        headers: { 'Retry-After': '5' },
      });
      // The threads of any node may make it.
      expect(await store.streams.known(nameOf(key))).toMatchObject({ state: 'queued' });
      openCounts.leave('stream encoding');
      expect((await buffer(await stream.open())).length).toBe(TAG.length + BYTES);
    });

    it('waits for a stream whose length is not known', async () => {
      const { key, streams } = await start({
        bytes: wavFile([tone(1, 48_000)], { sampleRate: 48_000 }),
      });
      const stream = (await streams.open(
        { audioKey: key, sampleRate: null, samples: null },
        MP3,
        TAG,
      ))!;
      const size = TAG.length + mp3Bytes(48_000, 48_000, KBPS);
      expect(await stream.sizeBytes()).toBe(size);
      const whole = await buffer(await stream.open());
      expect(whole.length).toBe(size);
      expect(whole.subarray(TAG.length).indexOf('Info')).toBe(36);
    });

    it('makes none of damaged audio, and none without a decoder', async () => {
      const { store, key, streams, node } = await start({ bytes: Buffer.from('no audio at all') });
      const source = { audioKey: key, ...LENGTH };
      const stream = (await streams.open(source, MP3, TAG))!;
      await expect(stream.open()).rejects.toMatchObject({ kind: 'unavailable' });
      await until(async () => (await store.streams.known(nameOf(key)))?.state === 'failed');
      expect(await streams.open(source, MP3, TAG)).toBeUndefined();
      expect(
        await streams.open({ ...source, audioKey: audioKey(1, 'm4a') }, MP3, TAG),
      ).toBeUndefined();
      expect(await streams.look(source, MP3)).toMatchObject({ failure: expect.any(String) });
      expect(await store.streams.forgetFailed()).toBe(1);
      expect(await streams.look(source, MP3)).toMatchObject({ failure: undefined });
      expect(await streams.open(source, MP3, TAG)).toBeDefined();
      await node.stop();
    });

    it('leaves a stream to another node if this one encodes nothing', async () => {
      const { store, media, folder, key, streams } = await start({ threads: 0 });
      expect(await streams.open({ audioKey: key, ...LENGTH }, MP3, TAG)).toBeUndefined();
      const other = nodeOf(store, media, { folder: await temporaryFolder() });
      const maker = await startRenditionNode(store, media, {
        queues: [other.jobs.queue],
        copies: folder,
      });
      try {
        await until(async () => (await store.renditions.nodes()).length === 1);
        const patient = nodeOf(store, media, { folder, threads: 0 }).streams;
        const stream = (await patient.open({ audioKey: key, ...LENGTH }, MP3, TAG))!;
        let made: Buffer | undefined;
        await until(async () => {
          made = await stream.open().then(buffer, () => undefined);
          return made !== undefined;
        });
        expect(made!.length).toBe(TAG.length + BYTES);
        // Equal to what is encoded for a request.
        await media.removeDerived(streamFile(nameOf(key)));
        const again = (await other.streams.open({ audioKey: key, ...LENGTH }, MP3, TAG))!;
        expect((await buffer(await again.open())).equals(made!)).toBe(true);
      } finally {
        await maker.stop();
      }
    });

    it('adds jobs for the most licensed and then the newest tracks that need a stream', async () => {
      const { store } = await open();
      const audioProperties = {
        ...{ sampleRate: 44_100, channels: 2, bitDepth: 16, bitrate: 1_411_200, bytes: 1 },
        ...{ samples: LENGTH.samples, isPlayable: false },
      };
      const tracks = [1, 2, 3, 4, 5, 6].map((n) =>
        delivery(n, { audioKey: audioKey(n, 'aiff'), audioProperties }),
      );
      await importAll(store, [
        ...tracks,
        delivery(7, {
          audioKey: audioKey(7, 'wav'),
          audioProperties: { ...audioProperties, isPlayable: true },
        }),
        delivery(8, { audioKey: audioKey(6, 'aiff'), audioProperties }),
        delivery(9),
      ]);
      const counts = new Map([
        [tracks[1]!.id, 1],
        [tracks[3]!.id, 5],
        [tracks[0]!.id, 1],
      ]);
      const ahead = { store: store.streams, policy: POLICY, popularity: async () => counts };
      const never = new AbortController().signal;
      const queued = async () => {
        const jobs = await Promise.all(
          [1, 2, 3, 4, 5, 6, 7].map(async (n) => {
            const extension = n === 7 ? 'wav' : 'aiff';
            return (await store.streams.known(nameOf(audioKey(n, extension)))) && n;
          }),
        );
        return jobs.filter((n) => n !== undefined);
      };
      const add = (mostTracks: number, mostBytes: number) =>
        addAhead({ ...ahead, mostTracks, mostBytes }, never);
      expect(await add(9, BYTES - 1)).toBe(0);
      expect(await add(2, 9 * BYTES)).toBe(2);
      expect(await queued()).toEqual([2, 4]);
      expect(await add(4, 9 * BYTES)).toBe(2);
      expect(await queued()).toEqual([1, 2, 4, 6]);
      expect(await add(100, 9 * BYTES)).toBe(2);
      expect(await queued()).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await add(100, 9 * BYTES)).toBe(0);
    });

    it('claims what was requested before what was not, and only that if asked', async () => {
      const { store, clock } = await open();
      const claim = (onlyRequested: boolean) =>
        store.streamClaims.claim('node', ['mp3'], 60_000, onlyRequested);
      await store.streams.add([nameOf(audioKey(1))]);
      await tick({ clock });
      expect(await claim(true)).toBeUndefined();
      await store.streams.request([nameOf(audioKey(2))]);
      expect(await claim(true)).toMatchObject({ audioKey: audioKey(2) });
      expect(await claim(true)).toBeUndefined();
      expect(await claim(false)).toMatchObject({ audioKey: audioKey(1) });
    });

    it('removes the streams of audio that no track names', async () => {
      const { store, media } = await start();
      await importAll(store, [delivery(1, { audioKey: audioKey(1) })]);
      const names = [1, 2, 3].map((n) => nameOf(audioKey(n)));
      for (const name of names.slice(0, 2)) {
        await media.keepDerived(streamFile(name), Buffer.from('a stream'));
        await store.streams.keep(name, { mediaKey: streamFile(name), sizeBytes: 8 });
      }
      await store.streams.request([names[2]!]);
      await removeUnnamed(store.streams, media);
      const left = await Promise.all(names.map((name) => store.streams.known(name)));
      expect(left.map((one) => one?.state)).toEqual(['done', undefined, undefined]);
      const files = await Promise.all(names.map((name) => media.readDerived(streamFile(name))));
      expect(files.map((file) => file !== undefined)).toEqual([true, false, false]);
    });

    it('removes the least used streams of too many', async () => {
      const { store, clock, media } = await start();
      const names = [1, 2, 3].map((n) => nameOf(audioKey(n)));
      for (const name of names) {
        await media.keepDerived(streamFile(name), Buffer.from('a stream'));
        await store.streams.keep(name, { mediaKey: streamFile(name), sizeBytes: 10 });
        await tick({ clock });
      }
      await store.streams.use(names[0]!);
      await removeLeastUsed(store.streams, media, 20);
      expect(await store.streams.bytes()).toBe(20);
      const left = await Promise.all(names.map((name) => store.streams.known(name)));
      expect(left.map((one) => one?.state)).toEqual(['done', undefined, 'done']);
      const files = await Promise.all(names.map((name) => media.readDerived(streamFile(name))));
      expect(files.map((file) => file !== undefined)).toEqual([true, false, true]);
    });
  });
}
