import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deliveries } from '../harness/catalog.ts';
import { MAIN } from '../harness/cli.ts';
import { BY } from '../harness/deliveries.ts';
import {
  basic,
  connect,
  httpTransport,
  type McpClient,
  mcpEnvironment,
  startMcpEndpoint,
  stdioTransport,
} from '../harness/mcp.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(2) });
  client = await server.createClient({ features: ['similar'] });
});
afterAll(() => server?.close());

/** A service whose searches never end, and the searches that wait. */
async function slowService() {
  const waiting = new Set<ServerResponse>();
  const api = createServer(({ url }, response) => {
    const me = { clientId: 'c', name: 'n', mode: 'test', scopes: ['search'], features: [] };
    const data = url === '/v1/me' ? me : { access_token: 'a', expires_in: 3_600 };
    if (url !== '/v1/search') return void response.end(JSON.stringify({ data }));
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    api.closeAllConnections();
    api.close();
  });
  return { url: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, waiting };
}

describe('stave mcp', () => {
  it.each([
    ['HTTP', { pin: '2026-07-28' }],
    ['HTTP', 'legacy'],
    ['stdio', { pin: '2026-07-28' }],
    ['stdio', 'legacy'],
  ] as const)('ends the request of a call that is canceled: %s, %j', async (way, mode) => {
    const { url, waiting } = await slowService();
    await using endpoint = await startMcpEndpoint(url);
    const transport =
      way === 'HTTP' ? httpTransport(endpoint, basic(client)) : stdioTransport(url, client);
    await using mcp = await connect(transport, { versionNegotiation: { mode } });
    const controller = new AbortController();
    const call = mcp.client.callTool(
      { name: 'search_tracks', arguments: {} },
      { signal: controller.signal },
    );
    const failed = expect(call).rejects.toThrow();
    await until(() => waiting.size === 1, 'the search to arrive');
    controller.abort();
    await failed;
    await until(() => waiting.size === 0, 'the search to end');
  });

  it('cancels no call of another client of HTTP, and ends those of a client that leaves', async () => {
    const { url, waiting } = await slowService();
    await using endpoint = await startMcpEndpoint(url);
    const options = { versionNegotiation: { mode: 'legacy' } } as const;
    const [one, two] = [
      await connect(httpTransport(endpoint, basic(client)), options),
      await connect(httpTransport(endpoint, basic(client)), options),
    ];
    const controller = new AbortController();
    const begin = (mcp: McpClient, signal?: AbortSignal) => {
      const call = mcp.client.callTool(
        { name: 'search_tracks', arguments: {} },
        signal && { signal },
      );
      return expect(call).rejects.toThrow();
    };
    // Both calls have the same id.
    const ended = [begin(one, controller.signal), begin(two)];
    await until(() => waiting.size === 2, 'the searches to arrive');
    controller.abort();
    await ended[0];
    await until(() => waiting.size === 1, 'one search to end');
    await one.client.ping();
    expect(waiting.size).toBe(1);
    await two.client.close();
    await until(() => waiting.size === 0, 'the other search to end');
    await ended[1];
    await one.client.close();
  });

  it('leaves room for others if a client sends calls that never end', async () => {
    await using endpoint = await startMcpEndpoint(server.address);
    const post = (of: TestClient, body: object, signal?: AbortSignal) =>
      fetch(endpoint.address, {
        method: 'POST',
        headers: {
          authorization: basic(of),
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      });
    const call = {
      jsonrpc: '2.0',
      id: 5,
      method: 'tools/call',
      params: { name: 'search_tracks', arguments: {} },
    };
    const method = 'notifications/cancelled';
    const endless = [call, { jsonrpc: '2.0', method, params: { requestId: call.id } }];
    const end = new AbortController();
    const statuses: number[] = [];
    const sent = Array.from({ length: 110 }, async () => {
      const response = await post(client, endless, end.signal);
      statuses.push(response.status);
      await response.body!.cancel();
    });
    const settled = Promise.allSettled(sent);
    await until(() => statuses.includes(429), 'the limit of the client');
    const other = await server.createClient();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await post(other, list)).status).toBe(200);
    end.abort();
    await settled;
    await until(async () => (await post(client, list)).status === 200, 'the end of the calls');
  });

  it.each([
    ['deeply nested', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['an object', '{"a":1}'],
  ])('reports an id that is %s as an invalid request', async (_, id) => {
    await using endpoint = await startMcpEndpoint(server.address);
    const response = await fetch(endpoint.address, {
      method: 'POST',
      headers: {
        authorization: basic(client),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': 'x',
      },
      body: `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`,
    });
    expect(response.status).toBe(400);
  });

  it('reads nothing else if a name is only dots', async () => {
    await using mcp = await connect(stdioTransport(server.address, client));
    for (const name of ['.', '..']) {
      for (const [tool, args] of [
        ['get_track', { track: name }],
        ['similar_tracks', { track: name }],
        ['get_playlist', { playlist: name }],
      ] as const) {
        const { isError, text } = await mcp.call(tool, args);
        expect(isError, `${tool} ${name}`).toBe(true);
        expect(text).toContain('must hold only the letters a to z, digits and hyphens');
      }
      const uri = `stave://tracks/${name}`;
      await expect(mcp.client.readResource({ uri })).rejects.toThrow('not found');
    }
  });

  it('ends with one line at a message that is too long', async () => {
    const child = spawn(process.execPath, [MAIN, 'mcp'], {
      env: mcpEnvironment(server.address, client),
    });
    const written = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text) => {
        written[name] += text;
      });
    }
    const ended = new Promise((resolve) => child.once('close', resolve));
    // It may leave before it has read all.
    child.stdin.on('error', () => {});
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    child.stdout.once('data', () => child.stdin.write('x'.repeat(2 * 1024 * 1024)));
    expect(await ended).toBe(1);
    expect(written.stderr).toMatch(/^.*has a message of more than 1048576 bytes\n$/);
    expect(written.stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it('says how long to wait after too many requests', async () => {
    const limited = await server.createClient({ rateLimit: 2 });
    await using mcp = await connect(stdioTransport(server.address, limited));
    await until(async () => {
      const { isError, data, text } = await mcp.call('search_tracks');
      if (!isError) return false;
      expect(data.error.type).toBe('rate_limited');
      expect(text).toMatch(/^Wait \d+ seconds, and call the tool again\./m);
      return true;
    }, 'the limit');
  });

  it('does nothing more for a client that is disabled meanwhile', async () => {
    const other = await server.createClient();
    await using endpoint = await startMcpEndpoint(server.address);
    await using stdio = await connect(stdioTransport(server.address, other));
    await using http = await connect(httpTransport(endpoint, basic(other)));
    for (const mcp of [stdio, http]) {
      expect((await mcp.call('search_tracks')).isError).toBe(false);
    }
    await server.operator.store.clients.update(other.clientId, { enabled: false }, BY);
    const isRefused = async () => (await stdio.call('search_tracks')).isError;
    await server.until(isRefused);
    for (const mcp of [stdio, http]) {
      const { isError, text } = await mcp.call('search_tracks');
      expect(isError).toBe(true);
      expect(text).toContain('Do not call the tool again.');
      expect(text).not.toContain(other.testSecret);
    }
  });
});
