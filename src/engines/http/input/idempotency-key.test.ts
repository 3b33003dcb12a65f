import Type from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestClock } from '../../../../test/harness/clock.ts';
import { type FeatureServer, startFeatureServer } from '../../../../test/harness/feature-server.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';
import { THING_ROUTE } from '../../../../test/harness/thing-route.ts';
import type { Store } from '../../../features/store.ts';
import { route } from '../route/route.ts';

const postThing = route({
  ...THING_ROUTE,
  body: Type.Object({ text: Type.Optional(Type.String()) }),
  idempotent: true,
});
const searchThings = route({
  ...THING_ROUTE,
  operationId: 'searchThings',
  path: '/v1/search',
  idempotent: false,
});

const adapter = ADAPTERS[0]!;
let place: Awaited<ReturnType<typeof adapter.provide>>;
let store: Store;
let server: FeatureServer;
/** The keys of all requests so far. */
const keys: string[] = [];
beforeAll(async () => {
  place = await adapter.provide();
  store = await adapter.open(place.location, new TestClock());
  const { idempotency } = store;
  const claim = idempotency.claim.bind(idempotency);
  vi.spyOn(idempotency, 'claim').mockImplementation((request) => {
    keys.push(request.key);
    return claim(request);
  });
  server = await startFeatureServer([postThing, searchThings], { idempotency });
});
afterAll(async () => {
  await server.close();
  await store.close();
  await place.dispose();
});
beforeEach(() => {
  keys.splice(0);
});

const post = (key: string | string[] | undefined, body: unknown = {}) =>
  server.call('postThing', {
    body,
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });

describe('a key', () => {
  it('is optional', async () => {
    expect((await post(undefined)).status).toBe(200);
    expect(keys).toEqual([]);
  });

  it.each([
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    ['8e03978e-40d5', '8e03978e-40d5'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['"a;b=1"', 'a;b=1'],
    ['a\\b!~,', 'a\\b!~,'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s is %s', async (sent, key) => {
    expect((await post(sent)).status).toBe(200);
    expect(keys).toEqual([key]);
  });

  it.each<[string | string[]]>([
    [''],
    ['""'],
    ['"a'],
    ['a"'],
    ['"a";p=1'],
    ['a;p=1'],
    ['a b'],
    ['"a b"'],
    ['"a\\b"'],
    ['ä'],
    ['x'.repeat(256)],
    [['a', 'b']],
    [['"a"', '"a"']],
  ])('%j is refused', async (sent) => {
    const { status, error } = await post(sent);
    expect(status).toBe(400);
    expect(error.details?.map(({ field }) => field)).toEqual(['Idempotency-Key']);
  });

  it('is refused together with other problems', async () => {
    const { error } = await post('', { text: 1 });
    expect(error.details?.map(({ field }) => field).sort()).toEqual(['Idempotency-Key', 'text']);
  });

  it('is ignored by a route that changes nothing, even if it is malformed', async () => {
    const headers = { 'Idempotency-Key': '"' };
    const { status } = await server.call('searchThings', { body: {}, headers });
    expect(status).toBe(200);
    expect(keys).toEqual([]);
  });
});
