import { afterAll, beforeAll, expect, it } from 'vitest';
import { derivedId } from '../../src/common/ids.ts';
import type { CallOptions } from '../harness/call.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { LICENSEE, publishCard, quoteBody } from '../harness/licensing.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

/** The longest name, in UTF-8 as long as one can be. */
const LONG = '夜'.repeat(1_000);
const TRACKS = 100;

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({
    tracks: deliveries(2 * TRACKS).map((track, n) => ({
      ...track,
      name: LONG,
      artists: Array.from({ length: n < TRACKS ? 1 : 8 }, (_, i) => ({
        ...track.artists[0]!,
        id: derivedId('long', `${n} ${i}`),
        name: `${i}${LONG.slice(1)}`,
        isPrimary: i === 0,
      })),
    })),
  });
  client = await server.createClient({ features: ['licensing'] });
  await publishCard(server.operator.store);
});
afterAll(() => server?.close());

async function call(operation: string, options: CallOptions) {
  return server.call(operation, { token: await client.token(), ...options });
}

/** Quotes 100 tracks, and returns a function that buys the license. */
async function quoted(first: number) {
  const tracks = Array.from({ length: TRACKS }, (_, n) => delivery(first + n).id);
  const { data } = await call('createQuote', { body: quoteBody({ tracks }) });
  const body = { quoteId: data.id, termsVersion: data.termsVersion, licensee: LICENSEE };
  return {
    id: data.id,
    buy: (headers: Record<string, string> = {}) => call('createLicense', { body, headers }),
  };
}

it('keeps the response with a license of 100 tracks with long names for its key', async () => {
  const { buy } = await quoted(0);
  const bought = await buy({ 'Idempotency-Key': 'long' });
  expect(bought.status).toBe(201);
  expect(Buffer.byteLength(JSON.stringify(bought.data))).toBeGreaterThan(1024 * 1024);
  const again = await buy({ 'Idempotency-Key': 'long' });
  expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
  expect(again.data).toEqual(bought.data);
});

it('sells nothing if the response is too long to be kept, until it is requested without a key', async () => {
  const { id, buy } = await quoted(TRACKS);
  const refused = await buy({ 'Idempotency-Key': 'longer' });
  expect([refused.status, refused.error.type]).toEqual([409, 'conflict']);
  expect(refused.error.message).toContain('4 MiB');
  const { data } = await call('showQuote', { params: { id } });
  expect(data.licenseNumber).toBeNull();
  expect((await buy()).status).toBe(201);
});
