import { describe, expect, it } from 'vitest';
import type { Provenance } from '../../src/features/catalog/provenance.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';

const ID = trackId(1);
const AUDIO = `${'a'.repeat(64)}.mp3`;
const COVER = `${'c'.repeat(64)}.png`;
const UNKNOWN: Provenance = { ai: 'unknown', aiParts: [], trainingAllowed: null, statement: null };
const ASSISTED: Provenance = {
  ai: 'assisted',
  aiParts: ['vocals', 'mastering'],
  trainingAllowed: false,
  statement: 'Sung by a machine, “mixed” by hand.',
};

for (const adapter of ADAPTERS) {
  describe(`the provenance of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const shown = async (store: Store) => (await store.catalog.trackRecord(ID))!.track.provenance;

    it('is that of the last delivery, and unknown if that says nothing', async () => {
      const { store } = await open();
      for (const given of [
        undefined,
        ASSISTED,
        { ...ASSISTED, trainingAllowed: true },
        undefined,
      ]) {
        const members = given === undefined ? {} : { provenance: given };
        await importAll(store, [delivery(1, members)], JSON.stringify(members));
        expect(await shown(store)).toEqual(given ?? UNKNOWN);
      }
    });

    it('is unchanged by the same delivery, kept by an edit, and restored by an undo', async () => {
      const { store } = await open();
      const given = delivery(1, { provenance: ASSISTED });
      await importAll(store, [given], 'first');
      expect(await importAll(store, [given], 'again')).toEqual(['unchanged']);
      await store.trackEdits.edit(ID, { revert: [], set: { bpm: '77' } }, BY);
      expect(await shown(store)).toEqual(ASSISTED);
      expect(await importAll(store, [delivery(1)], 'second')).toEqual(['updated']);
      expect((await store.changes.latest(1))[0]!.changed).toEqual(['provenance']);
      await store.batches.undo('second', { by: BY });
      expect(await shown(store)).toEqual(ASSISTED);
    });

    it('says of files of the track whether machines may learn from them', async () => {
      const { store } = await open();
      const { catalog } = store;
      const files = { audioKey: AUDIO, artworkKey: COVER };
      for (const [trainingAllowed, forbids] of [
        [null, false],
        [false, true],
        [true, false],
      ] as const) {
        const provenance = { ...UNKNOWN, trainingAllowed };
        await importAll(store, [delivery(1, { ...files, provenance })], String(trainingAllowed));
        expect((await catalog.trackAudio(ID))!.forbidsTraining).toBe(forbids);
        expect((await catalog.trackParts(ID))!.forbidsTraining).toBe(forbids);
        expect(await catalog.artworkForbidsTraining(COVER)).toBe(forbids);
      }
      // One of several tracks with the picture decides.
      const provenance = { ...UNKNOWN, trainingAllowed: false };
      await importAll(store, [delivery(2, { ...files, provenance })], 'other');
      expect(await catalog.artworkForbidsTraining(COVER)).toBe(true);
      expect(await catalog.artworkForbidsTraining(AUDIO)).toBe(false);
    });
  });
}
