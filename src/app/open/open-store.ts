import { join } from 'node:path';
import { systemClock } from '../../common/clock.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import type { SchemaInspection } from '../../engines/sql/schema.ts';
import type { StoreLocation } from '../../engines/sql/setting-store.ts';
import type { DeliveryCause } from '../../features/catalog/catalog-stores.ts';
import type { Store } from '../../features/store.ts';
import type { Config } from '../config/config.ts';
import { DATABASE_FILE } from './data-folder.ts';
import { openSqliteStore } from './open-sqlite.ts';
import { refuseSecondHost } from './second-host.ts';
import type { OpenOptions } from './stores.ts';

export function locationOf({ dataFolder, database }: Config): StoreLocation {
  return { dataFolder, database };
}

/** Returns the name of the database without secrets. */
export async function placeOf({ dataFolder, database }: StoreLocation): Promise<string> {
  if (database === null) return join(dataFolder, DATABASE_FILE);
  const { nameOf } = await import('../../engines/sql/postgres/link/address.ts');
  return nameOf(database.url);
}

const DELIVERY_THREAD = new URL('./delivery-thread.ts', import.meta.url);

/** Room for the inner pages of the trees. */
const SCAN_CACHE_KILOBYTES = 4_096;

/**
 * Opens the system of record, and creates missing tables. This is the only place that chooses between adapters; it loads
 * the adapter of PostgreSQL only if PostgreSQL is configured. Throws OperatorError if the database cannot be used.
 *
 * @param options.isScan whether each page is read about once, so that a large cache of pages would only take memory
 */
export async function openStore(
  location: StoreLocation,
  { isScan = false, ...given }: OpenOptions & { isScan?: boolean },
): Promise<Store> {
  const { dataFolder, database } = location;
  const { waitPolicy = WaitPolicy.none } = given;
  const options = {
    ...given,
    // A thread has no other clock.
    ...(given.clock === systemClock && {
      openLargeDelivery: async (cause: DeliveryCause) => {
        const { openDeliveryInThread } = await import(
          '../../features/catalog/store/threaded-delivery.ts'
        );
        return openDeliveryInThread(DELIVERY_THREAD, { location, waitPolicy }, cause);
      },
    }),
  };
  if (database === null) {
    await refuseSecondHost(dataFolder);
    return openSqliteStore({
      ...options,
      path: join(dataFolder, DATABASE_FILE),
      cacheKilobytes: isScan ? SCAN_CACHE_KILOBYTES : undefined,
    });
  }
  const { openPostgresStore } = await import('./open-postgres.ts');
  return openPostgresStore({ ...database, ...options });
}

/** Changes nothing. Throws OperatorError if the database cannot be read. */
export async function inspectStore(
  { dataFolder, database }: StoreLocation,
  deps: Pick<OpenOptions, 'log' | 'waitPolicy'>,
): Promise<SchemaInspection> {
  if (database === null) {
    await refuseSecondHost(dataFolder);
    const { inspectSqlite } = await import('../../engines/sql/sqlite/schema.ts');
    return inspectSqlite(join(dataFolder, DATABASE_FILE));
  }
  const { inspectPostgresAt } = await import('./open-postgres.ts');
  return inspectPostgresAt({ url: database.url, ...deps });
}
