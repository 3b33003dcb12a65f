import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { silentLog } from '../../src/common/log.ts';
import { loggedWaitPolicy, type WaitPolicy } from '../../src/common/work/wait-policy.ts';
import type { Change } from '../../src/engines/change-log/change-log.ts';
import { Follower } from '../../src/engines/change-log/follower.ts';
import type { Database } from '../../src/engines/sql/postgres/database.ts';
import { findLink } from '../../src/engines/sql/postgres/link/connection.ts';
import type { Store } from '../../src/features/store.ts';
import { CHANGE_ENTITIES } from '../harness/change-entities.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { canStartPgBouncer, startPgBouncer } from '../harness/pgbouncer.ts';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { startPostgres } from '../harness/postgres-server.ts';
import { databaseOn, openOn, recordingLog, refusal } from '../harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../harness/services.ts';
import { allChanges, someClient, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

/** Makes PgBouncer silently ignore session parameters. */
const IGNORING = { ignore_startup_parameters: 'options,extra_float_digits' };

/** A call that waits for the database takes two seconds. */
const AT_ONCE_MS = 1_500;

const disposals: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose();
});

async function sql<T = unknown>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

async function database(): Promise<TestDatabase> {
  const place = await createDatabase();
  disposals.push(() => place.drop());
  return place;
}

async function bouncer(url: string, settings: Record<string, string | number>): Promise<string> {
  const one = await startPgBouncer(url, settings);
  disposals.push(() => one[Symbol.asyncDispose]());
  return one.url;
}

async function opened(url: string, log = recordingLog(), waitPolicy?: WaitPolicy): Promise<Store> {
  const store = await openOn(url, { log, waitPolicy });
  disposals.push(() => store.close());
  return store;
}

describe.skipIf(POSTGRES_URL === undefined || !canStartPgBouncer)('through PgBouncer', () => {
  it('is detected, whether it refuses or ignores unknown parameters', async () => {
    const place = await database();
    expect((await findLink(place.url)).wiring).toBe('direct');
    expect((await findLink(await bouncer(place.url, {}))).wiring).toBe('bouncer');
    expect((await findLink(await bouncer(place.url, IGNORING))).wiring).toBe('bouncer');
  });

  it.each<[how: string, settings: Record<string, string | number>, isHidden: boolean]>([
    ['that refuses session settings', {}, false],
    ['that drops session settings', IGNORING, false],
    ['that drops session settings, while the database has the same ones', IGNORING, true],
  ])('%s, the store works and no follower misses a change', async (_, settings, isHidden) => {
    const place = await database();
    if (isHidden) {
      const { pathname } = new URL(place.url);
      await sql(place.url, `ALTER DATABASE ${pathname.slice(1)} SET statement_timeout = '60s'`);
    }
    const url = await bouncer(place.url, { default_pool_size: 3, ...settings });
    expect((await findLink(url)).wiring).toBe('bouncer');
    const log = recordingLog();
    // Waits like an import, because a request may fail on a machine that is too busy.
    const waitPolicy = loggedWaitPolicy(silentLog, 300_000);
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(url, log, waitPolicy)));
    const reader = stores[0]!;

    const seen: Change[] = [];
    const errors: unknown[] = [];
    const follower = new Follower({
      log: reader.changes,
      entities: CHANGE_ENTITIES,
      from: 0,
      pollMs: 50,
      async apply(changes) {
        seen.push(...changes);
      },
      onError: (error) => errors.push(error),
    });
    follower.start();
    disposals.push(() => follower.stop());

    await Promise.all(
      stores.flatMap((store, n) => [
        importAll(store, deliveries(n * 300, n * 300 + 300)),
        (async () => {
          for (let i = 0; i < 8; i++) {
            const client = someClient();
            await store.clients.create(client, BY);
            const { id } = await store.playlists.create(
              {
                id: newId(),
                name: `List ${n}.${i}`,
                description: '',
                createdAt: 1,
                updatedAt: 1,
              },
              [],
              BY,
            );
            await store.playlists.grant(id, client.id, BY);
            expect(await store.playlists.grantsOf(id)).toEqual([client.id]);
            expect((await store.clients.get(client.id))?.playlistIds).toEqual([id]);
          }
        })(),
      ]),
    );
    expect(await importAll(reader, [delivery(5), delivery(6, { bpm: '99' })])).toEqual([
      'unchanged',
      'updated',
    ]);
    await setTrackState(reader, trackId(7), 'taken_down', BY);
    const all = await allChanges(reader);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((__, i) => i + 1));
    expect(all).toHaveLength(1_200 + 4 * 8 * 3 + 2);
    await follower.caughtUp(all.length);
    expect(seen).toEqual(all);
    expect(await reader.catalog.counts()).toMatchObject({ live: 1_199, playlists: 32 });
    const [document] = await reader.catalog.documents([1]);
    expect(document?.json).toContain('"name":"Track');
    expect(errors).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it('does not support LISTEN, and polling finds a change within a second', async () => {
    const place = await database();
    const url = await bouncer(place.url, { default_pool_size: 2, ...IGNORING });
    const writer = await opened(url);
    const reader = await opened(url);
    let wakes = 0;
    reader.changes.watch(() => wakes++);
    const seen = new Map<string, number>();
    const follower = new Follower({
      log: reader.changes,
      entities: CHANGE_ENTITIES,
      from: 0,
      pollMs: 250,
      watch: (wake) => reader.changes.watch(wake),
      async apply(changes) {
        for (const { entityId } of changes) seen.set(entityId, performance.now());
      },
      onError: (error) => expect.fail(String(error)),
    });
    follower.start();
    disposals.push(() => follower.stop());
    for (let i = 0; i < 5; i++) {
      const client = someClient();
      await writer.clients.create(client, BY);
      const committedAt = performance.now();
      await until(() => seen.has(client.id));
      expect(seen.get(client.id)! - committedAt).toBeLessThan(1_000);
    }
    expect(wakes).toBe(0);
    const listening = await sql(
      place.url,
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'listen%'`,
    );
    expect(listening).toEqual([]);
  });

  it('runs no prepared statement of another program with the same name', async () => {
    const place = await database();
    const url = await bouncer(place.url, { default_pool_size: 2, ...IGNORING });
    const [one, other] = [1, 2].map(() => databaseOn(url, recordingLog(), 1)) as [
      Database,
      Database,
    ];
    const hogs = [1, 2].map(() => new pg.Client({ connectionString: url }));
    disposals.push(() =>
      Promise.all([...hogs.map((hog) => hog.end()), one.close(), other.close()]),
    );
    for (const hog of hogs) await hog.connect();
    // The first statement of the one program is on one connection, that of the other on the second.
    expect(await one.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await hogs[0]!.query('BEGIN');
    expect(await other.rows('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    // Now the statement of the other program runs on the first connection.
    await hogs[1]!.query('BEGIN');
    await hogs[0]!.query('COMMIT');
    expect(await other.rows('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    await hogs[1]!.query('COMMIT');
  });

  it('does not mistake many programs on two connections for an outage', async () => {
    const place = await database();
    const url = await bouncer(place.url, { default_pool_size: 2 });
    const log = recordingLog();
    // Waits like an import, because a request may fail on a machine that is too busy.
    const waitPolicy = loggedWaitPolicy(silentLog, 300_000);
    const stores = await Promise.all(Array.from({ length: 6 }, () => opened(url, log, waitPolicy)));
    await Promise.all(
      stores.flatMap((store, n) => [
        importAll(store, deliveries(n * 1_000, n * 1_000 + 1_000)),
        ...Array.from({ length: 4 }, async () => {
          for (let i = 0; i < 50; i++) await store.catalog.documents([1, 2, 3]);
        }),
      ]),
    );
    expect(await stores[0]!.changes.head()).toBe(6_000);
    expect(log.lines).toEqual([]);
  });
});

describe.skipIf(!canStartPostgres || !canStartPgBouncer)('when the server behind PgBouncer', () => {
  it('is a replica, it counts as unavailable until it is promoted', async () => {
    const server = await startPostgres();
    disposals.push(() => server[Symbol.asyncDispose]());
    const log = recordingLog();
    const store = await opened(await bouncer(server.url, { default_pool_size: 4 }), log);
    await store.clients.create(someClient(), BY);
    await sql(server.url, `COPY (SELECT) TO PROGRAM 'touch standby.signal'`);
    await server.restartImmediately();
    // Reads continue from memory, which becomes stale.
    const create = () => store.clients.create(someClient(), BY);
    expect(await refusal(create)).toBeLessThan(2_500);
    expect(store.isReachable()).toBe(false);
    expect(await refusal(() => store.clients.all())).toBeLessThan(AT_ONCE_MS);
    await sql(server.url, 'SELECT pg_promote()');
    await until(() => store.isReachable());
    await create();
    expect(log.lines).toEqual([
      'error: the database cannot be reached',
      'info: the database is back',
    ]);
  });

  it.each(['is restarted', 'is paused'])(
    '%s, calls are refused and then succeed again',
    async (how) => {
      const server = await startPostgres();
      disposals.push(() => server[Symbol.asyncDispose]());
      const url = await bouncer(server.url, { default_pool_size: 4, server_login_retry: 1 });
      const log = recordingLog();
      const store = await opened(url, log);
      await store.clients.create(someClient(), BY);
      if (how === 'is restarted') await server.kill();
      else server.pause();
      try {
        const calls = [() => store.clients.all(), () => store.clients.create(someClient(), BY)];
        for (const ms of await Promise.all(calls.map(refusal))) expect(ms).toBeLessThan(2_500);
        await until(() => !store.isReachable());
        for (const call of calls) expect(await refusal(call)).toBeLessThan(AT_ONCE_MS);
      } finally {
        if (how === 'is restarted') await server.start();
        else server.resume();
      }
      await until(() => store.isReachable());
      await store.clients.create(someClient(), BY);
      expect(await store.clients.all()).toHaveLength(2);
      expect(log.lines).toEqual([
        'error: the database cannot be reached',
        'info: the database is back',
      ]);
    },
  );
});
