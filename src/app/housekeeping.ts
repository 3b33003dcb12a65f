import type { Log } from '../common/log.ts';
import type { Store } from '../storage/store.ts';
import { leasedTasks } from './leased-tasks.ts';

const HOUR_MS = 60 * 60_000;

/** Deletes what has expired, once an hour on one node at a time. Each task works in short transactions. */
export function housekeeping({
  store,
  log,
}: {
  store: Pick<Store, 'idempotency' | 'leases' | 'isReachable'>;
  log: Log;
}): ReturnType<typeof leasedTasks> {
  return leasedTasks({
    store,
    log,
    lease: 'housekeeping',
    tasks: [
      {
        name: 'deleting old idempotency keys',
        run: (signal) => store.idempotency.expire(signal),
      },
    ],
    intervalMs: HOUR_MS,
  });
}
