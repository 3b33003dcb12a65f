import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { canStartPostgres } from './postgres-programs.ts';

/** Where the tests look for PostgreSQL, unless the environment names a server. */
const DATABASE_URLS = [
  'postgres://127.0.0.1:5432/postgres',
  'postgres://postgres@127.0.0.1:5432/postgres',
];

/** Whether tests whose service is missing fail instead of being skipped, as in continuous integration. */
export const SERVICES_REQUIRED = process.env.STAVE_TEST_REQUIRE_SERVICES === '1';

/** The only database that the tests use: `sqlite` or `postgres`. Absent in the deep tests, which choose. */
export const TEST_STORE = process.env.STAVE_TEST_STORE;

/** Whether the program under test uses PostgreSQL: some black-box tests run on both databases. */
export const ON_POSTGRES = TEST_STORE === 'postgres';

/** A PostgreSQL in which this user may create databases; undefined if there is none, or the tests use SQLite. */
export const POSTGRES_URL = TEST_STORE === 'sqlite' ? undefined : await findPostgres();

async function findPostgres(): Promise<string | undefined> {
  const named = process.env.STAVE_TEST_DATABASE_URL;
  for (const url of named ? [named] : DATABASE_URLS) {
    const client = new pg.Client({
      connectionString: url,
      // A server that the tests have started responds in the end, however busy the machine is.
      connectionTimeoutMillis: named ? 120_000 : 5_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return url;
    } catch (error) {
      if (named)
        throw new Error(`STAVE_TEST_DATABASE_URL cannot be used: ${(error as Error).message}`);
    } finally {
      await client.end().catch(() => {});
    }
  }
  if (SERVICES_REQUIRED && !canStartPostgres)
    throw new Error('The tests need PostgreSQL, and there is none');
  return undefined;
}

/** A new database on the server of the tests. */
export interface TestDatabase extends AsyncDisposable {
  url: string;
  /** Runs statements on the server as its superuser. */
  asAdministrator<T = Record<string, unknown>>(sql: string): Promise<T[]>;
  drop(): Promise<void>;
}

/** Creates an empty database; always drop it. */
export async function createDatabase(serverUrl: string = POSTGRES_URL!): Promise<TestDatabase> {
  const name = `stave_test_${randomBytes(6).toString('hex')}`;
  const administrate = async <T>(sql: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      return (await client.query(sql)).rows as T[];
    } finally {
      await client.end();
    }
  };
  await administrate(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    await administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return { url: url.href, asAdministrator: administrate, drop, [Symbol.asyncDispose]: drop };
}

/** As `createDatabase`, for callers that cannot await; starts a process. */
export function createDatabaseSync(): { url: string; drop(): void } {
  const name = `stave_test_${randomBytes(6).toString('hex')}`;
  runSync(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(POSTGRES_URL!);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runSync(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

function runSync(sql: string): void {
  const program = `
    const pg = require('pg');
    const [url, sql] = process.argv.slice(1);
    const client = new pg.Client({ connectionString: url });
    client.connect().then(() => client.query(sql)).then(() => client.end());`;
  execFileSync(process.execPath, ['-e', program, POSTGRES_URL!, sql], { stdio: 'pipe' });
}
