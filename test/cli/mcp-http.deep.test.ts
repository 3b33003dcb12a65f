import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSecret } from '../../src/features/access/secret.ts';
import { deliveries } from '../harness/catalog.ts';
import { stave } from '../harness/cli.ts';
import { keptLog } from '../harness/log-lines.ts';
import {
  basic,
  connect,
  httpTransport,
  type McpEndpoint,
  startMcpEndpoint,
  stdioTransport,
} from '../harness/mcp.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const { log, lines } = keptLog();

let server: TestServer;
let client: TestClient;
let endpoint: McpEndpoint;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(12), log });
  client = await server.createClient({ features: ['similar'] });
  endpoint = await startMcpEndpoint(server.address);
});
afterAll(async () => {
  await endpoint?.[Symbol.asyncDispose]();
  await server?.close();
});

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_tracks', arguments: {} },
};

/** Sends a request as it is, also with a header that `fetch` does not permit. */
function send(
  headers: Record<string, string> = {},
  { body = JSON.stringify(CALL), method = 'POST', path = '/mcp' } = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const usual = {
    authorization: basic(client),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, endpoint.address),
      { method, headers: { ...usual, ...headers } },
      async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode!, headers: response.headers, text });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

describe('stave mcp --port', () => {
  it('acts as each of its callers, with Basic or with an access token', async () => {
    const other = await server.createClient({ scopes: ['tracks'] });
    await using one = await connect(httpTransport(endpoint, basic(client)));
    await using two = await connect(httpTransport(endpoint, `Bearer ${await other.token()}`));
    const names = async ({ client: connected }: typeof one) =>
      (await connected.listTools()).tools.map(({ name }) => name);
    expect(await names(one)).toEqual([
      'search_tracks',
      'similar_tracks',
      'get_track',
      'list_filters',
      'list_playlists',
      'get_playlist',
    ]);
    expect(await names(two)).toEqual(['get_track']);
    const { data } = await one.call('search_tracks');
    expect(data.totalRecords).toBe(12);
    const { slug } = data.tracks[0];
    expect((await two.call('get_track', { track: slug })).data.track.slug).toBe(slug);
    const { contents } = await two.client.readResource({ uri: `stave://tracks/${slug}` });
    expect(contents).toHaveLength(1);
    const unknown = await two.call('get_track', { track: 'no-such-track' });
    expect(unknown).toMatchObject({ isError: true, data: { error: { type: 'not_found' } } });
  });

  it.each([
    ['over HTTP', () => httpTransport(endpoint, basic(client))],
    ['on standard input and output', () => stdioTransport(server.address, client)],
  ])('speaks both revisions of the protocol %s', async (_way, transport) => {
    for (const [mode, era] of [
      ['legacy', 'legacy'],
      [{ pin: '2026-07-28' }, 'modern'],
    ] as const) {
      await using one = await connect(transport(), { versionNegotiation: { mode } });
      expect(one.client.getProtocolEra()).toBe(era);
      expect((await one.call('search_tracks')).data.totalRecords).toBe(12);
    }
  });

  it('answers a call without a session', async () => {
    const { status, text } = await send();
    expect(status).toBe(200);
    expect(text).toContain('"totalRecords":12');
    expect((await send({}, { method: 'GET', body: '' })).status).toBe(405);
  });

  it('passes the trace of a call on to the service, and no malformed one', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const calls = () => lines.filter(({ operationId }) => operationId === 'searchTracks');
    const before = calls().length;
    const ids = [{ traceparent }, { traceparent: traceparent.toUpperCase() }, {}] as Record<
      string,
      string
    >[];
    for (const headers of ids) expect((await send(headers)).status).toBe(200);
    await server.until(async () => calls().length === before + ids.length);
    const traces = calls().map(({ trace_id, span_id }) => [trace_id, span_id]);
    expect(traces.slice(before)).toEqual([
      [traceId, '00f067aa0ba902b7'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('refuses a request without valid credentials, and shows none', async () => {
    const { clientId } = client;
    const wrong = 'invalid_token';
    for (const [authorization, message, code] of [
      ['', 'Authorization is missing; send Basic', undefined],
      ['Digest sesame', 'Authorization must be Basic', undefined],
      ['Basic', 'is not a client id, a colon and a secret', wrong],
      ['Basic sesame', 'is not a client id, a colon and a secret', wrong],
      [basic({ clientId: 'a', testSecret: '' }), 'is not a client id, a colon', wrong],
      [basic({ clientId, testSecret: 'sesame' }), 'The client secret is not complete', wrong],
      [basic({ clientId, testSecret: newSecret('test') }), 'do not belong together', wrong],
      ['Bearer sesame', 'is not an access token', wrong],
      ['Bearer sesame.sesame.sesame', 'is not one that this service issued', wrong],
    ] as const) {
      const { status, headers, text } = await send({ authorization });
      expect(status, authorization).toBe(401);
      const [, error] = /^Bearer realm="stave"(?:, error="(\w+)")?, .+, Basic realm="stave"$/.exec(
        String(headers['www-authenticate']),
      )!;
      expect(error, authorization).toBe(code);
      expect(JSON.parse(text).error.message, authorization).toContain(message);
      expect(text).not.toContain('sesame');
    }
  });

  it.each([
    [{ host: 'evil.example' }, 403],
    [{ host: 'evil.example:80' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ host: 'localhost' }, 200],
    [{ origin: 'http://localhost:3000' }, 200],
  ])('responds to %j with %i', async (headers, status) => {
    expect((await send(headers)).status).toBe(status);
  });

  it('refuses a body that is too large, whether or not its length is announced', async () => {
    const body = `${' '.repeat(300 * 1024)}${JSON.stringify(CALL)}`;
    const announced = { 'content-length': String(body.length) };
    for (const headers of [announced, { 'transfer-encoding': 'chunked' }]) {
      const { status, text } = await send(headers, { body });
      expect(status).toBe(413);
      expect(text).toContain('at most 262144 bytes');
    }
  });

  it('refuses more messages in a body than a client sends, and takes fewer', async () => {
    const messages = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...CALL, id })));
    const { status, text } = await send({}, { body: messages(21) });
    expect([status, JSON.parse(text).error.message]).toEqual([
      413,
      'The body may have at most 20 messages',
    ]);
    expect((await send({}, { body: messages(2) })).status).toBe(200);
  });

  it.each([
    ['text that is not JSON', { body: 'sesame' }, 400],
    ['another path', { path: '/' }, 404],
    ['a body for metadata', { path: '/.well-known/oauth-authorization-server' }, 405],
    ['another method', { method: 'PUT' }, 405],
  ])('refuses %s', async (_what, options, status) => {
    expect((await send({}, options)).status).toBe(status);
  });

  it('reports a service that cannot be reached', async () => {
    await using apart = await startMcpEndpoint('http://127.0.0.1:1');
    const refused = connect(httpTransport(apart, basic(client)));
    await expect(refused).rejects.toThrow('The service does not answer');
  });

  it('fails if the port is taken', async () => {
    const { port } = new URL(endpoint.address);
    const ran = await stave('/nonexistent/stave', ['mcp', '--port', port]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('the address is in use');
  });

  it('ends at SIGTERM with open connections', async () => {
    await using apart = await startMcpEndpoint(server.address);
    await using _open = await connect(httpTransport(apart, basic(client)));
    expect(await apart.stop()).toBe(0);
  });
});
