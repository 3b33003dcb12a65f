import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries } from '../../test/harness/catalog.ts';
import { basic, connect } from '../../test/harness/mcp.ts';
import {
  startTestServer,
  type TestClient,
  type TestServer,
} from '../../test/harness/test-server.ts';
import { HttpCallers } from './callers.ts';
import { serveHttp } from './http.ts';

type Endpoint = Awaited<ReturnType<typeof serveHttp>>;

const PUBLIC_URL = 'https://agents.example.com/music/mcp';
const open: Endpoint[] = [];
let server: TestServer;
let client: TestClient;
let endpoint: Endpoint;
let behindProxy: Endpoint;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
  client = await server.createClient({ scopes: ['search'] });
  endpoint = await serve();
  behindProxy = await serve({ publicUrl: PUBLIC_URL });
});
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await server?.close();
});

async function serve({ url = server.address, publicUrl = undefined as string | undefined } = {}) {
  const served = await serveHttp({ url, port: 0, publicUrl, clock: server.clock });
  open.push(served);
  return served;
}

const get = (address: string, path: string, init?: RequestInit) =>
  fetch(new URL(path, address), init);

describe('an MCP endpoint', () => {
  it.each(['127.0.0.1', 'localhost'])(
    'lets the provider of the official SDK get tokens, as %s',
    async (host) => {
      const authProvider = new ClientCredentialsProvider({
        clientId: client.clientId,
        clientSecret: client.testSecret,
        expectedIssuer: server.address,
      });
      const url = new URL(endpoint.address.replace('127.0.0.1', host));
      await using mcp = await connect(new StreamableHTTPClientTransport(url, { authProvider }));
      expect((await mcp.call('search_tracks')).data.totalRecords).toBe(3);
    },
  );

  it('makes a program with a login in a browser say that there is none', async () => {
    const authProvider: OAuthClientProvider = {
      redirectUrl: 'http://127.0.0.1/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1/callback'] },
      clientInformation: () => ({ client_id: client.clientId, issuer: server.address }),
      tokens: () => undefined,
      saveTokens() {},
      redirectToAuthorization() {},
      saveCodeVerifier() {},
      codeVerifier: () => '',
    };
    const transport = new StreamableHTTPClientTransport(new URL(endpoint.address), {
      authProvider,
    });
    await expect(connect(transport)).rejects.toThrow('does not support response type code');
  });

  it('names the metadata in its challenge, as the first scheme', async () => {
    const { status, headers } = await get(endpoint.address, '/mcp', { method: 'POST' });
    const metadata = endpoint.address.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="stave", resource_metadata="${metadata}", Basic realm="stave"`,
    ]);
    const resource = await get(endpoint.address, metadata);
    expect(await resource.json()).toEqual({
      resource: endpoint.address,
      authorization_servers: [server.address],
    });
  });

  it('has the metadata of the service for clients that look for it here', async () => {
    const path = '/.well-known/oauth-authorization-server';
    const here = await get(endpoint.address, path);
    expect(await here.json()).toEqual(await (await get(server.address, path)).json());
    expect((await get(endpoint.address, path, { method: 'POST' })).status).toBe(405);
  });

  it('has the address and the host of the proxy', async () => {
    const { headers } = await get(behindProxy.address, '/mcp', { method: 'POST' });
    const path = '/.well-known/oauth-protected-resource/music/mcp';
    expect(headers.get('www-authenticate')).toContain(`"https://agents.example.com${path}"`);
    const resource = await get(behindProxy.address, path);
    expect(await resource.json()).toMatchObject({ resource: PUBLIC_URL });
    const origin = { origin: 'https://agents.example.com', authorization: basic(client) };
    expect((await get(behindProxy.address, '/mcp', { headers: origin })).status).toBe(405);
    expect((await get(endpoint.address, '/mcp', { headers: origin })).status).toBe(403);
  });

  it('refuses other paths, and reports a service that cannot be reached', async () => {
    const other = await get(endpoint.address, '/.well-known/openid-configuration');
    expect([other.status, await other.json()]).toMatchObject([
      404,
      { error: { message: 'The path is /mcp' } },
    ]);
    const apart = await serve({ url: 'http://127.0.0.1:1' });
    const failed = await get(apart.address, '/.well-known/oauth-protected-resource/mcp');
    expect(failed.status).toBe(502);
    expect(await failed.text()).toContain('The service does not answer: ');
  });
});

it('asks the service about an access token again when it has expired', async () => {
  const callers = new HttpCallers(server.address, server.clock);
  const authorization = `Bearer ${await client.token()}`;
  await callers.of(authorization);
  server.clock.advance(3_601);
  await expect(callers.of(authorization)).rejects.toMatchObject({ status: 401 });
});
