import { type Clock, DAY_MS } from '../../../common/clock.ts';
import type { Log } from '../../../common/log.ts';
import type { ChangeLog } from '../../../engines/change-log/change-log.ts';
import { historyStart, LOG_DAYS } from '../../../engines/change-log/positions.ts';
import { type LeaseStore, leasedTasks } from '../../../engines/tasks/lease.ts';
import type { BatchStore } from '../../catalog/store/batch-store.ts';

/**
 * Ends the validity of old positions in the log and of old imports, and deletes what is older than the history of the
 * installation, once a day on one node at a time.
 */
export function changeLogRetention({
  config: { historyYears },
  store,
  clock,
  log,
}: {
  config: { historyYears: number };
  store: {
    batches: BatchStore;
    changes: ChangeLog;
    leases: LeaseStore;
    isReachable(): boolean;
  };
  clock: Clock;
  log: Log;
}): ReturnType<typeof leasedTasks> {
  const shorten = async (signal: AbortSignal) => {
    const now = clock.now();
    await store.batches.expire(now - LOG_DAYS * DAY_MS, signal);
    await store.changes.raiseFloor(now - LOG_DAYS * DAY_MS);
    const start = historyStart(now, historyYears);
    await store.batches.forget(start);
    await store.changes.expire(start, signal);
  };
  return leasedTasks({
    store,
    log,
    lease: 'change-log-expiry',
    tasks: [{ name: 'shortening the change log', run: shorten }],
    intervalMs: DAY_MS,
  });
}
