import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateClient } from '../../src/features/access/clients.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const { id } = delivery(1);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ tracks: [delivery(1)] });
});
afterAll(() => server?.close());

it('a feature needs to be on, and a token from after it was switched on', async () => {
  const client = await server.createClient();
  const old = await client.token();
  const change = (input: Parameters<typeof updateClient>[2]) =>
    updateClient(
      { store: server.operator.store, clock: server.clock, by: 'test:harness' },
      client.clientId,
      input,
    );
  const outcome = async (token: string) => {
    const { status, error } = await server.call('listSimilarTracks', {
      token,
      params: { slug: id },
    });
    return status === 200 ? 'OK' : error.type;
  };
  const become = (token: string, wanted: string) =>
    server.until(async () => (await outcome(token)) === wanted);

  expect(await outcome(old)).toBe('feature_not_enabled');
  await change({ enableFeatures: ['similar'] });
  await become(old, 'insufficient_scope');
  const { error } = await server.call('listSimilarTracks', { token: old, params: { slug: id } });
  expect(error.message).toMatch(/before the feature was switched on.*Request a new token\.$/);
  const fresh = await client.token({ fresh: true });
  expect(await outcome(fresh)).toBe('OK');

  await change({ disableFeatures: ['similar'] });
  await become(fresh, 'feature_not_enabled');
  await change({ features: ['similar', 'changes'] });
  await become(fresh, 'OK');
  await change({ features: [] });
  await become(fresh, 'feature_not_enabled');
});

it('a token without a scope says how to get it', async () => {
  const client = await server.createClient();
  const token = await client.token({ scope: 'search' });
  const { error } = await server.call('listTracks', { token });
  expect(error.type).toBe('insufficient_scope');
  expect(error.message).toContain('request a new token with it');
});
