import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS } from '../../src/common/clock.ts';
import { delivery } from '../harness/catalog.ts';
import { LICENSEE, publishCard, quoteBody } from '../harness/licensing.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
let client: TestClient;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  await publishCard(server.operator.store);
  client = await server.createClient({ features: ['licensing'] });
  token = await client.token({ mode: 'live' });
});
afterAll(() => server?.close());

/** Returns the values of the metrics of licensing that are not 0. */
function counted(): Record<string, number> {
  const text = server.service.metrics.render();
  const series =
    /^stave_((?:quotes|licenses|license_(?:verifications|pdfs))_\w+(?:\{.*\})?) (\d+)$/gm;
  const all = [...text.matchAll(series)].map(([, name, value]) => [name!, Number(value)] as const);
  expect(all).toHaveLength(2 + 8 + 3 + 3 + 1);
  return Object.fromEntries(all.filter(([, value]) => value > 0));
}

const quote = async (buyer = token) => {
  const body = quoteBody({ tracks: [delivery(0).id] });
  return (await server.call('createQuote', { token: buyer, body })).data;
};
const buy = (quoteId: string, members: object = {}, options: object = {}) =>
  server.call('createLicense', {
    ...{ token, ...options },
    body: { quoteId, termsVersion: '2026-1', licensee: LICENSEE, ...members },
  });

it('counts quotes, licenses, verifications and PDFs by their outcome, from zero', async () => {
  expect(counted()).toEqual({});
  const { id } = await quote();
  expect((await server.call('createQuote', { token, body: {} })).status).toBe(400);
  await buy(id, { termsVersion: 'other' });
  const headers = { 'Idempotency-Key': 'license-1' };
  const { data } = await buy(id, {}, { headers });
  await buy(id, {}, { headers });
  await buy(id);
  const params = { number: data.number };
  for (let i = 0; i < 2; i++) await server.call('readCertificatePdf', { token, params });
  for (const number of [data.number, '2026-000009-00000000', 'x']) {
    await server.call('verifyLicense', { params: { number } });
  }
  const revocation = { reason: 'x', now: server.clock.now() };
  await server.operator.store.issuedLicenses.revoke(data.number, revocation, 'test:harness');
  await server.call('verifyLicense', { params });
  expect(counted()).toEqual({
    'quotes_total{mode="live"}': 1,
    'licenses_total{mode="live",outcome="refused"}': 1,
    'licenses_total{mode="live",outcome="issued"}': 1,
    'licenses_total{mode="live",outcome="repeated"}': 1,
    'license_verifications_total{outcome="valid"}': 1,
    'license_verifications_total{outcome="invalid"}': 1,
    'license_verifications_total{outcome="unknown"}': 1,
    'license_pdfs_total{outcome="made"}': 1,
  });
});

it('counts requests for expired quotes, apart for each mode', async () => {
  const test = await client.token();
  const { id } = await quote(test);
  const later = new Date(server.clock.now() + 20 * DAY_MS).toISOString();
  const { status } = await buy(id, {}, { token: test, headers: { 'X-Stave-Now': later } });
  expect(status).toBe(410);
  expect(counted()).toMatchObject({
    'quotes_total{mode="test"}': 1,
    'licenses_total{mode="test",outcome="expired"}': 1,
  });
});

it('has the age of the key of each mode', () => {
  server.clock.advance(86_400);
  const text = server.service.metrics.render();
  for (const mode of ['live', 'test']) {
    const age = new RegExp(`^stave_license_key_age_seconds\\{mode="${mode}"\\} (\\S+)$`, 'm');
    const seconds = Number(age.exec(text)![1]);
    expect(seconds).toBeGreaterThanOrEqual(86_400);
    expect(seconds).toBeLessThan(2 * 86_400);
  }
});
