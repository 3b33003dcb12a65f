import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { StaveClient } from '#client';
import { until } from '../../test/harness/until.ts';
import type { Caller } from './callers.ts';
import { serveStreams } from './stdio.ts';

const SENT = 450;

/** A caller of a service that responds when the test wants. */
async function slowCaller(): Promise<{ caller: Caller; waiting: Set<ServerResponse> }> {
  const waiting = new Set<ServerResponse>();
  const service = createServer((_, response) => {
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    service.closeAllConnections();
    service.close();
  });
  const client = new StaveClient({
    baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    getAccessToken: async () => ({
      ...({ access_token: 'a', token_type: 'Bearer', expires_in: 3_600 } as const),
      ...({ scope: '', mode: 'test' } as const),
    }),
  });
  const me = { name: 'Acme', mode: 'test', scopes: ['search'], features: [] };
  return { caller: { client, me } as unknown as Caller, waiting };
}

it('runs 100 calls at a time, reads cancellations meanwhile, and reads no more while many wait', async () => {
  const { caller, waiting } = await slowCaller();
  const [stdin, stdout, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  const responses = new Set<unknown>();
  let text = '';
  stdout.setEncoding('utf8').on('data', (part) => {
    const lines = `${text}${part}`.split('\n');
    text = lines.pop()!;
    for (const line of lines) responses.add(JSON.parse(line).id);
  });
  const serving = serveStreams(caller, { stdin, stdout, stop: stop.signal });
  const write = (message: object) =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  write({ id: 'first', method: 'initialize', params });
  await until(() => responses.has('first'), 'the start');
  const call = (id: number) => ({
    ...{ id, method: 'tools/call', params: { name: 'search_tracks', arguments: {} } },
  });
  const cancel = (requestId: number) =>
    write({ method: 'notifications/cancelled', params: { requestId } });
  // In one piece, as a pipe has it.
  const lines = Array.from({ length: 150 }, (_, id) =>
    JSON.stringify({ jsonrpc: '2.0', ...call(id) }),
  );
  stdin.write(`${lines.join('\n')}\n`);
  await until(() => waiting.size === 100, 'the calls that run');
  // One that runs, and one that waits.
  cancel(0);
  await until(() => waiting.size === 100 && !stdin.isPaused(), 'the next call');
  cancel(149);
  for (let id = 150; id < SENT; id++) write(call(id));
  await until(() => stdin.isPaused() && waiting.size === 100, 'the pause');
  expect(stdin.readableLength).toBeGreaterThan(0);

  await until(() => {
    for (const response of waiting) response.writeHead(404).end();
    return responses.size === SENT - 2 + 1;
  }, 'all results');
  expect([responses.has(0), responses.has(149)]).toEqual([false, false]);
  expect(stdin.readableLength).toBe(0);
  stop.abort();
  await serving;
});
