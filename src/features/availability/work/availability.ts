import type { Clock } from '../../../common/clock.ts';
import type { Log } from '../../../common/log.ts';
import { PeriodicTasks } from '../../../common/work/periodic-tasks.ts';
import type { Metrics } from '../../../engines/http/metrics/metrics.ts';
import { type LeaseStore, leasedTasks } from '../../../engines/tasks/lease.ts';
import type { AvailabilityStore } from '../store/availability-store.ts';

/** How often a node looks for tracks to switch: they switch within a second of their time. */
const LOOK_MS = 500;
/** After a node has died, another one switches tracks within 14 s. */
const LEASE_MS = 10_000;
/** How often each node measures the lag. */
const MEASURE_MS = 5_000;

/**
 * Switches tracks at the beginnings and ends of their periods of availability, on one node at a time. Every node measures
 * how late that is, so that an alert does not depend on the one that does it.
 */
export function availability({
  store,
  clock,
  log,
  metrics,
}: {
  store: { availability: AvailabilityStore; leases: LeaseStore; isReachable(): boolean };
  clock: Clock;
  log: Log;
  metrics: Metrics;
}): ReturnType<typeof leasedTasks> {
  let nextSwitch: number | null = null;
  metrics.gauge(
    'stave_availability_lag_seconds',
    'Time since the earliest beginning or end of a period of availability that has not switched its tracks yet; 0 if all have.',
    () => (nextSwitch === null ? 0 : Math.max(0, clock.now() - nextSwitch) / 1_000),
  );
  const measuring = new PeriodicTasks({
    tasks: [
      {
        name: 'measuring the lag of availability',
        run: async () => {
          nextSwitch = await store.availability.nextSwitch();
        },
      },
    ],
    intervalMs: MEASURE_MS,
    onError(error, { name }) {
      if (store.isReachable()) log.error({ err: error }, `${name} failed`);
    },
  });
  const switching = leasedTasks({
    store,
    log,
    lease: 'availability',
    ms: LEASE_MS,
    tasks: [
      {
        name: 'switching tracks by their availability',
        async run(signal) {
          await switchDue({ store, log }, signal);
        },
      },
    ],
    intervalMs: LOOK_MS,
  });
  return {
    start() {
      measuring.start();
      switching.start();
    },
    async stop() {
      await switching.stop();
      await measuring.stop();
    },
  };
}

/** Switches the tracks whose time has come, and logs their numbers. */
export async function switchDue(
  { store, log }: { store: { availability: AvailabilityStore }; log: Log },
  signal?: AbortSignal,
): Promise<void> {
  const switched = await store.availability.switchDue(signal);
  const { began, ended, updated } = switched;
  if (began + ended + updated > 0) log.info({ ...switched }, 'switched tracks by availability');
}
