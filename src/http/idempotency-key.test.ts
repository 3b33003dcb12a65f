import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FeatureServer, startFeatureServer } from '../../test/harness/feature-server.ts';
import { route } from './route.ts';

const Nothing = Type.Object({});
const postThing = route({
  operationId: 'postThing',
  method: 'POST',
  path: '/v1/things',
  version: 'v1',
  tag: 'Tracks',
  summary: 'Post',
  description: 'A thing.',
  access: { scope: 'tracks' },
  errors: [],
  body: Type.Object({ text: Type.Optional(Type.String()) }),
  idempotent: true,
  data: Type.Object({ key: Type.Union([Type.String(), Type.Null()]) }),
  handle: ({ idempotencyKey }) => ({ data: { key: idempotencyKey ?? null } }),
});
const searchThings = route({
  ...postThing,
  operationId: 'searchThings',
  path: '/v1/search',
  body: Nothing,
  idempotent: false,
});

let server: FeatureServer;
beforeAll(async () => {
  server = await startFeatureServer([postThing, searchThings]);
});
afterAll(() => server.close());

const post = (key: string | string[] | undefined, body: unknown = {}) =>
  server.call('postThing', {
    body,
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });

describe('a key', () => {
  it('is optional', async () => {
    expect((await post(undefined)).data).toEqual({ key: null });
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
    expect((await post(sent)).data).toEqual({ key });
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
    const { data } = await server.call('searchThings', { body: {}, headers });
    expect(data).toEqual({ key: null });
  });
});
