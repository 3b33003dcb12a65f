import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import {
  createServer as createTlsServer,
  type ServerOptions as TlsServerOptions,
} from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionCap } from './connection-limits.ts';
import type { Connections } from './connections.ts';
import type { ServedCertificate } from './served-certificate.ts';

/** The time limits of a connection, in milliseconds. */
export interface Timeouts {
  /** From the first byte of a request to the end of its headers; also for a TLS handshake. */
  headersMs: number;
  /** From the first byte of a request to its last. */
  requestMs: number;
  /** From a response to the next request on the same connection. */
  keepAliveMs: number;
  /** Without traffic in either direction while a request is open. */
  idleMs: number;
  /** Without traffic in either direction while further requests wait on the connection. */
  stalledMs: number;
  /** How often `headersMs` and `requestMs` are checked. */
  checkMs: number;
  /** From the start of closing to the end of every connection. */
  drainMs: number;
  /** Part of `drainMs`: from the last response to the end of connections without a further request. */
  lingerMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  // Headers fit into a few packets. A client that needs longer holds the connection open on purpose.
  headersMs: 9_000,
  // The largest body takes this long at 2 KB a second, which is slower than any working mobile network.
  requestMs: 29_000,
  // Longer than the usual 60 s of load balancers, so that they close an idle connection first. Otherwise
  // a request could arrive while Stave closes it.
  keepAliveMs: 65_000,
  // A paused player stops reading. When its connection has ended, it continues with a range request.
  idleMs: 120_000,
  // A client that pipelines has no reason to pause, and occupies more memory than others.
  stalledMs: 29_000,
  checkMs: 1_000,
  // Orchestrators wait for 10 s or more after SIGTERM.
  drainMs: 9_000,
  // A request that was sent before the last response arrived takes at most half of this, from anywhere.
  lingerMs: 250,
};

/** The limit of Node's parser. It lies above the limits of the contract (8 KB and 16 KB), so that those apply first. */
const PARSER_HEADER_BYTES = 48 * 1024;

/**
 * Makes a server of `node:http` (or `node:https`, given a certificate) with its limits set. It handles every
 * event to which Node would otherwise respond itself, without an envelope.
 */
export function createNodeServer({
  tls,
  timeouts,
  connections,
  cap,
  requestClass,
  onRequest,
  onConnectionClosed,
}: {
  tls: ServedCertificate | null;
  timeouts: Timeouts;
  connections: Connections;
  cap: Pick<ConnectionCap, 'inAll' | 'opened'>;
  /** The class of the requests, whose bodies nothing reads as streams; by default, Node's own. */
  requestClass?: typeof IncomingMessage;
  onRequest: RequestListener;
  onConnectionClosed(socket: Socket): void;
}): Server {
  const options: ServerOptions = {
    // The class of the API reads no stream of a request, so one without a body needs none of the stream's events.
    ...(requestClass && { IncomingMessage: requestClass, optimizeEmptyRequests: true }),
    maxHeaderSize: PARSER_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: timeouts.checkMs,
    // The request guard checks Host itself, and responds with an envelope.
    requireHostHeader: false,
  };
  const server = tls
    ? createCertifiedServer({ ...options, handshakeTimeout: timeouts.headersMs }, tls, onRequest)
    : createServer(options, onRequest);
  // With a limit, Node would silently drop further header fields; the request guard counts them instead.
  server.maxHeadersCount = 0;
  server.timeout = timeouts.idleMs;
  // Otherwise, Node would respond to these itself: with 100 before the request is checked, and with a 417
  // without a body.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (request, socket) => connections.onConnect(request, socket));
  server.maxConnections = cap.inAll;
  // With TLS, this event precedes the handshake.
  server.on('connection', (socket: Socket) => cap.opened(socket));
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.opened(socket);
    socket.once('close', () => onConnectionClosed(socket));
  });
  return server;
}

function createCertifiedServer(
  options: TlsServerOptions,
  certificate: ServedCertificate,
  onRequest: RequestListener,
): Server {
  const server = createTlsServer({ ...options, ...certificate.pair }, onRequest);
  certificate.onReplaced((pair) => server.setSecureContext(pair));
  return server;
}
