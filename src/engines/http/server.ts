import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { StaveError, unavailable } from '../../common/errors.ts';
import type { Log } from '../../common/log.ts';
import { OpenCounts } from '../../common/memory/open-counts.ts';
import { type RequestSpan, tracing } from '../../common/tracing.ts';
import { ConnectionCap } from './connection/connection-limits.ts';
import { Connections } from './connection/connections.ts';
import { createNodeServer, DEFAULT_TIMEOUTS, type Timeouts } from './connection/node-server.ts';
import { guardRequest, METHODS, malformed } from './connection/request-guard.ts';
import type { ServedCertificate } from './connection/served-certificate.ts';
import { TrustedProxies } from './connection/trusted-proxies.ts';
import { methodsOf, type Path, pathsOf, pathWithMethod, suggestedPath } from './guard/paths.ts';
import { BodyBudgets } from './input/body.ts';
import type { Metrics } from './metrics/metrics.ts';
import { measureProcess } from './metrics/process-metrics.ts';
import { drainBeforeClose, LoopDelay, OpenWork, Overload, type Readiness } from './readiness.ts';
import { ErrorResponder } from './response/error-responder.ts';
import { optionsHeaders } from './response/headers.ts';
import { refuseUnlessJsonAccepted } from './response/negotiation.ts';
import { sendEmpty } from './response/response.ts';
import { sendQueued } from './response/send-queue.ts';
import { checkRoutes } from './route/check-routes.ts';
import { type RouteDependencies, RoutePipeline } from './route/pipeline.ts';
import { decodedPathOf, IncomingRequest, pathOf, RequestContext } from './route/request-context.ts';
import { type EndedCalls, RequestTracker } from './route/request-tracker.ts';
import type { Route } from './route/route.ts';

/** Declared here so that other layers need not import Fastify. */
export type HttpServer = FastifyInstance;

export interface ServerOptions
  extends Omit<
    RouteDependencies,
    'openCounts' | 'openWork' | 'bodies' | 'proxies' | 'onRateLimited'
  > {
  routes: readonly Route[];
  /** Counts the open responses of operations that limit them; by default, those of this server alone. */
  openCounts?: OpenCounts;
  readiness: Readiness;
  metrics: Metrics;
  log: Log;
  /** Null: HTTP without TLS. */
  tls: ServedCertificate | null;
  /** Records how the requests of clients ended, for the operator. */
  calls?: EndedCalls;
  /** The proxies whose `X-Forwarded-For` counts: addresses, ranges and names of ranges. */
  trustProxy: false | string[];
  /** The most open connections, in total and per address. Trusted proxies count only in total. */
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
 * These paths are served in every state of the node (docs/contract/http.md#order-of-checks). In some states,
 * `/health-check` and `/readyz` respond with 503 themselves.
 */
const ALWAYS_SERVED = new Set(['/version', '/health-check', '/livez', '/readyz']);

/**
 * Makes a server that is ready to listen. Throws a TypeError if a route is incomplete or contradictory.
 *
 * A request passes the request listener, Fastify's router, and the pipeline of its route (`route/pipeline.ts`).
 * `response.ts` writes the responses.
 *
 * `close()` refuses new connections, completes open requests, responds with 503 to further requests on open
 * connections, and ends all connections; then it runs the `onClose` hooks, the last registered first.
 */
export function buildServer(options: ServerOptions): HttpServer {
  checkRoutes(options.routes);
  const { metrics, readiness } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const overloaded = metrics.counter(
    'stave_http_overloaded_total',
    'Requests refused because the node had too many to serve in time.',
  );
  const overload = new Overload({
    ...(options.overloadMs !== undefined && { lateMs: options.overloadMs }),
    onRefused: () => overloaded.increment(),
  });
  const loopDelay = new LoopDelay((nowMs) => overload.tick(nowMs));
  measureProcess(metrics, loopDelay);
  const proxies = new TrustedProxies(options.trustProxy || []);
  const parts: ServerParts = {
    timeouts,
    tracker: new RequestTracker({ ...options, proxies }),
    errors: new ErrorResponder(options),
    paths: pathsOf(options.routes),
    proxies,
    overload,
    openWork: new OpenWork(),
  };
  const app = createApp(options, parts);
  registerRoutes(app, options, parts);
  serveUnrouted(app, parts.paths);
  app.addHook('onReady', async () => loopDelay.start());
  app.addHook('onClose', async () => loopDelay.stop());
  drainBeforeClose(app, { readiness, ...parts });
  return app;
}

interface ServerParts {
  timeouts: Timeouts;
  tracker: RequestTracker;
  errors: ErrorResponder;
  paths: readonly Path[];
  overload: Overload;
  proxies: TrustedProxies;
  openWork: OpenWork;
}

/** Creates Fastify with Stave's own Node server, and replaces its error handling and body parsing. */
function createApp(
  { tls, maxConnections, readiness }: ServerOptions,
  parts: ServerParts,
): FastifyInstance {
  const { timeouts, tracker, errors, overload, proxies } = parts;
  const connections = new Connections({
    stalledMs: timeouts.stalledMs,
    laneOf: (socket) => proxies.callerOf(socket) ?? socket,
    makeRawResponse: (refusal, request) => {
      tracker.refused(refusal, request);
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
        onRequest: requestListener(router as RequestListener, connections, readiness, parts),
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
  // Node ends a connection whose client has sent its last byte, and responses may still wait to be sent.
  app.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) =>
    socket.prependListener('end', sendQueued),
  );
  // Routes read their bodies themselves, after the checks of the token.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.setErrorHandler((error, request) => errors.fail(RequestContext.of(request.raw), error));
  return app;
}

/**
 * Returns the listener that receives every request before the router. It creates the context and begins to
 * track it, runs the request guard, and refuses the request while the node starts, drains or is overloaded.
 */
function requestListener(
  router: RequestListener,
  connections: Connections,
  readiness: Readiness,
  { paths, tracker, overload, errors }: ServerParts,
): RequestListener {
  const allMethods = [...new Set(paths.flatMap(({ methods }) => methods))].filter(
    (method) => method !== 'OPTIONS',
  );
  const serverOptions = optionsHeaders([...allMethods, 'OPTIONS']);

  return (request, response) => {
    const context = new RequestContext(request, response);
    tracker.began(context);
    connections.began(context);
    const refusal = guardRequest(context) ?? stateRefusal(context);
    if (refusal !== undefined) {
      errors.refuse(context, refusal);
    } else if (request.url === '*') {
      sendEmpty(context, serverOptions);
    } else {
      router(request, response);
    }
  };

  function stateRefusal(context: RequestContext): StaveError | undefined {
    context.isLast ||= readiness.draining();
    const isAccepting = readiness.accepting();
    if (isAccepting && overload.admits(context)) {
      return undefined;
    }
    if (ALWAYS_SERVED.has(decodedPathOf(context.request))) {
      return undefined;
    }
    return isAccepting ? overload.refusal() : unavailable(readiness.reason(), 1);
  }
}

function registerRoutes(
  app: FastifyInstance,
  options: ServerOptions,
  { paths, openWork, proxies }: ServerParts,
): void {
  const rateLimited = options.metrics.counter(
    'stave_http_rate_limited_total',
    'Requests refused because the limit of their client was used up.',
  );
  const deps = {
    ...options,
    openCounts: options.openCounts ?? new OpenCounts(),
    openWork,
    proxies,
    bodies: new BodyBudgets(),
    onRateLimited: () => rateLimited.increment(),
  };
  for (const route of options.routes) {
    const { url } = paths.find(({ path }) => path === route.path)!;
    const pipeline = new RoutePipeline(route, deps);
    app.route({
      method: [...methodsOf(route)],
      url,
      onRequest: [
        ...emptySegmentHooks(url, paths),
        ({ raw }, _reply, next) => {
          const context = RequestContext.of(raw);
          const { span } = context;
          const waiting =
            span === undefined ? pipeline.admit(context) : admitIn(span, pipeline, context);
          if (waiting !== undefined) return waiting;
          next();
        },
      ],
      ...(pipeline.takesBody && {
        preValidation: ({ raw }, _reply, next) => pipeline.readBody(RequestContext.of(raw), next),
      }),
      handler: ({ raw, params }) => {
        const context = RequestContext.of(raw);
        const { span } = context;
        return span === undefined
          ? pipeline.respond(context, params)
          : respondIn(span, pipeline, context, params);
      },
    });
  }
}

// Closures within the functions that call these would take memory for each request that is not traced.

function admitIn(span: RequestSpan, pipeline: RoutePipeline, context: RequestContext) {
  span.found(pipeline.path);
  return tracing!.within(span, () => pipeline.admit(context));
}

function respondIn(
  span: RequestSpan,
  pipeline: RoutePipeline,
  context: RequestContext,
  params: unknown,
) {
  return tracing!.within(span, () => pipeline.respond(context, params));
}

/**
 * Serves requests that belong to no operation: OPTIONS at every path, other methods of a path (405) and
 * unknown paths (404). All of these except OPTIONS first check `Accept`, as operations do.
 */
function serveUnrouted(app: FastifyInstance, paths: readonly Path[]): void {
  for (const { path, url, methods, hasJson } of paths) {
    const onRequest = emptySegmentHooks(url, paths);
    app.route({
      method: 'OPTIONS',
      url,
      onRequest,
      handler: (request) => sendEmpty(RequestContext.of(request.raw), optionsHeaders(methods)),
    });
    const others = METHODS.filter((method) => !methods.includes(method));
    app.route({
      method: others,
      url,
      onRequest,
      handler: (request) => {
        if (hasJson) refuseUnlessJsonAccepted(request.raw);
        const allow = methods.join(', ');
        const { method } = request.raw;
        const other = pathWithMethod(paths, path, method!);
        const hint = other === undefined ? '' : `; ${method} is for ${other}`;
        throw new StaveError('method_not_allowed', `This path has ${allow} only${hint}.`, {
          headers: { Allow: allow },
        });
      },
    });
  }
  app.setNotFoundHandler((request) => refuseUnknownPath(request, paths));
}

/**
 * Returns hooks for a route with this URL. The router treats an empty segment, such as after a trailing
 * slash, as a parameter, but such a path is unknown.
 */
function emptySegmentHooks(url: string, paths: readonly Path[]) {
  if (!url.includes(':')) return [];
  return [
    (request: FastifyRequest, _reply: unknown, next: () => void) => {
      if (Object.values(request.params as object).includes('')) refuseUnknownPath(request, paths);
      next();
    },
  ];
}

function refuseUnknownPath({ raw }: FastifyRequest, paths: readonly Path[]): never {
  refuseUnlessJsonAccepted(raw);
  const path = pathOf(raw);
  const meant = suggestedPath(paths, path);
  const slash = path.endsWith('/') ? ', without a slash at the end' : '';
  throw new StaveError(
    'not_found',
    meant === undefined
      ? 'There is nothing at this path; /docs shows what there is.'
      : `There is nothing at this path; did you mean ${meant}${slash}?`,
  );
}
