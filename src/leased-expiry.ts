import { LogExpiry } from './changes/log-expiry.ts';
import type { Clock } from './kernel/clock.ts';
import { newId } from './kernel/ids.ts';
import { Lease } from './kernel/lease.ts';
import type { Log } from './kernel/log.ts';
import type { Store } from './storage/store.ts';

/** A node that dies is replaced after so long; the log waits a day for its next shortening anyway. */
const LEASE_MS = 5 * 60_000;

/** Shortens the change log on one node, whichever it is; another takes over when that one is gone. */
export function leasedExpiry({
  store,
  clock,
  log,
  ms = LEASE_MS,
}: {
  store: Pick<Store, 'changes' | 'leases' | 'isReachable'>;
  clock: Clock;
  log: Log;
  ms?: number;
}): Pick<Lease, 'start' | 'stop'> {
  const onError = (error: unknown) => {
    // That it is away, the store has said once.
    if (store.isReachable()) log.error({ err: error }, 'shortening the change log failed');
  };
  let ending = Promise.resolve();
  const lease = new Lease({
    leases: store.leases,
    name: 'change-log-expiry',
    holder: newId(),
    ms,
    onHeld(signal) {
      log.debug({}, 'this node shortens the change log now');
      const expiry = new LogExpiry({ log: store.changes, clock, onError });
      signal.addEventListener('abort', () => {
        ending = expiry.stop();
      });
      expiry.start();
    },
    onError,
  });
  return {
    start: () => lease.start(),
    async stop() {
      await lease.stop();
      await ending;
    },
  };
}
