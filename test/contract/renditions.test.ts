import { describe, expect, it } from 'vitest';
import { clipVariant, renditionsOf } from '../../src/features/renditions/rendition.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { audioKey, claim, fileOf, nameOf, namesOf } from './renditions-support.ts';

for (const adapter of ADAPTERS) {
  describe(`renditions on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are named by the audio, and by the second at which a clip begins', () => {
      const sound = { audioKey: 'a', previewStart: 7, previewKey: null, waveformKey: null };
      expect(renditionsOf(sound)).toEqual([
        nameOf('a', 'preview', '7'),
        nameOf('a', 'waveform'),
        nameOf('a', 'waveform-dat'),
      ]);
      expect(renditionsOf({ ...sound, previewStart: 0, waveformKey: 'w' })).toEqual([
        nameOf('a', 'preview', '0'),
      ]);
      expect(renditionsOf({ ...sound, previewKey: 'p', waveformKey: 'w' })).toEqual([]);
      expect(renditionsOf({ ...sound, audioKey: null })).toEqual([]);
      expect(clipVariant(null)).toBe('');
    });

    it('are added once, whatever their number and repetitions', async () => {
      const { store } = await open();
      expect(await store.renditions.add([])).toBe(0);
      const names = namesOf(audioKey(1));
      expect(await store.renditions.add([...names, ...names])).toBe(3);
      expect(await store.renditions.add(names)).toBe(0);
      expect(await store.renditions.find(names[0]!)).toEqual({
        ...names[0],
        state: 'queued',
        format: 'mp3',
        attempts: 0,
        error: null,
        file: null,
      });
      expect(await store.renditions.find(nameOf(audioKey(1), 'preview', '7'))).toBeUndefined();
      const many = Array.from({ length: 340 }, (_, n) => namesOf(audioKey(n + 10))).flat();
      expect(await store.renditions.add(many)).toBe(1_020);
      expect(await store.renditions.counts()).toEqual({
        queued: 1_023,
        running: 0,
        done: 0,
        failed: 0,
      });
    });

    it('are those of live tracks with audio', async () => {
      const { store } = await open();
      await importAll(store, [
        delivery(0, { audioKey: audioKey(1) }),
        delivery(1),
        delivery(2, { audioKey: audioKey(2) }),
        delivery(3, { audioKey: audioKey(3) }),
      ]);
      await setTrackState(store, trackId(3), 'taken_down', BY);
      const sound = { previewStart: null, previewKey: null, waveformKey: null };
      const ids = [0, 1, 2, 3, 99].map(trackId);
      const all = [audioKey(1), audioKey(2)].map((key) => ({ ...sound, audioKey: key }));
      expect(await store.renditions.soundsOf(ids)).toEqual(expect.arrayContaining(all));
      expect(await store.renditions.soundsOf(ids)).toHaveLength(2);
      const first = await store.renditions.soundsAfter(0, 2);
      expect(first!.sounds).toEqual([all[0]]);
      const second = await store.renditions.soundsAfter(first!.lastRowId, 9);
      expect(second!.sounds).toEqual([all[1]]);
      expect(await store.renditions.soundsAfter(second!.lastRowId, 9)).toBeUndefined();
    });

    it('are dropped with their tracks unless a node has begun them', async () => {
      const { store } = await open();
      await importAll(store, [
        delivery(0, { audioKey: audioKey(1) }),
        delivery(1, { audioKey: audioKey(2) }),
        delivery(2),
      ]);
      const ids = [0, 1, 2, 99].map(trackId);
      expect(await store.renditions.silentAudio(ids)).toEqual([]);
      for (const n of [0, 1, 2]) await setTrackState(store, trackId(n), 'taken_down', BY);
      const silent = [audioKey(1), audioKey(2)];
      expect((await store.renditions.silentAudio(ids)).sort()).toEqual(silent);
      expect(await store.renditions.soundsAfter(0, 9)).toMatchObject({ sounds: [], silent });
      expect(await store.renditions.dropQueued(silent)).toBe(0);
      await store.renditions.add([1, 2, 3].flatMap((n) => namesOf(audioKey(n))));
      expect((await claim(store))!.audioKey).toBe(audioKey(1));
      expect(await store.renditions.dropQueued(silent)).toBe(3);
      expect(await store.renditions.unmade()).toEqual({ queued: 3, running: 3, failed: 0 });
      expect(await store.renditions.queuedFormats()).toEqual(['mp3']);
    });

    /** Lets all renditions of an audio file fail. */
    const failAll = async (store: Store, n: number, previewStart: number | null = null) => {
      await store.renditions.request(namesOf(audioKey(n), previewStart));
      await store.renditionClaims.fail((await claim(store))!, 'it is damaged', false);
    };

    it('count as failed, and are queued again, only if a live track needs them', async () => {
      const { store } = await open();
      const none = {
        audioKey: audioKey(4),
        previewKey: audioKey(9),
        waveformKey: audioKey(8, 'dat'),
      };
      await importAll(store, [
        delivery(1, { audioKey: audioKey(1) }),
        delivery(2, { audioKey: audioKey(2) }),
        delivery(3, { audioKey: audioKey(3), previewStart: 7 }),
        delivery(4, none),
      ]);
      for (const n of [1, 2, 3, 4, 5]) await failAll(store, n);
      await setTrackState(store, trackId(2), 'taken_down', BY);
      // Three of the first audio file, and the waveforms of the third one, whose clip begins elsewhere.
      expect(await store.renditions.unmade()).toEqual({ queued: 0, running: 0, failed: 5 });
      expect(await store.renditions.counts()).toMatchObject({ failed: 5 });
      await failAll(store, 3, 7);
      expect(await store.renditions.unmade()).toMatchObject({ failed: 6 });
      expect(await store.renditions.requeueFailed()).toBe(6);
      expect(await store.renditions.requeueFailed()).toBe(0);
      await setTrackState(store, trackId(2), 'live', BY);
      expect(await store.renditions.requeueFailed()).toBe(3);
    });

    it('are deleted once nothing names their audio, also after an undo', async () => {
      const { store } = await open();
      const states = async () => {
        const all = await Promise.all(
          [1, 2, 3, 4, 5].map((n) => store.renditions.ofAudio(audioKey(n))),
        );
        return all.map((some) => [...new Set(some.map(({ state }) => state))].join());
      };
      await importAll(
        store,
        [1, 2, 3].map((n) => delivery(n, { audioKey: audioKey(n) })),
        'first',
      );
      await failAll(store, 1);
      await failAll(store, 5);
      await store.renditions.add([2, 3].flatMap((n) => namesOf(audioKey(n))));
      const finished = (await claim(store))!;
      await store.renditionClaims.finish(finished, [1, 2, 3].map(fileOf));
      await setTrackState(store, trackId(3), 'taken_down', BY);
      await importAll(store, [delivery(2, { audioKey: audioKey(9) })], 'second');
      await store.renditions.request(namesOf(audioKey(4)));
      expect((await claim(store))!.audioKey).toBe(audioKey(4));
      expect(await states()).toEqual(['failed', 'done', 'queued', 'running', 'failed']);
      // Of these, the second one is former, and the fourth one is running.
      expect(await store.renditions.dropUnnamedOf([2, 4].map((n) => audioKey(n)))).toBe(0);
      expect(await store.renditions.dropUnnamed()).toBe(3);
      expect(await states()).toEqual(['failed', 'done', 'queued', 'running', '']);
      await store.catalog.removeSource('label', BY);
      expect(await store.renditions.dropUnnamed(AbortSignal.abort())).toBe(0);
      expect(await store.renditions.dropUnnamed()).toBe(9);
      expect(await states()).toEqual(['', '', '', 'running', '']);
    });

    it('are deleted beside others of which there are many', async () => {
      const { store } = await open();
      await importAll(
        store,
        Array.from({ length: 200 }, (_, n) => delivery(n, { audioKey: audioKey(2 * n) })),
      );
      const all = Array.from({ length: 400 }, (_, n) => namesOf(audioKey(n)));
      for (const some of [all.slice(0, 200), all.slice(200)])
        await store.renditions.add(some.flat());
      expect(await store.renditions.dropUnnamed()).toBe(600);
      expect(await store.renditions.counts()).toMatchObject({ queued: 600 });
      expect(await store.renditions.ofAudio(audioKey(1))).toEqual([]);
      expect(await store.renditions.ofAudio(audioKey(398))).toHaveLength(3);
    });

    it('keep their media', async () => {
      const { store } = await open();
      await store.renditions.add([...namesOf(audioKey(1)), ...namesOf(audioKey(2))]);
      const claimed = (await claim(store))!;
      await store.renditionClaims.finish(claimed, [1, 2, 3].map(fileOf));
      const made = claimed.names.map((name, n) => ({ ...name, mediaKey: fileOf(n + 1).mediaKey }));
      expect(await store.renditions.madeAfter(undefined, 2)).toEqual(made.slice(0, 2));
      expect(await store.renditions.madeAfter(made[1], 2)).toEqual(made.slice(2));
      expect(await store.renditions.madeAfter(made[2], 2)).toEqual([]);
      const keys: string[] = [];
      for await (const slice of store.catalog.mediaKeys()) keys.push(...slice);
      expect(keys.sort()).toEqual([1, 2, 3].map((n) => fileOf(n).mediaKey));
    });
  });
}
