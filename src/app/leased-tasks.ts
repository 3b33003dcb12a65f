import { newId } from '../common/ids.ts';
import { Lease } from '../common/lease.ts';
import type { Log } from '../common/log.ts';
import { PeriodicTasks, type Task } from '../common/periodic-tasks.ts';
import type { Store } from '../storage/store.ts';

/** The duration of a lease after its node has died. The tasks are rare, so this may be long. */
const LEASE_MS = 5 * 60_000;

/** Repeats tasks on one node at a time. When that node is gone, another one takes the lease. */
export function leasedTasks({
  store,
  log,
  lease: name,
  tasks,
  intervalMs,
  ms = LEASE_MS,
}: {
  store: Pick<Store, 'leases' | 'isReachable'>;
  log: Log;
  lease: string;
  tasks: readonly Task[];
  intervalMs: number;
  ms?: number;
}): Pick<Lease, 'start' | 'stop'> {
  const report = (error: unknown, what: string) => {
    // The store itself logs that the database is away.
    if (store.isReachable()) log.error({ err: error }, `${what} failed`);
  };
  let ending = Promise.resolve();
  const lease = new Lease({
    leases: store.leases,
    name,
    holder: newId(),
    ms,
    onHeld(signal) {
      log.debug({ lease: name }, 'this node does the tasks of a lease now');
      const periodic = new PeriodicTasks({
        tasks,
        intervalMs,
        onError: (error, task) => report(error, task.name),
      });
      signal.addEventListener('abort', () => {
        ending = periodic.stop();
      });
      periodic.start();
    },
    onError: (error) => report(error, `taking the lease ${name}`),
  });
  return {
    start: () => lease.start(),
    async stop() {
      await lease.stop();
      await ending;
    },
  };
}
