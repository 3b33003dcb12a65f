import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startNameServer } from '../harness/name-server.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** Starts a listener on loopback. Returns its port. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Registers a webhook, sends a ping, and returns its delivery after the first attempt. */
async function attempted(server: TestServer, url: string) {
  const token = await (await server.createClient({ features: ['webhooks'] })).token();
  const body = { url, eventTypes: ['track.created'] };
  const created = await server.call('createWebhook', { token, body });
  expect(created.status).toBe(201);
  const params = { id: created.data.id };
  const ping = await server.call('pingWebhook', { token, params, body: {} });
  const show = async () => {
    const { deliveryId } = ping.data;
    return (await server.call('showWebhookDelivery', { token, params: { ...params, deliveryId } }))
      .data;
  };
  await server.until(async () => (await show()).attemptCount > 0);
  return show();
}

it('a name that is public at the registration and loopback later is never reached', async () => {
  let connections = 0;
  const port = await listen(createServer(() => connections++));
  let queries = 0;
  using names = await startNameServer((_, type) => {
    if (type !== 1) return [];
    return [[1, queries++ === 0 ? [93, 184, 216, 34] : [127, 0, 0, 1]]];
  });
  const server = await startTestServer({
    tracks: [],
    config: { webhookTargets: 'public' },
    nameServers: [names.address],
  });
  onTestFinished(() => server.close());
  const { attempts } = await attempted(server, `https://hooks.example:${port}/`);
  expect(attempts[0]).toMatchObject({ httpStatus: null, error: 'address_not_public' });
  expect(queries).toBeGreaterThan(1);
  expect(connections).toBe(0);
});

it('a redirect to a metadata address is not followed', async () => {
  let connections = 0;
  const metadata = await listen(createServer(() => connections++));
  const locations = [
    `http://127.0.0.1:${metadata}/latest/meta-data/`,
    'http://169.254.169.254/latest/meta-data/',
  ];
  const server = await startTestServer({ tracks: [] });
  onTestFinished(() => server.close());
  for (const location of locations) {
    const receiver = createHttpServer((_, response) => {
      response.writeHead(307, { Location: location }).end();
    });
    const port = await listen(receiver);
    const { attempts } = await attempted(server, `http://127.0.0.1:${port}/`);
    expect(attempts[0]).toMatchObject({ httpStatus: 307, error: null });
  }
  expect(connections).toBe(0);
});
