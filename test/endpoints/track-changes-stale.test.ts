import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deliveries, delivery } from '../harness/catalog.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { startTestServer } from '../harness/test-server.ts';
import { readerOf } from './changes-support.ts';

it('a request that waits for changes gets 503 when its node becomes stale', async () => {
  const server = await startTestServer({
    tracks: deliveries(3),
    config: { staleLimitSeconds: 2 },
  });
  try {
    const { config, clock } = server;
    const location = config.database?.url ?? join(config.dataFolder, 'stave.db');
    const adapter = ADAPTERS.find(({ isServer }) => isServer === ON_POSTGRES)!;
    await using database = await openDatabase(adapter, location, clock);
    // Where the node reads the end of the change log.
    const head = ON_POSTGRES ? 'change_log_head' : 'change_log';
    const health = async () => (await server.http.send('GET', '/health-check')).status;

    const reader = await readerOf(server);
    const cursor = await reader.end();
    const waiting = reader.call({ cursor, wait: 30 });
    await server.until(async () =>
      server.service.metrics.render().includes('\nstave_changes_waiting 1\n'),
    );
    await database.run(`ALTER TABLE ${head} RENAME TO elsewhere`);
    const { status, error, headers } = await waiting;
    expect({ status, type: error.type }).toEqual({ status: 503, type: 'unavailable' });
    expect(headers['retry-after']).toBe('1');
    expect(await health()).toBe(503);
    expect((await reader.call({ cursor, wait: 30 })).status).toBe(503);

    await database.run(`ALTER TABLE elsewhere RENAME TO ${head}`);
    await server.until(async () => (await health()) === 200);
    await server.deliver([delivery(3)]);
    const { data } = await reader.call({ cursor, wait: 30 });
    expect(data.items).toHaveLength(1);
  } finally {
    await server.close();
  }
});
