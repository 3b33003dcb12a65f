import { describe, expect, it } from 'vitest';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { parseDocument } from '../../src/features/catalog/track-document.ts';
import type { Store } from '../../src/features/store.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { pruneAll } from './batches-support.ts';

const ID = trackId(1);
const AUDIO = `${'a'.repeat(64)}.mp3`;

const PART = { kind: 'loop', name: null, durationSeconds: 1, audioKey: AUDIO, sizeBytes: 1 };

/** Each difference of a delivery, and the members that it changes. */
const DIFFERENCES: [Partial<TrackDelivery>, string[]][] = [
  [{ name: 'Other' }, ['name']],
  [{ type: 'sfx' }, ['type']],
  [{ bpm: '97.125' }, ['bpm']],
  [{ songKey: [] }, ['songKey']],
  [{ timeSignature: '3/4' }, ['timeSignature']],
  [{ durationSeconds: 7 }, ['durationSeconds']],
  [{ region: 'EU' }, ['region']],
  [{ releasedAt: 5 }, ['releaseDate']],
  [{ isInstrumental: true }, ['vocals']],
  [{ isInstrumental: false }, ['vocals']],
  [{ hasVocals: true, isPRO: true }, ['hasVocals', 'vocals', 'isPRO']],
  [{ hasVocals: false, isInstrumental: true }, ['hasVocals', 'vocals']],
  [{ tags: ['fast', 'slow'] }, ['tags']],
  [{ artists: [] }, ['artists']],
  [{ filters: [{ type: 'mood', name: 'Calm' }] }, ['filters']],
  [{ isrc: 'USUAN1100001' }, ['isrc']],
  [{ audioKey: AUDIO }, ['audio', 'hasAudio', 'stream']],
  [{ audioKey: `${'b'.repeat(64)}.wav` }, ['audio', 'stream']],
  [{ artworkKey: `${'c'.repeat(64)}.png` }, ['artwork']],
  [{ externalId: 'label:other' }, []],
  [{ previewStart: 0 }, ['previewStart']],
  [{ previewStart: null }, ['previewStart']],
  [{ stems: [PART] }, ['stems']],
  [{ bpm: '98', stems: [], versions: [PART] }, ['bpm', 'stems', 'versions']],
  [
    { provenance: { ai: 'none', aiParts: [], trainingAllowed: null, statement: null } },
    ['provenance'],
  ],
  // They are behind URLs that stay the same.
  [{ previewKey: `${'d'.repeat(64)}.mp3`, waveformKey: `${'e'.repeat(64)}.dat` }, []],
];

for (const adapter of ADAPTERS) {
  describe(`the changed members of a track on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const last = async (store: Store) => {
      const [change] = await store.changes.latest(1);
      return [change!.kind, change!.changed];
    };

    it('are those that differ between the documents before and after', async () => {
      const { store } = await open();
      const document = async (): Promise<Readonly<Record<string, unknown>>> => ({
        ...parseDocument((await store.catalog.document(ID))!),
      });
      let current = delivery(1);
      await importAll(store, [current]);
      expect(await last(store)).toEqual(['created', null]);
      for (const [difference, members] of DIFFERENCES) {
        const before = await document();
        current = { ...current, ...difference };
        expect(await importAll(store, [current], JSON.stringify(difference))).toEqual(['updated']);
        expect(await last(store)).toEqual(['updated', members]);
        const after = await document();
        const differing = Object.keys(after).filter(
          (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
        );
        expect(members.filter((name) => name in after)).toEqual(differing);
      }
      const head = await store.changes.head();
      expect(await importAll(store, [current], 'again')).toEqual(['unchanged']);
      expect(await store.changes.head()).toBe(head);
    });

    it('are recorded by an undo, and not for other kinds of change', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1), delivery(2)], 'first');
      await importAll(store, [delivery(1, { bpm: '99', tags: [] })], 'second');
      await store.batches.undo('second', { by: 'cli:me' });
      expect(await last(store)).toEqual(['updated', ['bpm', 'tags']]);
      await pruneAll(store, [delivery(2)], 'third');
      expect(await last(store)).toEqual(['withdrawn', null]);
      await importAll(store, [delivery(1, { name: 'Other' })], 'fourth');
      expect(await last(store)).toEqual(['restored', null]);
    });
  });
}
