import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A request to the receiver. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A server of a partner that stores what it receives. */
export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** The messages, all of which the reference library of Standard Webhooks must verify. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member of messages
  verified(secret: string): any[];
  close(): Promise<void>;
}

/**
 * Starts a receiver on loopback.
 * @param statusOf returns the status of the response to a request, by default 204
 */
export async function startReceiver({
  port = 0,
  statusOf = () => 204,
}: {
  port?: number;
  statusOf?(request: Received, number: number): number;
} = {}): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const one = { headers: request.headers, body: await buffer(request) };
    received.push(one);
    response.writeHead(statusOf(one, received.length)).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    verified: (secret) =>
      received.map(({ body, headers }) =>
        new Webhook(secret).verify(body, headers as Record<string, string>),
      ),
    close,
    [Symbol.asyncDispose]: close,
  };
}
