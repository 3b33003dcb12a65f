import pg from 'pg';
import { afterEach, describe, it } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { createDatabase, POSTGRES_URL } from '../harness/services.ts';
import { trackId } from '../harness/stores.ts';
import { startTestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

const disposals: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose();
});

describe.skipIf(POSTGRES_URL === undefined)('a node that cannot follow the change log', () => {
  it.each([
    ['catalog', 'tracks', 'track', 'updated'],
    ['licenses', 'licenses', 'license', 'created'],
  ])('is stale if its follower of the %s is blocked', async (follower, table, ...change) => {
    const own = await createDatabase();
    disposals.push(() => own.drop());
    const port = await freePort();
    const server = await startTestServer({
      config: {
        database: { url: own.url, pool: 4 },
        metrics: { host: '127.0.0.1', port },
        staleLimitSeconds: 2,
      },
    });
    disposals.push(() => server.close());
    const health = async () => (await server.http.send('GET', '/health-check')).status;
    const unconfirmed = async (name: string) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const line = new RegExp(`^stave_position_unconfirmed_seconds{follower="${name}"} (.+)$`, 'm');
      return Number(line.exec(text)![1]);
    };
    await until(async () => (await health()) === 200);
    const connection = new pg.Client({ connectionString: own.url });
    await connection.connect();
    disposals.push(() => connection.end());
    await connection.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
    await connection.query(
      `WITH head AS (UPDATE change_log_head SET seq = seq + 1 RETURNING seq)
       INSERT INTO change_log (seq, at, entity, kind, entity_id, by)
       SELECT seq, $1, $2, $3, $4, 'test' FROM head`,
      // A change of 1970 would be deleted by the node as expired, perhaps before the follower reads it.
      [Date.now(), ...change, trackId(1)],
    );
    await until(async () => (await unconfirmed(follower)) > 2 && (await health()) === 503);
    await until(async () => (await unconfirmed('access')) < 1);
    await connection.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
    await until(async () => (await health()) === 200);
    await until(async () => (await unconfirmed(follower)) < 1);
  });
});
