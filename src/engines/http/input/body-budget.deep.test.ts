import Type from 'typebox';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type FeatureServer,
  startFeatureServer,
  tokenOf,
} from '../../../../test/harness/feature-server.ts';
import { until } from '../../../../test/harness/until.ts';
import { route } from '../route/route.ts';

const BODY_BYTES = 8 * 1024 * 1024;
/** These bodies fit into the budget of clients, with their first 4 KiB each, and no further one does. */
const MOST = 8;

/** The requests that wait, and what ends their wait. */
let waiting = 0;
let gate: PromiseWithResolvers<void>;
let fault: Error | undefined;

const reportThings = route({
  operationId: 'reportThings',
  method: 'POST',
  path: '/v1/things',
  tag: 'Tracks',
  summary: 'Report things',
  description: 'Waits.',
  access: { scope: 'tracks' },
  errors: [],
  body: Type.Object({ name: Type.String() }),
  maxBodyBytes: BODY_BYTES,
  data: Type.Object({}),
  handle: async () => {
    waiting++;
    await gate.promise;
    waiting--;
    if (fault !== undefined) throw fault;
    return { data: {} };
  },
});

let server: FeatureServer;
beforeAll(async () => {
  server = await startFeatureServer([reportThings]);
});
afterAll(() => server.close());
beforeEach(() => {
  gate = Promise.withResolvers();
  fault = undefined;
});

const long = JSON.stringify({ name: 'a' }).padEnd(BODY_BYTES);

async function report(body: string, signal?: AbortSignal): Promise<number> {
  const response = await fetch(`${server.base}/v1/things`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokenOf()}`, 'Content-Type': 'application/json' },
    body,
    ...(signal && { signal }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Sends as many long bodies as the budget allows, one after the other. */
async function fill(signal?: AbortSignal): Promise<Promise<number>[]> {
  const reports: Promise<number>[] = [];
  for (let i = 1; i <= MOST; i++) {
    reports.push(report(long, signal));
    await until(() => waiting === i, 'a request that waits');
  }
  return reports;
}

it.each([
  ['', undefined, 200],
  [', also after an error', new Error('bad'), 500],
])('counts the bodies of requests that wait%s', async (_, thrown, status) => {
  const reports = await fill();
  expect(await report(long)).toBe(503);
  const short = report(JSON.stringify({ name: 'a' }));
  await until(() => waiting === MOST + 1, 'a short body');
  fault = thrown;
  gate.resolve();
  expect(await Promise.all([...reports, short])).toEqual(Array(MOST + 1).fill(status));
  expect(await report(long)).toBe(status);
});

it('counts the bodies of requests whose callers have left', async () => {
  const leave = new AbortController();
  const reports = await fill(leave.signal);
  leave.abort();
  await Promise.allSettled(reports);
  expect(await report(long)).toBe(503);
  gate.resolve();
  await until(() => waiting === 0, 'the end of all requests');
  expect(await report(long)).toBe(200);
});

it('does not count the bodies of refused requests', async () => {
  gate.resolve();
  const invalid = '{"name":1}'.padEnd(BODY_BYTES);
  for (let i = 0; i <= MOST; i++) expect(await report(invalid)).toBe(400);
  expect(await report(long)).toBe(200);
});
