import { expect, it } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import { openStoreOf, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { until } from '../harness/until.ts';
import { allRows } from './reported-use.ts';

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
const TABLES = [
  'webhooks',
  'webhook_secrets',
  'webhook_position',
  'webhook_chains',
  'webhook_deliveries',
  'webhook_attempts',
];

/** Fills a data folder with a webhook, a message that waits, and one that had an attempt. */
async function filled(data: string) {
  const terms = ['--scopes', 'tracks', '--features', 'webhooks'];
  const { clientId } = await staveJson(data, ['clients', 'create', '--name', 'Acme', ...terms]);
  const me = { actor: `client:${clientId}`, clientId, mode: 'live' } as const;
  const store = await openStoreOf(data);
  await importAll(store, deliveries(0, 1));
  await store.webhooks.create(
    {
      id: ID,
      url: 'https://127.0.0.1/hook',
      eventTypes: ['track.created'],
      description: '',
      referencedOnly: false,
      secret: Buffer.alloc(32, 1),
    },
    me,
  );
  await store.webhookFanOut.begin({ epoch: 'before', seq: await store.changes.head() });
  await store.webhookDeliveries.ping(ID, me);
  await store.webhookDeliveries.ping(ID, me);
  const [endpoint] = await store.webhookSending.dueEndpoints(Number.MAX_SAFE_INTEGER);
  const { rowId: webhookRowId } = endpoint!;
  const now = Date.parse('2026-11-23T00:00:00Z');
  const claim = { limit: 1, ms: 1 };
  const [message] = await store.webhookSending.claim(webhookRowId, Number.MAX_SAFE_INTEGER, claim);
  const attempt = { at: now, durationMs: 1, httpStatus: 500, error: null, response: 'no' };
  await store.webhookSending.record([
    {
      ...{ ...attempt, deliveryRowId: message!.rowId, webhookRowId, endedAt: now },
      ...{ outcome: 'pending', nextAt: now + 4e10 },
    },
  ]);
  return { store, me };
}

async function webhookRows(store: Store) {
  const rows = await allRows(store);
  return Object.fromEntries(TABLES.map((name) => [name, rows[name]]));
}

it('a restore discards the messages that waited in the backup, and none that is made later', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const { store, me } = await filled(data);
  const rows = await webhookRows(store);
  expect(TABLES.map((name) => rows[name]!.length)).toEqual([1, 1, 1, 1, 2, 1]);
  await store.close();
  await staveJson(data, ['backup', folder.at('backup')]);
  const restored = folder.at('restored');
  await staveJson(restored, ['restore', folder.at('backup')]);
  const copy = await openStoreOf(restored);
  const copied = await webhookRows(copy);
  for (const name of ['webhook_secrets', 'webhook_attempts']) {
    expect(copied[name]).toEqual(rows[name]);
  }
  const page = { offset: 0, limit: 9 };
  const shown = async () => (await copy.webhookDeliveries.list(ID, me, page)).deliveries;
  const waited = await shown();
  expect(waited.map(({ status }) => status)).toEqual(['discarded', 'discarded']);
  // None was sent before.
  expect(waited.map(({ attemptCount }) => attemptCount).sort()).toEqual([0, 1]);

  const ping = await copy.webhookDeliveries.ping(ID, me);
  await using _ = await serve(restored);
  await until(async () => (await shown())[0]!.attemptCount > 0, 'the ping to be sent');
  expect((await shown())[0]).toMatchObject({ id: ping.deliveryId, status: 'pending' });
  await copy.close();
});
