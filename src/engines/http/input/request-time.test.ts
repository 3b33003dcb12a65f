import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FeatureServer,
  startFeatureServer,
  tokenOf,
} from '../../../../test/harness/feature-server.ts';
import { THING_ROUTE } from '../../../../test/harness/thing-route.ts';
import { route } from '../route/route.ts';

const SERVER_TIME = Date.parse('2026-11-22T12:00:00Z');
const STATED = '2027-01-01T00:00:00+01:00';

const readClock = route({
  ...THING_ROUTE,
  operationId: 'readClock',
  path: '/v1/clock',
  requestHeaders: ['X-Stave-Now'],
  data: Type.Object({ now: Type.Integer() }),
  handle: ({ now }) => ({ data: { now } }),
});
const readOtherClock = route({
  ...readClock,
  operationId: 'readOtherClock',
  path: '/v1/other-clock',
  requestHeaders: [],
});

let server: FeatureServer;
beforeAll(async () => {
  server = await startFeatureServer([readClock, readOtherClock], {
    clock: { now: () => SERVER_TIME },
  });
});
afterAll(() => server.close());

const read = (stated: string | string[], { mode = 'test', operationId = 'readClock' } = {}) =>
  server.call(operationId, {
    token: tokenOf({ mode: mode as 'test' | 'live' }),
    body: {},
    headers: { 'X-Stave-Now': stated },
  });

describe('the time of a request', () => {
  it('is that of the server', async () => {
    expect((await server.call('readClock', { body: {} })).data).toEqual({ now: SERVER_TIME });
  });

  it('is the one that a test request states', async () => {
    expect((await read(STATED)).data).toEqual({ now: Date.parse(STATED) });
  });

  it.each(['tomorrow', '', '2027-01-01', [STATED, STATED]])('is not %j', async (stated) => {
    const { status, error } = await read(stated);
    expect(status).toBe(400);
    expect(error.details).toMatchObject([{ field: 'X-Stave-Now' }]);
  });

  it('is not what a live request states, or a request to another route', async () => {
    for (const stated of [STATED, 'tomorrow']) {
      expect((await read(stated, { mode: 'live' })).data).toEqual({ now: SERVER_TIME });
      const other = await read(stated, { operationId: 'readOtherClock' });
      expect(other.data).toEqual({ now: SERVER_TIME });
    }
  });

  it('is checked before the body is read', async () => {
    const { status, error } = await server.call('readClock', {
      body: 'x',
      headers: { 'X-Stave-Now': 'tomorrow', 'Content-Type': 'text/plain' },
    });
    expect(status).toBe(400);
    expect(error.details).toMatchObject([{ field: 'X-Stave-Now' }]);
  });
});
