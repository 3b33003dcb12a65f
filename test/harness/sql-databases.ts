import type { Clock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import type { SqlDatabase } from '../../src/engines/sql/database.ts';
import { Database as PostgresDatabase } from '../../src/engines/sql/postgres/database.ts';
import { migrate as migratePostgres } from '../../src/engines/sql/postgres/schema.ts';
import { PostgresSqlDatabase } from '../../src/engines/sql/postgres/sql-database.ts';
import type { Migration } from '../../src/engines/sql/schema.ts';
import { Database as SqliteDatabase } from '../../src/engines/sql/sqlite/database.ts';
import { migrate as migrateSqlite } from '../../src/engines/sql/sqlite/schema.ts';
import { SecondConnection } from '../../src/engines/sql/sqlite/second-connection.ts';
import { SqliteSqlDatabase } from '../../src/engines/sql/sqlite/sql-database.ts';
import { batchWriter as postgresBatchWriter } from '../../src/features/catalog/store/postgres/track-writer.ts';
import { batchWriter as sqliteBatchWriter } from '../../src/features/catalog/store/sqlite/track-writer.ts';
import type { Adapter } from './store-adapters.ts';

/** A database without its stores, for what no store does. */
interface OpenDatabase extends AsyncDisposable {
  sql: SqlDatabase;
  /** Executes statements without values in a transaction. */
  run(statements: string): Promise<void>;
  migrate(migrations: readonly Migration[]): Promise<void>;
}

/** Opens the database at a place that the adapter has provided. Dispose of it. */
export async function openDatabase(
  adapter: Pick<Adapter, 'isServer'>,
  location: string,
  clock: Clock,
): Promise<OpenDatabase> {
  if (adapter.isServer) {
    const options = { url: location, wiring: 'direct', pool: 4 } as const;
    const database = new PostgresDatabase({ ...options, log: silentLog });
    return {
      sql: new PostgresSqlDatabase(database, clock, postgresBatchWriter),
      run: (statements) => database.write((tx) => tx.script(statements), { isIdempotent: true }),
      migrate: (migrations) => migratePostgres(database, migrations),
      [Symbol.asyncDispose]: () => database.close(),
    };
  }
  const database = await SqliteDatabase.open(location, 5_000);
  const second = new SecondConnection({ path: location });
  return {
    sql: new SqliteSqlDatabase(database, second, clock, sqliteBatchWriter),
    run: (statements) => database.write(() => database.exec(statements)),
    migrate: (migrations) => migrateSqlite(database, migrations),
    [Symbol.asyncDispose]: async () => {
      await second.close();
      await database.close();
    },
  };
}
