import { LogExpiry } from '../changes/log-expiry.ts';
import type { Clock } from '../common/clock.ts';
import { newId } from '../common/ids.ts';
import { Lease } from '../common/lease.ts';
import type { Log } from '../common/log.ts';
import type { Store } from '../storage/store.ts';

/** The duration of the lease after its node has died. Retention runs once a day, so this may be long. */
const LEASE_MS = 5 * 60_000;

/**
 * Deletes old changes, and the import batches that made them, on one node at a time. When that node is
 * gone, another one takes the lease.
 */
export function changeLogRetention({
  store,
  clock,
  log,
  ms = LEASE_MS,
}: {
  store: Pick<Store, 'batches' | 'changes' | 'leases' | 'isReachable'>;
  clock: Clock;
  log: Log;
  ms?: number;
}): Pick<Lease, 'start' | 'stop'> {
  const onError = (error: unknown) => {
    // The store itself logs that the database is away.
    if (store.isReachable()) log.error({ err: error }, 'shortening the change log failed');
  };
  const expire = async (before: number, signal?: AbortSignal) => {
    // Batches are deleted before their changes, because an undo reads the changes of its batch.
    await store.batches.expire(before, signal);
    return store.changes.expire(before, signal);
  };
  let ending = Promise.resolve();
  const lease = new Lease({
    leases: store.leases,
    name: 'change-log-expiry',
    holder: newId(),
    ms,
    onHeld(signal) {
      log.debug({}, 'this node shortens the change log now');
      const expiry = new LogExpiry({ log: { expire }, clock, onError });
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
