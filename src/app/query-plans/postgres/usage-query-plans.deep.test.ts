import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, NOW, report, stream } from '../../../../test/contract/usage-support.ts';
import { TestClock } from '../../../../test/harness/clock.ts';
import { deliveries, importAll } from '../../../../test/harness/deliveries.ts';
import { openOn } from '../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../test/harness/services.ts';
import { newId } from '../../../common/ids.ts';
import type { KeyClaim } from '../../../engines/idempotency/idempotency.ts';
import type { Store } from '../../../features/store.ts';
import { SUMMARY_GROUPS } from '../../../features/usage/usage.ts';
import { type Statement, scansOf, statementsOf } from './query-plans.test-support.ts';

const CLIENTS = 40;
const KEYS = 20_000;
const TRACKS = 100_000;
/** The tables that grow with each report and each key, and their partitions. */
const isLarge = (table: string) =>
  /^(usage_(event|day|track)|productions|idempotency_)/.test(table);

describe.skipIf(POSTGRES_URL === undefined)('a store with many reports and keys', () => {
  let place: TestDatabase;
  let store: Store;
  let client: pg.Client;
  const clock = new TestClock();
  const clients = Array.from({ length: CLIENTS }, newId);
  const clientId = clients[7]!;
  const production = { id: 'p7', title: 'P' };
  const sync = (eventId: string, track: number, id: string) =>
    stream(eventId, track, {
      type: 'sync',
      production: { ...production, id },
      cue: { startSeconds: 1, usage: 'BI' },
    });

  beforeAll(async () => {
    place = await createDatabase();
    store = await openOn(place.url, { clock });
    await importAll(store, deliveries(0, 500));
    for (const one of clients) {
      const events = Array.from({ length: 500 }, (_, n) =>
        n % 5 === 0
          ? sync(`e${n}`, n, `p${n}`)
          : stream(`e${n}`, n, { occurredAt: NOW - (n % 6) * DAY_MS }),
      );
      await store.usage.report(report(events, { clientId: one }));
    }
    client = new pg.Client({ connectionString: place.url });
    await client.connect();
    await client.query(`
      INSERT INTO idempotency_keys (client_id, mode, key, fingerprint, state, claimed_until, status, headers, body, created_at)
      SELECT '${clientId}', 'live', 'key' || n, sha256(n::text::bytea), 'done', 0, 200, '{}', '{}', ${clock.now()} + n
      FROM generate_series(1, ${KEYS}) AS n;
      INSERT INTO usage_tracks (track_row_id, id, name, isrc)
      SELECT 1000 + n, gen_random_uuid()::text, 'T', '' FROM generate_series(1, ${TRACKS}) AS n;
      INSERT INTO usage_track_sums (source_row_id, first_day, last_day, purges, events, sums)
      SELECT 1000 + n, 1, 1, 0, 1, '' FROM generate_series(1, ${KEYS}) AS n;
      ANALYZE;
      SET jit = off`);
  }, 120_000);
  afterAll(async () => {
    await client?.end();
    await store?.close();
    await place?.drop();
  });

  /** Returns the scans of statements that only transactions of writes execute. */
  async function scansOfWrites(statements: readonly Statement[]): Promise<string[]> {
    await client.query('SET enable_seqscan = off');
    const scans = await scansOf(client, statements, isLarge);
    await client.query('RESET enable_seqscan');
    return scans;
  }

  it('writes reported use by indexes', async () => {
    const statements = await statementsOf(async () => {
      const events = [stream('e1', 1), stream('new', 2), sync('sync', 3, production.id)];
      await store.usage.report(report(events, { clientId }));
    });
    expect(statements.length).toBeGreaterThan(4);
    expect(await scansOfWrites(statements)).toEqual([]);
  });

  it('reads reported use by indexes', async () => {
    const statements = await statementsOf(async () => {
      const [from, to] = [Math.floor(NOW / DAY_MS) - 6, Math.floor(NOW / DAY_MS)];
      for (const groupBy of SUMMARY_GROUPS) {
        await store.usage.summary({ clientId, mode: 'live', from, to, groupBy });
      }
      await store.usage.prepareSummaries();
      await store.cueSheets.productionOf(clientId, 'live', production.id);
    });
    expect(statements.length).toBeGreaterThan(5);
    expect(await scansOf(client, statements, isLarge)).toEqual([]);
  });

  it('finds idempotency keys by indexes', async () => {
    const statements = await statementsOf(async () => {
      const fingerprint = createHash('sha256').digest();
      const request = { clientId, mode: 'live', key: 'new', fingerprint } as const;
      const { idempotency } = store;
      await idempotency.release((await idempotency.claim(request)) as KeyClaim);
      await idempotency.claim(request);
      const response = { status: 200, headers: {}, body: Buffer.from('{}') };
      clock.advance(60);
      const claim = (await idempotency.claim(request)) as KeyClaim;
      await idempotency.keep(claim, response);
      await idempotency.claim(request);
      await idempotency.expire();
    });
    const written = ['insert', 'update', 'delete'].map((verb) =>
      statements.filter(
        ({ text }) => text.includes(`${verb} `) && text.includes('idempotency_keys'),
      ),
    );
    expect(written.map(({ length }) => length)).toEqual([1, 2, 2]);
    const isExpiry = ({ text }: Statement) => text.includes(' limit ');
    const calls = statements.filter((one) => !isExpiry(one));
    expect(await scansOf(client, calls, isLarge)).toEqual([]);
    const expiry = statements.filter(isExpiry);
    expect(expiry).toHaveLength(1);
    expect(await scansOfWrites(expiry)).toEqual([]);

    // The check detects a scan.
    const scan = { text: 'SELECT FROM idempotency_keys WHERE status = $1', values: [200] };
    expect(await scansOf(client, [scan], isLarge)).toHaveLength(2);
    expect(await scansOfWrites([scan])).toHaveLength(2);
  });
});
