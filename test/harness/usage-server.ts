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
  const store = await adapter.open(location, clock);
  const { usage, idempotency, issuedLicenses: licenses } = store;
  const routes = [reportUsage({ usage, licenses, clock, maxAgeDays: 7 })];
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
