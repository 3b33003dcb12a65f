import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../common/clock.ts';
import { PeriodicTasks, type Task } from '../../../common/work/periodic-tasks.ts';
import type { ChangeLog } from '../../../engines/change-log/change-log.ts';
import { Deliverer } from '../../../engines/net/deliver.ts';
import type { Resolver, Targets } from '../../../engines/net/endpoint-url.ts';
import { FanOut } from '../fan-out.ts';
import { SavedSearchMatches, type TrackFinder } from '../saved-search-matches.ts';
import { Sender } from '../sender.ts';
import type { FanOutStore } from '../store/fan-out-store.ts';
import type { SenderStore } from '../store/sender-store.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Measured } from './leased-webhooks.ts';

/** The intervals of the tasks. */
const FAN_OUT_MS = 1_000;
const STRAY_MS = 60_000;
const COUNT_MS = 5_000;
const MEASURE_MS = 1_000;

interface Options {
  store: {
    changes: ChangeLog;
    webhookFanOut: FanOutStore;
    webhookSending: SenderStore;
    webhooks: Pick<WebhookStore, 'records'>;
  };
  clock: Clock;
  finder: TrackFinder;
  resolver: Resolver;
  targets: Targets;
  /** Called each second, and at the end. */
  onMeasured(measured: Measured): void;
  onError(error: unknown, what: string): void;
}

/** Turns changes into messages to webhooks and sends them, until the signal aborts. One node at a time may do so. */
export async function sendMessages(options: Options, signal: AbortSignal): Promise<void> {
  const { store, clock, finder, resolver, targets, onMeasured, onError } = options;
  const matches = new SavedSearchMatches({ store: store.webhookFanOut, finder, clock });
  const fanOut = new FanOut({ log: store.changes, store: store.webhookFanOut, matches, clock });
  let attempts = { delivered: 0, pending: 0, failed: 0 };
  let pending = 0;
  let failing = 0;
  const sender = new Sender({
    store: store.webhookSending,
    clock,
    deliverer: new Deliverer({ targets, resolver, clock }),
    random: Math.random,
    onAttempt: ({ outcome }) => attempts[outcome]++,
    onError,
  });
  const measure = async () => {
    onMeasured({ attempts, pending, failing, behindMs: fanOut.behindMs });
    attempts = { delivered: 0, pending: 0, failed: 0 };
  };
  const every = (intervalMs: number, name: string, run: Task['run']) =>
    new PeriodicTasks({
      tasks: [{ name, run }],
      intervalMs,
      onError: (error, task) => onError(error, task.name),
    });
  const periodic = [
    every(FAN_OUT_MS, 'making messages of changes', (stop) => fanOut.run(stop)),
    every(STRAY_MS, 'discarding messages', (stop) => store.webhookSending.discardStray(stop)),
    every(COUNT_MS, 'counting messages', async () => {
      pending = await store.webhookSending.pending();
      const all = await store.webhooks.records();
      failing = all.filter(({ enabled, isFailing }) => enabled && isFailing).length;
    }),
    every(MEASURE_MS, 'measuring', measure),
  ];
  await untilDone(
    signal,
    () => fanOut.begin(signal),
    (error) => onError(error, 'discarding messages of another history of the log'),
  );
  for (const tasks of periodic) tasks.start();
  const sending = sender.run(signal);
  if (!signal.aborted) await once(signal, 'abort');
  await Promise.all([sending, ...periodic.map((tasks) => tasks.stop())]);
  await measure();
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
