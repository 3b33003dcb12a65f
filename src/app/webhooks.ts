import { setTimeout as sleep } from 'node:timers/promises';
import { FanOut } from '../changes/webhooks/fan-out.ts';
import { Sender, type SenderOptions } from '../changes/webhooks/sender.ts';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { SERVICE_VERSION } from '../common/version.ts';
import { Deliverer } from '../net/deliver.ts';
import type { Targets } from '../net/endpoint-url.ts';
import { dnsResolver, hostResolver } from '../net/resolver.ts';
import { signedHeaders } from '../net/signature.ts';
import type { Store } from '../storage/store.ts';
import { leasedWork } from './leased-tasks.ts';

/** How often changes become messages. */
const FAN_OUT_MS = 1_000;
/** How often the messages of deleted endpoints are discarded. */
const STRAY_MS = 60_000;
/** After a node has died, its messages must be sent by another one within 35 s. */
const LEASE_MS = 20_000;

/** Turns changes into messages to webhooks and sends them, on one node at a time. */
export function webhooks({
  store,
  clock,
  log,
  targets,
  onAttempt,
}: {
  store: Pick<Store, 'changes' | 'leases' | 'isReachable' | 'webhookFanOut' | 'webhookSending'>;
  clock: Clock;
  log: Log;
  targets: Targets;
  onAttempt: SenderOptions['onAttempt'];
}): ReturnType<typeof leasedWork> {
  const fanOut = new FanOut({ log: store.changes, store: store.webhookFanOut, clock });
  const resolver = targets === 'any' ? hostResolver : dnsResolver();
  const deliverer = new Deliverer({ targets, resolver, clock });
  return leasedWork({
    store,
    log,
    lease: 'webhooks',
    ms: LEASE_MS,
    async work(signal, report) {
      const sender = new Sender({
        store: store.webhookSending,
        clock,
        deliver: (message, ended) => deliverer.deliver(message, ended),
        sign: signedHeaders,
        userAgent: `Stave/${SERVICE_VERSION}`,
        random: Math.random,
        onAttempt,
        onError: report,
      });
      await Promise.all([
        sender.run(signal),
        repeat(
          FAN_OUT_MS,
          signal,
          () => fanOut.run(signal),
          (error) => report(error, 'making messages of changes'),
        ),
        repeat(
          STRAY_MS,
          signal,
          () => store.webhookSending.discardStray(signal),
          (error) => report(error, 'discarding messages'),
        ),
      ]);
    },
  });
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
