/**
 * A thread of its own for the work on the index that takes seconds: reading a snapshot, building from
 * the store, merging. Started for one job by index-jobs.ts; what it makes lies in shared memory and
 * is handed over without a copy.
 */
import { join } from 'node:path';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { LOG_DAYS } from './changes/log-expiry.ts';
import { SNAPSHOT_FILE } from './data-folder.ts';
import { DAY_MS, systemClock } from './kernel/clock.ts';
import { newId } from './kernel/ids.ts';
import { silentLog } from './kernel/log.ts';
import { SERVICE_VERSION } from './kernel/version.ts';
import { openReplica, openStore, type StoreLocation } from './open-store.ts';
import { buildFromStore } from './search/build-index.ts';
import type { SegmentColumns } from './search/columns.ts';
import { type MergeInput, mergeSegments } from './search/merge.ts';
import { completed } from './search/steps.ts';
import { IndexSnapshotFile } from './storage/disk/index-snapshot.ts';
import { CATALOG_ID, type Store } from './storage/store.ts';

/** What a thread is to make: a segment from the last snapshot or else the store, from the store, or of two. */
export interface IndexJob {
  store: StoreLocation;
  /** Milliseconds since the epoch. */
  now: number;
  work:
    | { kind: 'open' }
    /** At least that far in the change log. */
    | { kind: 'build'; notBefore: number }
    | { kind: 'merge'; input: MergeInput };
}

/** What the thread says: first what it made, then how keeping it went. */
export type IndexNews =
  | { columns: SegmentColumns; from: 'snapshot' | 'store' | 'merge'; refused?: string }
  | { kept: true }
  | { keptNot: string };

/** What goes wrong rejects, and is told by who started the thread. */
const DEPENDENCIES = { clock: systemClock, log: silentLog };

/** A snapshot older than this is not followed up: the log may have forgotten what came after it. */
const MAX_AGE_MS = (LOG_DAYS - 1) * DAY_MS;

if (!isMainThread) {
  await run(workerData as IndexJob, (news) => parentPort!.postMessage(news));
}

async function run(
  { store: location, now, work }: IndexJob,
  tell: (news: IndexNews) => void,
): Promise<void> {
  const file = new IndexSnapshotFile({
    path: join(location.dataFolder, SNAPSHOT_FILE),
    madeBy: `stave ${SERVICE_VERSION}, unicode ${process.versions.unicode}`,
  });
  const store = await openStore(location, DEPENDENCIES);
  try {
    let refused: string | undefined;
    if (work.kind === 'open') {
      await file.clearUp();
      const reading = await file.read();
      if ('columns' in reading) {
        refused = await whyRefused(store, reading, now);
        if (refused === undefined) {
          tell({ columns: reading.columns, from: 'snapshot' });
          return;
        }
      } else if ('refused' in reading) {
        refused = reading.refused;
      }
    }
    const columns =
      work.kind === 'merge'
        ? completed(mergeSegments(work.input))
        : await build(location, store, work.kind === 'build' ? work.notBefore : 0);
    tell({
      columns,
      from: work.kind === 'merge' ? 'merge' : 'store',
      ...(refused !== undefined && { refused }),
    });
    try {
      await file.write(columns, { catalog: await pointInLog(store, columns.meta.seq), asOf: now });
      tell({ kept: true });
    } catch (error) {
      // Only the next start is the slower for it.
      tell({ keptNot: (error as Error).message });
    }
  } finally {
    await store.close();
  }
}

/** From the replica where there is one: what it has yet to replay is followed from the primary afterwards. */
async function build(
  location: StoreLocation,
  store: Store,
  notBefore: number,
): Promise<SegmentColumns> {
  const replica = await openReplica(location, DEPENDENCIES);
  try {
    // Who asks must not be taken back in the log by one that is far behind.
    const willDo = replica !== undefined && (await replica.changes.head()) >= notBefore;
    return await buildFromStore(willDo ? replica : store);
  } finally {
    await replica?.close();
  }
}

/** Why a sound snapshot is of no use all the same; undefined where it is. */
async function whyRefused(
  store: Store,
  { columns, catalog, asOf }: { columns: SegmentColumns; catalog: string; asOf: number },
  now: number,
): Promise<string | undefined> {
  if (catalog !== (await pointInLog(store, columns.meta.seq))) {
    return 'it is of another catalog, or of another past of this one';
  }
  const age = now - asOf;
  return age > MAX_AGE_MS || age < 0 ? 'it is too old, or of the future' : undefined;
}

/** A text for a point of the log that no other point and no other catalog has, not even a restored one. */
async function pointInLog({ settings, changes }: Store, seq: number): Promise<string> {
  if ((await settings.get(CATALOG_ID)) === undefined) {
    await settings.set(CATALOG_ID, newId());
  }
  const catalogId = await settings.get(CATALOG_ID);
  const [last] = await changes.latest(1, seq + 1);
  const change = last && [last.seq, last.at, last.entity, last.kind, last.entityId];
  return JSON.stringify([catalogId, seq, change ?? null]);
}
