import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleClient, serveConsole } from '../console/console-client.ts';
import { temporaryFolder } from '../harness/cli.ts';
import { repeatedWhileOverloaded } from '../harness/overload.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { rawRequest } from './raw-client.ts';

/** What a proxy may forward for one caller, or for callers that it does not name. */
const FORMS: readonly (readonly [name: string, form: (i: number) => string])[] = [
  ['an address with a port', (i) => `203.0.113.7:${1024 + i}`],
  ['an IPv6 address with a port', (i) => `[2001:db8::${i.toString(16)}]:${1024 + i}`],
  ['an IPv4-mapped address with a port', (i) => `::ffff:203.0.113.9:${1024 + i}`],
  ['garbage', (i) => `_hidden${i}`],
  ['a forged element before an address with a port', (i) => `10.9.${i}.1, 203.0.113.8:${1024 + i}`],
  ['a forged element before garbage', (i) => `10.9.${i}.1, unknown`],
];

/** Sends 60 requests at the same time, each with another text. Returns how many had each status. */
async function statusesOf(
  form: (i: number) => string,
  send: (headers: { 'x-forwarded-for': string }) => Promise<Response>,
): Promise<Record<number, number>> {
  const sent = Array.from({ length: 60 }, (_, i) =>
    repeatedWhileOverloaded(
      async () => {
        const response = await send({ 'x-forwarded-for': form(i) });
        return { status: response.status, text: await response.text() };
      },
      ({ text }) => text,
    ),
  );
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(sent)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('behind a trusted proxy, the API', () => {
  let server: TestServer;
  let clientId: string;
  beforeAll(async () => {
    server = await startTestServer({ config: { trustProxy: ['loopback'] } });
    ({ clientId } = await server.createClient());
  });
  afterAll(() => server.close());

  it.each(FORMS)('limits guesses of a secret with %s', async (_, form) => {
    server.clock.advance(61);
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: 'stave_test_wrong',
    });
    const counts = await statusesOf(form, (headers) =>
      fetch(`${server.address}/v1/auth/token`, {
        method: 'POST',
        headers,
        body,
      }),
    );
    expect(counts).toEqual({ 401: 10, 429: 50 });
  });

  it.each(FORMS)('limits look-ups of licenses with %s', async (_, form) => {
    server.clock.advance(61);
    const url = `${server.address}/v1/licenses/no-number/verify`;
    const counts = await statusesOf(form, (headers) => fetch(url, { headers }));
    expect(counts).toEqual({ 404: 30, 429: 30 });
  });

  it('reads all lines of the header, and believes the last element', async () => {
    server.clock.advance(61);
    const port = Number(new URL(server.address).port);
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) {
      const lines = [`X-Forwarded-For: 10.9.8.${i}`, `x-forwarded-for: 203.0.113.7:${1024 + i}`];
      const head = `GET /v1/licenses/no-number/verify HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n`;
      const { status } = await rawRequest(port, `${head}Connection: close\r\n\r\n`);
      statuses.push(status);
    }
    expect(statuses).toEqual([...Array(30).fill(404), 429]);
  });
});

describe('behind a trusted proxy, the console', () => {
  const folder = temporaryFolder();
  let running: Awaited<ReturnType<typeof serveConsole>>;
  beforeAll(async () => {
    running = await serveConsole(folder, { env: { STAVE_TRUST_PROXY: 'loopback' } });
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  // Not all forms: the failures with one name are limited, too, at a hundred an hour.
  it.each(FORMS.slice(0, 4))('limits logins with %s', async (_, form) => {
    const client = new ConsoleClient(running.client.url);
    const guesses = Array.from({ length: 40 }, (_, i) =>
      client.post(
        '/login',
        { password: 'wrong password' },
        { headers: { 'x-forwarded-for': form(i) } },
      ),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    // The others are checked, or wait for too long to be checked.
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });
});
