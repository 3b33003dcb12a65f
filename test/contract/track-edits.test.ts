import { describe, expect, it } from 'vitest';
import type { EditChange } from '../../src/features/catalog/track-edits.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { named, tableOf } from './batches-support.ts';

const ID = trackId(1);
const OPERATOR = 'cli:mara';
const NAMED = { revert: [], set: { name: 'Right' } } as const;

for (const adapter of ADAPTERS) {
  describe(`edits of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    async function withTrack() {
      const harness = await open();
      await importAll(harness.store, deliveries(0, 3), 'first');
      const { trackEdits } = harness.store;
      const edit = (change: EditChange, on = trackEdits) => on.edit(ID, change, OPERATOR);
      return { ...harness, edit };
    }

    it('are logged as updates by their actor, and are no import', async () => {
      const { store, edit, clock } = await withTrack();
      const tags = ['dark'];
      const filters = [{ type: 'mood' as const, name: 'New' }];
      const artists = delivery(1).artists.map((one) => ({ ...one, name: 'Other' }));
      const set = { name: 'Right', isrc: 'QZES72400137', tags, filters, artists };
      expect(await edit({ revert: [], set })).toMatchObject({ isChanged: true });
      expect((await store.changes.latest(1))[0]).toMatchObject({
        ...{ entity: 'track', kind: 'updated', entityId: ID, by: OPERATOR, batchId: null },
        changed: ['name', 'tags', 'artists', 'filters', 'isrc'],
      });
      const { track, updatedAt } = (await store.catalog.trackRecord(ID))!;
      expect(track).toMatchObject({ name: 'Right', slug: 'track-1', isrc: 'QZES72400137', tags });
      expect(track.filters).toMatchObject([{ name: 'New', slug: 'new' }]);
      expect(track.artists).toMatchObject([{ name: 'Other' }]);
      expect(updatedAt).toBe(clock.now());
      expect((await store.batches.latest(10)).map(({ id }) => id)).toEqual(['first']);
    });

    it('change and log nothing if they are those that exist', async () => {
      const { store, edit } = await withTrack();
      const before = await store.changes.head();
      expect(await edit({ revert: ['name'], set: { name: 'Track 1' } })).toMatchObject({
        ...{ isChanged: false, edits: {} },
      });
      expect(await store.changes.head()).toBe(before);
      await edit(NAMED);
      expect(await edit(NAMED)).toMatchObject({ isChanged: false });
      expect(await store.changes.head()).toBe(before + 1);
    });

    it('stay if the same is delivered again, which changes nothing', async () => {
      const { store, edit } = await withTrack();
      await edit(NAMED);
      const before = await store.changes.head();
      const session = await store.catalog.openDelivery(BY, 'again');
      expect(await session.deliver(deliveries(0, 3))).toEqual(Array(3).fill('unchanged'));
      expect(session.takeHidden()).toEqual([]);
      await session.close();
      expect(await store.changes.head()).toBe(before);
    });

    it('tell a session what it changes beneath them, in a preview as well', async () => {
      const { store, edit, clock } = await withTrack();
      await edit(NAMED);
      const hidden = { slug: 'track-1', field: 'name', from: 'Track 1', to: 'B' };
      const batch = [1, 2].map((n) => delivery(n, { name: 'B' }));
      const session = await store.catalog.openDelivery(BY, 'second');
      expect(await session.preview(batch)).toEqual(['updated', 'updated']);
      expect(session.takeHidden()).toEqual([{ ...hidden, isAsEdited: false }]);
      expect(session.takeHidden()).toEqual([]);
      await session.close();
      const real = await store.catalog.openDelivery(BY, 'third');
      expect(await real.deliver(batch)).toEqual(['updated', 'updated']);
      expect(real.takeHidden()).toEqual([{ ...hidden, isAsEdited: false }]);
      await real.close();
      const { edits, delivered, effective } = (await store.trackEdits.find(ID))!;
      expect([delivered.name, effective.name]).toEqual(['B', 'Right']);
      expect(edits.name).toMatchObject({ value: 'Right', by: OPERATOR, deliveredAt: clock.now() });
      const last = await store.catalog.openDelivery(BY, 'fourth');
      await last.deliver([delivery(1, { name: 'Right' })]);
      expect(last.takeHidden()).toMatchObject([{ from: 'B', to: 'Right', isAsEdited: true }]);
      await last.close();
      expect((await store.trackEdits.find(ID))!.edits.name).toMatchObject({ value: 'Right' });
    });

    it('stay when an import is undone, which restores what is beneath them', async () => {
      const { store, edit } = await withTrack();
      await importAll(store, deliveries(0, 3).map(named('B')), 'second');
      await edit(NAMED);
      await importAll(store, deliveries(0, 3).map(named('C')), 'third');
      expect(await store.batches.undo('third', { by: BY })).toMatchObject({ updated: 3 });
      const undone = (await store.trackEdits.find(ID))!;
      expect([undone.delivered.name, undone.effective.name]).toEqual(['B', 'Right']);
      expect(await store.batches.undo('second', { by: BY })).toMatchObject({ updated: 3 });
      expect(await edit({ revert: ['name'], set: {} })).toMatchObject({ edits: {} });
      expect((await store.catalog.trackRecord(ID))!.track.name).toBe('Track 1');
      expect(await store.tables.count(tableOf('track_edits'))).toBe(0);
    });

    it('are refused for a track that has changed since it was shown', async () => {
      const { store, edit } = await withTrack();
      const seen = await store.changes.head();
      await importAll(store, [delivery(1, { bpm: '99' }), delivery(2, { bpm: '99' })], 'second');
      const stale = edit(NAMED, store.unchangedSince(seen).trackEdits);
      await expect(stale).rejects.toMatchObject({
        ...{ kind: 'conflict', changed: { entity: 'track', entityId: ID } },
      });
      expect((await store.trackEdits.find(ID))!.edits).toEqual({});
      const now = store.unchangedSince(await store.changes.head());
      expect(await edit(NAMED, now.trackEdits)).toMatchObject({ isChanged: true });
    });

    it('are refused for an unknown track, and end with their track', async () => {
      const { store, edit } = await withTrack();
      await edit(NAMED);
      await store.catalog.removeSource('label', BY);
      expect(await store.tables.count(tableOf('track_edits'))).toBe(0);
      expect(await store.trackEdits.find(ID)).toBeUndefined();
      await expect(edit(NAMED)).rejects.toMatchObject({ kind: 'not_found' });
    });
  });
}
