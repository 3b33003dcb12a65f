import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../common/log.ts';
import type { Metrics } from '../../../engines/http/metrics/metrics.ts';
import { type LeaseStore, leasedWork } from '../../../engines/tasks/lease.ts';
import type { TrackFinder } from '../saved-search-matches.ts';
import type { SenderStore } from '../store/sender-store.ts';
import { measuredMessages } from './measured-messages.ts';
import type { WebhookThreadData } from './messages.ts';
import { runThread } from './run-thread.ts';

/** How often the thread is started if it is needed. */
const START_MS = 1_000;
/** After a node has died, its messages must be sent by another one within 35 s: 14 s at most, and 25 s for a message that it was sending. */
const LEASE_MS = 10_000;

/**
 * Turns changes into messages to webhooks and sends them, on one node at a time. A thread does this, because each
 * message takes statements that wait for the disk, and a connection. It is started when there is something to do.
 */
export function leasedWebhooks({
  script,
  data,
  store,
  log,
  finder,
  metrics,
}: {
  /** The file of the thread, which opens the store. */
  script: URL;
  data: WebhookThreadData;
  store: { leases: LeaseStore; webhookSending: SenderStore; isReachable(): boolean };
  log: Log;
  /** Finds the new tracks of saved searches. */
  finder: TrackFinder;
  metrics: Metrics;
}): ReturnType<typeof leasedWork> {
  const measured = measuredMessages(metrics);
  return leasedWork({
    store,
    log,
    lease: 'webhooks',
    ms: LEASE_MS,
    async work(signal, report) {
      const options = { script, data, finder, onMeasured: measured.take, onError: report };
      while (!signal.aborted) {
        try {
          if (await store.webhookSending.isNeeded()) {
            measured.begin();
            await runThread(options, signal);
          }
        } catch (error) {
          report(error, 'making and sending messages to webhooks');
        }
        await sleep(START_MS, undefined, { signal }).catch(() => {});
      }
      measured.end();
    },
  });
}
