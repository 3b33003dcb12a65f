import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../src/common/caller.ts';
import { ROOT } from '../guards/source.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** The names of one thing in docs/contract/http.md#unknown-parameters-and-members, by the type of their values. */
const THINGS: readonly { type: 'string' | 'integer' | 'array'; names: readonly string[] }[] = [
  { type: 'string', names: ['search', 'query', 'q'] },
  { type: 'integer', names: ['pageSize', 'limit'] },
  { type: 'string', names: ['track', 'trackId', 'slug'] },
  { type: 'array', names: ['tracks', 'trackIds', 'items'] },
];

interface Schema {
  $ref?: string;
  type?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const document = JSON.parse(readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8'));

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolved(document.components.schemas[name]);
}

/** A request with a name of another place, and what it should be called. */
interface Misnamed {
  operationId: string;
  field: string;
  meant: string;
  body?: unknown;
  query?: string;
}

/** The other names of the members of a schema. `path` is that of the schema in messages; `wrap` puts a value there. */
function inSchema(
  operationId: string,
  given: Schema,
  path: string,
  wrap: (value: unknown) => unknown,
): Misnamed[] {
  const { type, items, properties = {} } = resolved(given);
  if (type === 'array')
    return inSchema(operationId, items!, `${path}[0]`, (value) => wrap([value]));
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  return Object.entries(properties).flatMap(([name, member]) => [
    ...otherNames(name, resolved(member), properties).map((other) => ({
      ...{ operationId, field: at(other), meant: at(name) },
      body: wrap({ [other]: 'x' }),
    })),
    ...inSchema(operationId, member, at(name), (value) => wrap({ [name]: value })),
  ]);
}

function otherNames(name: string, { type }: Schema, known: object): string[] {
  const thing = THINGS.find((one) => one.type === type && one.names.includes(name));
  return thing?.names.filter((other) => !(other in known)) ?? [];
}

function inQuery({ operationId, parameters = [] }: Operation): Misnamed[] {
  const query = parameters.filter((one) => one.in === 'query');
  const known = Object.fromEntries(query.map(({ name }) => [name, true]));
  return query.flatMap(({ name, schema }) =>
    otherNames(name, resolved(schema), known).map((other) => ({
      ...{ operationId, field: other, meant: name, query: `${other}=x` },
    })),
  );
}

const operations: Operation[] = Object.entries<object>(document.paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([, methods]) => Object.values(methods));
const inBodies = operations.flatMap(({ operationId, requestBody }) => {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? [] : inSchema(operationId, schema, '', (value) => value);
});
const inQueries = operations.flatMap(inQuery);

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  token = await (await server.createClient({ scopes: ALL_SCOPES, features: FEATURES })).token();
});
afterAll(() => server?.close());

describe('the name that a thing has in another place', () => {
  it('is looked for in the bodies and queries of all operations', () => {
    const found = new Set([...inBodies, ...inQueries].map(({ operationId }) => operationId));
    for (const operationId of [
      ...['listTracks', 'searchTracks', 'suggest', 'listSimilarTracks', 'listTrackChanges'],
      ...['batchTracks', 'signStreams', 'createQuote', 'createCollection', 'addCollectionItems'],
      ...['removeCollectionItems', 'createSavedSearch', 'updateSavedSearch', 'reportUsage'],
      ...['simulateWebhook', 'listLicenses', 'readUsageSummary'],
    ]) {
      expect(found).toContain(operationId);
    }
  });

  it.each([...inBodies, ...inQueries])(
    'gets a hint in $operationId: $field for $meant',
    async (one) => {
      const { operationId, field, meant, body, query } = one;
      const headers = { 'If-Match': '*' };
      const params = { id: '00000000-0000-4000-8000-000000000000', slug: 'sunrise' };
      const asked = { token, headers, params, ...(query ? { query } : { body }) };
      const { status, error } = await server.call(operationId, asked);
      expect(status).toBe(400);
      const found = error.details?.find((detail) => detail.field === field);
      expect(found?.message).toContain(`(did you mean ${meant}?)`);
    },
  );
});
