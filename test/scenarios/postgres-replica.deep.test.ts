import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { IndexEntry } from '../../src/catalog/catalog-index.ts';
import { openPostgresReplica } from '../../src/storage/postgres/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import {
  canStartPostgres,
  type PostgresServer,
  startPostgres,
} from '../harness/postgres-server.ts';
import { openOn, type RecordingLog, recordingLog } from '../harness/postgres-store.ts';
import { replayed, sql, UNUSED } from '../harness/replica.ts';
import { createDatabase } from '../harness/services.ts';
import { trackId } from '../harness/stores.ts';
import { until } from '../harness/until.ts';

describe.skipIf(!canStartPostgres)('with a read replica', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let url: string;
  let replicaUrl: string;
  let log: RecordingLog;
  let store: Store;

  beforeAll(async () => {
    primary = await startPostgres();
    standby = await startPostgres(['hot_standby=on'], primary);
    ({ url } = await createDatabase(primary.url));
    const replica = new URL(url);
    replica.port = String(standby.port);
    replicaUrl = replica.href;
    const first = await openOn(url);
    await importAll(first, deliveries(0, 200));
    await first.close();
  });
  afterAll(async () => {
    await standby?.[Symbol.asyncDispose]();
    await primary?.[Symbol.asyncDispose]();
  });

  /** Opens a store that reads documents from the replica, after it has caught up. */
  async function open(): Promise<Store> {
    log = recordingLog();
    await until(() => replayed(url, replicaUrl));
    store = await openOn(url, { replicaUrl, log });
    return store;
  }
  afterEach(async () => {
    await store?.close();
  });

  async function bpmOf(no: number): Promise<string> {
    const [document] = await store.catalog.documents([no]);
    return (JSON.parse(`${document!.json}}`) as { bpm: string }).bpm;
  }

  const rename = (bpm: number) => importAll(store, [delivery(0, { bpm: String(bpm) })]);

  it('documents come from the replica, also while the primary is paused', async () => {
    await open();
    await store.changes.head();
    primary.pause();
    try {
      expect((await store.catalog.documents([1, 2, 9_999])).map((one) => one?.id)).toEqual([
        trackId(0),
        trackId(1),
        undefined,
      ]);
    } finally {
      primary.resume();
    }
  });

  it('no document is older than a visible change, however far behind the replica is', async () => {
    await open();
    await sql(standby.url, 'SELECT pg_wal_replay_pause()');
    try {
      await until(
        async () =>
          (
            await sql<{ state: string }>(
              standby.url,
              'SELECT pg_get_wal_replay_pause_state() AS state',
            )
          )[0]!.state === 'paused',
      );
      await rename(61);
      await store.changes.since(0, ['track'], 10_000);
      expect(await bpmOf(1)).toBe('61');
      await importAll(store, [delivery(7_000)]);
      await store.changes.head();
      const [entry] = await store.catalog.indexEntries([trackId(7_000)]);
      expect((await store.catalog.documents([entry!.rowId]))[0]?.id).toBe(trackId(7_000));
      await store.catalog.setState(trackId(7_000), 'taken_down', BY);
      await store.changes.head();
      expect(await store.catalog.documents([entry!.rowId])).toEqual([undefined]);
    } finally {
      await sql(standby.url, 'SELECT pg_wal_replay_resume()');
    }
    await until(() => replayed(url, replicaUrl));
    // Now the store reads from the replica again.
    primary.pause();
    try {
      expect(await bpmOf(1)).toBe('61');
    } finally {
      primary.resume();
    }
    expect(log.lines.filter((line) => !/cannot be reached|is back/.test(line))).toEqual([]);
  });

  it('no reader sees an older state, while writers write and the replica pauses and resumes', async () => {
    await open();
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      for (let i = 1; i <= 120; i++) {
        await rename(1_000 + i);
        written = i;
        if (i % 30 === 10) await sql(standby.url, 'SELECT pg_wal_replay_pause()');
        if (i % 30 === 25) await sql(standby.url, 'SELECT pg_wal_replay_resume()');
      }
      isOver = true;
    })();
    const reading = Array.from({ length: 3 }, async () => {
      let last = 0;
      while (!isOver) {
        const known = written;
        await store.changes.head();
        const bpm = Number(await bpmOf(1)) - 1_000;
        if (known > 0) expect(bpm).toBeGreaterThanOrEqual(known);
        if (bpm > 0) expect(bpm).toBeGreaterThanOrEqual(last);
        last = Math.max(last, bpm);
      }
    });
    await Promise.all([writing, ...reading]).finally(() =>
      sql(standby.url, 'SELECT pg_wal_replay_resume()'),
    );
  });

  it.each(['dies', 'is paused'])(
    'that %s, reads take only the time of the primary',
    async (how) => {
      await open();
      await bpmOf(1);
      if (how === 'dies') await standby.kill();
      else standby.pause();
      try {
        const first = performance.now();
        await Promise.all([bpmOf(1), bpmOf(2), bpmOf(3)]);
        expect(performance.now() - first).toBeLessThan(2_500);
        await until(() => log.lines.length > 0);
        for (let i = 0; i < 10; i++) {
          const start = performance.now();
          await bpmOf(1);
          expect(performance.now() - start).toBeLessThan(1_500);
        }
        await rename(90);
        expect(await bpmOf(1)).toBe('90');
        expect(store.isReachable()).toBe(true);
      } finally {
        if (how === 'dies') await standby.start();
        else standby.resume();
      }
      await until(() => log.lines.length === 2);
      expect(log.lines).toEqual([
        'error: the database cannot be reached',
        'info: the database is back',
      ]);
    },
  );

  it('an index is read from the replica, and newer changes from the log of the primary', async () => {
    await open();
    await sql(standby.url, 'SELECT pg_wal_replay_pause()');
    const clock = { now: () => Date.now() };
    const replica = await openPostgresReplica({ url, replicaUrl, pool: 2, clock, log });
    try {
      await importAll(store, deliveries(500, 520));
      await importAll(store, [delivery(3, { bpm: '88' })]);
      await store.catalog.setState(trackId(4), 'taken_down', BY);
      const head = await replica.changes.head();
      expect(head).toBeLessThan(await store.changes.head());
      const entries = new Map<string, IndexEntry>();
      for await (const slice of replica.catalog.allIndexEntries()) {
        for (const entry of slice) entries.set(entry.id, entry);
      }
      expect(entries.has(trackId(4))).toBe(true);
      expect(entries.has(trackId(510))).toBe(false);
      const changes = await store.changes.since(head, ['track'], 10_000);
      const changed = [...new Set(changes.map(({ entityId }) => entityId))];
      for (const id of changed) entries.delete(id);
      for (const entry of await store.catalog.indexEntries(changed)) entries.set(entry.id, entry);
      const wanted: IndexEntry[] = [];
      for await (const slice of store.catalog.allIndexEntries()) wanted.push(...slice);
      const byNo = (a: IndexEntry, b: IndexEntry) => a.rowId - b.rowId;
      expect([...entries.values()].sort(byNo)).toEqual(wanted.sort(byNo));
      await expect(replica.catalog.setState(trackId(1), 'taken_down', BY)).rejects.toThrow(
        /read-only/,
      );
    } finally {
      await sql(standby.url, 'SELECT pg_wal_replay_resume()');
      await replica.close();
    }
  });

  it('that is unavailable, a node starts', async () => {
    const away = new URL(replicaUrl);
    away.port = '1';
    log = recordingLog();
    store = await openOn(url, { replicaUrl: away.href, log });
    expect(log.lines).toEqual([UNUSED]);
    expect(await store.catalog.documents([2])).toMatchObject([{ id: trackId(1) }]);
  });
});
