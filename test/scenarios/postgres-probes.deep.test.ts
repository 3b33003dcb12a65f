import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WaitPolicy } from '../../src/common/work/wait-policy.ts';
import { BY } from '../harness/deliveries.ts';
import { databaseOn, openOn, recordingLog } from '../harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../harness/services.ts';
import { someClient } from '../harness/stores.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';
import { until } from '../harness/until.ts';

const WRITER_LOCK = 0x5374_7665;

describe.skipIf(POSTGRES_URL === undefined)('new connections while statements wait', () => {
  let place: TestDatabase;
  let link: TcpLink;
  let url: string;
  beforeEach(async () => {
    place = await createDatabase();
    const through = new URL(place.url);
    link = await openLink(Number(through.port || 5432));
    through.port = String(link.port);
    url = through.href;
  });
  afterEach(async () => {
    await link?.[Symbol.asyncDispose]();
    await place?.drop();
  });

  /** Returns the number of connections that were opened during the work, and its milliseconds. */
  async function opened(
    work: () => Promise<unknown>,
  ): Promise<{ connections: number; ms: number }> {
    const start = performance.now();
    const before = link.connections;
    await work();
    return { connections: link.connections - before, ms: performance.now() - start };
  }

  it('are no more if more statements wait', async () => {
    const calls = 20;
    const log = recordingLog();
    const database = databaseOn(url, log, calls);
    const wait = () => database.rows('SELECT pg_sleep(3)');
    await Promise.all(Array.from({ length: calls }, () => database.rows('SELECT pg_sleep(0.3)')));
    await until(() => database.poolUsage.open === calls);
    const { connections, ms } = await opened(async () => {
      const waits: Promise<unknown>[] = [];
      for (let i = 0; i < calls; i++) {
        waits.push(wait());
        // They begin at different times, as requests do.
        await sleep(17);
      }
      await Promise.all(waits);
    });
    // A probe in 350 ms, and a question about the statements in 1.5 s.
    expect(connections).toBeLessThanOrEqual(Math.ceil(ms / 350) + Math.ceil(ms / 1_500));
    expect(log.lines).toEqual([]);
    await database.close();
  });

  it('are few while a command waits for the lock of all writers', async () => {
    const reasons: string[] = [];
    const waitPolicy = new WaitPolicy({
      ms: 300_000,
      onWait: (reason) => reasons.push(reason),
      onContinue: () => {},
    });
    const store = await openOn(url, { waitPolicy, pool: 1 });
    const locker = new pg.Client({ connectionString: place.url });
    await locker.connect();
    await locker.query('SELECT pg_advisory_lock($1)', [WRITER_LOCK]);
    let creating: Promise<void> | undefined;
    const { connections, ms } = await opened(async () => {
      creating = store.clients.create(someClient(), BY);
      await until(() => reasons.length > 0);
    });
    await locker.end();
    await creating;
    expect(reasons).toEqual([expect.stringMatching(/another process is writing/)]);
    // A question about the statement in 1.5 s.
    expect(connections).toBeLessThanOrEqual(Math.ceil(ms / 1_000));
    await store.close();
  });
});
