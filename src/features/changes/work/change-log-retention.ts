import { type Clock, DAY_MS } from '../../../common/clock.ts';
import type { Log } from '../../../common/log.ts';
import type { ChangeLog } from '../../../engines/change-log/change-log.ts';
import { LOG_DAYS } from '../../../engines/change-log/positions.ts';
import { type LeaseStore, leasedTasks } from '../../../engines/tasks/lease.ts';
import type { BatchStore } from '../../catalog/store/batch-store.ts';

/** Deletes old changes, and the import batches that made them, once a day on one node at a time. */
export function changeLogRetention({
  store,
  clock,
  log,
}: {
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
    const before = clock.now() - LOG_DAYS * DAY_MS;
    // Batches are deleted before their changes, because an undo reads the changes of its batch.
    await store.batches.expire(before, signal);
    await store.changes.expire(before, signal);
  };
  return leasedTasks({
    store,
    log,
    lease: 'change-log-expiry',
    tasks: [{ name: 'shortening the change log', run: shorten }],
    intervalMs: DAY_MS,
  });
}
