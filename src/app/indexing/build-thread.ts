/** A thread for tasks of a build, one at a time. build-threads.ts starts several of them. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import { offerToStarter } from '../../common/threads/calls.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import { collectTracks } from '../../engines/search/build/build-index.ts';
import { openStore } from '../open/open-store.ts';
import { type BuildThread, type BuildThreadData, buffersOf, runTask } from './build-threads.ts';

let store: ReturnType<typeof openStore> | undefined;

offerToStarter(
  {
    run: (task) =>
      runTask(task, async (rows) => {
        store ??= open(workerData);
        return collectTracks((await store).catalog, rows);
      }),
    close: async () => (await store)?.close(),
  } satisfies BuildThread,
  buffersOf,
);

function open({ store: location, waitMs }: BuildThreadData): ReturnType<typeof openStore> {
  // The thread that has started this one reads the store, too, and reports that it waits.
  const waitPolicy = new WaitPolicy({ ms: waitMs, onWait: () => {}, onContinue: () => {} });
  return openStore(location, { clock: systemClock, log: silentLog, waitPolicy, isScan: true });
}
