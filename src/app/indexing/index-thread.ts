/**
 * A thread for work on the index that takes seconds: reading a snapshot, building from the store, merging.
 * index-jobs.ts starts it. The result is in shared memory and is passed on without a copy.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import { changedSegment, collectTracks } from '../../engines/search/build/build-index.ts';
import { type MergeInput, mergeSegments } from '../../engines/search/build/merge.ts';
import { runSteps } from '../../engines/search/build/steps.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import { IndexSnapshotFile } from '../../engines/search/segments/snapshot.ts';
import type { StoreLocation } from '../../engines/sql/setting-store.ts';
import { isTooFarBehind } from '../../features/catalog/live/catch-up.ts';
import type { Store } from '../../features/store.ts';
import { SNAPSHOT_FILE } from '../open/data-folder.ts';
import { openStore } from '../open/open-store.ts';
import { type BuildThreadData, BuildThreads, buildInThreads, runTask } from './build-threads.ts';
import { collectGarbage, offerJobs } from './offer-jobs.ts';
import { equalRests, pointInLog, refusalReason } from './point-in-log.ts';

export interface IndexJob {
  store: StoreLocation;
  /** The language of the catalog. */
  language: string | undefined;
  /** In milliseconds since the epoch. */
  now: number;
  /** The longest wait for the store. */
  waitMs: number;
  work: /** From the last snapshot, or else from the store. */
    | { kind: 'open' }
    /** The segment must contain all changes after this `seq`, and need not contain anything else. */
    | { kind: 'changes'; after: number }
    /** The segment must contain all changes up to this `seq`. */
    | { kind: 'build'; notBefore: number }
    | { kind: 'merge'; input: MergeInput };
}

/** A job waits or continues; it has made a segment; or it failed to write the snapshot of the segment. */
export type IndexNews =
  | { waitsFor: string }
  | { waitedMs: number }
  | { columns: SegmentColumns; from: 'snapshot' | 'store' | 'merge'; refused?: string }
  | { columns: SegmentColumns; from: 'changes'; removed: Uint32Array }
  | { notWritten: string };

/** More threads would mostly wait for the section that takes longest. */
const MAX_THREADS = 8;

offerJobs(run);

async function run(
  { store: location, language, now, waitMs, work }: IndexJob,
  tell: (news: IndexNews) => void,
): Promise<void> {
  const file = new IndexSnapshotFile({
    path: join(location.dataFolder, SNAPSHOT_FILE),
    madeBy: `stave ${SERVICE_VERSION}, unicode ${process.versions.unicode}, names in ${language}`,
  });
  const waitPolicy = new WaitPolicy({
    ms: waitMs,
    onWait: (reason) => tell({ waitsFor: reason }),
    onContinue: (ms) => tell({ waitedMs: ms }),
  });
  // The thread does not log: its errors reject the job, and the thread that started it logs them.
  const logging = { clock: systemClock, log: silentLog };
  const store = await openStore(location, { ...logging, waitPolicy, isScan: true });
  try {
    if (work.kind === 'changes') {
      const changed = await changedSegment(store, work.after, { language }, equalRests());
      tell({ ...changed, from: 'changes' });
      return;
    }
    if (work.kind === 'merge' && !work.input.isWhole) {
      tell({
        columns: runSteps(mergeSegments(work.input)),
        removed: new Uint32Array(),
        from: 'changes',
      });
      return;
    }
    let refused: string | undefined;
    if (work.kind === 'open') {
      await file.clearUp();
      const reading = await file.read(async (head) => {
        const refusal = await refusalReason(store, head, now);
        const behind = (await store.changes.head()) - head.meta.seq;
        const isLate = isTooFarBehind(behind, head.meta.size, true);
        return refusal ?? (isLate ? `it lacks ${behind} changes` : undefined);
      });
      if ('columns' in reading) {
        tell({ columns: reading.columns, from: 'snapshot' });
        return;
      }
      if ('refused' in reading) refused = reading.refused;
    }
    const columns =
      work.kind === 'merge'
        ? runSteps(mergeSegments(work.input))
        : await build(store, { store: location, waitMs }, work.kind, language);
    // Writing the snapshot takes long enough to free the merged segments before it.
    if (work.kind === 'merge') work.input.parts = [];
    tell({
      columns,
      from: work.kind === 'merge' ? 'merge' : 'store',
      ...(refused !== undefined && { refused }),
    });
    setImmediate(collectGarbage);
    // A stop of the service waits for this.
    waitPolicy.end();
    try {
      await file.write(columns, { catalog: await pointInLog(store), asOf: now });
    } catch (error) {
      // Without the snapshot, only the next start is slower.
      tell({ notWritten: (error as Error).message });
    }
  } finally {
    await store.close();
  }
}

async function build(
  store: Store,
  data: BuildThreadData,
  kind: 'open' | 'build',
  language: string | undefined,
): Promise<SegmentColumns> {
  // A start needs all processors. Later builds leave one to the requests.
  const processors = availableParallelism() - (kind === 'open' ? 0 : 1);
  const threads = new BuildThreads({
    count: Math.max(1, Math.min(processors, MAX_THREADS)) - 1,
    runHere: (task) => runTask(task, (rows) => collectTracks(store.catalog, rows)),
    data,
  });
  try {
    return await buildInThreads(store, threads, { language });
  } finally {
    await threads.close();
  }
}
