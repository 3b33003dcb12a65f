import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** How long a connection may take for what, in milliseconds. */
export interface Timeouts {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number;
  /** From the first byte of a request to its last. */
  requestMs: number;
  /** From an answer to the next request on the same connection. */
  keepAliveMs: number;
  /** With nothing going either way while a request is open. */
  idleMs: number;
  /** How often the first two are looked at, so how late they may be noticed. */
  checkMs: number;
  /** From the start of closing to the end of every connection. */
  drainMs: number;
  /** Part of that: from the last answer to the end of connections that nothing more has come on. */
  lingerMs: number;
}

/** What a server is given where a test asks for nothing else. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  // Headers fit into a few packets; who needs longer holds the connection open on purpose.
  headersMs: 9_000,
  // 64 KiB in that time are 2 KB a second: slower than any mobile network that works.
  requestMs: 29_000,
  // Longer than the 60 s of usual load balancers, so that it is they who close an idle connection:
  // else a request could cross our closing.
  keepAliveMs: 65_000,
  // A player that is paused stops reading; it comes back with a range when its connection is gone.
  idleMs: 120_000,
  checkMs: 1_000,
  // What orchestrators grant after SIGTERM is 10 s and more.
  drainMs: 9_000,
  // A request that crossed the last answer is under way for half of that at most, around the world.
  lingerMs: 250,
};

/** What Node's parser lets in at most; above our own bounds of 8 KB and 16 KB, so that ours answer. */
const PARSER_HEADER_BYTES = 48 * 1024;

/**
 * A server of `node:http` (or `node:https`, given a certificate) with its limits set, and with every
 * event taken that Node would otherwise answer by itself, without an envelope.
 */
export function createNodeServer({
  tls,
  timeouts,
  connections,
  onRequest,
  onConnectionClosed,
}: {
  tls: { cert: string | Buffer; key: string | Buffer } | null;
  timeouts: Timeouts;
  connections: Connections;
  onRequest: RequestListener;
  onConnectionClosed(socket: Socket): void;
}): Server {
  const options: ServerOptions = {
    maxHeaderSize: PARSER_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkMs,
    // The front gate looks at Host itself, and answers in the envelope.
    requireHostHeader: false,
  };
  const server = tls
    ? createTlsServer({ ...options, cert: tls.cert, key: tls.key }, onRequest)
    : createServer(options, onRequest);
  // Above this number Node would drop header fields in silence; the front gate counts them.
  server.maxHeadersCount = 0;
  server.timeout = timeouts.idleMs;
  // Node would answer these two by itself: 100 before the request is checked, and a bare 417.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (request, socket) => connections.onConnect(request, socket));
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) =>
    socket.once('close', () => onConnectionClosed(socket)),
  );
  return server;
}
