import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { COUNTRIES } from '../../common/codes.ts';
import { country, slug, uuid } from '../../common/schema-types.ts';
import { type Route, route } from '../../engines/http/route/route.ts';
import { pageMembers, paginated } from '../../engines/http/schemas.ts';
import { buildOpenApi } from './openapi.ts';
import { asOpenApi30 } from './openapi-30.ts';

const Song = Type.Object({ id: uuid(), note: Type.Optional(Type.String()) }, { title: 'Song' });

function fixture(change: Partial<Route> = {}): Route {
  return route({
    operationId: 'listSongs',
    method: 'GET',
    path: '/v1/songs/{slug}',
    tag: 'Tracks',
    summary: 'List songs',
    description: 'All of them.',
    access: { scope: 'tracks' },
    errors: ['not_found'],
    params: Type.Object({ slug: slug({ examples: ['la'] }) }),
    query: Type.Object({
      ids: Type.Optional(Type.Array(uuid(), { maxItems: 50 })),
      ...pageMembers,
    }),
    data: paginated(Song, 'SongPage'),
    handle: () => ({ data: {} }),
    ...(change as object),
  });
}

// The document is JSON, and the tests read members at any depth.
// biome-ignore lint/suspicious/noExplicitAny: see above
const build = (...routes: Route[]): any =>
  JSON.parse(JSON.stringify(buildOpenApi(routes, { version: '1.2.3', serverUrl: 'http://host' })));
const operation = (change: Partial<Route> = {}) => {
  const path = change.path ?? '/v1/songs/{slug}';
  return build(fixture(change)).paths[path][(change.method ?? 'GET').toLowerCase()];
};
const statuses = (change: Partial<Route> = {}) => Object.keys(operation(change).responses);

describe('buildOpenApi', () => {
  it('names the version, the server and only the tags in use', () => {
    const document = build(fixture());
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: 'http://host' }],
      tags: [{ name: 'Tracks', description: expect.any(String) }],
    });
  });

  it('creates a component for each schema with a title, at any depth', () => {
    const { components, paths } = build(fixture());
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(['FieldProblem', 'NoError', 'Song', 'SongPage']),
    );
    expect(components.schemas.SongPage.properties.items.items).toEqual({
      $ref: '#/components/schemas/Song',
    });
    expect(
      paths['/v1/songs/{slug}'].get.responses['200'].content['application/json'].schema,
    ).toEqual({ $ref: '#/components/schemas/SongPageEnvelope' });
    expect(components.schemas.SongPageEnvelope.properties.data).toEqual({
      $ref: '#/components/schemas/SongPage',
    });
  });

  it('refuses two different schemas with one title', () => {
    const other = fixture({ path: '/v1/other', data: Type.Object({}, { title: 'Song' }) });
    expect(() => build(fixture(), other)).toThrow('two different schemas are called Song');
  });

  it('describes a named enumeration at each of its places', () => {
    const description = 'Where it was sung.';
    const data = Type.Object(
      { country: country({ description, examples: ['FR'] }) },
      { title: 'Sung' },
    );
    const document = build(fixture({ data }));
    const { schemas } = document.components;
    const $ref = '#/components/schemas/CountryCode';
    expect(schemas.CountryCode).toEqual({ type: 'string', enum: COUNTRIES });
    expect(schemas.Sung.properties.country).toEqual({ $ref, description, examples: ['FR'] });
    expect(asOpenApi30(document)).toMatchObject({
      components: {
        schemas: {
          Sung: { properties: { country: { description, example: 'FR', allOf: [{ $ref }] } } },
        },
      },
    });
  });

  it('writes a list as one parameter with commas, and omits the keywords of Stave', () => {
    const { parameters } = operation();
    expect(
      parameters.find((parameter: { name: string }) => parameter.name === 'ids'),
    ).toMatchObject({ in: 'query', required: false, style: 'form', explode: false });
    expect(
      parameters.find((parameter: { name: string }) => parameter.name === 'slug'),
    ).toMatchObject({ in: 'path', required: true, example: 'la' });
    expect(JSON.stringify(parameters)).not.toContain('x-rule');
  });

  it('declares the errors of the route, and those that follow from its scope, query and body', () => {
    expect(statuses()).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '406',
      '429',
      '500',
      '503',
      'default',
    ]);
    expect(
      statuses({
        access: 'public',
        path: '/songs',
        params: undefined as never,
        query: undefined as never,
        errors: [],
      }),
    ).toEqual(['200', '400', '406', '500', '503', 'default']);
    expect(statuses({ method: 'POST', body: Song, access: 'any-token' })).toEqual(
      expect.arrayContaining(['400', '413', '415']),
    );
  });

  it('shows the documented body if the handler checks more than the schema', () => {
    const { requestBody } = operation({
      method: 'POST',
      body: Type.Object({}, { additionalProperties: true }),
      documentedBody: Song,
    });
    expect(requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Song',
    });
  });

  it('documents the statuses and the headers of a success, and the request headers', () => {
    const { responses, parameters } = operation({
      success: { statuses: [201, 200], headers: ['Location', 'Content-Language'] },
      requestHeaders: ['Accept-Language'],
    });
    expect(Object.keys(responses).filter((status) => status < '300')).toEqual(['200', '201']);
    expect(responses['201'].description).toBe('Created.');
    expect(responses['201'].headers).toMatchObject({
      Location: { $ref: '#/components/headers/Location' },
      'Content-Language': { $ref: '#/components/headers/Content-Language' },
    });
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'Accept-Language', in: 'header', required: false }),
    );
  });

  it('documents Idempotency-Key and If-Match, and what they add', () => {
    const patch = {
      method: 'PATCH',
      body: Song,
      idempotent: true,
      needsMatch: true,
    } as const;
    const { responses, parameters } = operation(patch);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', '412', '422', '428']));
    expect(responses['200'].headers).toHaveProperty('Idempotency-Replayed');
    const { components } = build(fixture(patch));
    expect(responses['409'].$ref).toBe('#/components/responses/ConflictOrInProgress');
    expect(components.responses.ConflictOrInProgress.headers).toMatchObject({
      'Retry-After': { $ref: '#/components/headers/Retry-After-In-Progress' },
    });
    const headers = parameters.filter((parameter: { in: string }) => parameter.in === 'header');
    expect(headers).toMatchObject([
      { name: 'Idempotency-Key', required: false },
      { name: 'If-Match', required: true },
    ]);
  });

  it('states the bounds of a body that differ from those of the introduction', () => {
    const post = { method: 'POST', body: Song } as const;
    expect(operation(post).requestBody.description).toBeUndefined();
    const { requestBody } = operation({
      ...post,
      maxBodyBytes: 512 * 1024,
      maxBodyMembers: 12_000,
    });
    expect(requestBody.description).toBe('At most 512 KiB and 12000 members.');
  });

  it('distinguishes the error kinds of one status', () => {
    const document = build(fixture({ access: { scope: 'usage', feature: 'usage' } }));
    const reference = document.paths['/v1/songs/{slug}'].get.responses['403'].$ref;
    const response = document.components.responses[reference.split('/').pop()];
    expect(response.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/InsufficientScopeOrFeatureNotEnabledOrForbiddenEnvelope',
    });
    const { type } =
      document.components.schemas.InsufficientScopeOrFeatureNotEnabledOrForbiddenError.properties;
    expect(type['x-extensible-enum']).toEqual([
      'insufficient_scope',
      'feature_not_enabled',
      'forbidden',
    ]);
  });

  it('requires a token with the scope, or no token', () => {
    expect(operation().security).toEqual([{ clientCredentials: ['tracks'] }, { bearerToken: [] }]);
    expect(operation({ access: 'any-token' }).security[0]).toEqual({ clientCredentials: [] });
    expect(operation({ access: 'public' }).security).toEqual([]);
  });

  it('marks a deprecated route and its headers', () => {
    const deprecation = {
      since: new Date('2026-01-01T00:00:00Z'),
      sunset: new Date('2026-12-01T00:00:00Z'),
      notes: 'https://example.com/notes',
    };
    const marked = operation({ deprecation });
    expect(marked.deprecated).toBe(true);
    expect(marked.description).toContain('2026-12-01');
    expect(Object.keys(marked.responses['200'].headers)).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
    );
    expect(operation().deprecated).toBeUndefined();
  });

  it('describes the bytes of a binary route, with ranges and revalidation', () => {
    const { responses } = operation({
      data: undefined,
      access: 'public',
      errors: ['precondition_failed', 'range_not_satisfiable'],
      produces: ['audio/mpeg'],
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '206', '304', '416']));
    expect(Object.keys(responses)).not.toContain('406');
    expect(responses['206'].content).toEqual({ 'audio/mpeg': {} });
  });

  it('gives a binary route without conditions neither 304 nor validators', () => {
    const { responses } = operation({ data: undefined, produces: ['text/csv'] });
    expect(Object.keys(responses)).not.toContain('304');
    expect(Object.keys(responses['200'].headers)).not.toContain('ETag');
    expect(responses['200'].content).toEqual({ 'text/csv': {} });
  });
});

describe('the section webhooks', () => {
  const Ping = Type.Object({ type: Type.Literal('ping') }, { title: 'PingMessage' });
  const message = {
    type: 'ping',
    operationId: 'receivePing',
    tag: 'Tracks',
    summary: 'A ping',
    description: 'You asked for it.',
    schema: Ping,
  };
  const options = { version: '1.2.3', serverUrl: 'http://host' };

  it('describes each message, and is absent without messages', () => {
    expect(build(fixture())).not.toHaveProperty('webhooks');
    const { webhooks, components } = JSON.parse(
      JSON.stringify(buildOpenApi([fixture()], { ...options, messages: [message] })),
    );
    expect(Object.keys(webhooks)).toEqual(['ping']);
    const { requestBody, parameters } = webhooks.ping.post;
    expect(requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/PingMessage',
    });
    expect(components.schemas).toHaveProperty('PingMessage');
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
  });
});
