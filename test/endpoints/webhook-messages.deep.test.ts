import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/features/webhooks/webhook.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ tracks: [delivery(0)] });
});
afterAll(() => server?.close());

it('messages are verified by the reference library, match the document, and form whole chains', async () => {
  await using receiver = await startReceiver();
  const features = ['webhooks', 'changes', 'saved-searches'];
  const client = await server.createClient({ scopes: features, features });
  const token = await client.token();
  const body = { url: receiver.url, eventTypes: EVENT_TYPES };
  const { data: webhook } = await server.call('createWebhook', { token, body });
  const of = (type: string) =>
    receiver
      .verified(webhook.secret)
      .filter((message) => message.type === type)
      .sort((a, b) => a.data.seq - b.data.seq);
  const arrived = (type: string) => server.until(async () => of(type).length > 0);

  const search = { name: 'All', search: {}, notify: true };
  const saved = await server.call('createSavedSearch', { token, body: search });
  await server.deliver(deliveries(3));
  await arrived('track.created');
  await server.deliver([{ ...delivery(1), name: 'Another name' }]);
  await arrived('track.updated');
  const created = await server.call('createCollection', {
    token,
    body: { name: 'C', tracks: [delivery(1).id] },
  });
  await arrived('collection.updated');
  const params = { id: created.data.id };
  await server.call('deleteCollection', { token, params, headers: { 'If-Match': '*' } });
  await server.until(async () => of('collection.updated').length > 1);

  await arrived('saved_search.matched');
  for (const message of receiver.verified(webhook.secret)) {
    expect(server.contract.messageProblems(message), JSON.stringify(message)).toEqual([]);
  }
  const [first] = of('track.created');
  expect(first.data).toMatchObject({ mode: 'test', count: 2, truncated: false, previousSeq: 0 });
  const [matched] = of('saved_search.matched');
  expect(matched.data).toMatchObject({ mode: 'test', savedSearchId: saved.data.id, count: 2 });
  const [made, deleted] = of('collection.updated').map(({ data }) => data);
  expect(deleted).toMatchObject({ change: 'deleted', previousSeq: made.seq });
});
