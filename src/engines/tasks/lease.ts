import { sql } from 'kysely';
import { newId } from '../../common/ids.ts';
import type { Log } from '../../common/log.ts';
import { PeriodicTasks, type Task } from '../../common/work/periodic-tasks.ts';
import { SqlStore } from '../sql/sql-store.ts';

/** Options of a lease. With the defaults, another node takes over within 30 seconds. */
export interface LeaseOptions {
  leases: LeaseStore;
  name: string;
  /** A name that differs for each process and thread. */
  holder: string;
  /** How long the lease is valid after each renewal. It is renewed after each third of this time. */
  ms?: number;
  /** Called each time this holder obtains the lease. The signal aborts when it loses the lease. */
  onHeld: (signal: AbortSignal) => void;
  /** Called for each failed attempt to take, renew or release the lease. Attempts continue. */
  onError: (error: unknown) => void;
}

/**
 * Tries to hold a lease from `start` to `stop`. A holder that cannot renew the lease in time stops
 * working before it expires, measured by its own monotonic clock, so that no two nodes work at once.
 */
export class Lease {
  readonly #options: Required<LeaseOptions>;
  #timer: NodeJS.Timeout | undefined;
  #work: AbortController | undefined;
  #ending: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: LeaseOptions) {
    this.#options = { ms: 30_000, ...options };
  }

  get isHeld(): boolean {
    return this.#work !== undefined;
  }

  /** Tries to take the lease now and at each interval. The timers do not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => this.#acquire(), this.#options.ms / 3).unref();
    this.#acquire();
  }

  /** Stops trying, and releases the lease so that another node need not wait until it expires. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const held = this.isHeld;
    this.#lose();
    await this.#running;
    const { leases, name, holder, onError } = this.#options;
    if (held) await leases.release(name, holder).catch(onError);
  }

  #acquire(): void {
    this.#running = this.#running.then(async () => {
      if (this.#isStopped) return;
      const { leases, name, holder, ms, onHeld, onError } = this.#options;
      // The lease is counted from before the request, because the response may have been slow.
      const requestedAt = performance.now();
      try {
        if (!(await leases.acquire(name, holder, ms))) {
          this.#lose();
          return;
        }
      } catch (error) {
        onError(error);
        return;
      }
      clearTimeout(this.#ending);
      const left = requestedAt + (ms * 2) / 3 - performance.now();
      this.#ending = setTimeout(() => this.#lose(), Math.max(0, left)).unref();
      if (this.#work === undefined && !this.#isStopped) {
        this.#work = new AbortController();
        onHeld(this.#work.signal);
      }
    });
  }

  #lose(): void {
    clearTimeout(this.#ending);
    this.#work?.abort();
    this.#work = undefined;
  }
}

/**
 * Waits until this holder has the lease, does the work, and releases the lease. A lease whose holder
 * died is free when it expires.
 */
export async function whileHeld<T>(
  options: Omit<LeaseOptions, 'onHeld'>,
  work: () => Promise<T>,
): Promise<T> {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const lease = new Lease({ ...options, onHeld: () => resolve() });
  lease.start();
  try {
    await held;
    return await work();
  } finally {
    await lease.stop();
  }
}

/**
 * The leases of the store. A lease is the right of one node to do work that only one node at a time may do. Each call is
 * one statement, which does not need the write lock.
 */
export class LeaseStore extends SqlStore {
  /**
   * Takes or renews the lease for `ms` milliseconds, unless another holder has it. Returns whether
   * `holder` has it now. The clock of the store decides, so the clocks of the nodes may differ.
   */
  async acquire(name: string, holder: string, ms: number): Promise<boolean> {
    const now = this.database.dialect.now();
    const held = await this.database.queries
      .insertInto('leases')
      .values({ name, holder, expiresAt: sql<number>`${now} + ${ms}` })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(({ ref }) => ({
            holder: ref('excluded.holder'),
            expiresAt: ref('excluded.expiresAt'),
          }))
          .where(({ or, eb, ref }) =>
            or([
              eb('leases.holder', '=', ref('excluded.holder')),
              eb('leases.expiresAt', '<=', now),
            ]),
          ),
      )
      .returning('name')
      .execute();
    return held.length === 1;
  }

  /** Releases the lease if `holder` has it. */
  async release(name: string, holder: string): Promise<void> {
    await this.database.queries
      .deleteFrom('leases')
      .where('name', '=', name)
      .where('holder', '=', holder)
      .execute();
  }
}

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
