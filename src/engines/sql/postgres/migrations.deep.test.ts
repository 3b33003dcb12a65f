import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BY } from '../../../../test/harness/deliveries.ts';
import { openOn } from '../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../test/harness/services.ts';
import { someClient } from '../../../../test/harness/stores.ts';
import { OperatorError } from '../../../common/errors.ts';
import { silentLog } from '../../../common/log.ts';
import { MIGRATIONS, versionAfter } from '../migrations.ts';
import { FIRST_VERSION, type SchemaDialect } from '../schema.ts';
import { Database } from './database.ts';
import { migrate } from './schema.ts';

const SCHEMA_VERSION = versionAfter(MIGRATIONS);
const COMPATIBLE_FROM = MIGRATIONS.at(-1)!.compatibleFrom;

describe.skipIf(POSTGRES_URL === undefined)('the schema in PostgreSQL', () => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await createDatabase();
  });
  afterEach(() => place.drop());

  async function sql<T>(text: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    try {
      return (await client.query(text)).rows as T[];
    } finally {
      await client.end();
    }
  }

  const relations = () =>
    sql(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`);
  const version = () => sql('SELECT version::int, compatible_from::int FROM stave_schema');

  it('is created once if several nodes start together', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => openOn(place.url)));
    expect(await version()).toEqual([
      { version: SCHEMA_VERSION, compatible_from: COMPATIBLE_FROM },
    ]);
    await Promise.all(stores.map((store) => store.clients.create(someClient(), BY)));
    expect(await stores[0]!.clients.all()).toHaveLength(8);
    expect(await stores[7]!.changes.head()).toBe(8);
    await Promise.all(stores.map((store) => store.close()));
    const before = await relations();
    await (await openOn(place.url)).close();
    expect(await relations()).toEqual(before);
  });

  it.each([
    ['table', 'CREATE TABLE wordpress_posts (id int)'],
    ['partitioned table', 'CREATE TABLE visits (at date) PARTITION BY RANGE (at)'],
    ['view', 'CREATE VIEW licenses AS SELECT 1 AS one'],
  ])('is not created in the database of another program: a %s', async (_, statement) => {
    await sql(statement);
    const before = await relations();
    const opening = openOn(place.url);
    await expect(opening).rejects.toThrow(OperatorError);
    await expect(opening).rejects.toThrow(/tables of another program: name an empty one\.$/);
    expect(await relations()).toEqual(before);
  });

  it('is created in a database with objects of extensions', async () => {
    await sql('CREATE EXTENSION pg_stat_statements');
    await (await openOn(place.url)).close();
    expect(await version()).toEqual([
      { version: SCHEMA_VERSION, compatible_from: COMPATIBLE_FROM },
    ]);
  });

  it('of a newer release is used, and not changed, if it is compatible', async () => {
    const store = await openOn(place.url);
    await sql(`UPDATE stave_schema SET version = 99;
               ALTER TABLE tracks ADD COLUMN loudness double precision;
               ALTER TABLE clients ADD COLUMN plan text NOT NULL DEFAULT 'basic'`);
    // An open node and one that starts now use it.
    const another = await openOn(place.url);
    for (const one of [store, another]) {
      const client = someClient();
      await one.clients.create(client, BY);
      expect(await one.clients.get(client.id)).toEqual(client);
      await one.close();
    }
    expect(await version()).toEqual([{ version: 99, compatible_from: COMPATIBLE_FROM }]);
  });

  it('of a newer release is refused in one line if it is not compatible', async () => {
    await (await openOn(place.url)).close();
    await sql(`UPDATE stave_schema SET version = 99, compatible_from = ${SCHEMA_VERSION + 1}`);
    const opening = openOn(place.url);
    await expect(opening).rejects.toThrow(OperatorError);
    await expect(opening).rejects.toThrow(
      /^The database \S+ was written by a newer version of Stave \(schema 99, .*restore a backup\.$/,
    );
  });

  it.each([3, FIRST_VERSION - 1])(
    'from before the first release is refused in one line: %i',
    async (unreleased) => {
      await (await openOn(place.url)).close();
      await sql(`UPDATE stave_schema SET version = ${unreleased}, compatible_from = 1`);
      const opening = openOn(place.url);
      await expect(opening).rejects.toThrow(OperatorError);
      await expect(opening).rejects.toThrow(
        `was written by a version of Stave from before the first release (schema ${unreleased}): remove it, and import the catalog again.`,
      );
      expect(await version()).toEqual([{ version: unreleased, compatible_from: 1 }]);
    },
  );

  it('of this version is used, and not changed, also if the steps before the first schema made it', async () => {
    const store = await openOn(place.url);
    const client = someClient();
    await store.clients.create(client, BY);
    await store.close();
    await sql('UPDATE stave_schema SET compatible_from = 10');
    const again = await openOn(place.url);
    expect(await again.clients.get(client.id)).toEqual(client);
    await again.close();
    expect(await version()).toEqual([{ version: SCHEMA_VERSION, compatible_from: 10 }]);
  });

  it('is migrated once by the missing steps, while this version uses it', async () => {
    const store = await openOn(place.url);
    const client = someClient();
    await store.clients.create(client, BY);
    const next = {
      common: ({ text }: SchemaDialect) =>
        `ALTER TABLE clients ADD COLUMN plan ${text} NOT NULL DEFAULT 'basic';`,
      postgres: 'CREATE INDEX clients_by_plan ON clients (plan)',
      summary: 'next',
      compatibleFrom: FIRST_VERSION,
    };
    const open = () => new Database({ url: place.url, wiring: 'direct', pool: 1, log: silentLog });
    const nodes = [open(), open(), open()];
    await Promise.all(nodes.map((node) => migrate(node, [...MIGRATIONS, next])));
    const [newer] = nodes;
    expect(await newer!.rows('SELECT id, plan FROM clients')).toEqual([
      { id: client.id, plan: 'basic' },
    ]);
    expect(await version()).toEqual([
      { version: SCHEMA_VERSION + 1, compatible_from: FIRST_VERSION },
    ]);
    expect(await store.clients.get(client.id)).toEqual(client);
    await Promise.all([store, ...nodes].map((one) => one.close()));
  });

  it('is rolled back if a step fails, and is created when the cause is removed', async () => {
    // These are some of the last objects that the first step creates.
    await sql('CREATE TYPE leases AS (a int); CREATE SEQUENCE previewed_tracks');
    const before = await relations();
    await expect(openOn(place.url)).rejects.toThrow(/already exists/);
    expect(await relations()).toEqual(before);
    await sql('DROP TYPE leases; DROP SEQUENCE previewed_tracks');
    await (await openOn(place.url)).close();
    expect(await version()).toEqual([
      { version: SCHEMA_VERSION, compatible_from: COMPATIBLE_FROM },
    ]);
  });
});
