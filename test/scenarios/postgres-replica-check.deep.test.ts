import { afterEach, describe, expect, it } from 'vitest';
import type { AppContext } from '../../src/app/context.ts';
import { checkReplica } from '../../src/maintenance/doctor/check-catalog.ts';
import { openPostgresReplica } from '../../src/storage/postgres/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { delivery, importAll } from '../harness/deliveries.ts';
import {
  canStartPostgres,
  type PostgresServer,
  startPostgres,
} from '../harness/postgres-server.ts';
import { openOn, recordingLog } from '../harness/postgres-store.ts';
import { replayed, sql, UNUSED } from '../harness/replica.ts';
import { createDatabase } from '../harness/services.ts';
import { openLink } from '../harness/tcp-link.ts';
import { until } from '../harness/until.ts';

describe.skipIf(!canStartPostgres)(
  'a configured replica that does not belong to the primary',
  () => {
    const disposals: (() => PromiseLike<unknown>)[] = [];
    afterEach(async () => {
      for (const dispose of disposals.splice(0).toReversed()) await dispose();
    });

    async function server(
      settings: string[] = [],
      primary?: PostgresServer,
    ): Promise<PostgresServer> {
      const one = await startPostgres(settings, primary);
      disposals.push(() => one[Symbol.asyncDispose]());
      return one;
    }

    /** Returns the address with another port, and with another name of the database. */
    function elsewhere(url: string, port: number, name?: string): string {
      const other = new URL(url);
      other.port = String(port);
      if (name !== undefined) other.pathname = `/${name}`;
      return other.href;
    }

    /** Makes a database with that many tracks, whose tempo identifies the catalog. */
    async function catalog(on: PostgresServer, tracks: number, bpm: number): Promise<string> {
      const { url } = await createDatabase(on.url);
      const store = await openOn(url);
      await importAll(
        store,
        Array.from({ length: tracks }, (_, i) => delivery(i, { bpm: String(bpm) })),
      );
      await store.close();
      return url;
    }

    async function opened(url: string, replicaUrl: string, log = recordingLog()): Promise<Store> {
      const store = await openOn(url, { replicaUrl, log });
      disposals.push(() => store.close());
      return store;
    }

    async function bpms(store: Store, numbers: readonly number[]): Promise<(number | undefined)[]> {
      const documents = await store.catalog.documents(numbers);
      return documents.map((one) => one && Number(JSON.parse(`${one.json}}`).bpm));
    }

    /** Follows the change log like a node, so that the store knows the position of the log. */
    const follow = (store: Store) => store.changes.since(0, ['track'], 10_000);

    it('is not read, and the reason is logged: another catalog, an empty database, a copy', async () => {
      const primary = await server();
      const url = await catalog(primary, 30, 60);
      // Each is ahead of the primary in its log, so that the position does not reveal the difference.
      const other = await catalog(primary, 40, 61);
      const { url: empty } = await createDatabase(primary.url);
      const away = await server();
      const copy = await catalog(away, 40, 62);
      await (await opened(url, other)).close();
      const [setting] = await sql<{ value: string }>(
        url,
        "SELECT value FROM settings WHERE name = 'catalog_id'",
      );
      await sql(copy, `INSERT INTO settings VALUES ('catalog_id', '${setting!.value}')`);
      for (const [replicaUrl, reason] of [
        [other, /holds another catalog/],
        [empty, /holds no catalog of Stave/],
        [copy, /is no physical replica of it \(system identifier/],
      ] as const) {
        const log = recordingLog();
        const store = await opened(url, replicaUrl, log);
        expect(log.lines).toEqual([UNUSED]);
        expect(log.text()).toMatch(reason);
        expect(store.isReplicaUsed!()).toBe(false);
        await follow(store);
        expect(await bpms(store, [1, 30, 35])).toEqual([60, 60, undefined]);
        await expect(store.checkReplica!()).rejects.toThrow(reason);
        const options = { url, replicaUrl, pool: 2, clock: { now: () => Date.now() }, log };
        await expect(openPostgresReplica(options)).rejects.toThrow(reason);
      }
    });

    it('is never read while its URL leads to another catalog, and is read again afterwards', async () => {
      const primary = await server();
      const url = await catalog(primary, 30, 60);
      const standby = await server(['hot_standby=on'], primary);
      const other = await catalog(await server(), 40, 61);
      const { pathname } = new URL(url);
      // The name stays the same, as if the host name pointed to another server.
      await sql(
        elsewhere(other, Number(new URL(other).port), 'postgres'),
        `ALTER DATABASE ${new URL(other).pathname.slice(1)} RENAME TO ${pathname.slice(1)}`,
      );
      const link = await openLink(standby.port);
      disposals.push(() => link[Symbol.asyncDispose]());
      const log = recordingLog();
      const store = await opened(url, elsewhere(url, link.port), log);
      await follow(store);
      expect(store.isReplicaUsed!()).toBe(true);
      expect(await bpms(store, [1, 30])).toEqual([60, 60]);
      link.leadTo(Number(new URL(other).port));
      for (let i = 0; i < 50; i++)
        expect(await bpms(store, [1, 30, 35])).toEqual([60, 60, undefined]);
      await until(() => log.lines.includes(UNUSED));
      link.leadTo(standby.port);
      await until(async () => {
        expect(await bpms(store, [1, 30, 35])).toEqual([60, 60, undefined]);
        return store.isReplicaUsed!();
      });
      await until(() => log.lines.includes('info: the replica is used again'));
    });

    it('is not read after the primary was restored to an earlier moment', async () => {
      const primary = await server();
      const url = await catalog(primary, 30, 60);
      const standby = await server(['hot_standby=on'], primary);
      const link = await openLink(primary.port);
      disposals.push(() => link[Symbol.asyncDispose]());
      const replicaUrl = elsewhere(url, standby.port);
      const log = recordingLog();
      const store = await opened(elsewhere(url, link.port), replicaUrl, log);
      // A base backup, without what was written after it.
      const restored = await server(['hot_standby=on', 'primary_conninfo='], primary);
      await importAll(
        store,
        Array.from({ length: 40 }, (_, i) => delivery(i, { bpm: '99' })),
      );
      await until(() => replayed(url, replicaUrl));
      await sql(restored.url, 'SELECT pg_promote()');
      link.leadTo(restored.port);
      // One node started after the restore, and one before.
      const late = recordingLog();
      const another = await opened(elsewhere(url, link.port), replicaUrl, late);
      await follow(another);
      expect(await bpms(another, [1, 30, 35])).toEqual([60, 60, undefined]);
      expect(late.lines).toEqual([UNUSED]);
      expect(late.text()).toMatch(/is on timeline 1, and the primary on 2/);
      await until(async () => {
        const [first] = await bpms(store, [1]).catch(() => []);
        return first === 60 && log.lines.includes(UNUSED);
      });
      for (let i = 0; i < 20; i++)
        expect(await bpms(store, [1, 30, 35])).toEqual([60, 60, undefined]);
    });

    it('is not read after its promotion, or if its log has another history', async () => {
      const primary = await server();
      const url = await catalog(primary, 30, 60);
      const standby = await server(['hot_standby=on'], primary);
      const replicaUrl = elsewhere(url, standby.port);
      await (await opened(url, replicaUrl)).close();
      await until(() => replayed(url, replicaUrl));
      await sql(standby.url, 'SELECT pg_wal_replay_pause()');
      const change = (ms: number) =>
        sql(
          url,
          `UPDATE change_log SET at = at + ${ms} WHERE seq = (SELECT seq FROM change_log_head)`,
        );
      await change(1);
      const log = recordingLog();
      const store = await opened(url, replicaUrl, log);
      expect(log.lines).toEqual([UNUSED]);
      expect(log.text()).toMatch(/has another past: its change \d+ is not the primary's/);
      await change(-1);
      await until(async () => {
        await bpms(store, [1]);
        return store.isReplicaUsed!();
      });
      await sql(standby.url, 'SELECT pg_wal_replay_resume(), pg_promote()');
      await until(async () => {
        await bpms(store, [1]);
        return log.lines.length === 3;
      });
      expect(log.lines).toEqual([UNUSED, 'info: the replica is used again', UNUSED]);
      expect(log.text()).toMatch(/is on timeline 2, and the primary on 1/);
    });

    it('is examined by doctor', async () => {
      const primary = await server();
      const url = await catalog(primary, 30, 60);
      const standby = await server(['hot_standby=on'], primary);
      const other = await catalog(primary, 40, 61);
      const store = await opened(url, elsewhere(url, standby.port));
      await until(() => replayed(url, elsewhere(url, standby.port)));
      const context = (one: Store) => ({ store: one }) as AppContext;
      expect(await checkReplica(context(store))).toMatchObject({
        status: 'ok',
        detail: expect.stringMatching(/follows the database, 0 changes behind$/),
      });
      expect(await checkReplica(context(await opened(url, other)))).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining('holds another catalog'),
      });
      expect(await checkReplica(context(await openOn(url)))).toMatchObject({ status: 'ok' });
    });
  },
);
