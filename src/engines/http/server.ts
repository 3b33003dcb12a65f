import type { RequestListener } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import type { Caller } from '../../common/caller/caller.ts';
import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import { OpenCounts } from '../../common/memory/open-counts.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { ConnectionCap } from './connection/connection-limits.ts';
import { Connections } from './connection/connections.ts';
import { createNodeServer, DEFAULT_TIMEOUTS, type Timeouts } from './connection/node-server.ts';
import { malformed } from './connection/request-guard.ts';
import { TrustedProxies } from './connection/trusted-proxies.ts';
import type { Authenticate } from './guard/authorize.ts';
import type { LanguageChoice } from './guard/localization.ts';
import { LoopDelay, Overload } from './guard/overload.ts';
import { emptySegmentHooks, methodsOf, type Path, pathsOf, serveUnrouted } from './guard/paths.ts';
import { IncomingRequest } from './incoming-request.ts';
import { BodyBudgets } from './input/body.ts';
import type { Metrics } from './metrics/metrics.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import type { Readiness } from './readiness.ts';
import { drainBeforeClose, OpenWork } from './readiness.ts';
import { requestListener } from './request-listener.ts';
import { ErrorResponder } from './response/error-responder.ts';
import type { ResponseCache } from './response/response-cache.ts';
import { checkRoutes } from './route/check-routes.ts';
import { RequestContext } from './route/request-context.ts';
import { RequestTracker } from './route/request-tracker.ts';
import type { Route } from './route/route.ts';
import { routeLifecycle } from './route/route-lifecycle.ts';

/**
 * A server that listens and closes. The type is declared here, so that other layers need not import Fastify.
 */
export type HttpServer = FastifyInstance;

/** The options of the server. */
export interface ServerOptions {
  routes: readonly Route[];
  authenticate: Authenticate;
  rateLimiter: RateLimiter;
  /** Counts the requests of each client, for the operator. */
  requestCounter?: { count(caller: Caller, allowed: boolean): void } | undefined;
  /** Counts the open responses of operations that limit them; by default, those of this server alone. */
  openCounts?: OpenCounts;
  /** Keeps the responses of cacheable routes; without it, the handler makes every response. */
  responseCache?: ResponseCache;
  languages?: () => LanguageChoice;
  /** Keeps the responses to changes, for repeated requests; needed by idempotent routes. */
  idempotency?: IdempotencyStore;
  /** Base of the URLs in responses, without a trailing slash; called only once the server listens. */
  publicUrl(): string;
  readiness: Readiness;
  metrics: Metrics;
  clock: Clock;
  log: Log;
  /** Certificate and key as PEM; null: HTTP without TLS. */
  tls: { cert: string | Buffer; key: string | Buffer } | null;
  /** The proxies whose `X-Forwarded-For` counts: addresses, ranges and names of ranges. */
  trustProxy: false | string[];
  /**
   * The maximum number of open connections, in total and per address. Trusted proxies count only in total.
   */
  maxConnections?: { inAll: number; ofAddress: number };
  timeouts?: Partial<Timeouts>;
  /** How long one round of the event loop may serve requests, in milliseconds; 250 by default. */
  overloadMs?: number;
}

/** The query for Fastify, which is always empty, because routes read the query by their schemas. */
const UNREAD = {};

/** The longest path parameter for the router. Only the limit of the whole URL has an effect. */
const MAX_PARAMETER_LENGTH = 8 * 1024;

/**
 * Makes a server that is ready to listen. Throws a TypeError if a route is incomplete or contradictory.
 *
 * A request passes the request listener (`request-listener.ts`), Fastify's router, and the hooks and the
 * handler of its route (`route-lifecycle.ts`). `response.ts` writes the responses.
 *
 * `close()` refuses new connections, completes open requests, responds with 503 to further requests on open
 * connections, and ends all connections; then it runs the `onClose` hooks, the last registered first.
 */
export function buildServer(options: ServerOptions): HttpServer {
  checkRoutes(options.routes);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const loopDelay = new LoopDelay((nowMs) => overload.tick(nowMs));
  const metrics = new ServerMetrics(options.metrics, loopDelay);
  const overload = new Overload({
    ...(options.overloadMs !== undefined && { lateMs: options.overloadMs }),
    onRefused: () => metrics.overloaded(),
  });
  const tracker = new RequestTracker({ log: options.log, metrics });
  const errors = new ErrorResponder(options);
  const paths = pathsOf(options.routes);
  const proxies = new TrustedProxies(options.trustProxy || []);

  const app = createApp(options, { timeouts, tracker, errors, paths, overload, proxies });
  const openWork = new OpenWork();
  registerRoutes(app, paths, options, { metrics, openWork, proxies });
  serveUnrouted(app, paths);
  app.addHook('onReady', async () => loopDelay.start());
  app.addHook('onClose', async () => loopDelay.stop());
  drainBeforeClose(app, { readiness: options.readiness, tracker, openWork, timeouts });
  return app;
}

/** Creates Fastify with Stave's own Node server, and replaces its error handling and body parsing. */
function createApp(
  { tls, maxConnections, readiness }: ServerOptions,
  deps: {
    timeouts: Timeouts;
    tracker: RequestTracker;
    errors: ErrorResponder;
    paths: readonly Path[];
    overload: Overload;
    proxies: TrustedProxies;
  },
): FastifyInstance {
  const { timeouts, tracker, errors, paths, overload, proxies } = deps;
  const connections = new Connections({
    stalledMs: timeouts.stalledMs,
    laneOf: (socket) => proxies.callerOf(socket) ?? socket,
    makeRawResponse: (refusal, request) => {
      const { kind, status } = refusal;
      tracker.refused({ kind, status, requestId: request.requestId });
      return errors.raw(refusal, request);
    },
    refusalWhenFull: () => overload.refusal(),
  });
  const app = fastify({
    serverFactory: (router) =>
      createNodeServer({
        tls,
        timeouts,
        connections,
        cap: new ConnectionCap({ ...maxConnections, proxies }),
        requestClass: IncomingRequest,
        onRequest: requestListener(router as RequestListener, {
          paths,
          tracker,
          connections,
          readiness,
          overload,
          errors,
        }),
        onConnectionClosed: (socket) => tracker.connectionClosed(socket),
      }),
    clientErrorHandler: (error, socket) => connections.onClientError(error as Error, socket),
    // Fastify calls this if the path cannot be decoded.
    frameworkErrors: (_error, request) =>
      errors.fail(
        RequestContext.of(request.raw),
        malformed('The path must be UTF-8 in percent-encoding.'),
      ),
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, querystringParser: () => UNREAD },
  });
  // Routes read their bodies themselves, after the checks of the token.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.setErrorHandler((error, request) => errors.fail(RequestContext.of(request.raw), error));
  return app;
}

function registerRoutes(
  app: FastifyInstance,
  paths: readonly Path[],
  options: ServerOptions,
  {
    metrics,
    openWork,
    proxies,
  }: { metrics: ServerMetrics; openWork: OpenWork; proxies: TrustedProxies },
): void {
  const deps = {
    ...options,
    openCounts: options.openCounts ?? new OpenCounts(),
    openWork,
    proxies,
    bodies: new BodyBudgets(),
    onRateLimited: () => metrics.rateLimited(),
  };
  for (const route of options.routes) {
    const { url } = paths.find(({ path }) => path === route.path)!;
    const { onRequest, preValidation, handler } = routeLifecycle(route, deps);
    app.route({
      method: [...methodsOf(route)],
      url,
      onRequest: [...emptySegmentHooks(url, paths), ...onRequest],
      preValidation,
      handler,
    });
  }
}
