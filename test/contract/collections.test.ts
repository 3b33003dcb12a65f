import { describe, expect, it } from 'vitest';
import { StaveError } from '../../src/common/errors.ts';
import type { GivenItem } from '../../src/features/catalog/given-items.ts';
import { BY } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, expectNotFound, harnessOf, kindsAfter, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { ANY, asClient, items, listed, tracksOf, withClient } from './collections-support.ts';

for (const adapter of ADAPTERS) {
  describe(`collections on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const start = async (count?: number) => withClient(await open(), count);

    it('keep tracks in order, add at the end or at a position, and count', async () => {
      const { store, me, create } = await start();
      const head = await store.changes.head();
      const created = await create(tracksOf(3, 0));
      expect(created).toMatchObject({ trackCount: 2, version: 1, isOwner: true, sharedWith: 0 });
      const { id } = created;
      const { add } = { add: store.collectionTracks.add.bind(store.collectionTracks) };
      expect(await add(id, { items: tracksOf(1) }, me)).toEqual({
        added: [trackId(1)],
        alreadyPresent: [],
        notFound: [],
        version: 2,
      });
      const more = { items: [...tracksOf(4, 0, 4), ...items('none')], position: 2 };
      expect(await add(id, more, me)).toEqual({
        added: [trackId(4)],
        alreadyPresent: [trackId(0), trackId(4)],
        notFound: ['none'],
        version: 3,
      });
      expect(await listed(store, id)).toEqual([3, 4, 0, 1].map(trackId));
      expect(await add(id, { items: tracksOf(4) }, me)).toMatchObject({ added: [], version: 3 });
      expect(await store.collections.find(id, me)).toMatchObject({ trackCount: 4, version: 3 });
      expect(await kindsAfter(store, head)).toEqual([
        'collection.created',
        'collection.updated',
        'collection.updated',
      ]);
      const last = (await allChanges(store)).at(-1)!;
      expect(last).toMatchObject({ entityId: id, clientId: me.clientId, mode: 'live' });
    });

    it('take many tracks at one place, one after another', async () => {
      const { store, me, create } = await start(60);
      const { id } = await create(tracksOf(0, 1));
      const expected = [0, 1];
      for (let n = 2; n < 60; n++) {
        await store.collectionTracks.add(id, { items: tracksOf(n), position: 2 }, me);
        expected.splice(1, 0, n);
      }
      expect(await listed(store, id)).toEqual(expected.map(trackId));
    });

    it('refuse a position after the end', async () => {
      const { store, me, create } = await start();
      const { id } = await create(tracksOf(0, 1));
      const add = (position: number) =>
        store.collectionTracks.add(id, { items: tracksOf(2), position }, me);
      await expect(add(4)).rejects.toMatchObject({ kind: 'invalid_request' });
      expect((await add(3)).added).toEqual([trackId(2)]);
      const move = (position: number) =>
        store.collectionTracks.editItem(id, trackId(0), { position }, ANY, me);
      await expect(move(4)).rejects.toMatchObject({ kind: 'invalid_request' });
      await move(3);
      expect(await listed(store, id)).toEqual([1, 2, 0].map(trackId));
      await move(1);
      expect(await listed(store, id)).toEqual([0, 1, 2].map(trackId));
    });

    it('lose no track and no note to parallel additions', async () => {
      const { store, another, me, create } = await start(10);
      const { id } = await create();
      const stores = [store, await another()];
      const given = Array.from({ length: 10 }, (_, n) => ({
        ...tracksOf(n)[0]!,
        note: `note ${n}`,
      }));
      const additions = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          stores[n % 2]!.collectionTracks.add(id, { items: given }, me),
        ),
      );
      expect(additions.flatMap(({ added }) => added)).toHaveLength(10);
      expect((await listed(store, id)).sort()).toEqual(
        given.map(({ track, note }) => `${track} ${note}`).sort(),
      );
    });

    it('are replaced as a whole, with the notes that are not given', async () => {
      const { store, me, create } = await start();
      const { id } = await create(tracksOf(0, 1, 2));
      await store.collectionTracks.editItem(id, trackId(1), { note: 'kept' }, ANY, me);
      const replace = (given: readonly GivenItem[], version?: number) =>
        store.collectionTracks.replace(
          id,
          given,
          (current) => {
            if (version !== undefined && version !== current) throw new Error('stale');
          },
          me,
        );
      await expect(replace(tracksOf(1, 3), 1)).rejects.toThrow('stale');
      await replace([...tracksOf(1, 3), { ...tracksOf(0)[0]!, note: 'new' }], 2);
      const list = [`${trackId(1)} kept`, trackId(3), `${trackId(0)} new`];
      expect(await listed(store, id)).toEqual(list);
      await expect(replace(tracksOf(1, 1))).rejects.toMatchObject({ kind: 'invalid_request' });
      await expectNotFound(replace(items('none')));
      expect(await listed(store, id)).toEqual(list);
    });

    it('keep the place of a track that is taken down, which does not count', async () => {
      const { store, me, create } = await start();
      const { id } = await create(tracksOf(0, 1, 2));
      const before = await store.collections.find(id, me);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      expect(await store.collections.find(id, me)).toEqual({
        ...before,
        trackCount: 2,
        unavailableCount: 1,
        durationSeconds: expect.any(Number),
      });
      expect((await store.collections.record(id)).tracks.map(({ position }) => position)).toEqual([
        1,
        null,
        2,
      ]);
      // Positions count live tracks, and a new list goes before the others.
      await store.collectionTracks.add(id, { items: tracksOf(3), position: 2 }, me);
      expect(await listed(store, id)).toEqual([0, 1, 3, 2].map(trackId));
      const again = await store.collectionTracks.add(id, { items: tracksOf(1) }, me);
      expect(again.notFound).toEqual([trackId(1)]);
      await expectNotFound(store.collectionTracks.editItem(id, trackId(1), { note: 'x' }, ANY, me));
      await store.collectionTracks.replace(id, tracksOf(3, 0), ANY, me);
      await setTrackState(store, trackId(1), 'live', BY);
      expect(await listed(store, id)).toEqual([3, 0, 1].map(trackId));
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const removal = await store.collectionTracks.remove(id, [trackId(1), trackId(4)], me);
      expect(removal).toMatchObject({ removed: [trackId(1)], notPresent: [trackId(4)] });
    });

    it('change no place if a track moves to the position that it has', async () => {
      const { store, me, create } = await start();
      const { id } = await create(tracksOf(0, 1, 2));
      await setTrackState(store, trackId(1), 'taken_down', BY);
      for (const [track, position] of [
        [0, 1],
        [2, 2],
      ] as const) {
        const edit = { note: `note ${track}`, position };
        await store.collectionTracks.editItem(id, trackId(track), edit, ANY, me);
      }
      const list = [`${trackId(0)} note 0`, trackId(1), `${trackId(2)} note 2`];
      expect(await listed(store, id)).toEqual(list);
    });

    it('refuse a slug, and a position after the end, before they compare the version', async () => {
      const { store, me, create } = await start();
      const { id } = await create(tracksOf(0, 1, 2));
      await setTrackState(store, trackId(2), 'taken_down', BY);
      const stale = () => {
        throw new StaveError('precondition_failed', 'stale');
      };
      const edit = (track: number, position: number) =>
        store.collectionTracks.editItem(id, trackId(track), { position }, stale, me);
      await expect(edit(0, 3)).rejects.toMatchObject({ kind: 'invalid_request' });
      await expect(edit(0, 2)).rejects.toMatchObject({ kind: 'precondition_failed' });
      await expectNotFound(edit(2, 99), edit(4, 99));
      const bySlug = { note: 'x' };
      await expectNotFound(store.collectionTracks.editItem(id, 'track-0', bySlug, ANY, me));
      const add = (given: readonly GivenItem[], position: number) =>
        store.collectionTracks.add(id, { items: given, position }, me);
      for (const given of [tracksOf(3), tracksOf(0), items('none')]) {
        await expect(add(given, 4)).rejects.toMatchObject({ kind: 'invalid_request' });
      }
      await expect(add(tracksOf(0), 3)).resolves.toMatchObject({ added: [] });
    });

    it('lose the tracks of a removed source', async () => {
      const { store, client, me, create } = await start();
      const { id, version } = await create(tracksOf(0, 1));
      const test = await create(tracksOf(1), asClient(client.id, 'test'));
      const head = await store.changes.head();
      await store.catalog.removeSource('label', BY);
      expect(await store.collections.find(id, me)).toMatchObject({
        trackCount: 0,
        unavailableCount: 0,
        version: version + 1,
      });
      const changes = (await allChanges(store)).filter(
        ({ seq, entity }) => seq > head && entity === 'collection',
      );
      const modes = { [id]: me.mode, [test.id]: 'test' };
      expect(Object.fromEntries(changes.map(({ entityId, mode }) => [entityId, mode]))).toEqual(
        modes,
      );
      for (const change of changes) {
        expect(change).toMatchObject({ kind: 'updated', by: BY, clientId: client.id });
      }
    });

    it('are at most 500 of a client in a mode', async () => {
      const { create, client } = await start();
      for (let n = 0; n < 500; n++) await create();
      await expect(create()).rejects.toMatchObject({ kind: 'conflict' });
      await create([], asClient(client.id, 'test'));
    });

    it('hold 10,000 tracks at most, in order', async () => {
      const { store, me, create } = await start(10_002);
      const { id } = await create(tracksOf(10_001));
      await setTrackState(store, trackId(10_001), 'taken_down', BY);
      const numbers = Array.from({ length: 9_999 }, (_, n) => 9_999 - n);
      await store.collectionTracks.replace(id, tracksOf(...numbers), ANY, me);
      expect(await listed(store, id)).toEqual([...numbers, 10_001].map(trackId));
      const add = (position = 5_000) =>
        store.collectionTracks.add(id, { items: tracksOf(0), position }, me);
      await expect(add()).rejects.toMatchObject({ kind: 'conflict' });
      // A position is checked before the number of tracks.
      await expect(add(10_001)).rejects.toMatchObject({ kind: 'invalid_request' });
      await store.collectionTracks.remove(id, [trackId(1)], me);
      await add();
      numbers.pop();
      numbers.splice(4_999, 0, 0);
      expect((await listed(store, id)).slice(0, -1)).toEqual(numbers.map(trackId));
      await expect(
        store.collectionTracks.replace(
          id,
          tracksOf(...Array.from({ length: 10_000 }, (_, n) => n)),
          ANY,
          me,
        ),
      ).rejects.toMatchObject({ kind: 'conflict' });
    });
  });
}
