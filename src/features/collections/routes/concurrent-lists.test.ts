import { request } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type FeatureServer,
  startFeatureServer,
  tokenOf,
} from '../../../../test/harness/feature-server.ts';
import { until } from '../../../../test/harness/until.ts';
import { listCollections } from './collection-routes.ts';

const EMPTY = { collections: [], total: 0 };

/** The ends of the lists that are being made, in the order in which they began. */
let held: (() => void)[];
let begun: number;
let server: FeatureServer;
beforeEach(async () => {
  held = [];
  begun = 0;
  const list = () => {
    begun++;
    return new Promise<typeof EMPTY>((resolve) => held.push(() => resolve(EMPTY)));
  };
  server = await startFeatureServer([listCollections({ collections: { list } })]);
});
afterEach(async () => {
  await endAll();
  await server.close();
});

const call = (client = 'one') => server.call('listCollections', { token: tokenOf({ client }) });

const connections = () =>
  new Promise<number>((resolve, reject) => {
    server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

async function endAll(): Promise<void> {
  for (const end of held.splice(0)) end();
}

it('makes eight lists of a client at a time, the further ones later, and those of other clients', async () => {
  const requests = Array.from({ length: 12 }, () => call());
  await until(async () => begun === 8);
  const other = call('other');
  await until(async () => begun === 9);
  held.shift()!();
  await until(async () => begun === 10);
  await endAll();
  await until(async () => begun === 13);
  await endAll();
  for (const response of await Promise.all([...requests, other])) expect(response.status).toBe(200);
});

it('makes no list for a client that has left', async () => {
  const requests = Array.from({ length: 8 }, () => call());
  await until(async () => begun === 8);
  const headers = { Authorization: `Bearer ${tokenOf({ client: 'one' })}` };
  const left = request(`${server.base}/v1/collections`, { headers });
  const isClosed = new Promise((resolve) => left.on('error', resolve));
  left.end();
  await new Promise((resolve) => left.once('finish', resolve));
  // Its head has arrived when that of a later request has.
  expect((await server.http.send('GET', '/nowhere')).status).toBe(404);
  const connected = await connections();
  left.destroy();
  await isClosed;
  await until(async () => (await connections()) < connected);
  const next = call();
  await endAll();
  await Promise.all(requests);
  await until(async () => begun === 9);
  await endAll();
  expect((await next).status).toBe(200);
  expect(begun).toBe(9);
});
