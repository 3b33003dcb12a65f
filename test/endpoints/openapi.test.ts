import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../../src/kernel/errors.ts';
import { startHouse, type TestHouse } from '../harness/house.ts';

let house: TestHouse;
let text: string;
// biome-ignore lint/suspicious/noExplicitAny: the document is JSON that these tests read into
let document: any;
beforeAll(async () => {
  house = await startHouse({ tracks: [] });
  const answer = await house.http.send('GET', '/openapi.json');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  text = answer.body.toString('utf8');
  document = JSON.parse(text);
});
afterAll(() => house?.close());

describe('GET /openapi.json', () => {
  it('needs no token and carries the version headers', async () => {
    const { status, headers } = await house.http.send('GET', '/openapi.json', { Accept: '*/*' });
    expect(status).toBe(200);
    expect(headers['x-api-version']).toBe('v1');
    expect(headers['x-service-version']).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('names this server', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: house.address }]);
  });

  it('describes the nine advertised endpoints and the additions', () => {
    const operations = house.contract
      .operations()
      .map(({ method, path }) => `${method} ${path}`)
      .filter((operation) => !operation.includes('/media/'))
      .sort();
    expect(operations).toEqual([
      'GET /health-check',
      'GET /v1/analytics/most-licensed',
      'GET /v1/filters',
      'GET /v1/me',
      'GET /v1/playlists',
      'GET /v1/playlists/{idOrSlug}/tracks',
      'GET /v1/suggest',
      'GET /v1/tracks',
      'GET /v1/tracks/changes',
      'GET /v1/tracks/{slug}',
      'GET /v1/tracks/{slug}/similar',
      'GET /version',
      'POST /v1/auth/token',
      'POST /v1/search',
      'POST /v1/usage',
    ]);
  });

  it('describes binary routes too', () => {
    const media = house.contract.operations().filter(({ path }) => path.startsWith('/media/'));
    expect(media).toHaveLength(2);
  });

  it('has a description for every tag in use', () => {
    const described = document.tags.map((tag: { name: string }) => tag.name);
    for (const { tags } of house.contract.operations()) {
      expect(described).toEqual(expect.arrayContaining(tags));
    }
  });

  it('says of the token endpoint what it takes and gives', () => {
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
    const { responses } = document.paths['/v1/auth/token'].post;
    const { properties } = responses['200'].content['application/json'].schema;
    // RFC 6749's own members stand beside the envelope's for forms; `mode` is not one of them.
    expect(Object.keys(properties)).toEqual([
      'data',
      'error',
      'access_token',
      'token_type',
      'expires_in',
      'scope',
    ]);
  });

  it('suggests first requests that can find something', () => {
    const exampleAt = (path: string) =>
      document.paths[path].post.requestBody.content['application/json'].example;
    expect(Object.keys(exampleAt('/v1/auth/token'))).not.toContain('scope');
    expect(Object.keys(exampleAt('/v1/search'))).not.toContain('filterIds');
  });

  it('gives each kind of error its own status and no other', () => {
    for (const { operationId } of house.contract.operations()) {
      for (const { status, kind } of house.contract.declaredErrors(operationId)) {
        expect(ERROR_KINDS[kind as keyof typeof ERROR_KINDS].status).toBe(status);
      }
    }
  });

  it('shows examples that its own schemas allow', () => {
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

  it('passes Redocly without an error or a warning', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stave-openapi-'));
    const file = join(folder, 'openapi.json');
    await writeFile(file, text);
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
  });
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
