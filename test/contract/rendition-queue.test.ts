import { describe, expect, it } from 'vitest';
import type { TrackSound } from '../../src/features/renditions/rendition.ts';
import { RenditionQueue } from '../../src/features/renditions/rendition-queue.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { tick } from './renditions-support.ts';

const MINUTE = 60_000;
const audioKey = `${'a'.repeat(64)}.m4a`;
const sound: TrackSound = { audioKey, previewStart: 7, previewKey: null, waveformKey: null };
const files = ['mp3', 'jgz', 'dat'].map((extension, n) => {
  return { mediaKey: `${'b'.repeat(64)}.${extension}`, sizeBytes: n };
});

for (const adapter of ADAPTERS) {
  describe(`the queue of renditions on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async () => {
      const { store, clock, another } = await open();
      let wakes = 0;
      const queue = new RenditionQueue({ store: store.renditions, wake: () => wakes++ });
      // What makes them is another node.
      const { renditionClaims } = await another();
      const claim = () => renditionClaims.claim('node', ['m4a'], MINUTE);
      return { store, clock, queue, wakes: () => wakes, renditionClaims, claim };
    };

    it('waits for what another node makes, once for all requests', async () => {
      const { store, queue, wakes, renditionClaims, claim } = await start();
      const requests = Array.from({ length: 5 }, () => queue.ensure(sound, 'preview', MINUTE));
      const waveform = queue.ensure(sound, 'waveform-dat', MINUTE);
      await until(async () => (await store.renditions.counts()).queued === 3);
      const claimed = (await claim())!;
      expect(claimed.names).toEqual([
        { audioKey, kind: 'preview', variant: '7' },
        { audioKey, kind: 'waveform', variant: '' },
        { audioKey, kind: 'waveform-dat', variant: '' },
      ]);
      await renditionClaims.finish(claimed, files);
      for (const outcome of await Promise.all(requests)) {
        expect(outcome).toEqual({ state: 'done', file: files[0] });
      }
      expect(await waveform).toEqual({ state: 'done', file: files[2] });
      expect(wakes()).toBe(2);
      expect(await queue.ensure(sound, 'waveform', 0)).toEqual({ state: 'done', file: files[1] });
      expect(wakes()).toBe(2);
    });

    it('says that a rendition is pending after the wait, and when it is stopped', async () => {
      const { queue } = await start();
      expect(await queue.ensure(sound, 'preview', 1)).toEqual({ state: 'pending' });
      const waiting = queue.ensure(sound, 'preview', MINUTE);
      queue.stop();
      expect(await waiting).toEqual({ state: 'pending' });
    });

    it('waits as long as each request asks', async () => {
      const { queue, renditionClaims, claim } = await start();
      const long = queue.ensure(sound, 'preview', MINUTE);
      expect(await queue.ensure(sound, 'preview', 1)).toEqual({ state: 'pending' });
      await until(async () => {
        const claimed = await claim();
        if (claimed !== undefined) await renditionClaims.finish(claimed, files);
        return claimed !== undefined;
      });
      expect(await long).toEqual({ state: 'done', file: files[0] });
    });

    it('puts first what it has no place to wait for', async () => {
      const { store, clock, queue, claim } = await start();
      const other = (n: number) => ({ ...sound, audioKey: `${String(n).padStart(64, '0')}.m4a` });
      const waiting: Promise<unknown>[] = [];
      // A few at a time, because the database refuses what waits too long for a connection.
      while (waiting.length < 200) {
        for (let i = 0; i < 10; i++) {
          waiting.push(queue.ensure(other(waiting.length), 'preview', MINUTE));
        }
        const queued = 3 * waiting.length;
        await until(async () => (await store.renditions.counts()).queued === queued);
      }
      await tick({ clock });
      expect(await queue.ensure(sound, 'preview', MINUTE)).toEqual({ state: 'pending' });
      expect((await claim())!.audioKey).toBe(audioKey);
      queue.stop();
      await Promise.all(waiting);
    });

    it('gives the reason why a rendition failed', async () => {
      const { store, queue, renditionClaims, claim } = await start();
      await store.renditions.request([{ audioKey, kind: 'preview', variant: '7' }]);
      const waiting = queue.ensure(sound, 'preview', MINUTE);
      await renditionClaims.fail((await claim())!, 'the audio is damaged', false);
      expect(await waiting).toEqual({ state: 'failed', reason: 'the audio is damaged' });
    });

    it('fails for its format only while nodes are there, none of which decodes it', async () => {
      const { store, queue, renditionClaims } = await start();
      await store.renditions.add([{ audioKey, kind: 'preview', variant: '7' }]);
      expect(await queue.find(sound, 'preview')).toEqual({ state: 'pending' });
      await renditionClaims.see({ node: 'a', formats: ['mp3', 'wav'] });
      // The other queue remembers that there were none.
      const asking = new RenditionQueue({ store: store.renditions });
      expect(await asking.find(sound, 'preview')).toEqual({
        state: 'failed',
        reason: 'no node of this service decodes it: it needs m4a',
      });
      await renditionClaims.see({ node: 'b', formats: ['m4a'] });
      expect(await asking.find(sound, 'preview')).toEqual({ state: 'pending' });
    });

    it('refuses to wait for what is not made', async () => {
      const { queue } = await start();
      await expect(queue.ensure({ ...sound, previewKey: 'x' }, 'preview', 1)).rejects.toThrow(
        'no preview is made for this track',
      );
    });
  });
}
