import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import Type from 'typebox';
import type { Caller } from '../../src/access/caller.ts';
import type { RateLimiter } from '../../src/access/rate-limiter.ts';
import { Metrics } from '../../src/api/metrics.ts';
import { Readiness } from '../../src/api/readiness.ts';
import { type Route, route } from '../../src/api/route.ts';
import { buildServer, type HttpServer, type ServerOptions } from '../../src/api/server.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { StaveError } from '../../src/kernel/errors.ts';
import type { Log } from '../../src/kernel/log.ts';

/** The one token that is good, and one whose client holds nothing. */
export const TOKEN = 'good-token';
export const BARE_TOKEN = 'bare-token';

/** What a 500 must never show. */
export const SECRET = 'SELECT secret FROM /var/lib/stave';

const CALLER: Caller = {
  clientId: 'client-1',
  name: 'Fixture',
  secretId: 'secret-1',
  mode: 'test',
  scopes: new Set(['tracks', 'search']),
  features: new Set(['usage']),
  rateLimit: 600,
  playlistIds: new Set(),
  tokenExpiresAt: 0,
};

export interface LogLine {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

export interface Fixture {
  app: HttpServer;
  port: number;
  readiness: Readiness;
  metrics: Metrics;
  lines: LogLine[];
  /** How often the limiter was asked. */
  taken(): number;
  /** Lets the requests to /v1/slow go on. */
  release(): void;
  /** How many requests wait in /v1/slow. */
  waiting(): number;
}

/** A server with routes that need no storage, listening on a port of its own. */
export async function startFixture(
  options: Partial<ServerOptions> & { limit?: number; prepare?(app: HttpServer): void } = {},
): Promise<Fixture> {
  const lines: LogLine[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message });
  };
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const readiness = new Readiness();
  readiness.serve();
  const metrics = new Metrics();
  const limit = options.limit ?? 1_000_000;
  let taken = 0;
  const rateLimiter: RateLimiter = {
    take: () => {
      taken++;
      return {
        allowed: taken <= limit,
        limit,
        remaining: Math.max(0, limit - taken),
        resetSeconds: 42,
      };
    },
  };
  const slow: (() => void)[] = [];
  const app = buildServer({
    routes: fixtureRoutes((resume) => slow.push(resume), readiness),
    authenticate,
    rateLimiter,
    readiness,
    metrics,
    clock: systemClock,
    log,
    tls: null,
    trustProxy: false,
    ...options,
  });
  options.prepare?.(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    port: (app.server.address() as AddressInfo).port,
    readiness,
    metrics,
    lines,
    taken: () => taken,
    waiting: () => slow.length,
    release: () => {
      for (const resume of slow.splice(0)) {
        resume();
      }
    },
  };
}

function authenticate(authorization: string | undefined): Caller {
  switch (authorization) {
    case undefined:
      throw new StaveError('invalid_token', 'No token was sent.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="stave"' },
      });
    case `Bearer ${TOKEN}`:
      return CALLER;
    case `Bearer ${BARE_TOKEN}`:
      return { ...CALLER, scopes: new Set(), features: new Set() };
    default:
      throw new StaveError('invalid_token', 'The token is not good.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="stave", error="invalid_token"' },
      });
  }
}

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

function fixtureRoutes(wait: (resume: () => void) => void, readiness: Readiness): Route[] {
  return [
    route({
      ...SHARED,
      operationId: 'listThings',
      method: 'GET',
      path: '/v1/things',
      version: 'v1',
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
      version: 'v1',
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
      version: 'v1',
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
      version: 'v1',
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
      version: 'v1',
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
      version: 'v1',
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
      version: 'v1',
      access: 'public',
      data: Anything,
      handle: () => new Promise((resolve) => wait(() => resolve({ data: { waited: true } }))),
    }),
    route({
      ...SHARED,
      operationId: 'fail',
      method: 'GET',
      path: '/v1/fails/{how}',
      version: 'v1',
      access: 'any-token',
      params: Type.Object({ how: Type.String() }),
      data: Anything,
      handle: ({ params }) => {
        if (params.how === 'later') {
          return Promise.reject(new Error(SECRET));
        }
        throw params.how === 'oddly' ? SECRET : new Error(SECRET);
      },
    }),
    route({
      ...SHARED,
      operationId: 'readFile',
      method: 'GET',
      path: '/media/file/{name}',
      version: 'v1',
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
      version: 'v1',
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
        version,
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
      version: 'v1',
      access: 'public',
      data: Anything,
      handle: () => ({ data: { apiVersion: 'v1' } }),
    }),
    route({
      ...SHARED,
      operationId: 'healthCheck',
      method: 'GET',
      path: '/health-check',
      version: 'v1',
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
