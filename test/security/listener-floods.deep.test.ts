import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { newSecret } from '../../src/features/access/secret.ts';
import { setPassword } from '../console/console-client.ts';
import { type Serving, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePorts } from '../harness/free-port.ts';
import { basic, type McpEndpoint, startMcpEndpoint } from '../harness/mcp.ts';
import { until } from '../harness/until.ts';

/** The process may occupy this much more during the floods of all of its listeners, in MiB. */
const MAX_GROWTH_MIB = 160;
/** The heap of the processes, in MiB: less than an unbounded flood takes. */
const HEAP_MIB = 256;
/** More silent connections than any listener but the API accepts. */
const SILENT = 150;
/** Connections that send as many requests as their buffers take, and read nothing. */
const DEAF = 40;
const DEAF_BYTES = 80_000;

/** A flood may replace a connection before its next request, which browsers and Prometheus then send again. */
const FRESH = { connection: 'close' };

const folder = temporaryFolder();
const sockets = new Set<Socket>();
let service: Serving;
let mcp: McpEndpoint;
let credentials: string;

/** A listener, what strangers send to it, and what a caller with good intent gets from it. */
interface Target {
  port: number;
  process: number;
  /** A request of a stranger, which has no body. */
  request(): string;
  good(): Promise<number>;
}
const targets: Record<string, Target> = {};

beforeAll(async () => {
  await setPassword(folder.path);
  const created = await staveJson(folder.path, [
    'clients',
    'create',
    '--name',
    'Good',
    '--scopes',
    'tracks',
  ]);
  credentials = basic(created);
  const [metricsPort, consolePort] = await freePorts(2);
  service = await serve(folder.path, {
    STAVE_METRICS_PORT: String(metricsPort),
    STAVE_CONSOLE_PORT: String(consolePort),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  });
  mcp = await startMcpEndpoint(service.url);
  const own = (path: string, port: number) => ({
    port,
    process: service.child.pid!,
    request: () => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    good: async () => (await fetch(`http://127.0.0.1:${port}${path}`, { headers: FRESH })).status,
  });
  Object.assign(targets, {
    API: own('/version', Number(new URL(service.url).port)),
    metrics: own('/metrics', metricsPort!),
    console: own('/login', consolePort!),
    MCP: {
      port: Number(new URL(mcp.address).port),
      process: mcp.pid,
      request: () => `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${junk()}\r\n\r\n`,
      good: listTools,
    },
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await mcp?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Credentials that have a valid form, and that no client has. */
function junk(): string {
  return basic({ clientId: newId(), testSecret: newSecret('test') });
}

async function listTools(): Promise<number> {
  const response = await fetch(mcp.address, {
    method: 'POST',
    headers: {
      ...FRESH,
      authorization: credentials,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  await response.text();
  return response.status;
}

/** Opens connections, each from one of ten loopback addresses, and sends bytes that may never be taken. */
async function open(count: number, port: number, bytes: () => string): Promise<Socket[]> {
  const opened = Array.from({ length: count }, (_, i) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${(i % 10) + 1}` });
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.write(bytes());
    return socket;
  });
  await until(() => opened.every(({ pending, destroyed }) => !pending || destroyed), 'connections');
  return opened;
}

function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

/** What a caller with good intent gets from ten requests, one after the other. */
async function tenAnswers({ good }: Target): Promise<number[]> {
  const answers: number[] = [];
  for (let i = 0; i < 10; i++) answers.push(await good());
  return answers;
}

const TEN = Array.from({ length: 10 }, () => 200);

describe.each(['API', 'metrics', 'console', 'MCP'])('the listener of %s', (name) => {
  it('answers others while connections send requests and read nothing', async () => {
    const target = targets[name]!;
    expect(await tenAnswers(target)).toEqual(TEN);
    const before = residentMib(target.process);
    const one = target.request();
    const flood = await open(DEAF, target.port, () => one.repeat(DEAF_BYTES / one.length));
    for (const socket of flood) socket.pause();
    expect(await tenAnswers(target)).toEqual(TEN);
    expect(residentMib(target.process) - before).toBeLessThan(MAX_GROWTH_MIB);
    for (const socket of flood) socket.destroy();
  });

  it('answers others while connections send requests and read the responses', async () => {
    const target = targets[name]!;
    const before = residentMib(target.process);
    const flood = await open(DEAF, target.port, () =>
      Array.from({ length: 500 }, () => target.request()).join(''),
    );
    for (const socket of flood) socket.resume();
    expect(await tenAnswers(target)).toEqual(TEN);
    expect(residentMib(target.process) - before).toBeLessThan(MAX_GROWTH_MIB);
    for (const socket of flood) socket.destroy();
  });

  it('answers others after requests with bodies that are not valid HTTP', async () => {
    const target = targets[name]!;
    const request = () => `${target.request().slice(0, -2)}Transfer-Encoding: chunked\r\n\r\nZ`;
    const flood = await open(DEAF, target.port, request);
    for (const socket of flood) socket.resume();
    await until(() => flood.every(({ destroyed }) => destroyed), 'the end of the connections');
    expect(await tenAnswers(target)).toEqual(TEN);
  });

  it('answers others while connections send nothing, or half a request', async () => {
    const target = targets[name]!;
    const silent = await open(SILENT, target.port, () => '');
    const slow = await open(SILENT, target.port, () => 'GET / HTTP/1.1\r\nHost: ');
    expect(await tenAnswers(target)).toEqual(TEN);
    for (const socket of [...silent, ...slow]) socket.destroy();
  });
});
