import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Serving, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { fillIn, parseHttpBlocks, parseHttpFile } from './http-file.ts';

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const examples = parseHttpFile(textOf('examples/partner.http'));
const documented = parseHttpBlocks(textOf('docs/searching.md'));

describe('a fresh Stave with the demo catalog', () => {
  const folder = temporaryFolder();
  const values: Record<string, unknown> = {};
  let serving: Serving;

  beforeAll(async () => {
    const data = folder.at('data');
    serving = await serve(data, { STAVE_DEMO: 'on' });
    const [demo] = await staveJson(data, ['clients', 'list']);
    const secrets = demo.secrets.filter((secret: { mode: string }) => secret.mode === 'test');
    expect(secrets).toHaveLength(1);
    const { secret } = await staveJson(data, [
      'clients',
      'rotate-secret',
      demo.clientId,
      '--mode',
      'test',
    ]);
    Object.assign(values, { base: serving.url, clientId: demo.clientId, clientSecret: secret });
  });
  afterAll(async () => {
    await serving?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test.each(examples)('responds to examples/partner.http: $title', async (example) => {
    const response = await fetch(fillIn(example.url, values), {
      method: example.method,
      headers: Object.fromEntries(
        Object.entries(example.headers).map(([name, text]) => [name, fillIn(text, values)]),
      ),
      ...(example.body !== undefined && { body: fillIn(example.body, values) }),
    });
    expect(response.status).toBe(example.expectedStatus);
    if (response.headers.get('content-type')?.startsWith('application/json')) {
      const envelope = await response.json();
      if (example.name !== undefined) {
        values[example.name] = envelope;
      }
    } else {
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
  });

  test('runs the lines of docs/getting-started.md, from credentials to a file that plays', async () => {
    const [settings, ...steps] = [
      ...textOf('docs/getting-started.md').matchAll(/^```sh\n(.*?)^```/gms),
    ].map(([, block]) => block!);
    const script = [
      settings!
        .replace('http://127.0.0.1:8080', serving.url)
        .replace('CLIENT_ID=…', `CLIENT_ID=${values.clientId}`)
        .replace('CLIENT_SECRET=stave_test_…', `CLIENT_SECRET=${values.clientSecret}`),
      ...steps,
    ].join('\necho\n');
    expect(script).not.toContain('…');
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { cwd: folder.path });
    expect(stdout).toContain('"token_type":"Bearer"');
    expect(stdout).toContain('"slug":"night-bus-home"');
    expect(stdout).toContain('"type":"invalid_request"');
    expect(readFileSync(folder.at('track.wav')).toString('latin1', 0, 4)).toBe('RIFF');
  });

  test('finds tracks with the example of each parameter of the list', async () => {
    const login = values.login as { data: { access_token: string } };
    const headers = { Authorization: `Bearer ${login.data.access_token}` };
    // biome-ignore lint/suspicious/noExplicitAny: JSON of which this test reads any member
    const json = async (path: string): Promise<any> =>
      (await fetch(serving.url + path, { headers })).json();
    const document = await json('/openapi.json');
    for (const { name, examples } of document.paths['/v1/tracks'].get.parameters) {
      const query = new URLSearchParams({ [name]: String(examples.example.value) });
      const { data } = await json(`/v1/tracks?${query}`);
      expect(data.totalRecords, name).toBeGreaterThan(0);
    }
  });

  test.each(documented)('responds to docs/searching.md: $title', async ({ method, url, body }) => {
    const login = values.login as { data: { access_token: string } };
    const response = await fetch(serving.url + url, {
      method,
      headers: {
        Authorization: `Bearer ${login.data.access_token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    expect(await response.json()).toMatchObject({
      data: { items: expect.any(Array) },
      error: { code: 0 },
    });
  });
});
