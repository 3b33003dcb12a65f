import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { EVENT_TYPES } from '../../src/features/webhooks/webhook.ts';
import type { CallOptions } from '../harness/call.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { NO_RECEIVER } from '../harness/webhooks.ts';

const ANY_VERSION = { 'If-Match': '*' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
/** A public address, which nothing in this file sends to. */
const PUBLIC = 'https://93.184.216.34/hook';

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  client = await newClient();
});
afterAll(() => server?.close());

const newClient = (of = server) => of.createClient({ features: ['webhooks'] });

async function call(operation: string, options: CallOptions = {}) {
  return server.call(operation, { token: await client.token(), ...options });
}

async function create(options: CallOptions = {}): Promise<string> {
  const body = { url: NO_RECEIVER, eventTypes: ['track.created'] };
  const { data } = await call('createWebhook', { body, ...options });
  return data.id;
}

async function remove(id: string): Promise<void> {
  await call('deleteWebhook', { params: { id }, headers: ANY_VERSION });
}

describe('a webhook', () => {
  it('is one of ten at most in each mode', async () => {
    const other = await newClient();
    const token = await other.token();
    for (let i = 0; i < 10; i++) await create({ token });
    const body = { url: NO_RECEIVER, eventTypes: ['track.created'] };
    const { status, error } = await call('createWebhook', { token, body });
    expect({ status, type: error.type }).toEqual({ status: 409, type: 'conflict' });
    expect(await create({ token: await other.token({ mode: 'live' }) })).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('of another client or mode is as unknown as one that does not exist', async () => {
    const id = await create();
    const asked = async (token: string, of: string) => {
      const { status, body } = await call('showWebhook', { token, params: { id: of } });
      return {
        status,
        body: body
          .toString()
          .replace(/"requestId":"[^"]+"/, '')
          .replace(of, ''),
      };
    };
    const unknown = await asked(await client.token(), UNKNOWN);
    expect(unknown.status).toBe(404);
    expect(await asked(await client.token({ mode: 'live' }), id)).toEqual(unknown);
    expect(await asked(await (await newClient()).token(), id)).toEqual(unknown);
    await remove(id);
    expect(await asked(await client.token(), id)).toEqual(unknown);
  });

  it('is changed in the current version only', async () => {
    const params = { id: (await create()).toUpperCase() };
    const edit = (headers = {}) =>
      call('updateWebhook', { params, headers, body: { description: 'New' } });
    expect((await edit()).error.type).toBe('precondition_required');
    expect((await edit({ 'If-Match': '"1"' })).headers.etag).toBe('"2"');
    expect((await edit({ 'If-Match': '"1"' })).error.type).toBe('precondition_failed');
    const { error } = await call('updateWebhook', { params, headers: ANY_VERSION, body: {} });
    expect(error.type).toBe('invalid_request');
    await remove(params.id);
  });

  it.each(['Bearer ä', ' Bearer one', 'Bearer one\r\nX-Other: two', 'x'.repeat(2_001)])(
    'has no authorization %j',
    async (authorization) => {
      const body = { url: NO_RECEIVER, eventTypes: ['track.created'], authorization };
      const { status, error } = await call('createWebhook', { body });
      expect([status, error.details]).toEqual([
        400,
        [
          {
            field: 'authorization',
            message:
              'authorization must have at most 2000 printable ASCII characters, and no space at its ends',
          },
        ],
      ]);
    },
  );

  it('is told how its authorization is removed', async () => {
    const params = { id: await create() };
    const { error } = await call('updateWebhook', {
      params,
      headers: ANY_VERSION,
      body: { authorization: null },
    });
    expect(error.message).toBe('authorization must not be null; send "" to remove it.');
    await remove(params.id);
  });

  it.each([{}, { 'Content-Type': 'application/x-www-form-urlencoded' }])(
    'gets a ping and another secret by an empty body: %j',
    async (headers) => {
      const params = { id: await create() };
      const key = { 'Idempotency-Key': newId(), ...headers };
      const ping = await call('pingWebhook', { params, headers: key });
      expect(ping.status).toBe(202);
      const again = await call('pingWebhook', {
        params,
        headers: { 'Idempotency-Key': key['Idempotency-Key'] },
        body: {},
      });
      expect(again.data).toEqual(ping.data);
      const rotated = await call('rotateSecret', { params, headers, body: '' });
      expect(rotated.data.previousValidUntil).not.toBeNull();
      expect((await call('simulateWebhook', { params })).error.message).toContain('is empty');
      await remove(params.id);
    },
  );

  it('that the operator disabled is not enabled by its client', async () => {
    const id = await create();
    const edit = (enabled: boolean) =>
      call('updateWebhook', { params: { id }, headers: ANY_VERSION, body: { enabled } });
    await server.operator.store.webhooks.setEnabled(id, false, 'test:harness');
    expect((await edit(true)).error.type).toBe('conflict');
    const { data } = await call('showWebhook', { params: { id } });
    expect(data).toMatchObject({ enabled: false, disabledReason: 'operator' });
    expect((await call('pingWebhook', { params: { id }, body: {} })).error.type).toBe('conflict');
    await server.operator.store.webhooks.setEnabled(id, true, 'test:harness');
    expect((await edit(false)).data).toMatchObject({ enabled: false, disabledReason: null });
    expect((await edit(true)).data.enabled).toBe(true);
    await remove(id);
  });
});

describe('a secret', () => {
  it.each([
    ['createWebhook', { body: { url: NO_RECEIVER, eventTypes: ['track.created'] } }],
    ['rotateSecret', { body: {} }],
  ])('of %s is shown once, also to a repeated request', async (operation, options) => {
    const id = await create();
    const keyed = { ...options, params: { id }, headers: { 'Idempotency-Key': newId() } };
    const first = await call(operation, keyed);
    const second = await call(operation, keyed);
    const { secret, ...others } = first.data;
    expect(secret).toMatch(/^whsec_/);
    expect(second).toMatchObject({ status: first.status, data: others });
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.body.toString()).not.toContain('whsec_');
    await remove(id);
    if (first.data.id) await remove(first.data.id);
  });

  it('that was replaced stays valid for a day, unless it is revoked', async () => {
    const params = { id: await create() };
    const rotate = (body = {}) => call('rotateSecret', { params, body });
    const { data } = await rotate();
    const validFor = Date.parse(data.previousValidUntil) - server.clock.now();
    expect(Math.round(validFor / 3_600_000)).toBe(24);
    await rotate();
    await rotate();
    expect((await rotate()).error.type).toBe('conflict');
    expect((await rotate({ revokePrevious: true })).data.previousValidUntil).toBeNull();
    await remove(params.id);
  });
});

describe('deliveries', () => {
  it('are listed by status and type, and found under their own webhook only', async () => {
    const [id, other] = [await create(), await create()];
    const { data } = await call('pingWebhook', { params: { id }, body: {} });
    await call('simulateWebhook', { params: { id }, body: { type: 'license.issued' } });
    const typesOf = async (query: Record<string, string>) =>
      (await call('listWebhookDeliveries', { params: { id }, query })).data.items.map(
        ({ type }: { type: string }) => type,
      );
    expect(await typesOf({})).toEqual(['license.issued', 'webhook.ping']);
    expect(await typesOf({ type: 'license.issued' })).toEqual(['license.issued']);
    expect(await typesOf({ status: 'delivered' })).toEqual([]);
    const params = { id: other, deliveryId: data.deliveryId };
    const elsewhere = await call('showWebhookDelivery', { params });
    expect(elsewhere.error.type).toBe('not_found');
    await remove(id);
    await remove(other);
  });

  it.each(EVENT_TYPES)('can be simulated: %s', async (type) => {
    const params = { id: await create() };
    const trackId = newId();
    const { data } = await call('simulateWebhook', { params, body: { type, trackId } });
    const delivery = await call('showWebhookDelivery', { params: { ...params, ...data } });
    const { payload } = delivery.data;
    expect(payload).toMatchObject({ type, data: { mode: 'test', simulated: true } });
    expect(JSON.stringify(payload)).not.toMatch(/"(?:seq|previousSeq|fromSeq)"/);
    if (type.startsWith('track.')) expect(payload.data.items).toMatchObject([{ trackId }]);
    expect(server.contract.messageProblems(payload)).toEqual([]);
    await remove(params.id);
  });

  it('are simulated in test mode only', async () => {
    const token = await client.token({ mode: 'live' });
    const params = { id: await create({ token }) };
    const body = { type: 'track.created' };
    const { error } = await call('simulateWebhook', { token, params, body });
    expect(error.type).toBe('conflict');
  });

  it('are not replayed before the beginning of a time, or for unknown webhooks', async () => {
    const id = await create();
    const replay = (of: string, body: object) =>
      call('replayWebhook', { params: { id: of }, body });
    const { error } = await replay(id, {
      from: '2026-11-21T00:00:00Z',
      to: '2026-11-20T00:00:00Z',
    });
    expect(error.details).toEqual([{ field: 'to', message: 'to must not be before from' }]);
    const from = '2026-11-21T00:00:00Z';
    expect((await replay(id, { from, to: from })).data.count).toBe(0);
    expect((await replay(UNKNOWN, { from })).error.type).toBe('not_found');
    await remove(id);
  });
});

describe('where webhooks may go only to public addresses', () => {
  let strict: TestServer;
  let token: string;
  beforeAll(async () => {
    strict = await startTestServer({ tracks: [], config: { webhookTargets: 'public' } });
    token = await (await newClient(strict)).token();
  });
  afterAll(() => strict?.close());

  const NOT_PUBLIC = 'url must resolve to a public address';

  it.each([
    ['http://example.org', 'url must be an https URL'],
    ['https://127.0.0.1', NOT_PUBLIC],
    ['https://0x7f000001', NOT_PUBLIC],
    ['https://127.1', NOT_PUBLIC],
    ['https://[::ffff:10.0.0.1]', NOT_PUBLIC],
    ['https://no-such-name.invalid', `${NOT_PUBLIC}; no address of its host name was found`],
    ['https://a:b@x.org', 'url must not contain a user or a password'],
    ['https://x.org/#a', 'url must not contain a fragment'],
  ])('%s is refused when it is created, and when it is changed', async (url, message) => {
    const details = [{ field: 'url', message }];
    const eventTypes = ['track.created'];
    const created = await strict.call('createWebhook', { token, body: { url, eventTypes } });
    expect(created.error).toMatchObject({ code: 400, type: 'invalid_request', details });
    const params = { id: UNKNOWN };
    const changed = await strict.call('updateWebhook', {
      token,
      params,
      headers: ANY_VERSION,
      body: { url },
    });
    expect(changed.error).toMatchObject({ code: 400, type: 'invalid_request', details });
  });

  it.each([
    [{ url: PUBLIC, eventTypes: [] }, 'eventTypes'],
    [{ url: PUBLIC, eventTypes: ['webhook.ping'] }, 'eventTypes[0]'],
    [{ url: PUBLIC, eventTypes: ['track.created', 'track.created'] }, 'eventTypes'],
    [{ url: PUBLIC }, 'eventTypes'],
    [{ url: PUBLIC, eventTypes: ['track.created'], secret: 'mine' }, 'secret'],
    [{ url: PUBLIC, eventTypes: ['track.created'], description: 'a'.repeat(201) }, 'description'],
  ])('%j is refused', async (body, field) => {
    const { error } = await strict.call('createWebhook', { token, body });
    expect(error.details!.map((problem) => problem.field)).toEqual([field]);
  });

  it('a public address is accepted, and nothing refused was stored', async () => {
    const body = { url: PUBLIC, eventTypes: ['track.created'] };
    expect((await strict.call('createWebhook', { token, body })).status).toBe(201);
    const { data } = await strict.call('listWebhooks', { token });
    expect(data.items).toMatchObject([{ url: PUBLIC }]);
  });
});
