import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Store } from '../store.ts';
import { refuseUnfinished } from '../unfinished-migration.ts';
import { PostgresCatalogStore } from './catalog-store.ts';
import { PostgresChangeLog } from './change-log.ts';
import { PostgresClientStore } from './client-store.ts';
import { findWiring } from './connection.ts';
import { Database } from './database.ts';
import { PostgresKeyStore } from './key-store.ts';
import { PostgresLeaseStore } from './lease-store.ts';
import { PostgresLicenceStore } from './licence-store.ts';
import { ChangeListener } from './listener.ts';
import { migrate } from './migrations.ts';
import { PostgresPlaylistStore } from './playlist-store.ts';
import { ReplicaGate } from './replica.ts';
import { PostgresSettingStore } from './setting-store.ts';
import { PostgresTableStore } from './table-copy.ts';

/** Where the database is, and how much of it may be used. */
export interface PostgresOptions {
  url: string;
  /** A replica of it for documents; null: there is none. */
  replicaUrl: string | null;
  /** The most connections; one more listens for changes. */
  pool: number;
  clock: Clock;
  log: Log;
  /** Whether to open it also while a migration into it is unfinished; else that is refused. */
  midMigration?: boolean;
}

/**
 * Opens the system of record in a PostgreSQL database (15 or later), bringing its schema up to date.
 * Many processes may have it open. Throws OperatorError with one line where it cannot be used.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, pool, clock, log, midMigration = false } = options;
  const wiring = await findWiring(url);
  const database = new Database({ url, wiring, pool, primary: true, log });
  try {
    await migrate(database);
    if (!midMigration) await refuseUnfinished(new PostgresSettingStore(database), database.name);
    const replica = await openReplica(options);
    const gate = replica && new ReplicaGate(database, replica);
    // Through PgBouncer nobody would be told: LISTEN needs a session.
    const listener = wiring === 'direct' ? new ChangeListener(url) : undefined;
    return {
      catalog: new PostgresCatalogStore(database, clock, gate),
      playlists: new PostgresPlaylistStore(database, clock),
      clients: new PostgresClientStore(database, clock),
      keys: new PostgresKeyStore(database, clock),
      licences: new PostgresLicenceStore(database, clock),
      changes: new PostgresChangeLog(database, listener, gate),
      settings: new PostgresSettingStore(database),
      leases: new PostgresLeaseStore(database),
      tables: new PostgresTableStore(database),
      isReachable: () => !database.availability.isAway,
      load: () => database.load,
      backup: () => refuseBackup(),
      check: (deep) => check(database, deep),
      async close() {
        listener?.stop();
        await Promise.all([database.close(), replica?.close()]);
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Opens a replica on its own, to read all of the catalog from it: what its change log holds says how
 * far it is. Everything that writes is refused.
 */
export async function openPostgresReplica(
  options: Omit<PostgresOptions, 'replicaUrl'>,
): Promise<Pick<Store, 'catalog' | 'changes' | 'close'>> {
  const { url, pool, clock, log } = options;
  const database = new Database({ url, wiring: await findWiring(url), pool, primary: false, log });
  return {
    catalog: new PostgresCatalogStore(database, clock),
    changes: new PostgresChangeLog(database),
    close: () => database.close(),
  };
}

/** A replica that cannot be reached does not keep anybody from starting: the primary has it all. */
async function openReplica({ replicaUrl, pool, log }: PostgresOptions) {
  if (replicaUrl === null) return undefined;
  try {
    const wiring = await findWiring(replicaUrl);
    return new Database({ url: replicaUrl, wiring, pool, primary: false, log });
  } catch (error) {
    log.warn({ err: error }, 'the replica cannot be used: the primary is read instead');
    return undefined;
  }
}

async function refuseBackup(): Promise<never> {
  throw new OperatorError(
    'A catalog in PostgreSQL is backed up with pg_dump or a base backup: see docs/operations.md.',
  );
}

/** Deep: every row is read, which also verifies pages where the server keeps checksums. */
async function check(database: Database, deep: boolean): Promise<void> {
  await database.rows("SELECT 1 FROM settings WHERE name = ''");
  if (!deep) return;
  await database.rows('SELECT count(*), sum(length(document)) FROM tracks');
  await database.rows('SELECT count(*), sum(length(entity_id)) FROM change_log');
}
