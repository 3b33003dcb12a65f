import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Serving, serve, staveJson, temporaryFolder } from '../cli/harness.ts';
import { fillIn, parseHttpFile } from './http-file.ts';

const examples = parseHttpFile(
  readFileSync(new URL('../../examples/partner.http', import.meta.url), 'utf8'),
);

describe('examples/partner.http on a fresh Stave with the demo catalog', () => {
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

  test.each(examples)('$title', async (example) => {
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
});
