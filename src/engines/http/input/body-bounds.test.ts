import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FeatureServer,
  startFeatureServer,
  tokenOf,
} from '../../../../test/harness/feature-server.ts';
import { route } from '../route/route.ts';

const KIB = 1024;

const reportThings = route({
  operationId: 'reportThings',
  method: 'POST',
  path: '/v1/things',
  tag: 'Tracks',
  summary: 'Report things',
  description: 'Many at once.',
  access: { scope: 'tracks' },
  errors: [],
  body: Type.Object({ things: Type.Array(Type.Object({ id: Type.Integer() })) }),
  maxBodyBytes: 256 * KIB,
  maxBodyMembers: 3_000,
  data: Type.Object({ count: Type.Integer() }),
  handle: ({ body }) => ({ data: { count: body.things.length } }),
});

let server: FeatureServer;
beforeAll(async () => {
  server = await startFeatureServer([reportThings]);
});
afterAll(() => server.close());

const things = (count: number) => ({ things: Array.from({ length: count }, (_, id) => ({ id })) });
const report = (body: unknown) => server.call('reportThings', { body });
const padded = (bytes: number) => {
  const text = JSON.stringify(things(1));
  return text + ' '.repeat(bytes - text.length);
};

describe('a route with bounds of its own', () => {
  it('takes a body up to its bound, and refuses a longer one', async () => {
    expect((await report(padded(256 * KIB))).data).toEqual({ count: 1 });
    const { status, error } = await report(padded(256 * KIB + 1));
    expect({ status, message: error.message }).toEqual({
      status: 413,
      message: 'The body must be at most 256 KiB long.',
    });
  });

  it('takes as many members as it says, and refuses more', async () => {
    // `things` is a member, too.
    expect((await report(things(2_999))).data).toEqual({ count: 2_999 });
    const { status, error } = await report(things(3_000));
    expect(status).toBe(400);
    expect(error.message).toContain('at most 3000 members');
  });
});

it('an empty body is refused also if it ended before the checks of the token and the limit', async () => {
  const { status } = await fetch(`${server.base}/v1/things`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokenOf()}`, 'X-Stave-Simulate': 'slow;ms=1' },
  });
  expect(status).toBe(400);
});
