import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../../src/common/errors.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
let text: string;
// biome-ignore lint/suspicious/noExplicitAny: the document is JSON of which these tests read any member
let document: any;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  const response = await server.http.send('GET', '/openapi.json');
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  text = response.body.toString('utf8');
  document = JSON.parse(text);
});
afterAll(() => server?.close());

describe('GET /openapi.json', () => {
  it('needs no token and carries the version headers', async () => {
    const { status, headers } = await server.http.send('GET', '/openapi.json', { Accept: '*/*' });
    expect(status).toBe(200);
    expect(headers['x-api-version']).toBe('v1');
    expect(headers['x-service-version']).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('names this server', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: server.address }]);
  });

  it('describes binary routes, too', () => {
    const media = server.contract.operations().filter(({ path }) => path.startsWith('/media/'));
    expect(media).toHaveLength(7);
  });

  it('has a description for every tag in use', () => {
    const described = document.tags.map((tag: { name: string }) => tag.name);
    for (const { tags } of server.contract.operations()) {
      expect(described).toEqual(expect.arrayContaining(tags));
    }
  });

  it('describes requests and responses of the token endpoints', () => {
    const { TokenRequest } = document.components.schemas;
    expect(TokenRequest).toMatchObject({
      required: ['grant_type'],
      properties: {
        grant_type: { type: 'string', enum: ['client_credentials'] },
        client_id: { type: 'string' },
        client_secret: { type: 'string' },
        scope: { type: 'string' },
      },
    });
    const successOf = (path: string) =>
      document.paths[path].post.responses['200'].content['application/json'].schema;
    expect(successOf('/v1/auth/token')).toEqual({
      $ref: '#/components/schemas/AccessTokenEnvelope',
    });
    expect(Object.keys(document.components.schemas.AccessTokenEnvelope.properties)).toEqual([
      'data',
      'error',
    ]);
    expect(successOf('/oauth/token')).toEqual({ $ref: '#/components/schemas/OAuthToken' });
    expect(Object.keys(document.components.schemas.OAuthToken.properties)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'scope',
    ]);
    // The page of the document gets its token there, like any OAuth client.
    const { flows } = document.components.securitySchemes.clientCredentials;
    expect(flows.clientCredentials.tokenUrl).toBe(`${server.address}/oauth/token`);
  });

  it('has example requests that find something', () => {
    const exampleAt = (path: string) =>
      document.paths[path].post.requestBody.content['application/json'].example;
    expect(Object.keys(exampleAt('/v1/auth/token'))).not.toContain('scope');
    expect(Object.keys(exampleAt('/v1/search'))).not.toContain('filterIds');
  });

  it('has no defaults, because generators of clients turn them into required members', () => {
    const withDefault: unknown[] = [];
    visit(document, (node) => {
      if ('default' in node && 'type' in node) withDefault.push(node);
    });
    expect(withDefault).toEqual([]);
    expect(document.components.schemas.SearchRequest.properties.pageSize.description).toContain(
      'Default: `20`.',
    );
  });

  it('has an example for each parameter, switched off if the parameter is optional', () => {
    for (const path of Object.values<Record<string, { parameters?: unknown[] }>>(document.paths)) {
      for (const { parameters = [] } of Object.values(path)) {
        for (const parameter of parameters as Record<string, unknown>[]) {
          const expected = parameter.required
            ? { example: expect.anything() }
            : { examples: { example: { value: expect.anything(), 'x-disabled': true } } };
          expect(parameter).toMatchObject(expected);
        }
      }
    }
  });

  it('names a contact, and a success for every operation', () => {
    expect(document.info.contact).toEqual({ name: expect.any(String), url: server.address });
    for (const { operationId } of server.contract.operations()) {
      const statuses = Object.keys(server.contract.operation(operationId).responses);
      expect(
        statuses.some((status) => /^[23]/.test(status)),
        operationId,
      ).toBe(true);
    }
  });

  it('has one status for each error kind', () => {
    for (const { operationId } of server.contract.operations()) {
      for (const { status, kind } of server.contract.declaredErrors(operationId)) {
        expect(ERROR_KINDS[kind as keyof typeof ERROR_KINDS].status).toBe(status);
      }
    }
  });

  it('has examples that match its schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...document, $id: 'openapi' });
    let count = 0;
    visit(document, (node) => {
      const values = [
        ...('example' in node ? [node.example] : []),
        ...Object.values((node.examples as Record<string, { value: unknown }>) ?? {}).flatMap(
          (example) =>
            typeof example === 'object' && example && 'value' in example ? [example.value] : [],
        ),
      ];
      if (node.schema !== undefined) {
        for (const value of values) {
          const schema = JSON.parse(JSON.stringify(node.schema).replaceAll('"#/', '"openapi#/'));
          const isValid = ajv.validate(schema, value);
          expect({ value, errors: isValid ? null : ajv.errors }).toEqual({ value, errors: null });
          count++;
        }
      }
    });
    expect(count).toBeGreaterThan(40);
  });

  it('is also served as OpenAPI 3.0', async () => {
    const sent = await server.http.send('GET', '/openapi-3.0.json');
    const older = JSON.parse(sent.body.toString());
    const { openapi, paths } = older;
    expect(openapi).toBe('3.0.3');
    const operations = (of: Record<string, object>) =>
      Object.entries(of).map(([at, methods]) => [at, ...Object.keys(methods)]);
    expect(operations(paths)).toEqual(operations(document.paths));
    visit(older, (node) => {
      expect(Array.isArray(node.type) || node.type === 'null').toBe(false);
      if (typeof node.const !== 'object') expect(node.const).toBeUndefined();
    });
    const { Webhook, TrackChange } = older.components.schemas;
    expect(Webhook.properties.disabledReason).toMatchObject({ type: 'string', nullable: true });
    expect(TrackChange.properties.track).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/Track' }],
      nullable: true,
    });
  });

  it('names every envelope, closes no word that may grow, and has no null among words', () => {
    const anonymous: string[] = [];
    visit(document, (node) => {
      const { schema } = node as { schema?: { type?: string; properties?: object } };
      if (schema?.properties !== undefined) anonymous.push(Object.keys(schema.properties).join());
      if (Array.isArray(node.enum)) expect(node.enum).not.toContain(null);
    });
    // OAuth has no envelope.
    expect(anonymous.filter((members) => members !== 'error,error_description,error_uri')).toEqual(
      [],
    );
    const { Filter, TrackChange, Me, WebhookDelivery, License, AnyError } =
      document.components.schemas;
    for (const schema of [
      Filter.properties.type,
      TrackChange.properties.type,
      Me.properties.scopes.items,
      Me.properties.features.items,
      WebhookDelivery.properties.type,
      WebhookDelivery.properties.status,
      License.properties.status,
      AnyError.properties.type,
    ]) {
      expect(schema).toMatchObject({ type: 'string', 'x-extensible-enum': expect.any(Array) });
      expect(schema).not.toHaveProperty('enum');
    }
  });

  it('has few parameters with reserved words, which the generators rename', () => {
    const reserved =
      /^(?:in|from|class|default|delete|for|function|if|import|new|return|type|with)$/;
    const names = Object.values(document.paths as Record<string, object>)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters)
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => reserved.test(name));
    expect([...new Set(names)].sort()).toEqual(['from', 'in', 'new', 'type']);
  });

  it.each(['/openapi.json', '/openapi-3.0.json'])(
    'passes Redocly without an error or a warning: %s',
    async (path) => {
      const sent = await server.http.send('GET', path);
      const folder = await mkdtemp(join(tmpdir(), 'stave-openapi-'));
      const file = join(folder, 'openapi.json');
      await writeFile(file, sent.body);
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        [
          'node_modules/@redocly/cli/bin/cli.js',
          'lint',
          file,
          '--config=redocly.yaml',
          '--format=json',
        ],
        {
          encoding: 'utf8',
          env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
      );
      await rm(folder, { recursive: true });
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
    },
  );
});

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (typeof node !== 'object' || node === null) {
    return;
  }
  if (!Array.isArray(node)) {
    see(node as Record<string, unknown>);
  }
  for (const inner of Object.values(node)) {
    visit(inner, see);
  }
}
