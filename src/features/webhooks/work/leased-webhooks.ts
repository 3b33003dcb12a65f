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

/** The thread is ended if it does not stop by itself in this time. Nothing is lost then. */
const STOP_MS = 3_000;

/** What runs the thread. */
interface Options {
  /** The file of the thread. */
  script: URL;
  data: WebhookThreadData;
  finder: TrackFinder;
  onMeasured(measured: Measured): void;
  /** Called for what has failed, and is repeated. */
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

/** The data that the thread of webhooks is started with. */
export interface WebhookThreadData {
  /** Where the store is, as plain data. */
  store: StoreLocation;
  targets: Targets;
  /** The name servers that are asked for the addresses of webhooks; undefined for those of the machine. */
  nameServers: readonly string[] | undefined;
}

/** What the thread has done since it was measured before, and its state. */
export interface Measured {
  /** The attempts by what became of the message. */
  attempts: Readonly<Record<AttemptResult['outcome'], number>>;
  /** The messages that are not delivered. */
  pending: number;
  /** The milliseconds for which not all messages of what is new are made; 0 if they are. */
  behindMs: number;
}

/** What the thread of webhooks offers. */
export interface WebhookThread {
  /** Makes and sends messages until `stop` is called. */
  run(data: WebhookThreadData): Promise<void>;
  stop(): void;
}

/** What the serving thread offers it: the index, and where it reports. */
export interface WebhookThreadStarter extends TrackFinder {
  measured(measured: Measured): void;
  /** Called for what has failed, and is repeated. */
  failed(what: string, fault: SerializedError): void;
}

/** Registers the metrics of messages to webhooks. Only the node that sends has other values than 0. */
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
  /** The value of performance.now() since which changes wait that are not messages yet. */
  let behindSince: number | undefined;
  metrics.gauge(
    'stave_webhook_deliveries_pending',
    'Messages to webhooks that are not delivered yet, on the node that sends them.',
    () => pending,
  );
  metrics.gauge(
    'stave_webhook_lag_seconds',
    'Time for which the sending node has not made all messages to webhooks of what is new, for whatever reason; 0 if it has.',
    () => (behindSince === undefined ? 0 : (performance.now() - behindSince) / 1_000),
  );
  return {
    /** To be called when the thread starts. Until it says otherwise, nothing becomes messages. */
    begin() {
      behindSince ??= performance.now();
    },
    /** Takes what the thread has measured. */
    take(measured: Measured) {
      delivered.value += measured.attempts.delivered;
      retried.value += measured.attempts.pending;
      failed.value += measured.attempts.failed;
      pending = measured.pending;
      // A thread that was started again does not know how long the one before was behind.
      if (measured.behindMs === 0) behindSince = undefined;
      else behindSince = Math.min(behindSince ?? Infinity, performance.now() - measured.behindMs);
    },
    /** To be called when this node does not send any more. */
    end() {
      pending = 0;
      behindSince = undefined;
    },
  };
}
