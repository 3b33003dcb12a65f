import pg from 'pg';
import { expect, it } from 'vitest';
import { newSortableId } from '../../src/common/ids.ts';
import type { Client } from '../../src/features/access/client.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { withFanOut } from './webhook-fan-out-support.ts';

// On SQLite, no transaction begins while another one writes.
for (const adapter of ADAPTERS.filter(({ isServer }) => isServer)) {
  const open = harnessOf(adapter);

  it.each(['saved_search.matched', 'track.created'] as const)(
    `messages of %s wait for an edit of their endpoint on ${adapter.name}`,
    async (type) => {
      const { store, location, clock, me, create, run, sent } = await withFanOut(await open());
      const { id } = await create({ eventTypes: [type] });
      const search = { id: newSortableId(clock.now()), name: 'All', query: '{}', notify: true };
      await store.savedSearches.create(search, me);
      await importAll(store, deliveries(0, 1));
      const other = new pg.Client({ connectionString: location });
      await other.connect();
      // As an edit that is not committed yet.
      await other.query('BEGIN');
      await other.query('UPDATE webhooks SET enabled = false');
      let isDone = false;
      const running = run().then(() => {
        isDone = true;
      });
      await until(async () => isDone || (await isWaiting(other)));
      await other.query('DELETE FROM webhook_chains');
      await other.query('COMMIT');
      await other.end();
      await running;
      expect(await sent(id)).toEqual([]);
    },
  );

  it(`a feature that is switched on waits for messages that are being stored on ${adapter.name}`, async () => {
    const { store, location, client, create } = await withFanOut(await open());
    await create({ eventTypes: ['collection.updated'] });
    await store.clients.update(client.id, { features: ['webhooks'] }, BY);
    const other = new pg.Client({ connectionString: location });
    await other.connect();
    // As an append that is not committed yet.
    await other.query('BEGIN');
    await other.query('UPDATE webhooks SET position = position');
    let isDone = false;
    const features: Client['features'] = ['webhooks', 'saved-searches'];
    const changing = store.clients.update(client.id, { features }, BY).then(() => {
      isDone = true;
    });
    await until(async () => isDone || (await isWaiting(other)));
    expect(isDone).toBe(false);
    await other.query('COMMIT');
    await other.end();
    await changing;
    const [subscriber] = await store.webhookFanOut.subscribers();
    expect(subscriber!.chains.get('collection.updated')!.startSeq).toBe(await store.changes.head());
  });
}

/** Whether a transaction of the database waits for a lock. */
async function isWaiting(connection: pg.Client): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}
