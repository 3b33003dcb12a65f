import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AvailabilityEntry,
  availabilityAt,
  isAvailable,
} from '../../src/features/availability/availability.ts';
import type { Store } from '../../src/features/store.ts';
import type { TestClock } from '../harness/clock.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
/** From 10 s to 20 s after the start. */
const PERIOD: AvailabilityEntry[] = [{ from: START + 10 * SECOND, until: START + 20 * SECOND }];
const ENDING: AvailabilityEntry[] = [{ until: START + 10 * SECOND }];
const NONE = { began: 0, ended: 0, updated: 0 };

for (const adapter of ADAPTERS) {
  describe(`a period of availability on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const stateOf = async (store: Store, n = 1) =>
      (await store.catalog.trackRecord(trackId(n)))?.state;
    const last = async (store: Store) => {
      const { kind, by, changed } = (await store.changes.latest(1))[0]!;
      return [kind, by, changed];
    };
    const import1 = (store: Store, availability: AvailabilityEntry[], batch: string, more = {}) =>
      importAll(store, [delivery(1, { availability, ...more })], batch);

    it('begins and ends by itself, and each switch is logged', async () => {
      const { store, clock } = await open();
      await import1(store, PERIOD, 'a');
      expect(await stateOf(store)).toBe('unavailable');
      expect(await store.catalog.counts()).toMatchObject({ live: 0, unavailable: 1, withdrawn: 0 });
      expect(await store.catalog.indexEntries([trackId(1)])).toEqual([]);
      expect(await store.availability.nextSwitch()).toBe(START + 10 * SECOND);
      clock.advance(9.999);
      expect(await store.availability.switchDue()).toEqual(NONE);
      clock.advance(0.001);
      expect(await store.availability.switchDue()).toEqual({ ...NONE, began: 1 });
      expect(await stateOf(store)).toBe('live');
      expect(await last(store)).toEqual(['restored', 'system:availability', ['availability']]);
      expect(await store.availability.nextSwitch()).toBe(START + 20 * SECOND);
      clock.advance(10);
      expect(await store.availability.switchDue()).toEqual({ ...NONE, ended: 1 });
      expect(await stateOf(store)).toBe('unavailable');
      expect(await last(store)).toEqual(['withdrawn', 'system:availability', ['availability']]);
      expect(await store.availability.nextSwitch()).toBe(null);
      expect(await store.availability.switchDue()).toEqual(NONE);
    });

    it('that passed while nothing switched leaves the track unavailable', async () => {
      const { store, clock } = await open();
      await import1(store, PERIOD, 'a');
      const head = await store.changes.head();
      clock.advance(60);
      expect(await store.availability.switchDue()).toEqual(NONE);
      expect(await stateOf(store)).toBe('unavailable');
      expect(await store.changes.head()).toBe(head);
      expect(await store.availability.nextSwitch()).toBe(null);
    });

    it('changes the territories at a boundary inside, and only that is logged', async () => {
      const { store, clock } = await open();
      const entries = [
        { territories: ['DE'], until: START + 10 * SECOND },
        { territories: ['AT', 'DE'], from: START + 5 * SECOND },
        { territories: ['DE'], from: START + 7 * SECOND },
      ];
      await import1(store, entries, 'a');
      const placeOf = async () =>
        (await store.catalog.indexEntries([trackId(1)])).map(({ availableIn }) => availableIn);
      expect(await placeOf()).toEqual(['DE']);
      clock.advance(5);
      expect(await store.availability.switchDue()).toEqual({ ...NONE, updated: 1 });
      expect(await placeOf()).toEqual(['AT DE']);
      expect(await last(store)).toEqual(['updated', 'system:availability', ['availability']]);
      clock.advance(2);
      expect(await store.availability.switchDue()).toEqual(NONE);
      expect(await store.availability.nextSwitch()).toBe(START + 10 * SECOND);
    });

    it('gives way to a takedown, and a restoration waits for the period', async () => {
      const { store, clock } = await open();
      await import1(store, PERIOD, 'a');
      expect(await setTrackState(store, trackId(1), 'live', BY)).toBe(false);
      expect(await setTrackState(store, trackId(1), 'taken_down', BY)).toBe(true);
      expect(await setTrackState(store, trackId(1), 'taken_down', BY)).toBe(false);
      clock.advance(10);
      expect(await store.availability.switchDue()).toEqual(NONE);
      expect(await stateOf(store)).toBe('taken_down');
      expect(await setTrackState(store, trackId(1), 'live', BY)).toBe(true);
      expect(await last(store)).toEqual(['restored', BY, null]);
      expect(await stateOf(store)).toBe('live');
      await setTrackState(store, trackId(1), 'taken_down', BY);
      clock.advance(10);
      expect(await setTrackState(store, trackId(1), 'live', BY)).toBe(true);
      expect(await stateOf(store)).toBe('unavailable');
      expect(await last(store)).toEqual(['withdrawn', BY, ['availability']]);
    });

    it('is changed by a delivery, and by its undo', async () => {
      const { store } = await open();
      await importAll(store, [delivery(1)], 'a');
      expect(await import1(store, PERIOD, 'b')).toEqual(['updated']);
      expect(await last(store)).toEqual(['withdrawn', BY, ['availability']]);
      expect(await import1(store, PERIOD, 'c', { name: 'Other' })).toEqual(['updated']);
      expect((await last(store)).slice(0, 1)).toEqual(['updated']);
      expect(await import1(store, [], 'd', { name: 'Other' })).toEqual(['updated']);
      expect(await last(store)).toEqual(['restored', BY, ['availability']]);
      const counted = (await store.batches.latest(4)).map((batch) => [
        batch.updated,
        batch.withdrawn,
      ]);
      expect(counted.slice(0, 3)).toEqual(Array(3).fill([1, 0]));
      for (const [batch, state] of [
        ['d', 'unavailable'],
        ['c', 'unavailable'],
        ['b', 'live'],
        ['a', 'withdrawn'],
      ] as const) {
        await store.batches.undo(batch, { by: BY });
        expect([batch, await stateOf(store)]).toEqual([batch, state]);
      }
    });

    it('belongs to tracks that a prune withdraws, and a delivery brings back', async () => {
      const { store, clock } = await open();
      await import1(store, PERIOD, 'a');
      const prune = await store.catalog.openDelivery(BY, 'b');
      expect(await prune.deliver([delivery(1, { source: 'other' })])).toEqual(['foreign']);
      expect(await prune.withdrawAbsent('label')).toBe(1);
      await prune.close();
      expect(await stateOf(store)).toBe('withdrawn');
      clock.advance(10);
      expect(await store.availability.switchDue()).toEqual(NONE);
      expect(await stateOf(store)).toBe('withdrawn');
      expect(await importAll(store, [delivery(1)], 'c')).toEqual(['updated']);
      expect(await stateOf(store)).toBe('live');
      await store.batches.undo('c', { by: BY });
      expect(await stateOf(store)).toBe('withdrawn');
      clock.advance(10);
      await importAll(store, [delivery(1)], 'd');
      expect(await stateOf(store)).toBe('unavailable');
      await store.batches.undo('d', { by: BY });
      expect(await stateOf(store)).toBe('withdrawn');
      await store.batches.undo('b', { by: BY });
      expect(await stateOf(store)).toBe('unavailable');
    });

    it('switches many tracks in short transactions, on two nodes at once, each track once', async () => {
      const { store, another, clock } = await open();
      const second = await another();
      await importAll(
        store,
        deliveries(0, 3_000).map((one) => ({ ...one, availability: ENDING })),
      );
      const head = await store.changes.head();
      clock.advance(10);
      const stop = new AbortController();
      stop.abort();
      expect(await store.availability.switchDue(stop.signal)).toEqual(NONE);
      const [one, other] = await Promise.all([
        store.availability.switchDue(),
        second.availability.switchDue(),
      ]);
      expect(one.ended + other.ended).toBe(3_000);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(new Set(changes.map(({ entityId }) => entityId)).size).toBe(3_000);
      expect(changes).toHaveLength(3_000);
      expect(await store.catalog.counts()).toMatchObject({ live: 0, unavailable: 3_000 });
    });

    it('is at all times as the entries say, whatever else happens', async () => {
      const { store, clock } = await open();
      const moment = fc.integer({ min: 0, max: 12 }).map((n) => START + n * SECOND);
      const entry = fc
        .record({ from: moment, until: moment }, { requiredKeys: [] })
        .filter(({ from = 0, until = Infinity }) => from < until);
      const step = fc.oneof(
        fc.record({ entries: fc.array(entry, { maxLength: 2 }) }),
        fc.constantFrom('takedown' as const, 'restore' as const),
        fc.record({ seconds: fc.integer({ min: 1, max: 4 }) }),
      );
      let n = 1;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          clock.advance((START - clock.now()) / SECOND);
          const model = { entries: [] as AvailabilityEntry[], isDown: false };
          const number = ++n;
          await importAll(store, [delivery(number)], `create ${number}`);
          for (const [i, one] of steps.entries()) {
            await play(store, clock, number, model, one, `${number} ${i}`);
            const live = isAvailable(availabilityAt(model.entries, clock.now()));
            const expected = model.isDown ? 'taken_down' : live ? 'live' : 'unavailable';
            expect(await stateOf(store, number)).toBe(expected);
          }
        }),
        { numRuns: 15 },
      );
    });
  });
}

type Step = { entries: AvailabilityEntry[] } | { seconds: number } | 'takedown' | 'restore';

async function play(
  store: Store,
  clock: TestClock,
  n: number,
  model: { entries: AvailabilityEntry[]; isDown: boolean },
  step: Step,
  batch: string,
): Promise<void> {
  if (step === 'takedown' || step === 'restore') {
    model.isDown = step === 'takedown';
    await setTrackState(store, trackId(n), model.isDown ? 'taken_down' : 'live', BY);
  } else if ('seconds' in step) {
    clock.advance(step.seconds);
    await store.availability.switchDue();
  } else {
    model.entries = step.entries;
    await importAll(store, [delivery(n, { availability: step.entries })], batch);
  }
}
