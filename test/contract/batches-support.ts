import { TABLES, type Table } from '../../src/engines/sql/copied-tables.ts';
import type { TrackRecord } from '../../src/features/catalog/catalog-stores.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';
import { BY } from '../harness/deliveries.ts';
import { trackId } from '../harness/stores.ts';

export const NOTHING = { withdrawn: 0, updated: 0, restored: 0, skipped: 0 };

/** Imports a full delivery of the source, which withdraws the tracks that it does not list. */
export async function pruneAll(
  store: Store,
  batch: readonly TrackDelivery[],
  batchId: string,
): Promise<void> {
  const session = await store.catalog.openDelivery(BY, batchId);
  await session.deliver(batch);
  await session.withdrawAbsent('label');
  await session.close();
}

/** The records of the tracks, without the time of their last change. */
export async function recordsOf(store: Store, count: number): Promise<(TrackRecord | undefined)[]> {
  const ids = Array.from({ length: count }, (_, n) => trackId(n));
  const records = await Promise.all(ids.map((id) => store.catalog.trackRecord(id)));
  return records.map((record) => record && { ...record, updatedAt: 0 });
}

export const stateOf = async (store: Store, n: number) =>
  (await store.catalog.trackRecord(trackId(n)))?.state;

export function named(name: string): (one: TrackDelivery) => TrackDelivery {
  return (one) => ({ ...one, name });
}

export function tableOf(name: string): Table {
  return TABLES.find((one) => one.name === name)!;
}
