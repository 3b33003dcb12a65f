import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { checkRoutes } from './check-routes.ts';
import { type Route, route } from './route.ts';

const good = route({
  operationId: 'showThing',
  method: 'GET',
  path: '/v1/things/{slug}',
  tag: 'Things',
  summary: 'Show a thing',
  description: 'Shows a thing.',
  access: { scope: 'tracks' },
  errors: [],
  params: Type.Object({ slug: Type.String() }),
  data: Type.Object({}),
  handle: () => ({ data: {} }),
});
const since = new Date('2026-01-01T00:00:00Z');
const notes = 'https://stave.example/notes';

describe('checkRoutes', () => {
  it('accepts a complete route', () => {
    expect(() => checkRoutes([good])).not.toThrow();
  });

  it.each<[string, Partial<Route> | Record<string, unknown>, string]>([
    ['no operationId', { operationId: undefined }, 'it has no operationId in lower camel case'],
    ['an operationId of another form', { operationId: 'show-thing' }, 'it has no operationId'],
    ['a path in another form', { path: '/v1/things/:slug' }, 'its path is not of the form'],
    [
      'a parameter without a schema',
      { params: undefined },
      'its path and its params schema differ in slug',
    ],
    [
      'a schema without a parameter',
      { path: '/v1/things' },
      'its path and its params schema differ in slug',
    ],
    [
      'a cache without a caller',
      { cacheable: true, access: 'public' },
      'only envelopes for a caller',
    ],
    [
      'a cache of responses without an envelope',
      { cacheable: true, withoutEnvelope: true },
      'only envelopes for a caller',
    ],
    [
      'a status of bytes',
      { data: undefined, success: { statuses: [201] } },
      'only routes with an envelope declare their success',
    ],
    [
      'a cache of responses with headers',
      { cacheable: true, success: { headers: ['ETag'] } },
      'a success with a status or headers of its own is not cached',
    ],
    [
      'a limit of anonymous responses',
      { maxConcurrent: 2, access: 'public' },
      'only responses that are made for one client are limited',
    ],
    ['a read with a key', { idempotent: true }, 'only changes by a client take'],
    [
      'repetitions of a request without a key',
      { isRepeatable: true },
      'only requests with a key are repeated',
    ],
    [
      'secret members of responses that are not kept',
      { secretMembers: ['secret'] },
      'only responses that are kept for a key omit members',
    ],
    ['a read that needs If-Match', { needsMatch: true }, 'only changes of a resource by its owner'],
    ['a bound without a body', { maxBodyMembers: 2_000 }, 'it bounds a body that it does not read'],
    [
      'a bound of half a KiB',
      { method: 'POST', body: Type.Object({}), maxBodyBytes: 512 },
      'its bound of 512 bytes is not a multiple of 1024',
    ],
    ['a body with GET', { body: Type.Object({}) }, 'a body is not read with GET'],
    [
      'a notice that is too short',
      { deprecation: { since, sunset: new Date('2026-06-29T00:00:00Z'), notes } },
      'it retires 179 days after it was deprecated, not 180',
    ],
  ])('refuses %s', (_what, change, reason) => {
    expect(() => checkRoutes([{ ...good, ...change } as Route])).toThrow(reason);
  });

  it('accepts a notice of 180 days', () => {
    const deprecation = { since, sunset: new Date('2026-06-30T00:00:00Z'), notes };
    expect(() => checkRoutes([{ ...good, deprecation }])).not.toThrow();
  });

  it('refuses a second route with the same operationId or path, and names the route', () => {
    const other = { ...good, path: '/v1/others/{slug}' };
    expect(() => checkRoutes([good, other])).toThrow(
      'The route GET /v1/others/{slug} is not served: its operationId showThing belongs to another route.',
    );
    expect(() => checkRoutes([good, { ...good, operationId: 'again' }])).toThrow(
      'it is defined twice',
    );
  });
});
