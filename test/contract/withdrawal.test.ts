import { describe, expect, it } from 'vitest';
import type { Track } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, kindsAfter, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

async function trackOf(store: Store, id: string): Promise<Track> {
  return (await store.catalog.trackRecord(id))!.track;
}

for (const adapter of ADAPTERS) {
  describe(`prune on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('withdraws only the live tracks of the source that were not delivered', async () => {
      const { store } = await open();
      await importAll(store, [...deliveries(0, 1_200), delivery(5_000, { source: 'other' })]);
      await setTrackState(store, trackId(3), 'taken_down', BY);
      const head = await store.changes.head();
      const session = await store.catalog.openDelivery(BY, 'full');
      await session.deliver(deliveries(0, 3));
      expect(await store.catalog.countLive('label')).toBe(1_199);
      expect(await session.countAbsent('label')).toBe(1_196);
      expect(await session.withdrawAbsent('label')).toBe(1_196);
      expect(await store.catalog.countLive('label')).toBe(3);
      expect(await session.countAbsent('label')).toBe(0);
      expect(await session.withdrawAbsent('label')).toBe(0);
      await session.close();
      expect(await store.catalog.counts()).toMatchObject({
        live: 4,
        takenDown: 1,
        withdrawn: 1_196,
      });
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(changes).toHaveLength(1_196);
      expect(new Set(changes.map(({ kind, batchId }) => `${kind} ${batchId}`))).toEqual(
        new Set(['withdrawn full']),
      );
    });

    it('counts listed tracks as delivered, and accepts a later record of them', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 5));
      const session = await store.catalog.openDelivery(BY, 'full');
      await session.list([]);
      await session.list([trackId(0), trackId(1), trackId(77)]);
      await session.list([trackId(1)]);
      expect(await session.countAbsent('label')).toBe(3);
      expect(await session.deliver([delivery(1, { bpm: '99' })])).toEqual(['updated']);
      expect(await session.withdrawAbsent('label')).toBe(3);
      await session.close();
      const other = await store.catalog.openDelivery(BY, 'next');
      expect(await other.countAbsent('label')).toBe(2);
      await other.close();
    });

    it('counts previewed tracks as delivered', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 5));
      const session = await store.catalog.openDelivery(BY, 'full');
      await session.preview([delivery(0), delivery(1, { bpm: '1' }), delivery(9)]);
      expect(await session.countAbsent('label')).toBe(3);
      await session.close();
    });
  });

  describe(`the withdrawal of named tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('concerns only those that are live and belong to the source', async () => {
      const { store } = await open();
      await importAll(store, [...deliveries(0, 1_100), delivery(5_000, { source: 'other' })]);
      await setTrackState(store, trackId(3), 'taken_down', BY);
      const head = await store.changes.head();
      const ids = [...deliveries(0, 1_050), delivery(5_000), delivery(9_999)].map(({ id }) => id);
      const session = await store.catalog.openDelivery(BY, 'named');
      expect(await session.withdraw('label', [])).toBe(0);
      expect(await session.countWithdrawable('label', ids)).toBe(1_049);
      expect(await store.changes.head()).toBe(head);
      expect(await session.withdraw('label', ids)).toBe(1_049);
      expect(await session.withdraw('label', ids)).toBe(0);
      expect(await session.deliver([delivery(1)])).toEqual(['updated']);
      await session.close();
      expect(await store.catalog.counts()).toMatchObject({
        live: 52,
        takenDown: 1,
        withdrawn: 1_048,
      });
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(changes.map(({ kind }) => kind)).toEqual([
        ...Array(1_049).fill('withdrawn'),
        'restored',
      ]);
      expect((await store.batches.undo('named', { by: BY })).restored).toBe(1_048);
    });
  });

  describe(`a withdrawn track on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    async function withdrawn() {
      const harness = await open();
      const { store } = harness;
      await importAll(store, deliveries(0, 3));
      const session = await store.catalog.openDelivery(BY, 'full');
      await session.deliver([delivery(0)]);
      await session.withdrawAbsent('label');
      await session.close();
      return { ...harness, head: await store.changes.head() };
    }
    const stateOf = async (store: Store, n: number) =>
      (await store.catalog.trackRecord(trackId(n)))?.state;

    it('is not live anywhere, and has the state withdrawn', async () => {
      const { store } = await withdrawn();
      expect(await stateOf(store, 1)).toBe('withdrawn');
      expect((await store.catalog.trackAudio(trackId(1)))?.state).toBe('withdrawn');
      expect(await store.catalog.document(trackId(1))).toBeUndefined();
      expect(await store.catalog.indexEntries([trackId(1)])).toEqual([]);
      expect(await store.catalog.isUntouched()).toBe(false);
    });

    it('is live again after its next delivery, changed or not, as an update', async () => {
      const { store, clock, head } = await withdrawn();
      clock.advance(1);
      const batch = [delivery(1), delivery(2, { name: 'New' }), delivery(1)];
      const session = await store.catalog.openDelivery(BY, 'p');
      expect(await session.preview(batch)).toEqual(['updated', 'updated', 'unchanged']);
      await session.close();
      expect(await stateOf(store, 1)).toBe('withdrawn');
      expect(await importAll(store, batch)).toEqual(['updated', 'updated', 'unchanged']);
      expect(await kindsAfter(store, head)).toEqual(['track.restored', 'track.restored']);
      const record = (await store.catalog.trackRecord(trackId(1)))!;
      expect(record).toMatchObject({ state: 'live', updatedAt: clock.now() });
      expect((await trackOf(store, trackId(2))).name).toBe('New');
      expect(await store.catalog.indexEntries([trackId(1), trackId(2)])).toHaveLength(2);
      expect(await importAll(store, batch)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    });

    it('stays down after it was taken down, too', async () => {
      const { store, head } = await withdrawn();
      expect(await setTrackState(store, trackId(1), 'taken_down', BY)).toBe(true);
      expect(await setTrackState(store, trackId(1), 'taken_down', BY)).toBe(false);
      expect(await stateOf(store, 1)).toBe('taken_down');
      expect(await store.catalog.counts()).toMatchObject({ live: 1, takenDown: 1, withdrawn: 1 });
      expect(await importAll(store, [delivery(1)])).toEqual(['unchanged']);
      expect(await stateOf(store, 1)).toBe('taken_down');
      expect(await kindsAfter(store, head)).toEqual(['track.taken_down']);
    });

    it('can be restored by the operator, and then taken down', async () => {
      const { store, head } = await withdrawn();
      expect(await setTrackState(store, trackId(1), 'live', BY)).toBe(true);
      expect(await stateOf(store, 1)).toBe('live');
      await setTrackState(store, trackId(1), 'taken_down', BY);
      expect(await stateOf(store, 1)).toBe('taken_down');
      expect(await kindsAfter(store, head)).toEqual(['track.restored', 'track.taken_down']);
    });
  });
}
