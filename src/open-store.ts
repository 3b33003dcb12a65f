import { join } from 'node:path';
import type { Config } from './config.ts';
import { DATABASE_FILE } from './data-folder.ts';
import type { Clock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import { openSqliteStore } from './storage/sqlite/open.ts';
import type { Store } from './storage/store.ts';

/** Which system of record, as plain data: a thread is handed it, and opens a connection of its own. */
export type StoreLocation = Pick<Config, 'dataFolder' | 'database'>;

/** The part of a configuration that says where the store lies. */
export function locationOf({ dataFolder, database }: Config): StoreLocation {
  return { dataFolder, database };
}

/**
 * Opens the system of record that the configuration names, making its tables where they are missing.
 * The only place that chooses between adapters; who has no PostgreSQL loads nothing of it. Throws
 * OperatorError where it cannot be used. `midMigration`: also while a migration into it is unfinished.
 */
export async function openStore(
  { dataFolder, database }: StoreLocation,
  { clock, log, midMigration }: { clock: Clock; log: Log; midMigration?: boolean },
): Promise<Store> {
  if (database === null) {
    return openSqliteStore({ path: join(dataFolder, DATABASE_FILE), clock, midMigration });
  }
  const { openPostgresStore } = await import('./storage/postgres/open.ts');
  return openPostgresStore({ ...database, clock, log, midMigration });
}

/**
 * Opens the read replica, to read all of the catalog from it; undefined where none is configured or
 * reached, which is logged.
 */
export async function openReplica(
  { database }: StoreLocation,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Pick<Store, 'catalog' | 'changes' | 'close'> | undefined> {
  if (database?.replicaUrl == null) return undefined;
  const { openPostgresReplica } = await import('./storage/postgres/open.ts');
  try {
    return await openPostgresReplica({ ...database, url: database.replicaUrl, clock, log });
  } catch (error) {
    log.warn({ err: error }, 'the replica cannot be used: the primary is read instead');
    return undefined;
  }
}
