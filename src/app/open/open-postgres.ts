import { OperatorError } from '../../common/errors.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import { SqlChangeLog } from '../../engines/sql/change-log.ts';
import { MIGRATIONS } from '../../engines/sql/migrations.ts';
import { Database } from '../../engines/sql/postgres/database.ts';
import { nameOf } from '../../engines/sql/postgres/link/address.ts';
import { findLink, isPlainToOthers } from '../../engines/sql/postgres/link/connection.ts';
import { ChangeListener } from '../../engines/sql/postgres/link/listener.ts';
import {
  READ_ONLY,
  translatePostgresError,
  whyWaitToConnect,
} from '../../engines/sql/postgres/link/postgres-error.ts';
import { inspectPostgres, migrate } from '../../engines/sql/postgres/schema.ts';
import { PostgresSqlDatabase } from '../../engines/sql/postgres/sql-database.ts';
import { PostgresTableStore } from '../../engines/sql/postgres/table-copy.ts';
import type { SchemaInspection } from '../../engines/sql/schema.ts';
import { refuseUnfinished } from '../../engines/sql/setting-store.ts';
import { CatalogStore } from '../../features/catalog/store/catalog-store.ts';
import { PostgresDeliverySession } from '../../features/catalog/store/postgres/delivery.ts';
import { batchWriter } from '../../features/catalog/store/postgres/track-writer.ts';
import type { Store } from '../../features/store.ts';
import {
  createComingPartitions,
  createPartitionsFor,
} from '../../features/usage/store/postgres/usage-partitions.ts';
import { type OpenOptions, sqlStoresOn } from './stores.ts';

export interface PostgresOptions extends OpenOptions {
  url: string;
  /** The maximum number of connections. One more listens for changes. */
  pool: number;
}

/**
 * Opens the system of record in a PostgreSQL database (15 or later) and migrates its schema. Many processes
 * may open it at the same time. Throws a one-line OperatorError if it cannot be used.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { pool, clock, log, waitPolicy = WaitPolicy.none, midMigration = false } = options;
  const link = await waitPolicy.run(
    () => findLink(options.url),
    (error) => whyWaitToConnect(error, nameOf(options.url)),
  );
  const database = new Database({ ...link, pool, log, waitPolicy });
  const sqlDatabase = new PostgresSqlDatabase(database, clock, batchWriter);
  const stores = sqlStoresOn(sqlDatabase, clock);
  try {
    await migrate(database, MIGRATIONS, log);
    if (!midMigration) await refuseUnfinished(stores.settings, database.name);
    // LISTEN needs a session, so it does not work through PgBouncer.
    const listener = link.wiring === 'direct' ? new ChangeListener(link.url) : undefined;
    return {
      ...stores,
      catalog: new CatalogStore(
        sqlDatabase,
        clock,
        (cause) => PostgresDeliverySession.open(database, clock, cause),
        options.openLargeDelivery,
      ),
      changes: new SqlChangeLog(sqlDatabase, listener && ((wake) => listener.subscribe(wake))),
      tables: new PostgresTableStore(database, sqlDatabase, createPartitionsFor),
      isReachable: () => !database.availability.isAway,
      poolUsage: () => database.poolUsage,
      isPlainToOthers: () => isPlainToOthers(link.url),
      prepareUsageMonths: () => createComingPartitions(database, clock),
      check: (deep) => check(database, deep),
      checkRights: () => checkRights(database),
      async close() {
        listener?.stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Changes nothing. Throws OperatorError if the database cannot be read. */
export async function inspectPostgresAt({
  url,
  log,
  waitPolicy = WaitPolicy.none,
}: Pick<PostgresOptions, 'url' | 'log' | 'waitPolicy'>): Promise<SchemaInspection> {
  const link = await waitPolicy.run(
    () => findLink(url),
    (error) => whyWaitToConnect(error, nameOf(url)),
  );
  const database = new Database({ ...link, pool: 1, log, waitPolicy });
  try {
    return await inspectPostgres(database);
  } finally {
    await database.close();
  }
}

/** With `deep`, reads every row. This also verifies the pages if the server keeps checksums. */
async function check(database: Database, deep: boolean): Promise<void> {
  await database.rows("SELECT 1 FROM settings WHERE name = ''");
  if (!deep) return;
  await database.rows('SELECT count(*), sum(length(name)) FROM tracks');
  await database.rows('SELECT count(*), sum(length(entity_id)) FROM change_log');
}

const NEEDED_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

async function checkRights(database: Database): Promise<void> {
  const missing = await database.rows<{ right: string; tables: string }>(
    `SELECT wanted AS right, string_agg(relname, ', ' ORDER BY relname) AS tables
     FROM pg_class, unnest($1::text[]) AS wanted
     WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
       AND NOT has_table_privilege(pg_class.oid, wanted)
     GROUP BY wanted`,
    [NEEDED_RIGHTS],
  );
  if (missing.length > 0) {
    const lacks = missing.map(({ right, tables }) => `${right} on ${tables}`).join('; ');
    throw new OperatorError(
      `The database ${database.name} does not allow this user what Stave needs (${lacks}): make the user the owner of the database and its tables.`,
    );
  }
  // Transactions that write use this default, which can be set for the server, the database or the user.
  const [mode] = await database.rows<{ readOnly: string }>(
    `SELECT current_setting('transaction_read_only') AS "readOnly"`,
  );
  if (mode!.readOnly === 'on') {
    throw translatePostgresError({ code: READ_ONLY }, database.name);
  }
}
