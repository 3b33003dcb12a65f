import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StaveError } from '../../src/common/errors.ts';
import { newId } from '../../src/common/ids.ts';
import type { Change } from '../../src/engines/change-log/change-log.ts';
import { Follower } from '../../src/engines/change-log/follower.ts';
import type { Store } from '../../src/features/store.ts';
import { CHANGE_ENTITIES } from '../harness/change-entities.ts';
import { BY, deliveries } from '../harness/deliveries.ts';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres-server.ts';
import { openOn } from '../harness/postgres-store.ts';
import { createDatabase } from '../harness/services.ts';
import { allChanges, someClient, trackId } from '../harness/stores.ts';
import { testRandom } from '../harness/test-random.ts';
import { until } from '../harness/until.ts';

const KILLS = 8;
const WRITERS = 4;
const BATCH = 25;

/** Whether the store reaches its database. */
const answers = (store: Store) =>
  store.changes.head().then(
    () => true,
    () => false,
  );

describe.skipIf(!canStartPostgres)('when PostgreSQL crashes', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it(`no acknowledged write is lost, ${KILLS} times, and the log has no gaps`, async () => {
    const { url } = await createDatabase(server.url);
    const stores = await Promise.all(Array.from({ length: WRITERS }, () => openOn(url)));
    const reader = await openOn(url);
    const seen: Change[] = [];
    const follower = new Follower({
      log: reader.changes,
      entities: CHANGE_ENTITIES,
      from: 0,
      watch: (wake) => reader.changes.watch(wake),
      async apply(changes) {
        seen.push(...changes);
      },
      onError: (error) => expect((error as StaveError).kind).toBe('unavailable'),
    });
    follower.start();

    const clients: string[] = [];
    const settings: string[] = [];
    const tracks = new Set<string>();
    let isOver = false;
    let refused = 0;
    /** Repeats the work until the end, also after errors of a restart. */
    const repeat = async (work: () => Promise<unknown>) => {
      while (!isOver) {
        try {
          await work();
        } catch (error) {
          if (!(error instanceof StaveError) || error.kind !== 'unavailable') throw error;
          refused++;
          await sleep(20);
        }
      }
    };
    const writing = stores.flatMap((store, n) => [
      repeat(async () => {
        const client = someClient();
        await store.clients.create(client, BY);
        clients.push(client.id);
      }),
      repeat(async () => {
        const name = newId();
        await store.settings.set(name, 'there');
        settings.push(name);
      }),
      // One import per batch, because its repetition after a restart is an import, too.
      (() => {
        let from = n * 10_000;
        return repeat(async () => {
          const session = await store.catalog.openDelivery(BY, 'b');
          const batch = deliveries(from, from + BATCH);
          await session.deliver(batch);
          for (const { id } of batch) tracks.add(id);
          from += BATCH;
          await session.close();
        });
      })(),
    ]);
    const failed = Promise.all(writing);
    failed.catch(() => {});

    const random = testRandom('restarts of PostgreSQL');
    for (let kill = 0; kill < KILLS; kill++) {
      const before = clients.length + tracks.size;
      await Promise.race([failed, until(() => clients.length + tracks.size > before + 3 * BATCH)]);
      await sleep(random.integer(0, 120));
      await server.restartImmediately();
    }
    // The reader learns of the last restart by itself, and later than the writers.
    for (const store of [...stores, reader]) await until(() => answers(store));
    isOver = true;
    await failed;
    expect(refused).toBeGreaterThan(0);

    const log = await allChanges(reader);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    await follower.caughtUp(log.length);
    expect(seen).toEqual(log);
    const there = new Set((await reader.clients.all()).map(({ id }) => id));
    expect(clients.filter((id) => !there.has(id))).toEqual([]);
    const entries = await reader.catalog.indexEntries([...tracks]);
    expect(entries).toHaveLength(tracks.size);
    // Each track and client exists once, with its row in the log.
    const { live } = await reader.catalog.counts();
    const created = log.filter(({ entity, kind }) => entity === 'track' && kind === 'created');
    expect(created).toHaveLength(live);
    expect(log.filter(({ entity }) => entity === 'client')).toHaveLength(there.size);
    for (const name of settings) expect(await reader.settings.get(name)).toBe('there');
    await reader.check(true);
    await follower.stop();
    await Promise.all([...stores, reader].map((store) => store.close()));
  }, 180_000);

  it('an import whose delivery session was lost withdraws nothing that it delivered', async () => {
    const { url } = await createDatabase(server.url);
    const store = await openOn(url);
    const session = await store.catalog.openDelivery(BY, 'b');
    await session.deliver(deliveries(0, 50));
    await server.restartImmediately();
    await until(() => answers(store));
    // It continues or fails; what it delivered does not count as absent.
    const going = session
      .deliver(deliveries(50, 60))
      .then(() => session.countAbsent('label'))
      .then(async (absent) => [absent, await session.withdrawAbsent('label')]);
    const outcome = await going.catch((error: unknown) => error);
    if (!(outcome instanceof Error)) expect(outcome).toEqual([0, 0]);
    else expect(outcome.message).toMatch(/import/);
    const kept = await store.catalog.indexEntries(deliveries(0, 50).map(({ id }) => id));
    expect(kept).toHaveLength(50);
    await session.close();

    const again = await store.catalog.openDelivery(BY, 'c');
    expect(new Set(await again.deliver(deliveries(0, 50)))).toEqual(new Set(['unchanged']));
    await again.deliver(deliveries(50, 60));
    expect(await again.withdrawAbsent('label')).toBe(0);
    await again.close();
    expect(await store.catalog.trackAudio(trackId(0))).toMatchObject({ state: 'live' });
    await store.close();
  });
});
