import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateClient } from '../../src/features/access/clients.ts';
import type { CallOptions } from '../harness/call.ts';
import { deliveries } from '../harness/catalog.ts';
import { LICENSEE, publishCard, quoteBody } from '../harness/licensing.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const TRACKS = deliveries(4);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  await publishCard(server.operator.store);
});
afterAll(() => server?.close());

async function startClient() {
  const client = await server.createClient({ features: ['licensing'] });
  const limit = (spendingLimit: number | null) =>
    updateClient(server.operator, client.clientId, { spendingLimit });
  const call = async (operation: string, options: CallOptions = {}) =>
    server.call(operation, { token: await client.token(), ...options });
  const quote = async (track: number, members: object = {}, options: CallOptions = {}) => {
    // 100.00 EUR.
    const use = { media: ['online'], territories: ['DE'], tracks: [TRACKS[track]!.id] };
    return (await call('createQuote', { body: quoteBody({ ...use, ...members }), ...options }))
      .data;
  };
  const buy = (
    { id, termsVersion }: { id: string; termsVersion: string },
    options: CallOptions = {},
  ) =>
    call('createLicense', {
      body: { quoteId: id, termsVersion, licensee: LICENSEE },
      ...options,
    });
  return { limit, call, quote, buy };
}

it('a quote shows what is left of the spending limit, and a license beyond it is refused', async () => {
  const { limit, call, quote, buy } = await startClient();
  const first = await quote(0);
  expect(first).toMatchObject({ amountMinor: 10_000, remainingLimit: null });
  await limit(150);
  const second = await quote(1);
  expect(second.remainingLimit).toBe(15_000);
  expect((await buy(first)).status).toBe(201);
  const read = await call('showQuote', { params: { id: second.id } });
  expect(read.data.remainingLimit).toBe(5_000);
  const { data } = await call('listQuotes');
  expect(data.items).toMatchObject([{ remainingLimit: 5_000 }, { remainingLimit: 5_000 }]);

  const { status, error } = await buy(second);
  expect([status, error.type]).toEqual([409, 'conflict']);
  expect(error.message).toMatch(/costs 100\.00 EUR, and 50\.00 EUR is left of .* 150 EUR/);

  // A test request is of the month that it states.
  const headers = { 'X-Stave-Now': new Date(Date.now() + 40 * 86_400_000).toISOString() };
  const later = await quote(2, {}, { headers });
  expect(later.remainingLimit).toBe(15_000);
  expect((await buy(later, { headers })).status).toBe(201);
  const left = await call('showQuote', { params: { id: second.id } });
  expect(left.data.remainingLimit).toBe(5_000);
  await limit(null);
  expect((await buy(second)).status).toBe(201);
});

it('the purchase order of a quote is on its license', async () => {
  const { quote, buy, call } = await startClient();
  const purchaseOrder = 'PO 2026/0815 – Größe';
  const quoted = await quote(3, { purchaseOrder });
  expect(quoted.purchaseOrder).toBe(purchaseOrder);
  const { data } = await buy(quoted);
  expect(data.purchaseOrder).toBe(purchaseOrder);
  const certified = Buffer.from(data.certificate.split('.')[1], 'base64url').toString();
  expect(certified).not.toContain('0815');
  const verified = await call('verifyLicense', { params: { number: data.number } });
  expect(JSON.stringify(verified.data)).not.toContain('0815');
  const { data: without } = await buy(await quote(2));
  expect(without.purchaseOrder).toBeNull();
});

it.each([
  ['', '1 to 100'],
  ['x'.repeat(101), '1 to 100'],
  ['PO\u0085', 'control'],
  [null, 'not be null'],
  [4711, '1 to 100'],
])('a quote with the purchase order %j is refused', async (purchaseOrder, message) => {
  const { call } = await startClient();
  const body = quoteBody({ tracks: [TRACKS[0]!.id], purchaseOrder });
  const { status, error } = await call('createQuote', { body });
  expect([status, error.details]).toMatchObject([400, [{ field: 'purchaseOrder' }]]);
  expect(error.message).toContain(message);
});
