/** A thread that writes changes with many stores, and sends the number of changes so far after each delivery. */
import { parentPort, workerData } from 'node:worker_threads';
import { openAt, type Place } from './open-at.ts';
import { skewedClock, writeChanges } from './writers.ts';

/** What the thread writes. */
export interface Writing {
  place: Place;
  writers: number;
  /** The least number of changes of tracks. */
  changes: number;
}

const { place, writers, changes } = workerData as Writing;
const stores = await Promise.all(
  Array.from({ length: writers }, (_, writer) => openAt(place, skewedClock(writer, writers))),
);
try {
  await writeChanges(stores, changes, (made) => parentPort!.postMessage(made));
} finally {
  await Promise.all(stores.map((store) => store.close()));
}
