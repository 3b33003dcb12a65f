import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message that the receiver has accepted. */
interface AcceptedMessage {
  id: string;
  seq: number;
  previousSeq: number;
  truncated: boolean;
}

/** A server of partners that refuses a part of the requests. */
export interface FaultyReceiver extends AsyncDisposable {
  /** The URL of an endpoint. */
  urlOf(endpoint: number): string;
  /** The messages by endpoint and `webhook-id`. */
  accepted: readonly ReadonlyMap<string, AcceptedMessage>[];
  /** The number of requests, and of those that were refused. */
  requests: number;
  refused: number;
  /** The number of different messages that were accepted. */
  messages: number;
}

/**
 * Starts a receiver on loopback. It refuses by a status or by closing the connection.
 * @param faults the part of the requests that it refuses
 * @param random returns a number from 0 to 1
 */
export async function startFaultyReceiver(
  endpoints: number,
  faults: number,
  random: () => number,
): Promise<FaultyReceiver> {
  const accepted = Array.from({ length: endpoints }, () => new Map<string, AcceptedMessage>());
  const counts = { requests: 0, refused: 0, messages: 0 };
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    counts.requests++;
    if (random() < faults) {
      counts.refused++;
      if (random() < 0.5) request.socket.destroy();
      else response.writeHead(500).end();
      return;
    }
    const id = String(request.headers['webhook-id']);
    const { data } = JSON.parse(body);
    const own = accepted[Number(request.url!.slice(1))]!;
    if (!own.has(id)) counts.messages++;
    own.set(id, {
      id,
      seq: data.seq,
      previousSeq: data.previousSeq,
      truncated: data.truncated ?? false,
    });
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (endpoint) => `http://127.0.0.1:${port}/${endpoint}`,
    accepted,
    get requests() {
      return counts.requests;
    },
    get refused() {
      return counts.refused;
    },
    get messages() {
      return counts.messages;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
