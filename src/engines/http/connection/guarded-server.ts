import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type StaveError, unavailable } from '../../../common/errors.ts';
import { ConnectionReplacement } from './connection-limits.ts';
import { Connections, rawResponse, strictTransport } from './connections.ts';
import { createNodeServer, DEFAULT_TIMEOUTS, type Timeouts } from './node-server.ts';
import { type Exchange, guardRequest } from './request-guard.ts';
import type { ServedCertificate } from './served-certificate.ts';
import { TrustedProxies } from './trusted-proxies.ts';

const NONE = new TrustedProxies([]);
const COMMON_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** A refusal as it is sent, without the headers of the error. */
export interface Refusal {
  /** Has `Content-Type`. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface GuardedServerOptions {
  /** Null: HTTP without TLS. */
  tls: ServedCertificate | null;
  /**
   * The maximum number of open connections, in total and per address. A further connection replaces another one, as
   * ConnectionReplacement says. Trusted proxies count only in total.
   */
  maxConnections: { inAll: number; ofAddress: number };
  /** By default, none is trusted. */
  proxies?: TrustedProxies;
  /** Default: the timeouts of the API. */
  timeouts?: Partial<Timeouts>;
  /** The form in which a refusal is sent; by default, its message as text. */
  refusal?: (error: StaveError) => Refusal;
  /** Receives the requests that passed the checks. If it rejects, the connection closes. */
  onRequest: (request: IncomingMessage, response: ServerResponse) => unknown;
}

/**
 * Makes a server of `node:http` or `node:https` with the bounds that the API has: one request of a connection at a time,
 * whose successor waits until the response is sent; turns of the event loop, which all servers of a thread share; limits of
 * connections, bytes and times; and the checks of docs/contract/http.md#order-of-checks up to the target.
 */
export function createGuardedServer(options: GuardedServerOptions): Server {
  const { maxConnections, onRequest, proxies = NONE, refusal = asText, tls } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const cap = new ConnectionReplacement({ ...maxConnections, proxies });
  const refuse = (response: ServerResponse, error: StaveError) => {
    const { headers, body } = refusal(error);
    const fields = { ...headers, ...COMMON_HEADERS, ...error.headers, Connection: 'close' };
    response.writeHead(error.status, fields).end(body);
  };
  const connections = new Connections({
    stalledMs: timeouts.stalledMs,
    laneOf: (socket) => proxies.callerOf(socket) ?? socket,
    refusalWhenFull: () => unavailable('Too many requests wait here; try again in a moment.', 2),
    makeRawResponse: (error, { isHead, socket }) => {
      const { headers, body } = refusal(error);
      const fields = { ...headers, ...COMMON_HEADERS, ...error.headers };
      const sent = { headers: fields, body: Buffer.from(body), isHead, socket };
      return rawResponse({ status: error.status, ...sent });
    },
  });
  const server = createNodeServer({
    tls,
    timeouts,
    connections,
    cap,
    onRequest: (request, response) => {
      response.setHeaders(new Map(Object.entries(strictTransport(request.socket))));
      const exchange = new PlainExchange(request, response, refuse);
      connections.began(exchange);
      cap.began(exchange);
      // A late request is served, too: the few connections bound what waits.
      const error = guardRequest(exchange);
      if (error !== undefined) {
        refuse(response, error);
        return;
      }
      if (exchange.isLast) response.shouldKeepAlive = false;
      if (exchange.awaitsContinue) response.writeContinue();
      Promise.resolve(onRequest(request, response)).catch(() => response.destroy());
    },
    onConnectionClosed: () => {},
  });
  server.on('clientError', (error, socket) => connections.onClientError(error, socket));
  return server;
}

/** Lets the next requests of a connection wait for no turn, because the caller of this one is authenticated. */
export function markAuthenticated(request: IncomingMessage): void {
  (request as Carrier)[EXCHANGE]!.isAuthenticated = true;
}

const EXCHANGE = Symbol('exchange');

interface Carrier extends IncomingMessage {
  [EXCHANGE]?: PlainExchange;
}

/** An exchange whose handler reads the body from the stream of the request. */
class PlainExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  isAuthenticated = false;
  readonly acceptsBody = true;
  onBodyWanted: (() => void) | undefined;
  requestLineBytes = 0;
  isLate = false;
  isLast = false;
  awaitsContinue = false;
  readonly #refuse: (response: ServerResponse, error: StaveError) => void;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    refuse: (response: ServerResponse, error: StaveError) => void,
  ) {
    this.request = request;
    this.response = response;
    this.#refuse = refuse;
    (request as Carrier)[EXCHANGE] = this;
  }

  failBody(failure: StaveError): void {
    this.isLast = true;
    this.#refuse(this.response, failure);
  }
}

function asText({ message }: StaveError): Refusal {
  return { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: `${message}\n` };
}
