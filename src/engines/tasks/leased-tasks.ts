import { newId } from '../../common/ids.ts';
import type { Log } from '../../common/log.ts';
import { PeriodicTasks, type Task } from '../../common/work/periodic-tasks.ts';
import { Lease, type LeaseStore } from './lease.ts';

/** The duration of a lease after its node has died. The tasks are rare, so this may be long. */
const LEASE_MS = 5 * 60_000;

interface LeasedOptions {
  store: { leases: LeaseStore; isReachable(): boolean };
  log: Log;
  lease: string;
  /** How long the lease is valid after its node has died, in milliseconds. */
  ms?: number;
}

/** Logs what failed, unless the database is away, which the store itself logs. */
type Report = (error: unknown, what: string) => void;

/** Work that begins with `start`. `stop` resolves when it has ended. */
type Leased = Pick<Lease, 'start' | 'stop'>;

/** Repeats tasks on one node at a time. When that node is gone, another one takes the lease. */
export function leasedTasks({
  tasks,
  intervalMs,
  ...options
}: LeasedOptions & { tasks: readonly Task[]; intervalMs: number }): Leased {
  return leasedWork({
    ...options,
    async work(signal, report) {
      const periodic = new PeriodicTasks({
        tasks,
        intervalMs,
        onError: (error, task) => report(error, task.name),
      });
      periodic.start();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await periodic.stop();
    },
  });
}

/**
 * Does work on one node at a time, until the signal aborts. When that node is gone, another one takes the lease.
 * @param work must end soon after the signal
 */
export function leasedWork({
  store,
  log,
  lease: name,
  ms = LEASE_MS,
  work,
}: LeasedOptions & {
  work: (signal: AbortSignal, report: Report) => Promise<void>;
}): Leased {
  const report: Report = (error, what) => {
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
      ending = ending.then(() => (signal.aborted ? undefined : work(signal, report)));
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
