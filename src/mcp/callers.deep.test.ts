import { afterAll, beforeAll, expect, it } from 'vitest';
import { deliveries } from '../../test/harness/catalog.ts';
import { basic } from '../../test/harness/mcp.ts';
import {
  startTestServer,
  type TestClient,
  type TestServer,
} from '../../test/harness/test-server.ts';
import { newId } from '../common/ids.ts';
import { silentLog } from '../common/log.ts';
import { newSecret } from '../features/access/secret.ts';
import { HttpCallers, UnreadableCredentials } from './callers.ts';

let server: TestServer;
let client: TestClient;
/** The operations that the service has logged. */
let called: unknown[] = [];
beforeAll(async () => {
  const log = {
    ...silentLog,
    info: (fields: object) => {
      if ('operationId' in fields) called.push(fields.operationId);
    },
  };
  server = await startTestServer({ tracks: deliveries(1), log });
  client = await server.createClient();
});
afterAll(() => server?.close());

const junk = () => basic({ clientId: newId(), testSecret: newSecret('test') });

it('refuses credentials of no valid form without a call to the service', async () => {
  const callers = new HttpCallers(server.address, server.clock);
  called = [];
  const wrongChecksum = `${client.testSecret.slice(0, -1)}${client.testSecret.endsWith('0') ? '1' : '0'}`;
  for (const authorization of [
    undefined,
    'Basic sesame',
    basic({ clientId: 'c', testSecret: client.testSecret }),
    basic({ clientId: client.clientId, testSecret: 'sesame' }),
    basic({ clientId: client.clientId, testSecret: wrongChecksum }),
    'Bearer sesame',
    `Bearer ${'x'.repeat(10_000)}`,
    `Bearer ${'x'.repeat(2_000)}.${'x'.repeat(100)}.x`,
  ]) {
    await expect(callers.of(authorization)).rejects.toThrow(UnreadableCredentials);
  }
  expect(called).toEqual([]);
});

it('asks the service once for unknown credentials, however often they come', async () => {
  const callers = new HttpCallers(server.address, server.clock);
  called = [];
  const authorization = junk();
  const attempts = Array.from({ length: 20 }, () => callers.of(authorization));
  for (const attempt of await Promise.allSettled(attempts)) {
    expect(attempt).toMatchObject({ status: 'rejected', reason: { status: 401 } });
  }
  await expect(callers.of(authorization)).rejects.toMatchObject({ status: 401 });
  expect(called).toEqual(['createToken']);
});

it('asks the service once for an unknown access token', async () => {
  const callers = new HttpCallers(server.address, server.clock);
  called = [];
  for (let i = 0; i < 3; i++) {
    await expect(callers.of('Bearer x.y.z')).rejects.toMatchObject({ status: 401 });
  }
  expect(called).toEqual(['readMe']);
});

it('asks the service no more for a while after it has refused to check', async () => {
  const { clientId } = await server.createClient();
  const callers = new HttpCallers(server.address, server.clock);
  const guess = () => basic({ clientId, testSecret: newSecret('test') });
  for (let i = 0; i < 10; i++) {
    await expect(callers.of(guess())).rejects.toMatchObject({ status: 401 });
  }
  called = [];
  const eleventh = guess();
  for (let i = 0; i < 3; i++) {
    await expect(callers.of(eleventh)).rejects.toMatchObject({ status: 429 });
  }
  expect(called).toEqual(['createToken']);
});

it('keeps a caller, whatever unknown credentials come', async () => {
  const callers = new HttpCallers(server.address, server.clock);
  const caller = await callers.of(basic(client));
  called = [];
  const strangers = Array.from({ length: 150 }, () => callers.of(junk()).catch(() => undefined));
  expect(await callers.of(basic(client))).toBe(caller);
  await Promise.all(strangers);
  called = [];
  expect(await callers.of(basic(client))).toBe(caller);
  expect(called).toEqual([]);
});
