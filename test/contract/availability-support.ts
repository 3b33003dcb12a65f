import { BY, delivery, importAll } from '../harness/deliveries.ts';
import type { Adapter } from '../harness/store-adapters.ts';

/** Executes every statement by which tracks switch, and those of imports about availability and its messages. */
export async function useAvailability(adapter: Adapter, location: string): Promise<void> {
  const clock = { now: () => 1 };
  const store = await adapter.open(location, clock);
  const given = (until: number) => delivery(900_001, { availability: [{ until }] });
  await importAll(store, [given(5)], 'period');
  await importAll(store, [given(7)], 'other period');
  const { id } = given(5);
  await store.trackMessages.record([{ trackId: id, sentAt: 1, releases: ['a', 'b'] }]);
  await store.trackMessages.sentAt([id]);
  await store.trackMessages.tracksOf(['a', 'b'], '');
  await store.batches.undo('other period', { by: BY });
  const later = await adapter.open(location, { now: () => 10 });
  await later.availability.switchDue();
  await later.availability.nextSwitch();
  await later.close();
  await store.close();
}
