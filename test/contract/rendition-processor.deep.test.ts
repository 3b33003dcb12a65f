import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import type { MediaStore } from '../../src/engines/blobs/media-store.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { MAX_ATTEMPTS, type Rendition } from '../../src/features/renditions/rendition.ts';
import type { Store } from '../../src/features/store.ts';
import type { RenditionNodeJob } from '../harness/programs/rendition-node.ts';
import {
  type RenditionNodeOfTest,
  SHORT_TIMES,
  startRenditionNode,
} from '../harness/rendition-node.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { until } from '../harness/until.ts';
import { namesOf, statesOf } from './renditions-support.ts';

const PROGRAM = join(import.meta.dirname, '../harness/programs/rendition-node.ts');
/** So long that a process is killed while it works, and that a stop interrupts it. */
const LONG = () => wavFile([tone(120, 44_100)], { bits: 8 });
const SHORT = wavFile([tone(1, 44_100)]);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

for (const adapter of ADAPTERS) {
  describe(`the processor of renditions on ${adapter.name}`, () => {
    /** A store with the clock of the machine, which other processes have, too. */
    async function start() {
      const place = await adapter.provide();
      ends.push(() => place.dispose());
      const folder = await mkdtemp(join(tmpdir(), 'stave-processor-'));
      ends.push(() => rm(folder, { recursive: true }));
      const media = await openDiskMediaStore({ folder });
      const open = async () => {
        const store = await adapter.open(place.location, systemClock);
        ends.push(() => store.close());
        return store;
      };
      const store = await open();
      /** Queues the renditions of an audio file. */
      const queue = async (bytes: Uint8Array, extension: string) => {
        const { key } = await media.putBytes(bytes, extension);
        await store.renditions.add(namesOf(key));
        return key;
      };
      const job: RenditionNodeJob = {
        adapter: adapter.name,
        location: place.location,
        media: folder,
      };
      return { store, open, media, queue, job };
    }

    async function node(
      store: Store,
      media: MediaStore,
      options?: Parameters<typeof startRenditionNode>[2],
    ): Promise<RenditionNodeOfTest> {
      const started = await startRenditionNode(store, media, options);
      ends.push(() => started.stop());
      return started;
    }

    const isDone = async (store: Store, key: string) =>
      (await store.renditions.ofAudio(key)).every(({ state }) => state === 'done');

    function startProcess(job: RenditionNodeJob): ChildProcess {
      const child = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], { stdio: 'inherit' });
      ends.push(() => child.kill('SIGKILL'));
      return child;
    }

    it('makes each job on one of two nodes, with equal files', async () => {
      const { store, open, media, queue } = await start();
      const first = await node(store, media, { node: 'a' });
      const second = await node(await open(), media, { node: 'b' });
      await until(async () => (await store.renditions.nodes()).length === 2);
      const keys = await Promise.all(
        [1, 2, 3, 4].map((n) => queue(wavFile([tone(n, 44_100)]), 'wav')),
      );
      for (const key of keys) await until(() => isDone(store, key));
      const made = [...first.events, ...second.events];
      expect(made).toEqual(keys.map(() => 'made 3'));
      for (const key of keys) {
        const files = await store.renditions.ofAudio(key);
        expect(files.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
        await store.renditions.remake(files);
        await until(() => isDone(store, key));
        const again = await store.renditions.ofAudio(key);
        expect(again.map(({ file }) => file)).toEqual(files.map(({ file }) => file));
      }
    });

    it('finishes what a process was making when it was killed', async () => {
      const { store, media, queue, job } = await start();
      const key = await queue(LONG(), 'wav');
      const child = startProcess(job);
      await until(async () => (await store.renditions.counts()).running === 3);
      child.kill('SIGKILL');
      await until(() => child.signalCode !== null);
      expect((await store.renditions.counts()).running).toBe(3);
      await node(store, media, { node: 'other' });
      await until(() => isDone(store, key));
      const made = await store.renditions.ofAudio(key);
      expect(made.map(({ attempts, error }) => ({ attempts, error }))).toEqual(
        Array(3).fill({ attempts: 2, error: null }),
      );
    });

    it('releases what it is making when it is stopped, and renews it until then', async () => {
      const { store, media, queue } = await start();
      const key = await queue(LONG(), 'wav');
      const stopped = await startRenditionNode(store, media);
      await until(async () => (await store.renditions.counts()).running === 3);
      const before = performance.now();
      await stopped.stop();
      expect(performance.now() - before).toBeLessThan(5_000);
      expect(stopped.events).toEqual([]);
      expect(await store.renditions.nodes()).toEqual([]);
      const [released] = await store.renditions.ofAudio(key);
      expect(released).toMatchObject({ state: 'queued', attempts: 0, error: null });
      await node(store, media, { node: 'next' });
      await until(() => isDone(store, key));
    });

    it('fails what it cannot decode at once, and leaves other formats', async () => {
      const { store, media, queue } = await start();
      const damaged = await queue(Buffer.from('fLaC, and nothing'), 'flac');
      const other = await queue(SHORT, 'm4a');
      // AAC, although its name says otherwise.
      const hidden = await queue(Buffer.concat([Buffer.from('fff15080', 'hex'), SHORT]), 'ogg');
      const { events } = await node(store, media);
      await until(async () => (await statesOf(store, damaged)).every((one) => one === 'failed'));
      expect((await store.renditions.ofAudio(damaged))[0]).toMatchObject({
        state: 'failed',
        attempts: 1,
        error: expect.stringMatching(/^[^\n]{10,200}$/),
      });
      const isHeld = async () => (await store.renditions.ofAudio(hidden))[0]!.format === 'ffmpeg';
      await until(isHeld);
      await until(() => events.length === 2);
      expect(events.sort()).toEqual(['failed 3', 'retried 3']);
      for (const key of [other, hidden]) {
        expect((await store.renditions.ofAudio(key))[0]).toMatchObject({
          state: 'queued',
          attempts: 0,
        });
      }
    });

    it('does without an ffmpeg that cannot be executed', async () => {
      const { store, media, queue } = await start();
      await queue(SHORT, 'm4a');
      await node(store, media, { ffmpeg: '/nowhere/ffmpeg' });
      await until(async () => (await store.renditions.nodes()).length === 1);
      const [seen] = await store.renditions.nodes();
      expect(seen!.formats).toContain('wav');
      expect(seen!.formats).not.toContain('m4a');
    });

    it('goes on with others while the audio of a job cannot be read', async () => {
      const { store, media, queue } = await start();
      const unreadable = await queue(SHORT, 'wav');
      await rm(media.localPath!(unreadable));
      await mkdir(media.localPath!(unreadable));
      await store.renditions.request(namesOf(unreadable));
      const other = await queue(wavFile([tone(2, 44_100)]), 'wav');
      // A pause of the thread would outlast the test.
      const times = { ...SHORT_TIMES, pauseMs: 600_000, longestPauseMs: 600_000 };
      const longestJobPauseMs = 200;
      const { events } = await node(store, media, { times: { ...times, longestJobPauseMs } });
      await until(() => isDone(store, other));
      await until(() => events.filter((one) => one === 'retried 3').length > 3);
      await until(async () => {
        const [{ state, attempts, error }] = (await store.renditions.ofAudio(unreadable)) as [
          Rendition,
        ];
        return state === 'queued' && attempts === 0 && error === 'its audio cannot be read';
      });
      await rm(media.localPath!(unreadable), { recursive: true });
      await media.putBytes(SHORT, 'wav');
      await until(() => isDone(store, unreadable));
    });

    it('tries again at a request while the media store is away', async () => {
      const { store, media, queue } = await start();
      const key = await queue(SHORT, 'wav');
      let isAway = true;
      const refuse = () => Promise.reject(new Error('the bucket is away'));
      const away = new Proxy(media, {
        get(target, name: keyof MediaStore) {
          if (isAway && name === 'stat') return refuse;
          if (isAway && name === 'keys')
            return () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) });
          const value = target[name];
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const times = { ...SHORT_TIMES, longestPauseMs: 600_000 };
      const { processor, events } = await node(store, away, { times });
      // Without requests, the pauses would take hours.
      await until(() => {
        processor.wake();
        return events.filter((one) => one === 'error the bucket is away').length > 18;
      });
      isAway = false;
      processor.wake();
      await until(() => isDone(store, key));
    });

    it('does not give up audio that is missing from the media store', async () => {
      const { store, media, queue } = await start();
      const other = await queue(wavFile([tone(2, 44_100)]), 'wav');
      const key = await queue(SHORT, 'wav');
      await media.remove(key);
      await store.renditions.request(namesOf(key));
      const { events } = await node(store, media);
      await until(() => isDone(store, other));
      await until(() => events.filter((one) => one === 'retried 3').length > MAX_ATTEMPTS);
      await until(async () => {
        const [{ state, attempts, error }] = (await store.renditions.ofAudio(key)) as [Rendition];
        return (
          state === 'queued' &&
          attempts === 0 &&
          error === 'its audio is missing from the media store'
        );
      });
      expect([...new Set(events)].sort()).toEqual(['made 3', 'retried 3']);
      await media.putBytes(SHORT, 'wav');
      await until(() => isDone(store, key));
    });

    it('waits while the media store has no files, as a folder that is not mounted', async () => {
      const { store, media, queue } = await start();
      const bytes = [1, 2, 3].map((n) => wavFile([tone(n, 44_100)]));
      const keys = await Promise.all(bytes.map((one) => queue(one, 'wav')));
      for (const key of keys) await media.remove(key);
      const times = { ...SHORT_TIMES, pauseMs: 50, longestPauseMs: 100 };
      const { events } = await node(store, media, { times });
      const reason = `error The media store ${media.place} has no files: mount it, or restore them.`;
      await until(() => events.filter((one) => one === reason).length > 4 * keys.length);
      for (const key of keys) {
        await until(async () => (await store.renditions.ofAudio(key))[0]!.attempts === 0);
      }
      for (const one of bytes) await media.putBytes(one, 'wav');
      for (const key of keys) await until(() => isDone(store, key));
    });
  });
}
