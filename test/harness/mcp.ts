import { spawn } from 'node:child_process';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { environment, type Json, MAIN } from './cli.ts';
import type { TestClient } from './test-server.ts';
import { until } from './until.ts';

/** A connected client of the official SDK; `Symbol.asyncDispose` closes it. */
export interface McpClient extends AsyncDisposable {
  client: Client;
  /** Calls a tool, and returns its structured content, its text, and whether it is an error. */
  call(name: string, args?: object): Promise<{ data: Json; text: string; isError: boolean }>;
}

/** Connects a client of the official SDK. */
export async function connect(
  transport: Transport,
  options?: ConstructorParameters<typeof Client>[1],
): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}) {
      const result = (await client.callTool({
        name,
        arguments: { ...args },
      })) as CallToolResult;
      const [first] = result.content;
      return {
        data: result.structuredContent,
        text: first?.type === 'text' ? first.text : '',
        isError: result.isError === true,
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The environment of `stave mcp` that acts as a client in test mode. */
export function mcpEnvironment(url: string, { clientId, testSecret }: TestClient) {
  const set = { STAVE_URL: url, STAVE_CLIENT_ID: clientId, STAVE_CLIENT_SECRET: testSecret };
  return environment('/nonexistent/stave', set) as Record<string, string>;
}

/** Starts `stave mcp` as a process of its own, as programs with agents do. */
export function stdioTransport(url: string, client: TestClient): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: mcpEnvironment(url, client),
    stderr: 'pipe',
  });
}

/** A running `stave mcp --port`; `Symbol.asyncDispose` stops it. */
export interface McpEndpoint extends AsyncDisposable {
  address: string;
  /** The id of its process. */
  pid: number;
  /** Ends it with SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `stave mcp --port 0` as a process, without any credentials. */
export async function startMcpEndpoint(url: string): Promise<McpEndpoint> {
  const child = spawn(process.execPath, [MAIN, 'mcp', '--port', '0', '--json'], {
    env: environment('/nonexistent/stave', { STAVE_URL: url }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  await until(() => stdout.includes('\n') || child.exitCode !== null, 'the MCP server to listen');
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return {
    address: JSON.parse(stdout).address,
    pid: child.pid!,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}

/** The way over streamable HTTP to an endpoint, with an `Authorization` header. */
export function httpTransport({ address }: McpEndpoint, authorization: string) {
  return new StreamableHTTPClientTransport(new URL(address), {
    requestInit: { headers: { authorization } },
  });
}

/** The header of HTTP Basic with the test secret of a client. */
export function basic({
  clientId,
  testSecret,
}: Pick<TestClient, 'clientId' | 'testSecret'>): string {
  return `Basic ${Buffer.from(`${clientId}:${testSecret}`).toString('base64')}`;
}
