import { describe, expect, it } from 'vitest';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { NOTHING } from './batches-support.ts';

const clip = (letter: string) => `${letter.repeat(64)}.mp3`;
const waveform = (letter: string) => `${letter.repeat(64)}.dat`;
const NONE = { previewStart: null, previewKey: null, waveformKey: null };
const KNOWN = { previewStart: 0, previewKey: clip('a'), waveformKey: waveform('b') };

async function previewsOf(store: Store, n = 1) {
  const { previewStart, previewKey, waveformKey } = (await store.catalog.trackRecord(trackId(n)))!;
  return { previewStart, previewKey, waveformKey };
}

async function mediaKeys(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const slice of store.catalog.mediaKeys()) keys.push(...slice);
  return [...new Set(keys)].sort();
}

for (const adapter of ADAPTERS) {
  describe(`the imported previews of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    /** Delivers one track, and returns the outcome and what is stored then. */
    async function deliver(store: Store, members: Partial<TrackDelivery>, batchId = 'batch') {
      const [outcome] = await importAll(store, [delivery(1, members)], batchId);
      return [outcome, await previewsOf(store)];
    }

    it('are stored, and stay if a delivery lacks them', async () => {
      const { store } = await open();
      expect(await deliver(store, KNOWN)).toEqual(['created', KNOWN]);
      expect(await deliver(store, KNOWN)).toEqual(['unchanged', KNOWN]);
      expect(await deliver(store, {})).toEqual(['unchanged', KNOWN]);
      expect(await deliver(store, { name: 'Other' })).toEqual(['updated', KNOWN]);
      const start = { previewStart: 86_400 };
      expect(await deliver(store, start)).toEqual(['updated', { ...KNOWN, ...start }]);
      expect(await deliver(store, { previewKey: null })).toEqual([
        'updated',
        { ...KNOWN, ...start, previewKey: null },
      ]);
      expect(await deliver(store, NONE)).toEqual(['updated', NONE]);
      expect(await deliver(store, NONE)).toEqual(['unchanged', NONE]);
    });

    it('are what renditions are made of, or not', async () => {
      const { store } = await open();
      const audioKey = `${'c'.repeat(64)}.mp3`;
      await deliver(store, { ...KNOWN, audioKey });
      expect(await store.renditions.soundsOf([trackId(1)])).toEqual([{ ...KNOWN, audioKey }]);
    });

    it('are restored by an undo, and the track is as the former import delivered it', async () => {
      const { store } = await open();
      const before = [delivery(0), delivery(1, KNOWN), delivery(2, { previewStart: 5 })];
      const after = [
        delivery(0, KNOWN),
        delivery(1, { ...NONE, name: 'Other' }),
        delivery(2, { previewStart: 6, previewKey: clip('c'), waveformKey: waveform('d') }),
      ];
      const all = () => Promise.all([0, 1, 2].map((n) => previewsOf(store, n)));
      await importAll(store, before, 'first');
      const stored = await all();
      expect(await importAll(store, after, 'second')).toEqual(Array(3).fill('updated'));
      // An undo needs the former ones.
      expect((await mediaKeys(store)).map(([letter]) => letter)).toEqual(['a', 'b', 'c', 'd']);
      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, updated: 3 });
      expect(await all()).toEqual(stored);
      expect((await mediaKeys(store)).map(([letter]) => letter)).toEqual(['a', 'b']);
      expect(await importAll(store, before, 'third')).toEqual(Array(3).fill('unchanged'));
      await store.check(true);
    });

    it('are compared by a preview, which stores nothing', async () => {
      const { store } = await open();
      await deliver(store, KNOWN);
      const session = await store.catalog.openDelivery(BY, 'preview');
      expect(
        await session.preview([delivery(1, { ...KNOWN, previewStart: 1 }), delivery(2, KNOWN)]),
      ).toEqual(['updated', 'created']);
      await session.close();
      expect(await previewsOf(store)).toEqual(KNOWN);
    });
  });
}
