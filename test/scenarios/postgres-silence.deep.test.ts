import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientConfig } from '../../src/engines/sql/postgres/link/connection.ts';
import { SilentConnections } from '../../src/engines/sql/postgres/link/connections.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { canStartPgBouncer, startPgBouncer } from '../harness/pgbouncer.ts';
import { databaseOn, openOn, recordingLog, refusal } from '../harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../harness/services.ts';
import { someClient, trackId } from '../harness/stores.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';
import { until } from '../harness/until.ts';

/** A lost connection is detected after two seconds; the rest allows for two busy cores. */
const KNOWN_MS = 8_000;
const REPLACED = 'warn: connections to the database have gone silent, and are replaced';

const disposals: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose();
});

describe.skipIf(POSTGRES_URL === undefined)('when open connections to PostgreSQL go silent', () => {
  let place: TestDatabase;
  beforeAll(async () => {
    place = await createDatabase();
  });
  afterAll(() => place?.drop());

  /** Opens a link to the server of a URL, and returns the URL through the link. */
  async function linkTo(address: string): Promise<{ link: TcpLink; url: string }> {
    const url = new URL(address);
    const link = await openLink(Number(url.port || 5432));
    disposals.push(() => link[Symbol.asyncDispose]());
    url.port = String(link.port);
    return { link, url: url.href };
  }

  /** Opens a store and all of its connections. */
  async function warmed(url: string, log = recordingLog()): Promise<Store> {
    const store = await openOn(url, { log });
    disposals.push(() => store.close());
    await until(() => succeeds(() => Promise.all([1, 2, 3, 4].map(() => store.clients.all()))));
    return store;
  }

  /** Returns the milliseconds until the call succeeds or fails. */
  async function timed(call: () => Promise<unknown>): Promise<number> {
    const start = performance.now();
    await call().catch((error) => expect(error).toMatchObject({ kind: 'unavailable' }));
    return performance.now() - start;
  }

  function succeeds(call: () => Promise<unknown>): Promise<boolean> {
    return call().then(
      () => true,
      () => false,
    );
  }

  async function onServer<T>(sql: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as T[];
    } finally {
      await client.end();
    }
  }

  it('reads continue within seconds, writes fail at worst, and the server keeps no session', async () => {
    const { link, url } = await linkTo(place.url);
    const log = recordingLog();
    const store = await warmed(url, log);
    await importAll(store, deliveries(0, 20));
    const backends = (
      await onServer<{ pid: number }>(`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    ).map(({ pid }) => pid);
    link.silence();
    const reads = [
      () => store.changes.head(),
      () => store.clients.all(),
      () => store.catalog.documents([1, 2]),
      () => store.catalog.indexEntries([trackId(1)]),
    ];
    for (const ms of await Promise.all(reads.map(timed))) expect(ms).toBeLessThan(KNOWN_MS);
    await until(() => succeeds(() => Promise.all(reads.map((read) => read()))));
    expect(store.isReachable()).toBe(true);
    expect(log.lines).toEqual([REPLACED]);
    await until(async () => {
      const left = await onServer(
        `SELECT FROM pg_stat_activity WHERE pid = ANY('{${backends.join()}}')`,
      );
      return left.length === 0;
    });

    link.silence();
    expect(await timed(() => store.clients.create(someClient(), BY))).toBeLessThan(KNOWN_MS);
    // The write lock is free again.
    const client = someClient();
    await until(() => succeeds(() => store.clients.create(client, BY)));
    expect((await store.clients.all()).map(({ id }) => id)).toContain(client.id);
    expect(log.lines).toEqual([REPLACED, REPLACED]);
  });

  it('a transaction is abandoned in any state, and its lock is free', async () => {
    const { link, url } = await linkTo(place.url);
    const log = recordingLog();
    const database = databaseOn(url, log, 2);
    disposals.push(() => database.close());
    await database.write((tx) => tx.script('CREATE TABLE copied (no bigint, text text)'));
    const row = ['x'.repeat(1_000)];
    const works: Parameters<typeof database.write>[0][] = [
      (tx) => tx.rows('SELECT 1'),
      (tx) => tx.script('SELECT 1'),
      // Much more than the buffers on the way to the server hold.
      (tx) =>
        tx.copy(
          'copied (no, text)',
          Array.from({ length: 60_000 }, (_, i) => [i, ...row]),
        ),
    ];
    for (const work of works) {
      const ms = await refusal(() =>
        database.write(async (tx) => {
          await tx.rows('SELECT 1');
          link.silence();
          await work(tx);
        }),
      );
      expect(ms).toBeLessThan(2 * KNOWN_MS);
      expect(await database.write((tx) => tx.rows('SELECT count(*) FROM copied'))).toEqual([
        { count: 0 },
      ]);
    }
    expect(log.lines).toEqual([REPLACED, REPLACED, REPLACED]);
  });

  it('a large result that stopped halfway is requested again', async () => {
    const { link, url } = await linkTo(place.url);
    const log = recordingLog();
    const database = databaseOn(url, log, 2);
    disposals.push(() => database.close());
    await database.rows('SELECT 1');
    const large = database.rows<{ text: string }>(
      "SELECT repeat('x', 1000000) AS text FROM generate_series(1, 20)",
    );
    await until(() => link.passed > 1_000_000);
    link.silence();
    expect(await large).toHaveLength(20);
    expect(log.lines).toEqual([REPLACED]);
  });

  it('a statement that the server executes is not abandoned, however long it takes', async () => {
    const { url } = await linkTo(place.url);
    const log = recordingLog();
    const database = databaseOn(url, log, 4);
    disposals.push(() => database.close());
    await database.write((tx) => tx.script('CREATE TABLE locked (no bigint)'));
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE locked');
      const slow = [
        database.rows('SELECT pg_sleep(4)'),
        database.view((tx) => tx.script('\n  SELECT 1;\n  SELECT pg_sleep(4)')),
        database.write((tx) => tx.copy('locked (no)', [[1], [2]])),
      ];
      await database.rows('SELECT pg_sleep($1)', [4.5]);
      await holder.query('COMMIT');
      await Promise.all(slow);
    } finally {
      await holder.end();
    }
    expect(await database.rows('SELECT count(*) FROM locked')).toEqual([{ count: 2 }]);
    expect(log.lines).toEqual([]);
  });

  it('nothing is abandoned if the database sets another role at each login', async () => {
    const name = `stave_test_${randomBytes(6).toString('hex')}`;
    await place.asAdministrator(`
      CREATE ROLE ${name}_owner;
      CREATE ROLE ${name} LOGIN PASSWORD '${name}' IN ROLE ${name}_owner;
      ALTER ROLE ${name} SET role = ${name}_owner`);
    disposals.push(() => place.asAdministrator(`DROP ROLE ${name}; DROP ROLE ${name}_owner`));
    const { link, url } = await linkTo(place.url);
    const address = new URL(url);
    address.username = name;
    address.password = name;
    const log = recordingLog();
    const database = databaseOn(address.href, log, 2);
    disposals.push(() => database.close());
    await database.rows('SELECT pg_sleep(4)');
    expect(log.lines).toEqual([]);

    const [backend] = await database.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    link.silence();
    expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(log.lines).toEqual([REPLACED]);
    await until(async () => {
      const sql = `SELECT FROM pg_stat_activity WHERE pid = ${backend!.pid}`;
      return (await onServer(sql)).length === 0;
    });
  });

  it('a connection with the same number on another server is not ended', async () => {
    const client = new pg.Client(clientConfig(place.url, 'direct'));
    await client.connect();
    disposals.push(() => client.end());
    const silence = new SilentConnections({
      config: clientConfig(place.url, 'direct'),
      wiring: 'direct',
      onHeard: () => {},
      onLost: () => {},
    });
    const ended = new Promise((resolve) => client.on('error', resolve));
    // Another server gave a connection this number a minute ago.
    const openedAt = performance.now();
    const own = { client: client as unknown as pg.PoolClient, openedAt };
    await silence.endOnServer([{ ...own, openedAt: openedAt - 60_000 }]);
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await silence.endOnServer([own]);
    await ended;
  });

  it('listeners for commits are notified again', async () => {
    const { link, url } = await linkTo(place.url);
    const store = await warmed(url);
    const writer = await warmed(place.url);
    let wakes = 0;
    const stop = store.changes.watch(() => wakes++);
    disposals.push(async () => stop());
    await until(() => wakes > 0);
    link.silence();
    const before = wakes;
    await until(
      async () => {
        await writer.clients.create(someClient(), BY);
        return wakes > before + 1;
      },
      'a notification over a new connection',
      20_000,
    );
  });

  it.skipIf(!canStartPgBouncer)(
    'PgBouncer on either side of the link changes nothing',
    async () => {
      const behind = await linkTo(place.url);
      const bouncer = await startPgBouncer(behind.url, {
        default_pool_size: 4,
        server_login_retry: 1,
      });
      disposals.push(() => bouncer[Symbol.asyncDispose]());
      const before = await linkTo(bouncer.url);
      const log = recordingLog();
      const store = await warmed(before.url, log);
      const slow = databaseOn(before.url, log, 1, 'bouncer');
      disposals.push(() => slow.close());
      const sleeping = slow.rows('SELECT pg_sleep(4)');
      before.link.silence();
      // The statement of this call is lost; the server executes the other one.
      expect(await timed(() => store.changes.head())).toBeLessThan(KNOWN_MS);
      await until(() => succeeds(() => store.clients.create(someClient(), BY)));
      await expect(sleeping).resolves.toHaveLength(1);
      behind.link.silence();
      await until(() => succeeds(() => store.clients.create(someClient(), BY)));
    },
  );
});
