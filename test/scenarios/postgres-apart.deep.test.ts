import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/common/log.ts';
import { WaitPolicy } from '../../src/common/work/wait-policy.ts';
import { Database } from '../../src/engines/sql/postgres/database.ts';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres-server.ts';
import { openOn } from '../harness/postgres-store.ts';
import { createDatabase } from '../harness/services.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';

/** The bytes of a COMMIT on the wire, which no other statement contains. */
const COMMIT = 'COMMIT\0';

describe.skipIf(!canStartPostgres)('a write apart that waits for PostgreSQL', () => {
  let server: PostgresServer;
  let link: TcpLink;
  beforeAll(async () => {
    server = await startPostgres();
    link = await openLink(server.port);
  });
  afterAll(async () => {
    await link?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it.each(['before', 'after'] as const)(
    'is done once if its connection is reset just %s its commit',
    async (when) => {
      const url = new URL((await createDatabase(server.url)).url);
      url.port = String(link.port);
      await (await openOn(url.href)).close();
      const waitPolicy = new WaitPolicy({ ms: 300_000, onWait: () => {}, onContinue: () => {} });
      const database = new Database({
        url: url.href,
        wiring: 'direct',
        pool: 4,
        log: silentLog,
        waitPolicy,
      });
      const reset = link.resetAt(COMMIT, when);
      const insert = "INSERT INTO settings (name, value) VALUES ($1, '1') RETURNING name";
      const write = (name: string) =>
        database.write((tx) => tx.rows(insert, [name]), { isApart: true });
      // A second run of a statement that was committed would fail.
      expect(await write('a')).toEqual([{ name: 'a' }]);
      await reset;
      expect((await Promise.all(['b', 'c', 'd'].map(write))).flat()).toEqual(
        ['b', 'c', 'd'].map((name) => ({ name })),
      );
      expect(await database.rows('SELECT name FROM settings ORDER BY name')).toEqual(
        ['a', 'b', 'c', 'd'].map((name) => ({ name })),
      );
      await database.close();
    },
    120_000,
  );
});
