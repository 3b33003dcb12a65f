import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OAUTH_ERRORS } from '../../src/engines/http/response/envelope.ts';
import { newSecret } from '../../src/features/access/secret.ts';
import { type AccessServer, listen } from '../harness/access-server.ts';

let server: AccessServer;
let clientId: string;
let testSecret: string;
beforeAll(async () => {
  server = await listen();
  ({ clientId, testSecret } = await server.newClient());
});
afterAll(() => server.close());

const KINDS = [
  'invalid_request',
  'unsupported_grant_type',
  'invalid_client',
  'invalid_scope',
  'rate_limited',
];

/** Sends a request, checks the envelope of the response, and returns its error kind. */
async function kindOf(init: { headers: Record<string, string>; body: string }): Promise<string> {
  const response = await fetch(`${server.base}/v1/auth/token`, { method: 'POST', ...init });
  const envelope = (await response.json()) as {
    data: object;
    error: { code: number; type?: string; message: string };
  };
  if (response.status === 200) {
    return 'none';
  }
  expect(envelope.data).toEqual({});
  expect(envelope.error.code).toBe(response.status);
  expect(Object.keys(envelope).sort()).toEqual(['data', 'error']);
  return envelope.error.type!;
}

const json = { 'content-type': 'application/json' };
const strange = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('client_credentials', 'search', '__proto__', 'constructor', '\u0000', '%00'),
);

describe('POST /oauth/token', () => {
  it('responds to any form with a valid OAuth error in the allowed characters, and never with a token', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('client_credentials', 'search', 'é…"\\', '\u0000', '__proto__'),
    );
    const form = fc.oneof(
      fc
        .record(
          { grant_type: text, client_id: text, client_secret: text, scope: text },
          { requiredKeys: [] },
        )
        .map((members) => new URLSearchParams(members).toString()),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(form, async (body) => {
        const response = await fetch(`${server.base}/oauth/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body,
        });
        expect([400, 401, 429]).toContain(response.status);
        const fields = (await response.json()) as Record<string, string>;
        expect(Object.keys(fields)).toEqual(['error', 'error_description', 'error_uri']);
        expect(OAUTH_ERRORS).toContain(fields.error);
        expect(fields.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      }),
      { numRuns: 400 },
    );
  });
});

describe('POST /v1/auth/token', () => {
  it('responds to any members with a declared error, and never with a token', async () => {
    const members = fc.record(
      { grant_type: strange, client_id: strange, client_secret: strange, scope: strange },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(members, async (body) => {
        expect(KINDS).toContain(await kindOf({ headers: json, body: JSON.stringify(body) }));
      }),
      { numRuns: 400 },
    );
  });

  it('responds to any Authorization header with a declared error', async () => {
    const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
    const header = fc.oneof(
      printable,
      printable.map((text) => `Basic ${text}`),
      fc
        .tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))
        .map(([id, secret]) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`),
    );
    await fc.assert(
      fc.asyncProperty(header, async (authorization) => {
        const body = JSON.stringify({ grant_type: 'client_credentials' });
        expect(KINDS).toContain(await kindOf({ headers: { ...json, authorization }, body }));
      }),
      { numRuns: 400 },
    );
  });

  it('accepts no secret that is almost right', async () => {
    const variants = [
      ...Array.from(testSecret, (_, at) => testSecret.slice(0, at) + testSecret.slice(at + 1)),
      ...Array.from(testSecret, (character, at) => {
        const other = character === 'x' ? 'y' : 'x';
        return testSecret.slice(0, at) + other + testSecret.slice(at + 1);
      }),
      testSecret.replace('test', 'live'),
      testSecret.toUpperCase(),
      ` ${testSecret}`,
      `${testSecret}\n`,
      newSecret('test'),
    ];
    for (const secret of variants) {
      const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
      const kind = await kindOf({ headers: json, body: JSON.stringify(body) });
      expect(['invalid_client', 'rate_limited']).toContain(kind);
    }
  });

  it('accepts the right secret after all failures', async () => {
    const body = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: testSecret,
    };
    expect(await kindOf({ headers: json, body: JSON.stringify(body) })).toBe('none');
  });
});
