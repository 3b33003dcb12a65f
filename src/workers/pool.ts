import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { windowsMemory } from '../access/shared-windows.ts';
import { startMetricsListener } from '../api/metrics-listener.ts';
import type { Config } from '../config.ts';
import { IndexJobs } from '../index-jobs.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { refuseTakenPort } from '../listen.ts';
import { locationOf } from '../open-store.ts';
import { IndexBroker } from './index-broker.ts';
import { mergedText } from './merged-metrics.ts';
import type { WorkerStart } from './messages.ts';
import { Seat } from './seat.ts';

/** Several services that run as one. */
export interface Workers {
  /** Where they listen: scheme, host and port. */
  address: string;
  greeting: string;
  /** Lets requests in flight finish in all of them, then ends them. */
  close(): Promise<void>;
}

/**
 * Starts so many whole services, each in a thread, on one port. They count requests and failed
 * log-ins together, and share one index. Resolves when all serve, and until then all of them
 * answer `unavailable`. `onDeath` is called, once, when a worker has ended that nobody stopped: the
 * process has to end then, for a half would go on as if nothing were.
 */
export async function startWorkers(deps: {
  count: number;
  config: Config;
  clock: Clock;
  log: Log;
  onDeath: () => void;
}): Promise<Workers> {
  const { count, config, clock, log, onDeath } = deps;
  if (config.port !== 0) await refuseTakenPort(config);
  const windows: WorkerStart['windows'] = {
    rates: windowsMemory(clock),
    guessesByClient: windowsMemory(clock),
    guessesByAddress: windowsMemory(clock),
  };
  const seats: Seat[] = [];
  const jobs = new IndexJobs({ location: locationOf(config), clock, log });
  const broker = new IndexBroker(jobs, (columns) => {
    for (const seat of seats.slice(1)) seat.tell({ kind: 'base', columns });
  });
  // Theirs would all be of one port.
  // Each thread collects its own garbage: helpers would take the cores that the other workers need
  // (docs/adr/0016). Read by V8 when it collects, so it may be set now.
  setFlagsFromString('--no-parallel-scavenge');
  const ownConfig = { ...config, metrics: null };
  const open = (number: number, its: Partial<Config>) => {
    const start: WorkerStart = { config: { ...ownConfig, ...its }, number, windows };
    const thread = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      workerData: start,
      name: `stave ${number}`,
    });
    const seat = new Seat({ thread, number, broker });
    seats.push(seat);
    return seat;
  };
  const end = async () => {
    await broker.close();
    await Promise.all(seats.map((seat) => seat.terminate()));
  };
  const listeners: { close(): Promise<void> }[] = [];
  try {
    if (config.metrics !== null) {
      const metrics = {
        render: async () => mergedText(await Promise.all(seats.map((seat) => seat.scrape()))),
      };
      listeners.push(await startMetricsListener({ metrics, ...config.metrics }));
    }
    const first = open(0, {});
    const address = await first.listening;
    // The others take what it has made: the schema, the keys, the demo, the index.
    const port = Number(new URL(address).port) || (config.tls === null ? 80 : 443);
    for (let number = 1; number < count; number++) open(number, { port, demo: false });
    first.tell({ kind: 'load' });
    await Promise.all([first.loaded, ...seats.map((seat) => seat.listening)]);
    for (const seat of seats.slice(1)) seat.tell({ kind: 'load' });
    await Promise.all(seats.map((seat) => seat.loaded));
    for (const seat of seats) seat.tell({ kind: 'serve' });
    const [greeting] = await Promise.all(seats.map((seat) => seat.serving));
    let isDead = false;
    for (const seat of seats) {
      void seat.death.then((error) => {
        if (isDead) return;
        isDead = true;
        log.error(
          { worker: seat.number, err: error },
          'a worker ended unexpectedly, and so all end',
        );
        onDeath();
      });
    }
    return {
      address,
      greeting: greeting!,
      async close() {
        // First, so that nobody waits for a build.
        const ended = broker.close();
        const stopped = await Promise.allSettled(seats.map((seat) => seat.stop()));
        await ended;
        await Promise.all(listeners.map((listener) => listener.close()));
        for (const one of stopped) if (one.status === 'rejected') throw one.reason;
      },
    };
  } catch (error) {
    await end();
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }
}
