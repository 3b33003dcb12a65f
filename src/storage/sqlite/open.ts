import type { Clock } from '../../kernel/clock.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Store } from '../store.ts';
import { refuseUnfinished } from '../unfinished-migration.ts';
import { backupDatabase } from './backup.ts';
import { SqliteCatalogStore } from './catalog-store.ts';
import { SqliteChangeLog } from './change-log.ts';
import { SqliteClientStore } from './client-store.ts';
import { Database } from './database.ts';
import { SqliteKeyStore } from './key-store.ts';
import { SqliteLeaseStore } from './lease-store.ts';
import { SqliteLicenceStore } from './licence-store.ts';
import { migrate } from './migrations.ts';
import { SqlitePlaylistStore } from './playlist-store.ts';
import { SqliteSettingStore } from './setting-store.ts';
import { SqliteTableStore } from './table-copy.ts';

/** How long a read or a write waits for other processes by default. */
const BUSY_TIMEOUT_MS = 8_000;

/**
 * Opens the system of record in a SQLite file, making it where it is missing and bringing its schema
 * up to date. Several processes may have it open. Throws OperatorError where the file cannot be used.
 */
export async function openSqliteStore(options: {
  /** Absolute path of the database file. */
  path: string;
  clock: Clock;
  /** How long reads and writes wait for a lock of another process before they fail. */
  busyTimeoutMs?: number;
  /** Whether to open it also while a migration into it is unfinished; else that is refused. */
  midMigration?: boolean;
}): Promise<Store> {
  const { path, clock, busyTimeoutMs = BUSY_TIMEOUT_MS, midMigration = false } = options;
  const openConnection = () => Database.open(path, busyTimeoutMs);
  const database = await openConnection();
  try {
    await migrate(database);
    if (!midMigration) await refuseUnfinished(new SqliteSettingStore(database), path);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    catalog: new SqliteCatalogStore(database, clock, openConnection),
    playlists: new SqlitePlaylistStore(database, clock),
    clients: new SqliteClientStore(database, clock),
    keys: new SqliteKeyStore(database, clock),
    licences: new SqliteLicenceStore(database, clock),
    changes: new SqliteChangeLog(database),
    settings: new SqliteSettingStore(database),
    leases: new SqliteLeaseStore(database, clock),
    tables: new SqliteTableStore(database),
    isReachable: () => true,
    backup: (to) => backupDatabase(path, to),
    check: (deep) => check(database, deep),
    close: async () => database.close(),
  };
}

/** Deep: every page and every reference is read, about a second for each gigabyte, blocking. */
async function check(database: Database, deep: boolean): Promise<void> {
  await database.read(() => database.prepare("SELECT 1 FROM settings WHERE name = ''").get());
  if (!deep) return;
  const problems = await database.read(() => [
    ...database.prepare('PRAGMA integrity_check(1)').all(),
    ...database.prepare('SELECT * FROM pragma_foreign_key_check LIMIT 1').all(),
  ]);
  const sound = problems.length === 1 && problems[0]!.integrity_check === 'ok';
  if (!sound) {
    throw new OperatorError(
      `The database ${database.path} is damaged: restore a backup with "stave restore".`,
    );
  }
}
