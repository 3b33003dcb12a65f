import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, kindsAfter, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { NOTHING, named, pruneAll, recordsOf, stateOf, tableOf } from './batches-support.ts';

for (const adapter of ADAPTERS) {
  describe(`undo on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('withdraws the tracks that the import created, until they are imported again', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 2), 'first');
      await importAll(store, deliveries(0, 5), 'second');
      const head = await store.changes.head();
      clock.advance(1);
      expect(await store.batches.undo('second', { by: 'cli:me' })).toEqual({
        ...NOTHING,
        withdrawn: 3,
      });
      expect(await store.catalog.counts()).toMatchObject({ live: 2, withdrawn: 3, takenDown: 0 });
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(changes.map(({ kind, by }) => `${kind} ${by}`)).toEqual(
        Array(3).fill('withdrawn cli:me'),
      );
      const [undo, undone, first] = await store.batches.latest(3);
      expect(undo).toMatchObject({ id: changes[0]!.batchId, undoes: 'second', withdrawn: 3 });
      expect(undo!.undoneBy).toBeNull();
      expect(undone).toMatchObject({ id: 'second', undoes: null, undoneBy: undo!.id });
      expect(first).toMatchObject({ id: 'first', undoes: null, undoneBy: null });
      expect(await importAll(store, deliveries(0, 5), 'third')).toEqual([
        ...Array(2).fill('unchanged'),
        ...Array(3).fill('updated'),
      ]);
      expect(await store.catalog.counts()).toMatchObject({ live: 5, withdrawn: 0 });
    });

    it('restores the whole former content of updated tracks', async () => {
      const { store } = await open();
      const before = [
        delivery(1, { name: 'a\u0000b', bpm: '97.125', isrc: 'USUAN1100001', songKey: [] }),
        delivery(2, { audioKey: `${'a'.repeat(64)}.mp3`, artworkKey: `${'b'.repeat(64)}.png` }),
        delivery(3, { releasedAt: null, filters: [{ type: 'mood', name: 'Calm' }], artists: [] }),
      ];
      const after = [
        delivery(1, {
          name: 'Other',
          type: 'sfx',
          bpm: '1',
          songKey: ['C major'],
          artists: delivery(4).artists,
          audioKey: `${'c'.repeat(64)}.mp3`,
        }),
        delivery(2, {
          audioKey: `${'d'.repeat(64)}.mp3`,
          artworkKey: `${'e'.repeat(64)}.png`,
          tags: ['new'],
        }),
        delivery(3, { releasedAt: 5, filters: [{ type: 'genre', name: 'New' }], hasVocals: false }),
      ];
      await importAll(store, before, 'first');
      const records = await recordsOf(store, 4);
      const entries = await store.catalog.indexEntries(before.map(({ id }) => id));
      await importAll(store, after, 'second');
      const head = await store.changes.head();

      const keys: string[] = [];
      for await (const slice of store.catalog.mediaKeys()) keys.push(...slice);
      expect(
        [...new Set(keys)]
          .map(([letter]) => letter)
          .sort()
          .join(''),
      ).toBe('abcde');

      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, updated: 3 });
      expect(await recordsOf(store, 4)).toEqual(records);
      const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
      expect((await store.catalog.indexEntries(before.map(({ id }) => id))).sort(byId)).toEqual(
        entries.sort(byId),
      );
      expect(await kindsAfter(store, head)).toEqual(Array(3).fill('track.updated'));
      expect(await importAll(store, before, 'third')).toEqual(Array(3).fill('unchanged'));
      await store.check(true);
    });

    it('restores tracks that the import withdrew, and withdraws tracks that it restored', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 4), 'first');
      await pruneAll(store, [delivery(0)], 'prune');
      await importAll(store, [delivery(1, { name: 'New' }), delivery(2)], 'back');
      const back = await store.batches.undo('back', { by: BY });
      expect(back).toEqual({ ...NOTHING, withdrawn: 2 });
      expect((await store.catalog.trackRecord(trackId(1)))?.track.name).toBe('Track 1');
      const prune = await store.batches.undo('prune', { by: BY });
      expect(prune).toEqual({ ...NOTHING, restored: 3 });
      expect(await store.catalog.counts()).toMatchObject({ live: 4, withdrawn: 0 });
    });

    it('withdraws tracks that a later import delivered unchanged; repeating that import restores them', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 2), 'first');
      expect(await importAll(store, deliveries(0, 2), 'later')).toEqual(['unchanged', 'unchanged']);
      expect(await store.batches.undo('first', { by: BY })).toEqual({ ...NOTHING, withdrawn: 2 });
      expect(await importAll(store, deliveries(0, 2), 'again')).toEqual(['updated', 'updated']);
      expect(await store.catalog.counts()).toMatchObject({ live: 2, withdrawn: 0 });
    });

    it('skips tracks that another import has changed since, until that import is undone', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 4), 'first');
      await importAll(store, deliveries(0, 4).map(named('two')), 'second');
      await importAll(store, deliveries(0, 2).map(named('three')), 'third');
      await pruneAll(store, deliveries(0, 3).map(named('three')), 'fourth');
      const skipped: string[] = [];
      const options = { by: BY, onSkipped: (slug: string) => skipped.push(slug) };
      expect(await store.batches.undo('second', options)).toEqual({ ...NOTHING, skipped: 4 });
      expect(skipped.sort()).toEqual(['track-0', 'track-1', 'track-2', 'track-3']);
      expect(await store.batches.undo('fourth', { by: BY })).toEqual({
        ...NOTHING,
        updated: 1,
        restored: 1,
      });
      expect(await store.batches.undo('second', { by: BY })).toMatchObject({
        updated: 2,
        skipped: 2,
      });
      expect(await store.batches.undo('third', { by: BY })).toMatchObject({ updated: 2 });
      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, updated: 2 });
      expect(await store.batches.undo('first', { by: BY })).toEqual({ ...NOTHING, withdrawn: 4 });
      expect(await store.catalog.counts()).toMatchObject({ live: 0, withdrawn: 4 });
    });

    it('restores the content of a track that was taken down since, but not the track', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 3), 'first');
      await pruneAll(store, [delivery(0, { name: 'Two' }), delivery(1), delivery(9)], 'second');
      for (const n of [0, 2, 9]) await setTrackState(store, trackId(n), 'taken_down', BY);
      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, updated: 1 });
      for (const n of [0, 2, 9]) expect(await stateOf(store, n)).toBe('taken_down');
      expect((await store.catalog.trackRecord(trackId(0)))?.track.name).toBe('Track 0');
      expect(await store.batches.undo('second', { by: BY })).toEqual(NOTHING);
    });

    it('keeps a track live that the operator has restored since', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 3), 'first');
      await pruneAll(store, [delivery(0)], 'second');
      await setTrackState(store, trackId(1), 'live', BY);
      expect(await store.batches.undo('second', { by: BY })).toEqual({ ...NOTHING, restored: 1 });
      expect(await store.catalog.counts()).toMatchObject({ live: 3 });
    });

    it('reports its result with dryRun, and writes nothing', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 3), 'first');
      await pruneAll(store, [delivery(0, { bpm: '1' }), delivery(1), delivery(8)], 'second');
      await importAll(store, [delivery(8, { bpm: '2' })], 'third');
      const head = await store.changes.head();
      const batches = await store.batches.latest(10);
      const result = { withdrawn: 0, updated: 1, restored: 1, skipped: 1 };
      expect(await store.batches.undo('second', { by: BY, dryRun: true })).toEqual(result);
      expect(await store.changes.head()).toBe(head);
      expect(await store.batches.latest(10)).toEqual(batches);
      expect(await store.batches.undo('second', { by: BY })).toEqual(result);
    });

    it('restores filters and artists that disappeared with their last track', async () => {
      const { store } = await open();
      const old = delivery(1, { filters: [{ type: 'mood', name: 'Rare' }] });
      await importAll(store, [old], 'first');
      const record = await recordsOf(store, 2);
      await importAll(store, [delivery(1, { filters: [], artists: [] })], 'second');
      await importAll(store, [{ ...old, id: trackId(2), source: 'other' }], 'other');
      await store.catalog.removeSource('other', BY);
      expect(await store.catalog.filters()).toEqual([]);
      await store.batches.undo('second', { by: BY });
      expect(await recordsOf(store, 2)).toEqual(record);
      expect(await store.catalog.filters()).toHaveLength(1);
    });

    it('changes nothing after the source was removed, with its former tracks', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 400), 'first');
      await importAll(store, deliveries(0, 400).map(named('two')), 'second');
      await store.catalog.removeSource('label', BY);
      expect(await store.batches.undo('second', { by: BY })).toEqual(NOTHING);
      expect(await store.tables.count(tableOf('former_tracks'))).toBe(0);
      await store.check(true);
    });

    it('is refused for an unknown batch, and for an undo', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 1), 'first');
      await store.batches.undo('first', { by: BY });
      const [undo] = await store.batches.latest(1);
      const refusal = store.batches.undo(undo!.id, { by: BY });
      await expect(refusal).rejects.toMatchObject({ kind: 'conflict' });
      for (const id of [newId(), '', "'"]) {
        const unknown = store.batches.undo(id, { by: BY });
        await expect(unknown).rejects.toMatchObject({ kind: 'not_found' });
      }
    });
  });
}
