import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { Store } from '../../src/features/store.ts';
import { takeAllConnections } from '../harness/connections.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres-server.ts';
import {
  databaseOn,
  openOn,
  recordingLog,
  refusal,
  refusalAtOnce,
} from '../harness/postgres-store.ts';
import { createDatabase } from '../harness/services.ts';
import { allChanges, someClient, trackId } from '../harness/stores.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

/** An outage is detected within a second; the rest allows for two busy cores. */
const KNOWN_MS = 2_500;
const MAX_CONNECTIONS = 14;
const GONE = 'error: the database cannot be reached';
const BACK = 'info: the database is back';

describe.skipIf(!canStartPostgres)('while PostgreSQL is unavailable', () => {
  let server: PostgresServer;
  let link: TcpLink;
  let url: string;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await startPostgres([`max_connections=${MAX_CONNECTIONS}`]);
    link = await openLink(server.port);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(async () => {
    await link?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Returns the URL of a new database, through the link. */
  async function provide(): Promise<string> {
    const database = new URL((await createDatabase(server.url)).url);
    database.port = String(link.port);
    url = database.href;
    return url;
  }

  /** Runs a command as administrator, in the server's data folder. */
  async function shell(command: string): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`COPY (SELECT) TO PROGRAM '${command}'`);
    await client.end();
  }

  const outages: Record<string, { begin(): unknown; end(): unknown }> = {
    'is killed': { begin: () => server.kill(), end: () => server.start() },
    'is paused': { begin: () => server.pause(), end: () => server.resume() },
    'is cut off': { begin: () => link.cut(), end: () => link.mend() },
    'restarts as a replica': {
      async begin() {
        await shell('touch standby.signal');
        await server.restartImmediately();
      },
      async end() {
        const client = new pg.Client({ connectionString: server.url });
        await client.connect();
        await client.query('SELECT pg_promote()');
        await client.end();
      },
    },
  };

  for (const [name, outage] of Object.entries(outages)) {
    it(`fails within a second, then at once, and recovers, when PostgreSQL ${name}`, async () => {
      const log = recordingLog();
      const store = await openOn(await provide(), { log });
      opened.push(store);
      await importAll(store, deliveries(0, 20));
      let wakes = 0;
      store.changes.watch(() => wakes++);
      await until(() => wakes > 0);
      const calls: ((store: Store) => Promise<unknown>)[] = [
        ({ catalog }) => catalog.documents([1, 2]),
        ({ catalog }) => catalog.indexEntries([trackId(1)]),
        ({ changes }) => changes.head(),
        ({ clients }) => clients.all(),
        ({ playlists }) => playlists.find('none'),
        ({ clients }) => clients.create(someClient(), BY),
        (store) => setTrackState(store, trackId(3), 'taken_down', BY),
      ];

      await outage.begin();
      for (const ms of await Promise.all(calls.map((call) => refusal(() => call(store))))) {
        expect(ms).toBeLessThan(KNOWN_MS);
      }
      await until(() => !store.isReachable());
      for (const call of calls) await refusalAtOnce(() => call(store));
      expect(log.lines).toEqual([GONE]);
      expect(log.text()).not.toMatch(/^ +at /m);

      await outage.end();
      await until(() => store.isReachable());
      const before = wakes;
      const client = someClient();
      await store.clients.create(client, BY);
      expect((await store.clients.all()).map(({ id }) => id)).toContain(client.id);
      expect((await store.catalog.documents([1]))[0]?.id).toBe(trackId(0));
      const seqs = (await allChanges(store)).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, i) => i + 1));
      // The listener reconnects, too.
      await until(async () => {
        await store.settings.set('touched', newId());
        await store.clients.update(client.id, { name: newId() }, BY);
        return wakes > before;
      });
      expect(log.lines).toEqual([GONE, BACK]);
    });
  }

  it('knows of the outage before a statement rejects because of it, so that no caller logs it', async () => {
    const database = databaseOn(await provide(), recordingLog());
    opened.push(database);
    const statement = () => database.rows('SELECT pg_sleep(60)', [], { writes: true });
    const isAway = statement().catch(() => database.availability.isAway);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await until(async () => {
      const sleeping = `SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'`;
      return (await client.query(sleeping)).rowCount === 1;
    });
    await client.end();
    await server.kill();
    try {
      expect(await isAway).toBe(true);
    } finally {
      await server.start();
    }
  });

  it.each(['while the outage is known', 'before the outage is detected'])(
    'closes quickly and leaves nothing open, %s',
    async (when) => {
      const handles = () =>
        process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
      const databaseUrl = await provide();
      const before = handles();
      const store = await openOn(databaseUrl.replace(String(link.port), String(server.port)));
      store.changes.watch(() => {});
      await Promise.all(Array.from({ length: 4 }, () => store.clients.all()));
      server.pause();
      try {
        if (when.startsWith('while')) await refusal(() => store.changes.head());
        const calls = Promise.allSettled([store.changes.head(), store.clients.all()]);
        // The calls have been sent, and the outage is not detected yet.
        await sleep(100);
        const start = performance.now();
        await store.close();
        expect(performance.now() - start).toBeLessThan(KNOWN_MS);
        expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
        await until(() => handles() <= before);
      } finally {
        server.resume();
      }
    },
  );

  it('refuses work that comes after it was closed', async () => {
    const database = databaseOn(await provide(), recordingLog(), 2);
    await database.rows('SELECT 1');
    await database.close();
    await refusal(() => database.rows('SELECT 1'));
    await refusal(() => database.write((tx) => tx.rows('SELECT 1')));
  });

  it('does not cancel slow statements while the server responds, even without free connections', async () => {
    const log = recordingLog();
    const database = databaseOn(await provide(), log, 2);
    opened.push(database);
    const slow = database.view((tx) => tx.rows('SELECT pg_sleep(3)'));
    const write = database.write(async (tx) => {
      await tx.rows('SELECT pg_sleep(2.5)');
      return 'written';
    });
    const hogs: pg.Client[] = [];
    try {
      await until(() => database.poolUsage.open === 2);
      // A connection of an earlier test, or a probe, may end after the first refusal, and its place is then free.
      await until(async () => {
        hogs.push(...(await takeAllConnections(server.url)));
        return hogs.length + database.poolUsage.open === MAX_CONNECTIONS;
      });
      // Another program has no connection yet.
      const other = databaseOn(url, log, 2);
      opened.push(other);
      expect(await refusal(() => other.rows('SELECT 1'))).toBeLessThan(KNOWN_MS);
      expect(await slow).toHaveLength(1);
      expect(await write).toBe('written');
      expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(log.lines).toEqual([]);
      await hogs.pop()!.end();
      await until(() =>
        other.rows('SELECT 1').then(
          () => true,
          () => false,
        ),
      );
    } finally {
      await Promise.all(hogs.map((hog) => hog.end()));
    }
  });

  it('fails within a second if every connection is in use, and continues afterwards', async () => {
    const log = recordingLog();
    const database = databaseOn(await provide(), log, 2);
    opened.push(database);
    const slow = [1, 2].map(() => database.view((tx) => tx.rows('SELECT pg_sleep(4)')));
    const waits = await Promise.all(
      Array.from({ length: 10 }, () => refusal(() => database.rows('SELECT 1'))),
    );
    expect(Math.max(...waits)).toBeLessThan(KNOWN_MS);
    await expect(Promise.all(slow)).resolves.toHaveLength(2);
    expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(log.lines).toEqual([]);
  });
});
