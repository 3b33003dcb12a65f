import { newId } from '../common/ids.ts';
import { whileHeld } from '../engines/tasks/lease.ts';
import { createClient } from '../features/access/clients.ts';
import { type Demo, importDemo } from '../features/demo/import-demo.ts';
import type { AppContext } from './open/context.ts';

/** The duration of the lease after a node has died while it imported the demo catalog. */
const DEMO_LEASE_MS = 15_000;

/** Imports the demo catalog into an empty store, on one node at a time if nodes share a database. */
export async function importDemoOnce({
  config,
  store,
  media,
  clock,
  log,
}: AppContext): Promise<Demo> {
  const work = () => importDemo({ store, media, clock, log, createClient });
  if (config.database === null) return work();
  const onError = (error: unknown) => {
    // The store itself logs that the database is away.
    if (store.isReachable()) log.error({ err: error }, 'waiting to import the demo catalog failed');
  };
  return whileHeld(
    { leases: store.leases, name: 'demo', holder: newId(), ms: DEMO_LEASE_MS, onError },
    work,
  );
}
