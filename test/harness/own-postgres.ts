import { canStartPostgres } from './postgres-programs.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/**
 * Starts the PostgreSQL server that the deep tests share, unless STAVE_TEST_DATABASE_URL names one. It does not wait for
 * the disk: the tests create hundreds of databases, and no test ends the machine.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!canStartPostgres || process.env.STAVE_TEST_DATABASE_URL !== undefined) return undefined;
  const server: PostgresServer = await startPostgres([
    'fsync=off',
    'full_page_writes=off',
    'max_connections=300',
  ]);
  process.env.STAVE_TEST_DATABASE_URL = server.url;
  return async () => server[Symbol.asyncDispose]();
}
