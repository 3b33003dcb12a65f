import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one request instead of passing it on unchanged. */
export type Fault = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>;

/** An HTTP proxy of a service. It records requests, and each fault happens once. */
export interface FaultyProxy extends AsyncDisposable {
  url: string;
  /** The requests so far: path and query, and the time by performance.now(). */
  requests: { path: string; at: number }[];
  /** The next request to this path, without its query, meets the fault. Several faults of a path happen in turn. */
  meet(path: string, fault: Fault): void;
}

/** Responds with this status instead of the service. */
export function respondWith(status: number, headers: Record<string, string> = {}): Fault {
  return (_, outgoing) => {
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
    outgoing.end(JSON.stringify({ data: null, error: { code: status, message: 'a fault' } }));
  };
}

/** Passes on the response of the service with another body, after which the connection may break off. */
export function changeBody(
  base: string,
  change: (body: string) => { body: string; isBrokenOff?: boolean },
): Fault {
  return async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    // Without the header, the response is not compressed.
    const { 'accept-encoding': _, ...headers } = incoming.headers;
    const response = await send(base, incoming, headers);
    for await (const chunk of response) chunks.push(chunk);
    const { body, isBrokenOff = false } = change(Buffer.concat(chunks).toString());
    const { 'content-length': __, 'transfer-encoding': ___, ...passed } = response.headers;
    outgoing.writeHead(response.statusCode!, passed);
    outgoing.write(body, () => (isBrokenOff ? outgoing.destroy() : outgoing.end()));
  };
}

/** Opens a proxy to the service with this address; always dispose of it. */
export async function openFaultyProxy(base: string): Promise<FaultyProxy> {
  const requests: FaultyProxy['requests'] = [];
  const faults: { path: string; fault: Fault }[] = [];
  const server = createServer(async (incoming, outgoing) => {
    requests.push({ path: incoming.url!, at: performance.now() });
    const path = incoming.url!.split('?')[0];
    const index = faults.findIndex((one) => one.path === path);
    if (index !== -1) return faults.splice(index, 1)[0]!.fault(incoming, outgoing);
    const response = await send(base, incoming, incoming.headers).catch(() => undefined);
    if (response === undefined) return outgoing.destroy();
    outgoing.writeHead(response.statusCode!, response.headers);
    response.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    meet: (path, fault) => void faults.push({ path, fault }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(
  base: string,
  incoming: IncomingMessage,
  headers: IncomingMessage['headers'],
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(base + incoming.url, { method: incoming.method, headers }, resolve);
    sent.once('error', reject);
    incoming.pipe(sent);
    incoming.once('close', () => incoming.complete || sent.destroy());
  });
}
