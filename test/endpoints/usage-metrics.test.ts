import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Log } from '../../src/common/log.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { usageEvent } from './usage-support.ts';

const FIXTURE_ID = 'f1c70000-0000-4000-8000-000000000200';
const NONE = {
  accepted: 0,
  duplicate: 0,
  event_conflict: 0,
  unknown_track: 0,
  too_old: 0,
  in_future: 0,
  unknown_license: 0,
};

const lines: { requestId?: unknown }[] = [];
const collect: Log['info'] = (fields) => lines.push({ ...fields });
const log: Log = { debug: collect, info: collect, warn: collect, error: collect };

let server: TestServer;
let client: TestClient;
beforeEach(async () => {
  server = await startTestServer({ log });
  client = await server.createClient({ scopes: ['usage'], features: ['usage'] });
});
afterEach(() => server?.close());

const at = (ms: number) => ({ occurredAt: new Date(server.clock.now() + ms).toISOString() });

/** Returns one event for each result, in the order of the metric, after the one that two of them repeat. */
const eachResult = () => {
  // Made once, because the clock runs: an event with another time is another event.
  const once = usageEvent(server, 'once');
  return [once, once, { ...once, seconds: 43 }, ...refused()];
};

const refused = () => [
  usageEvent(server, 'unknown', { trackId: '00000000-0000-4000-8000-000000000000' }),
  usageEvent(server, 'old', at(-8 * 86_400_000)),
  usageEvent(server, 'ahead', at(600_000)),
  usageEvent(server, 'license', { licenseNumber: '2026-1' }),
];

async function send(
  mode: 'live' | 'test',
  events: readonly object[],
  headers: Record<string, string> = {},
) {
  const token = await client.token({ mode });
  return server.call('reportUsage', { token, body: { events }, headers });
}

/** Returns the events of a mode by their result. */
function counted(mode: 'live' | 'test'): Record<string, number> {
  const text = server.service.metrics.render();
  const series = /^stave_usage_events_total\{mode="(\w+)",result="(\w+)"\} (\d+)$/gm;
  return Object.fromEntries(
    [...text.matchAll(series)]
      .filter(([, of]) => of === mode)
      .map(([, , result, count]) => [result!, Number(count)]),
  );
}

it('counts the events of each result, from zero and apart for each mode', async () => {
  expect(counted('live')).toEqual(NONE);
  expect(counted('test')).toEqual(NONE);
  expect((await send('live', eachResult())).data).toMatchObject({ accepted: 1, rejected: 5 });
  const one = Object.fromEntries(Object.keys(NONE).map((result) => [result, 1]));
  expect(counted('live')).toEqual(one);
  expect(counted('test')).toEqual(NONE);
  await send('test', [usageEvent(server, 'once')]);
  expect(counted('live')).toEqual(one);
  expect(counted('test')).toEqual({ ...NONE, accepted: 1 });
});

it('does not count what is not stored, or is repeated for its key', async () => {
  expect((await send('test', [usageEvent(server, 'bad', { seconds: -1 })])).status).toBe(400);
  await send('test', [usageEvent(server, 'fixture', { trackId: FIXTURE_ID })]);
  expect(counted('test')).toEqual(NONE);
  const events = [usageEvent(server, 'keyed')];
  const keyed = { 'Idempotency-Key': 'report-1' };
  for (const replayed of [undefined, 'true']) {
    const { headers } = await send('test', events, keyed);
    expect(headers['idempotency-replayed']).toBe(replayed);
    expect(counted('test')).toEqual({ ...NONE, accepted: 1 });
  }
});

it('logs the number of rejected events with the client and the mode', async () => {
  const rejecting = await send('live', eachResult());
  expect(await lineOf(rejecting.headers['x-request-id'])).toMatchObject({
    operationId: 'reportUsage',
    clientId: client.clientId,
    mode: 'live',
    rejected: 5,
  });
  const accepting = await send('live', [usageEvent(server, 'good')]);
  expect(await lineOf(accepting.headers['x-request-id'])).not.toHaveProperty('rejected');
});

/** Waits for the log line of a request, which is written after its last byte. */
async function lineOf(requestId: unknown): Promise<object> {
  const find = () => lines.find((line) => line.requestId === requestId);
  await server.until(async () => find() !== undefined);
  return find()!;
}
