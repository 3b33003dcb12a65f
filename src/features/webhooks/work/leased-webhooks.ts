import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../common/log.ts';
import { deserializeError, type SerializedError } from '../../../common/threads/calls.ts';
import {
  BELOW_REQUESTS,
  LITTLE_MEMORY,
  Thread,
  ThreadEnded,
} from '../../../common/threads/thread.ts';
import type { Count, Metrics } from '../../../engines/http/metrics/metrics.ts';
import type { Targets } from '../../../engines/net/endpoint-url.ts';
import type { StoreLocation } from '../../../engines/sql/setting-store.ts';
import { type LeaseStore, leasedWork } from '../../../engines/tasks/lease.ts';
import type { TrackFinder } from '../saved-search-matches.ts';
import type { AttemptResult } from '../schedule.ts';
import type { SenderStore } from '../store/sender-store.ts';

/** The interval of the checks whether a thread is needed. */
const START_MS = 1_000;
/** Another node must send the messages within 35 s after a node died: at most 14 s, and 25 s if the node was sending them. */
const LEASE_MS = 10_000;

/**
 * Turns changes into messages to webhooks and sends them, on one node at a time. A thread does this, because each
 * message takes a connection, and statements that wait for the disk. The thread starts when there is something to do.
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

/** A thread that does not stop within this time is terminated. Nothing is lost then. */
const STOP_MS = 3_000;

interface Options {
  script: URL;
  data: WebhookThreadData;
  finder: TrackFinder;
  onMeasured(measured: Measured): void;
  /** Called for each failure. The work that failed is repeated. */
  onError(error: unknown, what: string): void;
}

/**
 * Runs the thread that makes and sends the messages to webhooks, until the signal aborts. Resolves when the thread has
 * ended. Rejects if it ends before.
 */
async function runThread(
  { script, data, finder, onMeasured, onError }: Options,
  signal: AbortSignal,
): Promise<void> {
  const offer: WebhookThreadStarter = {
    state: () => finder.state(),
    find: (search, request) => finder.find(search, request),
    measured: onMeasured,
    failed: (what, fault) => onError(deserializeError(fault), what),
  };
  const thread = new Thread<WebhookThread>(script, {
    offer,
    name: 'stave webhooks',
    resourceLimits: LITTLE_MEMORY,
    lowerBy: BELOW_REQUESTS,
  });
  let ending: NodeJS.Timeout | undefined;
  const stop = () => {
    thread.tell('stop');
    ending = setTimeout(() => void thread.terminate(), STOP_MS);
  };
  const ended = thread.call('run', data);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    await ended;
  } catch (error) {
    if (!signal.aborted || !(error instanceof ThreadEnded)) throw error;
  } finally {
    clearTimeout(ending);
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}

export interface WebhookThreadData {
  store: StoreLocation;
  targets: Targets;
  /** The name servers for the addresses of webhooks; undefined for the ones of the machine. */
  nameServers: readonly string[] | undefined;
}

export interface Measured {
  /** The attempts since the measurement before. */
  attempts: Readonly<Record<AttemptResult['outcome'], number>>;
  /** The number of messages that are not delivered. */
  pending: number;
  /** Enabled endpoints whose last attempt failed. */
  failing: number;
  /** See `FanOut.behindMs`. */
  behindMs: number;
}

export interface WebhookThread {
  /** Makes and sends messages until `stop` is called. */
  run(data: WebhookThreadData): Promise<void>;
  stop(): void;
}

/** What the serving thread offers to the thread of webhooks. */
export interface WebhookThreadStarter extends TrackFinder {
  measured(measured: Measured): void;
  /** Called for each failure. The work that failed is repeated. */
  failed(what: string, fault: SerializedError): void;
}

/** Registers the metrics of messages to webhooks. They are 0 on nodes that do not send. */
function measuredMessages(metrics: Metrics) {
  const attempts = metrics.counter(
    'stave_webhook_deliveries_total',
    'Attempts to deliver messages to webhooks, by outcome: delivered, retried later, or failed for good.',
    ['outcome'],
  );
  const [delivered, retried, failed] = ['delivered', 'retried', 'failed'].map((outcome) =>
    attempts.count([outcome]),
  ) as [Count, Count, Count];
  let pending = 0;
  let failing = 0;
  /** The value of performance.now() since which not all messages of new changes are made; undefined if they are. */
  let behindSince: number | undefined;
  metrics.gauge(
    'stave_webhook_deliveries_pending',
    'Messages to webhooks that are not delivered yet, on the node that sends them.',
    () => pending,
  );
  metrics.gauge(
    'stave_webhooks_failing',
    'Webhooks whose last attempt failed, on the node that sends messages.',
    () => failing,
  );
  metrics.gauge(
    'stave_webhook_lag_seconds',
    'Time for which the sending node has not made all messages to webhooks of what is new, for whatever reason; 0 if it has.',
    () => (behindSince === undefined ? 0 : (performance.now() - behindSince) / 1_000),
  );
  return {
    /** Call it when the thread starts. The node counts as behind until the first measurement. */
    begin() {
      behindSince ??= performance.now();
    },
    take(measured: Measured) {
      delivered.value += measured.attempts.delivered;
      retried.value += measured.attempts.pending;
      failed.value += measured.attempts.failed;
      pending = measured.pending;
      failing = measured.failing;
      // A new thread does not know how long the thread before was behind.
      if (measured.behindMs === 0) behindSince = undefined;
      else behindSince = Math.min(behindSince ?? Infinity, performance.now() - measured.behindMs);
    },
    /** Call it when this node stops sending. */
    end() {
      pending = 0;
      behindSince = undefined;
    },
  };
}
