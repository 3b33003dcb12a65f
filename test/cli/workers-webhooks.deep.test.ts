import { expect, it } from 'vitest';
import { type Json, openStoreOf, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';
import { TWO } from './workers-support.ts';

it('one of several workers sends each message to webhooks', async () => {
  using folder = temporaryFolder();
  await using receiver = await startReceiver();
  const data = folder.at('data');
  const create = ['clients', 'create', '--name', 'Acme', '--scopes', 'tracks,webhooks'];
  const { clientId }: Json = await staveJson(data, [...create, '--features', 'webhooks']);
  const serving = await serve(data, { STAVE_WEBHOOK_TARGETS: 'any' }, TWO);
  const store = await openStoreOf(data);
  try {
    const id = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
    const webhook = { id, url: receiver.url, description: '', referencedOnly: false };
    await store.webhooks.create(
      { ...webhook, eventTypes: ['track.created'], secret: Buffer.alloc(32, 1) },
      { actor: `client:${clientId}`, clientId, mode: 'live' },
    );
    for (let n = 0; n < 20; n++) await store.webhookDeliveries.ping(id, 'operator');
    await until(async () => (await store.webhookSending.pending()) === 0);
    expect(receiver.received).toHaveLength(20);
  } finally {
    await store.close();
    await serving.stop();
  }
});
