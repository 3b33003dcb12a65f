import { OperatorError } from '../../common/errors.ts';
import type { Log } from '../../common/log.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import { SqlChangeLog } from '../../engines/sql/change-log.ts';
import { MIGRATIONS } from '../../engines/sql/migrations.ts';
import { refuseUnfinished } from '../../engines/sql/setting-store.ts';
import { inSlices } from '../../engines/sql/slices.ts';
import { Database } from '../../engines/sql/sqlite/database.ts';
import { backupDatabase } from '../../engines/sql/sqlite/database-files.ts';
import { migrate } from '../../engines/sql/sqlite/schema.ts';
import { SecondConnection } from '../../engines/sql/sqlite/second-connection.ts';
import { SqliteSqlDatabase } from '../../engines/sql/sqlite/sql-database.ts';
import { SqliteTableStore } from '../../engines/sql/sqlite/table-copy.ts';
import { CatalogStore } from '../../features/catalog/store/catalog-store.ts';
import { SqliteDeliverySession } from '../../features/catalog/store/sqlite/delivery.ts';
import { batchWriter } from '../../features/catalog/store/sqlite/track-writer.ts';
import type { Store } from '../../features/store.ts';
import { type OpenOptions, sqlStoresOn } from './stores.ts';

const BUSY_TIMEOUT_MS = 8_000;

interface SqliteOptions extends Omit<OpenOptions, 'log'> {
  log?: Log;
  /** Absolute. */
  path: string;
  /** The wait of a read or a write for a lock of another process, before that of the policy. Default: 8 seconds. */
  busyTimeoutMs?: number;
  /** Of the page cache of each connection. Default: 48 MB. */
  cacheKilobytes?: number | undefined;
}

/**
 * Opens the system of record in a SQLite file. Creates the file if it is missing, and migrates its schema.
 * Several processes may open it at the same time. Throws OperatorError if the file cannot be used.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { path, clock, log, waitPolicy = WaitPolicy.none, midMigration = false } = options;
  const { busyTimeoutMs = BUSY_TIMEOUT_MS, cacheKilobytes, mayBlock = false } = options;
  const openConnection = (kilobytes = cacheKilobytes) =>
    Database.open(path, busyTimeoutMs, waitPolicy, kilobytes);
  const database = await openConnection();
  const second = new SecondConnection({ path, busyTimeoutMs, cacheKilobytes });
  const aside = mayBlock ? { checkpoint: () => second.checkpoint() } : second;
  const sqlDatabase = new SqliteSqlDatabase(database, aside, clock, batchWriter);
  const stores = sqlStoresOn(sqlDatabase, clock);
  try {
    await migrate(database, MIGRATIONS, log);
    if (!midMigration) await refuseUnfinished(stores.settings, path);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    ...stores,
    catalog: new CatalogStore(
      sqlDatabase,
      clock,
      async (cause) => SqliteDeliverySession.open(await openConnection(), clock, cause),
      options.openLargeDelivery,
    ),
    changes: new SqlChangeLog(sqlDatabase),
    tables: new SqliteTableStore(database, sqlDatabase),
    runApart: (module, ...args) => second.run(module, ...args),
    isReachable: () => true,
    backup: (to) => backupDatabase(path, to),
    giveBackSpace: async (signal) => {
      if (!(await database.hasMuchFree())) return;
      const giveSome = async (pages: number) => {
        await second.giveBack(pages);
        return database.hasMuchFree();
      };
      await inSlices(sqlDatabase, giveSome, { signal });
      // Only now is the file shorter.
      await second.checkpoint();
    },
    compact: () => database.compact(),
    check: (deep) => check(database, deep),
    close: async () => {
      await second.close();
      await database.close();
    },
  };
}

/**
 * With `deep`, reads every page and every reference. This takes about a second per gigabyte and blocks the
 * event loop.
 */
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
