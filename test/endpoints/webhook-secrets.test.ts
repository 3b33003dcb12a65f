import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { CallOptions } from '../harness/call.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';

/** All stored responses to requests with a key, and on SQLite all else that is stored as text. */
async function stored({ config }: TestServer): Promise<string> {
  if (config.database === null) {
    const files = ['stave.db', 'stave.db-wal'].map((name) => join(config.dataFolder, name));
    return files
      .filter(existsSync)
      .map((file) => readFileSync(file, 'latin1'))
      .join('');
  }
  const client = new pg.Client({ connectionString: config.database.url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT encode(body, 'escape') AS body, headers::text AS headers FROM idempotency_keys
       UNION ALL SELECT encode(sealed_authorization, 'escape'), url FROM webhooks`,
    );
    return JSON.stringify(rows);
  } finally {
    await client.end();
  }
}

it('a secret is in no response but the first, in no stored response, and in no line of the log', async () => {
  const lines: string[] = [];
  const note = (...given: unknown[]) => {
    const text = (_: string, value: unknown) =>
      value instanceof Error ? { ...value, stack: value.stack } : value;
    lines.push(JSON.stringify(given, text));
  };
  const log = { debug: note, info: note, warn: note, error: note };
  const server = await startTestServer({ tracks: [], log });
  onTestFinished(() => server.close());
  await using receiver = await startReceiver({ statusOf: (_, n) => (n % 2 === 0 ? 204 : 500) });
  const token = await (await server.createClient({ features: ['webhooks'] })).token();
  const responses: string[] = [];
  const call = async (operation: string, options: CallOptions = {}) => {
    const response = await server.call(operation, { token, ...options });
    responses.push(`${JSON.stringify(response.headers)} ${response.body}`);
    return response;
  };
  const authorization = 'Bearer open-sesame';
  const body = { url: receiver.url, eventTypes: ['track.created'], authorization };
  const creating = { body, headers: { 'Idempotency-Key': newId() } };
  const { data: webhook } = await call('createWebhook', creating);
  const params = { id: webhook.id };
  const rotating = { params, body: {}, headers: { 'Idempotency-Key': newId() } };
  const { data: rotated } = await call('rotateSecret', rotating);
  const secrets: string[] = [webhook.secret, rotated.secret];
  expect(webhook.hasAuthorization).toBe(true);
  // The first responses.
  responses.splice(0);
  await call('createWebhook', creating);
  await call('rotateSecret', rotating);
  await call('listWebhooks');
  await call('showWebhook', { params });
  const { data: ping } = await call('pingWebhook', { params, body: {} });
  await server.until(async () => receiver.received.length > 1);
  expect(receiver.received[0]!.headers).toMatchObject({ authorization });
  await call('listWebhookDeliveries', { params });
  await call('showWebhookDelivery', { params: { ...params, ...ping } });
  const headers = { 'If-Match': '*' };
  await call('updateWebhook', { params, headers, body: { description: 'New' } });
  await call('replayWebhook', { params, body: { from: '2026-01-01T00:00:00Z', status: 'all' } });
  await call('simulateWebhook', { params, body: { type: 'track.created' } });
  await call('deleteWebhook', { params, headers });
  const text = await stored(server);
  expect(text).toContain(webhook.id);
  expect(responses).toHaveLength(11);
  const everywhere = [...responses, ...lines, text, JSON.stringify(webhook)].join('\n');
  expect(everywhere).not.toContain('open-sesame');
  for (const secret of secrets) {
    const bare = secret.slice('whsec_'.length);
    const forms = [bare, Buffer.from(bare, 'base64').toString('hex')];
    for (const form of forms) {
      expect(responses.join('\n')).not.toContain(form);
      expect(lines.join('\n')).not.toContain(form);
      expect(text).not.toContain(form);
    }
  }
});
