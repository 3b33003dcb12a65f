import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { Deliverer } from '../../src/engines/net/deliver.ts';
import { hostResolver } from '../../src/engines/net/endpoint-url.ts';
import type { Store } from '../../src/features/store.ts';
import type { AttemptResult } from '../../src/features/webhooks/schedule.ts';
import { Sender } from '../../src/features/webhooks/sender.ts';
import type { TestClock } from '../harness/clock.ts';

/** A request that a receiver got. */
export interface ReceivedMessage {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The number of requests that were open then, with this one. */
  open: number;
}

/** What a receiver answers: a status with headers, or nothing before the function is called. */
type Answer = { status: number; headers?: Record<string, string> } | { release: Promise<number> };

/** Starts a receiver of messages on the loopback address, until the test ends. */
export async function startReceiver(answer: (message: ReceivedMessage) => Answer) {
  const received: ReceivedMessage[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    open.add(response);
    for (const end of ['finish', 'close']) response.on(end, () => open.delete(response));
    const openNow = open.size;
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString();
      const message = { path: request.url!, headers: request.headers, body, open: openNow };
      received.push(message);
      const given = answer(message);
      if ('release' in given) response.writeHead(await given.release);
      else response.writeHead(given.status, given.headers);
      response.end('the response');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    open: () => open.size,
  };
}

/** Starts a sender, until the test ends or it is stopped. */
export function startSender(store: Store, clock: TestClock) {
  const ending = new AbortController();
  const results: AttemptResult[] = [];
  const errors: unknown[] = [];
  const sender = new Sender({
    store: store.webhookSending,
    clock,
    deliverer: new Deliverer({ targets: 'any', resolver: hostResolver, clock }),
    random: () => 0,
    onAttempt: (result) => results.push(result),
    onError: (error) => errors.push(error),
  });
  const running = sender.run(ending.signal);
  const stop = () => {
    ending.abort();
    return running;
  };
  onTestFinished(stop);
  return { results, errors, stop };
}
