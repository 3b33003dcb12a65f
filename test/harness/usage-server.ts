import { reportsApart } from '../../src/app/report-thread.ts';
import { systemClock as clock } from '../../src/common/clock.ts';
import type { Store } from '../../src/features/store.ts';
import { reportUsage } from '../../src/features/usage/routes/report-usage.ts';
import { type FeatureServer, startFeatureServer } from './feature-server.ts';
import type { Adapter } from './store-adapters.ts';

/** A node that takes reports of usage, on a store that other nodes may share. */
export interface UsageServer extends FeatureServer {
  store: Store;
}

/** Starts a node on a place that the adapter has provided. */
export async function startUsageServer(adapter: Adapter, location: string): Promise<UsageServer> {
  return serveUsage(await adapter.open(location, clock));
}

/** Starts a node on a store, which it closes. */
export async function serveUsage(store: Store): Promise<UsageServer> {
  const { usage, idempotency, issuedLicenses: licenses } = store;
  const apart = reportsApart(store, () => {}, 7);
  const routes = [reportUsage({ usage, licenses, clock, count: () => {}, maxAgeDays: 7, apart })];
  const server = await startFeatureServer(routes, { idempotency, clock });
  return {
    ...server,
    store,
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}
