import { describe, expect, it } from 'vitest';
import { nameBasedId } from '../../src/common/ids.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { DeliveredPart } from '../../src/features/catalog/track-parts.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { NOTHING } from './batches-support.ts';
import { part } from './parts-support.ts';

const STEMS = [part('drums', 'a', { name: 'Kit' }), part('bass', 'b'), part('drums', 'c')];
const VERSIONS = [part('cutdown', 'd', { durationSeconds: 0, sizeBytes: 5_000_000_000 })];
const KNOWN = { stems: STEMS, versions: VERSIONS };
const NONE = { stems: [], versions: [] };

/** The parts of a track without their ids. */
async function partsOf(store: Store, n = 1) {
  const { parts } = (await store.catalog.trackParts(trackId(n)))!;
  const withoutId = ({ id: _, ...one }: DeliveredPart & { id: string }) => one;
  return { stems: parts.stems.map(withoutId), versions: parts.versions.map(withoutId) };
}

async function mediaKeys(store: Store): Promise<string> {
  const keys: string[] = [];
  for await (const slice of store.catalog.mediaKeys()) keys.push(...slice);
  return [...new Set(keys.map(([letter]) => letter))].sort().join('');
}

for (const adapter of ADAPTERS) {
  describe(`the parts of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    /** Delivers one track, and returns the outcome and its parts. */
    async function deliver(store: Store, members: Partial<TrackDelivery>, batchId = 'batch') {
      const [outcome] = await importAll(store, [delivery(1, members)], batchId);
      return [outcome, await partsOf(store)];
    }
    const lastChange = async (store: Store) => {
      const [change] = await store.changes.latest(1);
      return [change!.kind, change!.changed];
    };

    it('are stored in their order, and a list stays if a delivery lacks it', async () => {
      const { store } = await open();
      expect(await deliver(store, KNOWN)).toEqual(['created', KNOWN]);
      expect(await deliver(store, KNOWN)).toEqual(['unchanged', KNOWN]);
      expect(await deliver(store, {})).toEqual(['unchanged', KNOWN]);
      expect(await deliver(store, { name: 'Other' })).toEqual(['updated', KNOWN]);
      const stems = STEMS.toReversed();
      expect(await deliver(store, { stems })).toEqual(['updated', { ...KNOWN, stems }]);
      expect(await deliver(store, { versions: [] })).toEqual(['updated', { stems, versions: [] }]);
      expect(await deliver(store, NONE)).toEqual(['updated', NONE]);
      expect(await deliver(store, NONE)).toEqual(['unchanged', NONE]);
    });

    it('have ids that depend on the track, the kind and the place among their kind', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1, KNOWN), delivery(2, { stems: STEMS })]);
      const idsOf = async (n: number) => {
        const { parts } = (await store.catalog.trackParts(trackId(n)))!;
        return [...parts.stems, ...parts.versions].map(({ id }) => id);
      };
      const ids = ['stem:drums:1', 'stem:bass:1', 'stem:drums:2', 'version:cutdown:1'];
      expect(await idsOf(1)).toEqual(ids.map((name) => nameBasedId(trackId(1), name)));
      expect(await idsOf(2)).toEqual(ids.slice(0, 3).map((name) => nameBasedId(trackId(2), name)));
      for (const [i, id] of (await idsOf(1)).entries()) {
        const { audioKey, name, kind } = [...STEMS, ...VERSIONS][i]!;
        expect(await store.catalog.partAudio(id)).toEqual({
          ...{ trackId: trackId(1), state: 'live', audioKey, part: name ?? kind },
          ...{ name: 'Track 1', slug: 'track-1', forbidsTraining: false },
          ...{ artist: 'Artist 1', performers: ['Artist 1'] },
        });
      }
      expect(await store.catalog.partAudio(trackId(1))).toBeUndefined();
    });

    it('are found by slug and id, in any state of the track', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1, KNOWN)]);
      const found = await store.catalog.trackParts('track-1');
      expect(found).toMatchObject({ id: trackId(1), slug: 'track-1', state: 'live' });
      expect(await store.catalog.trackParts(trackId(1).toUpperCase())).toEqual(found);
      expect(await store.catalog.trackParts('track-2')).toBeUndefined();
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const down = { ...found!, state: 'taken_down' };
      expect(await store.catalog.trackParts('track-1')).toEqual(down);
      const { id } = found!.parts.stems[0]!;
      expect(await store.catalog.partAudio(id)).toMatchObject({ state: 'taken_down' });
    });

    it('are named in the change log', async () => {
      const { store } = await open();
      await deliver(store, {}, '1');
      await deliver(store, KNOWN, '2');
      expect(await lastChange(store)).toEqual(['updated', ['stems', 'versions']]);
      await deliver(store, { versions: [part('loop', 'e')], bpm: '99' }, '3');
      expect(await lastChange(store)).toEqual(['updated', ['bpm', 'versions']]);
      await store.batches.undo('3', { by: BY });
      expect(await lastChange(store)).toEqual(['updated', ['bpm', 'versions']]);
    });

    it('are 64 at most, also if two imports that both allow them deliver one list each', async () => {
      const { store } = await open();
      const many = (count: number) => Array.from({ length: count }, () => part('loop', 'f'));
      await deliver(store, { stems: many(40) });
      const full = { stems: many(40), versions: many(24) };
      expect(await deliver(store, { versions: many(24) }, 'b')).toEqual(['updated', full]);
      expect(await deliver(store, { stems: many(41) }, 'c')).toEqual(['crowded', full]);
      const preview = await store.catalog.openDelivery(BY, 'preview');
      expect(await preview.preview([delivery(1, { versions: many(25) })])).toEqual(['crowded']);
      await preview.close();
      const head = await store.changes.head();
      const batch = [delivery(2), delivery(1, { versions: many(25), name: 'Other' }), delivery(3)];
      expect(await importAll(store, batch, 'd')).toEqual(['created', 'crowded', 'created']);
      expect(await partsOf(store)).toEqual(full);
      expect(await store.changes.head()).toBe(head + 2);
      const both = { stems: many(24), versions: many(40) };
      expect(await deliver(store, both, 'e')).toEqual(['updated', both]);
    });

    it('are restored by an undo, and the track is as the former import delivered it', async () => {
      const { store } = await open();
      const before = [delivery(0), delivery(1, KNOWN), delivery(2, { stems: STEMS })];
      const after = [
        delivery(0, KNOWN),
        delivery(1, { ...NONE, name: 'Other' }),
        delivery(2, { versions: [part('sting', 'e')] }),
      ];
      const all = () => Promise.all([0, 1, 2].map((n) => partsOf(store, n)));
      await importAll(store, before, 'first');
      const stored = await all();
      expect(await importAll(store, after, 'second')).toEqual(Array(3).fill('updated'));
      // An undo needs the former ones.
      expect(await mediaKeys(store)).toBe('abcde');
      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, updated: 3 });
      expect(await all()).toEqual(stored);
      expect(await mediaKeys(store)).toBe('abcd');
      expect(await importAll(store, before, 'third')).toEqual(Array(3).fill('unchanged'));
      await store.check(true);
    });

    it('keep their media until the batch that replaced them expires', async () => {
      const { store } = await open();
      await deliver(store, { stems: STEMS }, 'first');
      await deliver(store, { stems: [] }, 'second');
      expect(await mediaKeys(store)).toBe('abc');
      await store.batches.expire(Number.MAX_SAFE_INTEGER);
      expect(await mediaKeys(store)).toBe('');
    });

    it('are removed with their source', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1, KNOWN)]);
      await importAll(store, [delivery(2, { ...KNOWN, source: 'other' })]);
      const { parts } = (await store.catalog.trackParts(trackId(1)))!;
      await store.catalog.removeSource('label', BY);
      expect(await store.catalog.trackParts(trackId(1))).toBeUndefined();
      expect(await store.catalog.partAudio(parts.stems[0]!.id)).toBeUndefined();
      expect(await partsOf(store, 2)).toEqual(KNOWN);
      // Their ids are free again.
      expect(await importAll(store, [delivery(1, KNOWN)])).toEqual(['created']);
      await store.check(true);
    });

    it('are compared by a preview, which stores nothing', async () => {
      const { store } = await open();
      await deliver(store, KNOWN);
      const session = await store.catalog.openDelivery(BY, 'preview');
      const outcomes = await session.preview([delivery(1, { stems: [] }), delivery(2, KNOWN)]);
      expect(outcomes).toEqual(['updated', 'created']);
      await session.close();
      expect(await partsOf(store)).toEqual(KNOWN);
    });
  });
}
