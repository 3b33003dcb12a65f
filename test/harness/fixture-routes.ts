import { Readable } from 'node:stream';
import Type from 'typebox';
import { OperatorError, StaveError } from '../../src/common/errors.ts';
import type { Readiness } from '../../src/engines/http/readiness.ts';
import { type Route, route } from '../../src/engines/http/route/route.ts';

/** A text that a 500 response must never contain. */
export const SECRET = 'SELECT secret FROM /var/lib/stave';

const SHARED = { tag: 'Fixture', summary: 'Fixture', description: 'Fixture', errors: [] };
const Anything = Type.Object({});

const members = {
  search: Type.Optional(Type.String({ maxLength: 200 })),
  type: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['music', 'sfx'] })),
  hasVocals: Type.Optional(Type.Boolean()),
  filterIds: Type.Optional(Type.Array(Type.String({ format: 'uuid' }), { maxItems: 50 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
};

/** Routes of every kind that need no storage. `wait` receives the function that completes a request to `/v1/slow`. */
export function fixtureRoutes(wait: (resume: () => void) => void, readiness: Readiness): Route[] {
  return [
    route({
      ...SHARED,
      operationId: 'listThings',
      method: 'GET',
      path: '/v1/things',
      access: { scope: 'tracks' },
      query: Type.Object(members),
      data: Anything,
      handle: ({ query }) => ({ data: query }),
    }),
    route({
      ...SHARED,
      operationId: 'showThing',
      method: 'GET',
      path: '/v1/things/{slug}',
      access: { scope: 'tracks' },
      params: Type.Object({ slug: Type.String({ maxLength: 200 }) }),
      data: Anything,
      handle: ({ params, rawUrl }) => {
        if (params.slug === 'missing') {
          throw new StaveError('not_found', 'There is no such thing.');
        }
        return { data: { ...params, rawUrl } };
      },
    }),
    route({
      ...SHARED,
      operationId: 'searchThings',
      method: 'POST',
      path: '/v1/search',
      access: { scope: 'search' },
      body: Type.Object(members, { additionalProperties: false }),
      data: Anything,
      handle: ({ body }) => ({ data: body }),
    }),
    route({
      ...SHARED,
      operationId: 'postForm',
      method: 'POST',
      path: '/v1/form',
      access: 'public',
      body: Type.Object({ name: Type.String() }, { additionalProperties: true }),
      consumes: ['application/json', 'application/x-www-form-urlencoded'],
      data: Anything,
      handle: ({ body, headers }) => ({ data: { ...body, authorization: headers.authorization } }),
    }),
    route({
      ...SHARED,
      operationId: 'listChanges',
      method: 'GET',
      path: '/v1/changes',
      access: { scope: 'changes', feature: 'changes' },
      query: Type.Object({ since: Type.String() }),
      data: Anything,
      handle: () => ({ data: {} }),
    }),
    route({
      ...SHARED,
      operationId: 'reportUsage',
      method: 'POST',
      path: '/v1/usage',
      access: { scope: 'usage', feature: 'usage' },
      body: Anything,
      data: Anything,
      handle: () => ({ data: {} }),
    }),
    route({
      ...SHARED,
      operationId: 'waitLong',
      method: 'GET',
      path: '/v1/slow',
      access: 'public',
      data: Anything,
      handle: () => new Promise((resolve) => wait(() => resolve({ data: { waited: true } }))),
    }),
    route({
      ...SHARED,
      operationId: 'fail',
      method: 'GET',
      path: '/v1/fails/{how}',
      access: 'any-token',
      params: Type.Object({ how: Type.String() }),
      data: Anything,
      handle: ({ params }) => {
        if (params.how === 'later') {
          return Promise.reject(new Error(SECRET));
        }
        if (params.how === 'for-the-operator') {
          throw new OperatorError(SECRET);
        }
        throw params.how === 'oddly' ? SECRET : new Error(SECRET);
      },
    }),
    route({
      ...SHARED,
      operationId: 'readFile',
      method: 'GET',
      path: '/media/file/{name}',
      access: 'public',
      params: Type.Object({ name: Type.String() }),
      data: undefined,
      handle: ({ params, method }) => {
        const headers = { 'content-length': '6', 'cache-control': 'public, max-age=60' };
        if (params.name === 'unchanged') {
          return { status: 304, body: null, contentType: 'audio/mpeg', headers: { ETag: '"a"' } };
        }
        const body = params.name === 'broken' ? breaking() : Readable.from([Buffer.from('abcdef')]);
        return { body: method === 'HEAD' ? null : body, contentType: 'audio/mpeg', headers };
      },
    }),
    route({
      ...SHARED,
      operationId: 'readDocs',
      method: 'GET',
      path: '/docs',
      access: 'public',
      data: undefined,
      handle: () => ({ body: Buffer.from('<p>docs</p>'), contentType: 'text/html' }),
    }),
    ...(['v1', 'v2'] as const).map((version) =>
      route({
        ...SHARED,
        operationId: version === 'v1' ? 'listOld' : 'listNew',
        method: 'GET',
        path: `/${version}/versioned`,
        access: 'public',
        data: Anything,
        ...(version === 'v1' && {
          deprecation: {
            since: new Date('2026-12-01T00:00:00Z'),
            sunset: new Date('2027-06-01T00:00:00Z'),
            notes: 'https://stave.example/notes',
          },
        }),
        handle: () => ({ data: { version } }),
      }),
    ),
    route({
      ...SHARED,
      operationId: 'readVersion',
      method: 'GET',
      path: '/version',
      access: 'public',
      data: Anything,
      handle: () => ({ data: { apiVersion: 'v1' } }),
    }),
    route({
      ...SHARED,
      operationId: 'healthCheck',
      method: 'GET',
      path: '/health-check',
      access: 'public',
      data: Anything,
      handle: () => {
        if (!readiness.accepting()) {
          throw new StaveError('unavailable', 'Not now.', { headers: { 'Retry-After': '1' } });
        }
        return { data: { apiVersion: 'v1' } };
      },
    }),
  ];
}

async function* half(): AsyncGenerator<Buffer> {
  yield Buffer.from('abc');
  throw new Error(SECRET);
}

function breaking(): Readable {
  return Readable.from(half());
}
