import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BY, deliveries, delivery } from '../../../../test/harness/deliveries.ts';
import { databaseOn, openOn, recordingLog } from '../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../test/harness/services.ts';
import { allChanges, someClient, trackId } from '../../../../test/harness/stores.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Database, Transaction } from './database.ts';

/** A function that fails on its first calls. A sequence counts the calls, because it is not rolled back. */
const FAILING = `
  CREATE SEQUENCE tries;
  CREATE FUNCTION fail(times int, code text) RETURNS int LANGUAGE plpgsql AS $$
  BEGIN
    IF nextval('tries') <= times THEN RAISE EXCEPTION 'as if' USING ERRCODE = code; END IF;
    RETURN 1;
  END $$;`;

describe.skipIf(POSTGRES_URL === undefined)('work that PostgreSQL rolls back', () => {
  let place: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    place = await createDatabase();
    database = databaseOn(place.url, recordingLog());
    await database.write((tx) => tx.script(FAILING));
  });
  afterEach(async () => {
    await database.close();
    await place.drop();
  });

  async function tries(): Promise<number> {
    const [row] = await database.rows<{ last: number }>('SELECT last_value AS last FROM tries');
    return row!.last;
  }

  const kinds: Record<string, (values: [number, string]) => Promise<unknown>> = {
    'a statement': (values) => database.rows('SELECT fail($1::int, $2)', values),
    'a write': (values) => database.write((tx) => tx.rows('SELECT fail($1::int, $2)', values)),
    'a write apart': (values) =>
      database.write((tx) => tx.rows('SELECT fail($1::int, $2)', values), { isApart: true }),
  };
  for (const [kind, run] of Object.entries(kinds)) {
    it.each(['40001', '40P01'])(`is repeated after error %s: ${kind}`, async (code) => {
      await run([2, code]);
      expect(await tries()).toBe(3);
    });

    it(`is repeated a limited number of times: ${kind}`, async () => {
      await expect(run([100, '40001'])).rejects.toMatchObject({ code: '40001' });
      expect(await tries()).toBe(5);
    });

    it(`is not repeated after any other error: ${kind}`, async () => {
      await expect(run([100, 'P0001'])).rejects.toMatchObject({ code: 'P0001' });
      expect(await tries()).toBe(1);
    });
  }

  it('is repeated after error 40001: a view', async () => {
    let runs = 0;
    const seen = await database.view(async (tx) => {
      const [row] = await tx.rows<{ one: number }>('SELECT 1 AS one');
      if (++runs < 3) await tx.script(`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`);
      return row!.one;
    });
    expect([seen, runs]).toEqual([1, 3]);
  });

  it('is repeated after a deadlock with another program', async () => {
    await database.write((tx) =>
      tx.script(
        'CREATE TABLE two (no int PRIMARY KEY, times int); INSERT INTO two VALUES (1, 0), (2, 0)',
      ),
    );
    const update = (no: number) => `UPDATE two SET times = times + 1 WHERE no = ${no}`;
    const other = new pg.Client({ connectionString: place.url });
    await other.connect();
    try {
      // The server must not detect the deadlock before Stave does.
      await other.query(`SET deadlock_timeout = '10min'; BEGIN; ${update(2)}`);
      let runs = 0;
      let crossing: Promise<unknown> | undefined;
      await database.write(async (tx: Transaction) => {
        runs++;
        await tx.script(update(1));
        crossing ??= other.query(`${update(1)}; COMMIT`);
        await tx.script(update(2));
      });
      await crossing;
      // There are more attempts if the next one is faster than the other program, which must wake up first.
      expect(runs).toBeGreaterThanOrEqual(2);
    } finally {
      await other.end();
    }
    const rows = await database.rows<{ times: number }>('SELECT times FROM two');
    expect(rows).toEqual([{ times: 2 }, { times: 2 }]);
  });

  it.each(['serializable', 'repeatable read'])(
    'does not lose writes if the default isolation of the database is %s',
    async (isolation) => {
      await place.asAdministrator(
        `ALTER DATABASE ${new URL(place.url).pathname.slice(1)}
         SET default_transaction_isolation = '${isolation}'`,
      );
      await database.write((tx) => tx.script('DROP FUNCTION fail; DROP SEQUENCE tries'));
      const stores = await Promise.all(Array.from({ length: 4 }, () => openOn(place.url)));
      await Promise.all(
        stores.flatMap((store) =>
          // One per connection: the pool rejects calls that wait for one for a second.
          Array.from({ length: 4 }, async () => {
            for (let i = 0; i < 3; i++) {
              await store.clients.create(someClient(), BY);
              await store.leases.acquire('one', 'me', 1_000);
            }
          }),
        ),
      );
      const seqs = (await allChanges(stores[0]!)).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 48 }, (_, i) => i + 1));
      await Promise.all(stores.map((store) => store.close()));
    },
  );

  it.each([
    ['its last statement', '40001', 'CREATE TRIGGER failing BEFORE INSERT ON change_log'],
    ['its last statement', 'P0001', 'CREATE TRIGGER failing BEFORE INSERT ON change_log'],
    [
      'its commit',
      '40P01',
      'CREATE CONSTRAINT TRIGGER failing AFTER INSERT ON change_log DEFERRABLE INITIALLY DEFERRED',
    ],
    [
      'its commit',
      'P0001',
      'CREATE CONSTRAINT TRIGGER failing AFTER INSERT ON change_log DEFERRABLE INITIALLY DEFERRED',
    ],
  ])(
    'leaves a correct catalog if it is an import that fails at %s (%s)',
    async (_, code, trigger) => {
      await database.write((tx) => tx.script('DROP FUNCTION fail; DROP SEQUENCE tries'));
      const store = await openOn(place.url);
      await database.write((tx) =>
        tx.script(`${FAILING}
        CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM fail(1, '${code}'); RETURN new; END $$;
        ${trigger} FOR EACH ROW EXECUTE FUNCTION failing()`),
      );
      const session = await store.catalog.openDelivery(BY, 'b');
      const batch = deliveries(0, 40);
      const first = session.deliver(batch);
      // The caller can repeat an import that is not repeated automatically.
      if (code === 'P0001') {
        await expect(first).rejects.toMatchObject({ code });
        expect(await session.deliver(batch)).toEqual(Array(40).fill('created'));
      } else {
        expect(await first).toEqual(Array(40).fill('created'));
      }
      const others = [delivery(40), delivery(41, { filters: [{ type: 'genre', name: 'New' }] })];
      expect(await session.deliver([...others, batch[3]!])).toEqual([
        'created',
        'created',
        'unchanged',
      ]);
      await session.close();

      const documents = await store.catalog.documents([1, 41, 42]);
      expect(documents.map((one) => one?.id)).toEqual([trackId(0), trackId(40), trackId(41)]);
      const entries = await store.catalog.indexEntries([trackId(1), trackId(41)]);
      const names = new Map((await store.catalog.filters()).map(({ id, name }) => [id, name]));
      const filtersOf = (id: string) =>
        entries
          .find((entry) => entry.id === id)!
          .filterIds.map((one) => names.get(one))
          .sort();
      expect(filtersOf(trackId(1))).toEqual(['Calm', 'Genre 1', 'Use 1']);
      expect(filtersOf(trackId(41))).toEqual(['New']);
      expect((await allChanges(store)).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 42 }, (__, i) => i + 1),
      );
      await store.close();
    },
  );

  it('is rejected within the time limit if another program holds the write lock', async () => {
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holder = database.write(async () => {
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    const other = databaseOn(place.url, recordingLog());
    await expect(other.write(async () => {})).rejects.toThrow(
      /another process has been writing to \S+ for long; try again later\.$/,
    );
    held.resolve();
    await holder;
    await until(() =>
      other
        .write(async () => {})
        .then(
          () => true,
          () => false,
        ),
    );
    await other.close();
  });
});
