import { setTimeout as sleep } from 'node:timers/promises';
import { FanOut } from '../changes/webhooks/fan-out.ts';
import { SavedSearchMatches, type TrackFinder } from '../changes/webhooks/saved-search-matches.ts';
import { Sender } from '../changes/webhooks/sender.ts';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { SERVICE_VERSION } from '../common/version.ts';
import type { Metrics } from '../http/metrics.ts';
import { Deliverer } from '../net/deliver.ts';
import type { Targets } from '../net/endpoint-url.ts';
import type { Resolver } from '../net/resolver.ts';
import { signedHeaders } from '../net/signature.ts';
import type { Store } from '../storage/store.ts';
import { leasedWork } from './leased-tasks.ts';

/** How often changes become messages. */
const FAN_OUT_MS = 1_000;
/** How often the messages of deleted endpoints are discarded. */
const STRAY_MS = 60_000;
/** How often the pending messages are counted. */
const COUNT_MS = 5_000;
/** After a node has died, its messages must be sent by another one within 35 s: 14 s at most, and 25 s for a message that it was sending. */
const LEASE_MS = 10_000;

/** Turns changes into messages to webhooks and sends them, on one node at a time. */
export function webhooks({
  store,
  clock,
  log,
  finder,
  resolver,
  targets,
  metrics,
}: {
  store: Pick<
    Store,
    'changes' | 'leases' | 'isReachable' | 'webhookFanOut' | 'webhookMatches' | 'webhookSending'
  >;
  clock: Clock;
  log: Log;
  /** Finds the new tracks of saved searches. */
  finder: TrackFinder;
  resolver: Resolver;
  targets: Targets;
  metrics: Metrics;
}): ReturnType<typeof leasedWork> {
  const deliverer = new Deliverer({ targets, resolver, clock });
  const measured = measuredDeliveries(metrics);
  return leasedWork({
    store,
    log,
    lease: 'webhooks',
    ms: LEASE_MS,
    async work(signal, report) {
      const matches = new SavedSearchMatches({ store, finder, clock });
      const fanOut = new FanOut({ log: store.changes, store: store.webhookFanOut, matches, clock });
      const sender = new Sender({
        store: store.webhookSending,
        clock,
        deliver: (message, ended) => deliverer.deliver(message, ended),
        sign: signedHeaders,
        userAgent: `Stave/${SERVICE_VERSION}`,
        random: Math.random,
        onAttempt: ({ outcome }) => measured.attempted(outcome),
        onError: report,
      });
      const every = (ms: number, what: string, task: () => Promise<void>) =>
        repeat(ms, signal, task, (error) => report(error, what));
      measured.begin(() => fanOut.behindMs);
      await untilDone(
        signal,
        () => fanOut.begin(signal),
        (error) => report(error, 'discarding messages of another history of the log'),
      );
      await Promise.all([
        sender.run(signal),
        every(FAN_OUT_MS, 'making messages of changes', () => fanOut.run(signal)),
        every(STRAY_MS, 'discarding messages', () => store.webhookSending.discardStray(signal)),
        every(COUNT_MS, 'counting messages', async () =>
          measured.counted(await store.webhookSending.pending()),
        ),
      ]);
      measured.end();
    },
  });
}

/** Registers the metrics. Only the node that sends has other values than 0. */
function measuredDeliveries(metrics: Metrics) {
  const attempts = metrics.counter(
    'stave_webhook_deliveries_total',
    'Attempts to deliver messages to webhooks, by outcome: delivered, retried later, or failed for good.',
    ['outcome'],
  );
  for (const outcome of ['delivered', 'retried', 'failed']) attempts.count([outcome]);
  let pending = 0;
  let behindMs = () => 0;
  metrics.gauge(
    'stave_webhook_deliveries_pending',
    'Messages to webhooks that are not delivered yet, on the node that sends them.',
    () => pending,
  );
  metrics.gauge(
    'stave_webhook_lag_seconds',
    'Time since the sending node saw the first change that has not become messages to webhooks yet; 0 if all have.',
    () => behindMs() / 1_000,
  );
  return {
    attempted: (outcome: 'delivered' | 'pending' | 'failed') =>
      attempts.increment([outcome === 'pending' ? 'retried' : outcome]),
    counted(count: number) {
      pending = count;
    },
    begin(readBehindMs: () => number) {
      behindMs = readBehindMs;
    },
    end() {
      pending = 0;
      behindMs = () => 0;
    },
  };
}

/** Repeats a task, once a second, until it succeeds or the signal aborts. */
async function untilDone(
  signal: AbortSignal,
  task: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await task();
    } catch (error) {
      onError(error);
      await sleep(FAN_OUT_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** Repeats a task at an interval until the signal aborts. A run that takes longer delays the next one. */
async function repeat(
  intervalMs: number,
  signal: AbortSignal,
  task: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    await task().catch(onError);
    const rest = startedAt + intervalMs - performance.now();
    await sleep(Math.max(0, rest), undefined, { signal }).catch(() => {});
  }
}
