import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOn } from '../../../test/harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../../../test/harness/services.ts';
import type { AppContext } from '../../app/open/context.ts';
import { checkDatabase } from './check-catalog.ts';
import type { Found } from './finding.ts';

const ROLE = `stave_test_reader_${process.pid}`;

describe.skipIf(POSTGRES_URL === undefined)('checkDatabase, on PostgreSQL', () => {
  let place: TestDatabase;
  beforeAll(async () => {
    place = await createDatabase();
    await (await openOn(place.url)).close();
    await place.asAdministrator(`CREATE ROLE ${ROLE} LOGIN SUPERUSER`);
  });
  afterAll(async () => {
    await place?.drop();
    await place?.asAdministrator(`DROP ROLE ${ROLE}`);
  });

  async function run(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  async function found(user?: string): Promise<Found> {
    const url = new URL(place.url);
    if (user !== undefined) url.username = user;
    const store = await openOn(url.href);
    try {
      return await checkDatabase({ store } as AppContext);
    } finally {
      await store.close();
    }
  }

  it('reports no problem for the owner of the database', async () => {
    expect(await found()).toMatchObject({ status: 'ok' });
  });

  it('reports a database or a user whose transactions are read-only by default', async () => {
    const name = new URL(place.url).pathname.slice(1);
    for (const [what, user] of [
      [`DATABASE ${name}`, undefined],
      [`ROLE ${ROLE}`, ROLE],
    ] as const) {
      await run(`ALTER ${what} SET default_transaction_read_only = on`);
      const finding = await found(user);
      await run(
        'SET default_transaction_read_only = off',
        `ALTER ${what} RESET default_transaction_read_only`,
      );
      expect(finding).toMatchObject({
        status: 'failed',
        detail: expect.stringMatching(/is read-only: .*default_transaction_read_only/),
      });
    }
  });

  it('reports a user that may only read, with the missing rights', async () => {
    await run(
      `ALTER ROLE ${ROLE} NOSUPERUSER`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${ROLE}`,
      `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${ROLE}`,
      `REVOKE UPDATE ON tracks, clients FROM ${ROLE}`,
    );
    try {
      expect(await found(ROLE)).toMatchObject({
        status: 'failed',
        detail: expect.stringMatching(/does not allow this user .*\(UPDATE on clients, tracks\)/),
      });
    } finally {
      await run(`DROP OWNED BY ${ROLE}`);
    }
  });
});
