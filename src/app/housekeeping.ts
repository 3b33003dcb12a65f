import { HOUR_MS } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { leasedTasks } from '../engines/tasks/leased-tasks.ts';
import type { Store } from '../features/store.ts';

/**
 * Deletes what has expired, and prepares the store for the next month, once an hour on one node at a time. Each task
 * works in short transactions.
 */
export function housekeeping({
  store,
  log,
}: {
  store: Pick<
    Store,
    | 'clientRequests'
    | 'idempotency'
    | 'leases'
    | 'mediaRequests'
    | 'isReachable'
    | 'prepareUsageMonths'
    | 'quotes'
    | 'renditions'
    | 'usage'
    | 'webhookDeliveries'
    | 'webhookFanOut'
  >;
  log: Log;
}): ReturnType<typeof leasedTasks> {
  return leasedTasks({
    store,
    log,
    lease: 'housekeeping',
    tasks: [
      {
        name: 'preparing the months of reported use',
        run: async () => {
          const months = (await store.prepareUsageMonths?.()) ?? [];
          if (months.length > 0) log.info({ months }, 'prepared months of reported use');
        },
      },
      {
        name: 'preparing the summaries of reported use',
        run: (signal) => store.usage.prepareSummaries(signal),
      },
      {
        name: 'deleting old idempotency keys',
        run: (signal) => store.idempotency.expire(signal),
      },
      {
        name: 'deleting old messages to webhooks',
        run: (signal) => store.webhookDeliveries.expire(signal),
      },
      {
        name: 'forgetting the chains of deleted collections',
        run: (signal) => store.webhookFanOut.forgetEndedChains(signal),
      },
      {
        name: 'deleting previews of audio that no track has',
        run: (signal) => store.renditions.dropUnnamed(signal),
      },
      {
        name: 'deleting old counts of requests',
        run: (signal) => store.clientRequests.expire(signal),
      },
      {
        name: 'deleting old counts of streams',
        run: (signal) => store.mediaRequests.expire(signal),
      },
      {
        name: 'deleting old quotes',
        run: (signal) => store.quotes.expire(signal),
      },
    ],
    intervalMs: HOUR_MS,
  });
}
