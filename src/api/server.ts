import type { IncomingMessage, RequestListener } from 'node:http';
import { Server as NetServer } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { RateLimiter } from '../access/rate-limiter.ts';
import type { Clock } from '../kernel/clock.ts';
import { StaveError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { sendEmpty, sendError } from './answer.ts';
import type { AnswerCache } from './answer-cache.ts';
import { CallerGone } from './body.ts';
import { Connections } from './connections.ts';
import { optionsHeaders } from './cors.ts';
import { asStaveError, unavailable } from './errors.ts';
import { Exchange } from './exchange.ts';
import { frontGate } from './front-gate.ts';
import { Journal } from './journal.ts';
import { LoopDelay } from './loop-delay.ts';
import type { Metrics } from './metrics.ts';
import { createNodeServer, DEFAULT_TIMEOUTS, type Timeouts } from './node-server.ts';
import { malformed } from './parser-errors.ts';
import type { Readiness } from './readiness.ts';
import type { Route } from './route.ts';
import { checkRoutes, PathTable } from './route-table.ts';
import { type Authenticate, refuseUnlessJsonAccepted, serveRoute } from './serve-route.ts';
import { ServerMetrics } from './server-metrics.ts';

/** A server that listens and closes; named here, so that only `api` need know what it is made with. */
export type HttpServer = FastifyInstance;

/** Everything the HTTP face needs. */
export interface ServerOptions {
  routes: readonly Route[];
  authenticate: Authenticate;
  rateLimiter: RateLimiter;
  /** Where the answers of cacheable routes are kept; without it each is made anew. */
  answers?: AnswerCache;
  readiness: Readiness;
  metrics: Metrics;
  clock: Clock;
  log: Log;
  /** PEM; null: HTTP without TLS. */
  tls: { cert: string | Buffer; key: string | Buffer } | null;
  /** As Fastify's: whose `X-Forwarded-For` counts. */
  trustProxy: false | string[];
  timeouts?: Partial<Timeouts>;
  /** Median delay of the event loop, in milliseconds, above which requests are refused; 250 by default. */
  overloadMs?: number;
}

/** What the router makes of a query: the routes read it by their schemas. */
const UNREAD = {};

/** Answered in whatever state the node is (decisions §5). */
const ALWAYS_ANSWERED = new Set(['/version', '/health-check']);

/**
 * The server, ready to listen. Throws a TypeError where a route is incomplete or contradictory.
 *
 * Every request passes the front gate, then Fastify's router, then its route (`serve-route.ts`).
 * Fastify routes, and orders start and shutdown; it parses no body, validates nothing and serialises
 * nothing, for the order of checks and the envelope leave it no room.
 *
 * `close()` refuses new connections, lets open requests finish, answers 503 to new ones on open
 * connections, which end a moment after, and ends what is left after `drainMs`; then `onClose` hooks run, last registered
 * first, so stores that register theirs right after this call close last.
 */
export function buildServer(options: ServerOptions): HttpServer {
  const { routes, readiness, log, clock } = options;
  checkRoutes(routes);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const loopDelay = new LoopDelay(options.overloadMs);
  const metrics = new ServerMetrics(options.metrics, loopDelay);
  const journal = new Journal({ log, metrics });
  const connections = new Connections({
    clock,
    onTurn: (exchange) => begin(exchange),
    onRawAnswer: (refusal) => journal.refused(refusal),
  });
  const paths = new PathTable();
  let router: RequestListener;

  const app = fastify({
    serverFactory: (handler) =>
      createNodeServer({
        tls: options.tls,
        timeouts,
        connections,
        onRequest: entrance(handler as RequestListener),
        onConnectionClosed: (socket) => journal.connectionClosed(socket),
      }),
    clientErrorHandler: (error, socket) => connections.onClientError(error as Error, socket),
    // The path could not be decoded.
    frameworkErrors: (_error, request) =>
      fail(Exchange.of(request.raw), malformed('The path must be UTF-8 in percent-encoding.')),
    return503OnClosing: false,
    trustProxy: options.trustProxy,
    // The bound of the whole URL is enough; what a parameter may be, its schema says.
    routerOptions: { maxParamLength: 8 * 1024, querystringParser: () => UNREAD },
  });
  // Bodies are read by their routes, after the token was checked.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.setErrorHandler((error, request) => fail(Exchange.of(request.raw), error));
  app.setNotFoundHandler((request) => {
    const exchange = Exchange.of(request.raw);
    attempt(exchange, () => answerWithoutRoute(exchange, paths));
  });

  for (const route of routes) {
    const serve = serveRoute(route, { ...options, onRateLimited: () => metrics.rateLimited() });
    const method = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
    const url = route.path.replace(/\{([^}]+)\}/g, ':$1');
    paths.add(url, method, { answersJson: route.data !== undefined });
    app.route({
      method,
      url,
      exposeHeadRoute: false,
      handler: (request) => {
        const exchange = Exchange.of(request.raw);
        attempt(exchange, () => serve(exchange, request));
      },
    });
  }
  app.addHook('onReady', async () => loopDelay.start());
  app.addHook('onClose', async () => loopDelay.stop());
  app.addHook('preClose', async () => {
    readiness.drain();
    // Only stops listening; http's own close would also cut connections that count as idle although
    // their last answer is still under way.
    const allGone = new Promise<void>((resolve) => app.server.once('close', () => resolve()));
    NetServer.prototype.close.call(app.server);
    await Promise.race([drained(allGone), deadline(timeouts.drainMs)]);
    app.server.closeAllConnections();
  });
  return app;

  /** What is on its way when the last answer goes out is still told, rather than cut off. */
  async function drained(allGone: Promise<void>): Promise<void> {
    await journal.drained();
    await Promise.race([allGone, deadline(timeouts.lingerMs)]);
    await journal.drained();
  }

  function entrance(handler: RequestListener): RequestListener {
    router = handler;
    return (request, response) => {
      const exchange = new Exchange(request, response);
      journal.began(exchange);
      connections.began(exchange);
    };
  }

  function begin(exchange: Exchange): void {
    const { request, response } = exchange;
    const refusal = frontGate(exchange) ?? stateRefusal(exchange);
    if (refusal !== undefined) {
      sendError(exchange, refusal);
    } else if (request.url === '*') {
      sendEmpty(exchange, optionsHeaders(paths.allMethods()));
    } else {
      router(request, response);
    }
  }

  /** 503 where the node starts, drains or has too much to do. */
  function stateRefusal(exchange: Exchange): StaveError | undefined {
    exchange.isLast ||= readiness.draining();
    if (readiness.accepting() && !loopDelay.overloaded()) {
      return undefined;
    }
    if (ALWAYS_ANSWERED.has(pathOf(exchange.request))) {
      return undefined;
    }
    return readiness.accepting()
      ? unavailable('This node has too much to do; try again in a moment.', 2)
      : unavailable(readiness.reason(), 1);
  }

  /** Runs what answers an exchange, and answers with the error where that throws or rejects. */
  function attempt(exchange: Exchange, work: () => void | Promise<void>): void {
    try {
      const pending = work();
      if (pending !== undefined) {
        pending.catch((thrown: unknown) => fail(exchange, thrown));
      }
    } catch (thrown) {
      fail(exchange, thrown);
    }
  }

  function fail(exchange: Exchange, thrown: unknown): void {
    const { response, requestId, operationId } = exchange;
    if (thrown instanceof CallerGone || isPrematureClose(thrown)) {
      return;
    }
    const error = asStaveError(thrown);
    const tell = error.kind === 'internal_error' ? 'error' : 'debug';
    // What is only a state of the node, such as that it starts, its probes would tell every second.
    if (error.cause !== undefined || tell === 'error') {
      log[tell]({ requestId, operationId, err: error.cause ?? error }, error.message);
    }
    if (response.headersSent) {
      // Half an answer must not look like a whole one.
      response.destroy();
    } else {
      sendError(exchange, error);
    }
  }
}

/** A stream whose reader left, which is no fault. */
function isPrematureClose(thrown: unknown): boolean {
  return (thrown as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** 204 to OPTIONS, 406, 404, 405. */
function answerWithoutRoute(exchange: Exchange, paths: PathTable): void {
  const { request } = exchange;
  const methods = paths.methodsAt(pathOf(request));
  if (request.method === 'OPTIONS' && methods.length > 0) {
    sendEmpty(exchange, optionsHeaders(methods));
    return;
  }
  if (!paths.isBinary(pathOf(request))) {
    refuseUnlessJsonAccepted(exchange);
  }
  if (methods.length === 0 || methods.includes(request.method!)) {
    throw new StaveError('not_found', 'There is nothing at this path; /docs shows what there is.');
  }
  throw new StaveError('method_not_allowed', `This path has ${methods.join(', ')} only.`, {
    headers: { Allow: methods.join(', ') },
  });
}

function pathOf(request: IncomingMessage): string {
  return request.url!.split('?', 1)[0]!;
}

function deadline(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
