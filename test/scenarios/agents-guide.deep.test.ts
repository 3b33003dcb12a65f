import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../guards/source.ts';
import { deliveries } from '../harness/catalog.ts';
import { connect, httpTransport, startMcpEndpoint } from '../harness/mcp.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { textOf } from './guide-lines.ts';

const guide = textOf('docs/agents.md');
const [byCommand, byUrl] = [...guide.matchAll(/^```json\n(.*?)^```/gms)].map(
  ([, block]) => JSON.parse(block!).mcpServers.stave,
);

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
  client = await server.createClient({ features: ['similar', 'licensing'] });
});
afterAll(() => server?.close());

/** The tools of the table in the guide. */
const documented = [...guide.matchAll(/^\| (`[a-z_`, ]+`) \|/gm)].flatMap(([, names]) =>
  [...names!.matchAll(/[a-z_]+/g)].map(([name]) => name),
);

test('the configuration of docs/agents.md starts a server with the tools of the page', async () => {
  const values: Record<string, string> = {
    'https://api.example.com': server.address,
    'CLIENT-ID': client.clientId,
    SECRET: client.testSecret,
  };
  const env = Object.fromEntries(
    Object.entries(byCommand.env as Record<string, string>).map(([name, value]) => [
      name,
      values[value]!,
    ]),
  );
  const transport = new StdioClientTransport({
    command: byCommand.command.replace('/opt/stave/', ROOT.replace(/\/?$/, '/')),
    args: byCommand.args,
    env: { ...getDefaultEnvironment(), ...env },
  });
  await using mcp = await connect(transport);
  const { tools } = await mcp.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(documented);
  expect((await mcp.call('search_tracks')).data.totalRecords).toBe(3);
});

test('the headers of docs/agents.md give access to a server over HTTP', async () => {
  expect(byUrl.url).toBe('http://127.0.0.1:8090/mcp');
  await using endpoint = await startMcpEndpoint(server.address);
  const encoded = Buffer.from(`${client.clientId}:${client.testSecret}`).toString('base64');
  const authorization = byUrl.headers.Authorization.replace('BASIC', encoded);
  await using mcp = await connect(httpTransport(endpoint, authorization));
  expect((await mcp.call('search_tracks')).data.totalRecords).toBe(3);
});

test('the program of docs/agents.md gets tokens by itself', async () => {
  await using endpoint = await startMcpEndpoint(server.address);
  // In this folder, the program finds the SDK.
  const path = join(ROOT, 'test/scenarios', `agents-guide-${process.pid}.ts`);
  writeFileSync(path, /^```ts\n(.*?)^```/ms.exec(guide)![1]!);
  try {
    const env = {
      ...getDefaultEnvironment(),
      STAVE_URL: server.address,
      STAVE_CLIENT_ID: client.clientId,
      STAVE_CLIENT_SECRET: client.testSecret,
      MCP_URL: endpoint.address,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [path], { env });
    expect(stdout).toContain("'search_tracks'");
  } finally {
    rmSync(path);
  }
});
