import { systemClock as clock } from '../../src/common/clock.ts';
import { createLicense } from '../../src/features/licensing/routes/license-routes.ts';
import type { Store } from '../../src/features/store.ts';
import { type FeatureServer, startFeatureServer } from './feature-server.ts';
import { certifier } from './licensing.ts';
import type { Adapter } from './store-adapters.ts';

/** A node that sells licenses, on a store that other nodes may share. */
export interface LicensingServer extends FeatureServer {
  store: Store;
}

/** Starts a node on a place that the adapter has provided. */
export async function startLicensingServer(
  adapter: Adapter,
  location: string,
): Promise<LicensingServer> {
  const store = await adapter.open(location, clock);
  const { issuedLicenses, idempotency } = store;
  const publicUrl = () => 'https://api.house.example';
  const routes = [createLicense({ issuedLicenses, certify: certifier(), publicUrl })];
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
