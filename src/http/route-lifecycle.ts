import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { type RateDecision, type RateLimiter, WINDOW_SECONDS } from '../access/rate-limiter.ts';
import { counted } from '../common/counted.ts';
import { StaveError } from '../common/errors.ts';
import { refuseUnlessGranted } from './authorize.ts';
import type { BodyBudgets } from './body.ts';
import type { Compression } from './compression.ts';
import { InputReader } from './input.ts';
import { linkToNext } from './next-link.ts';
import { RequestContext } from './request-context.ts';
import { statedTime } from './request-time.ts';
import { loseResponse, sendResponse, sharedForm } from './response.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';
import type { ApiResponse, IssuedEnvelope, Route, RouteAccess } from './route.ts';
import { type HandlerDependencies, handlerOf } from './run-handler.ts';
import { simulate } from './simulate.ts';
import { refuseUnlessJsonAccepted } from './unrouted.ts';
import { defaultHeaders } from './versions.ts';

/** A hook of Fastify that calls `next`, or returns a promise, or throws. */
type Hook = (
  request: FastifyRequest,
  reply: unknown,
  next: (fault?: Error) => void,
) => void | Promise<void>;

/** The hooks and the handler of a route, in the order in which Fastify runs them. */
export interface RouteLifecycle {
  onRequest: Hook[];
  preValidation: Hook[];
  handler(request: FastifyRequest): void | Promise<void>;
}

/** The dependencies of all routes. */
export interface LifecycleDependencies extends HandlerDependencies {
  rateLimiter: RateLimiter;
  responseCache?: ResponseCache;
  bodies: BodyBudgets;
  /** Base of the URLs in responses, without a trailing slash. */
  publicUrl(): string;
  onRateLimited(): void;
}

/**
 * Returns the hooks and the handler of a route. Before the handler, they check in this order
 * (docs/contract/http.md#order-of-checks): `Accept` (406), token (401), rate limit (429), feature and scope
 * (403), body (415, 413), query and body by their schemas (400), presence of a required `If-Match` (428),
 * `Idempotency-Key` (422, 409). Throws a TypeError for an idempotent route without a store for the keys.
 */
export function routeLifecycle(route: Route, deps: LifecycleDependencies): RouteLifecycle {
  const { access } = route;
  const reader = new InputReader(route);
  return {
    onRequest: [
      enterRoute(route),
      ...(access === 'public'
        ? []
        : [authenticateCaller(deps), countRequest(deps), authorizeCaller(access)]),
      ...(route.requestHeaders?.includes('X-Stave-Now') ? [readStatedTime] : []),
    ],
    preValidation: route.body === undefined ? [] : [readBody(reader, deps.bodies)],
    handler: releasingBody(respond(route, reader, deps)),
  };
}

/** Notes the route in the context, and checks `Accept`. */
function enterRoute({ operationId, version, deprecation, withoutEnvelope, data }: Route): Hook {
  const headers = defaultHeaders(version, deprecation);
  return ({ raw }, _reply, next) => {
    const context = RequestContext.of(raw);
    context.operationId = operationId;
    context.defaultHeaders = headers;
    context.withoutEnvelope = withoutEnvelope ?? false;
    if (data !== undefined) {
      refuseUnlessJsonAccepted(context);
    }
    next();
  };
}

function authenticateCaller({ authenticate }: LifecycleDependencies): Hook {
  return ({ raw }, _reply, next) => {
    const context = RequestContext.of(raw);
    const caller = authenticate(raw.headers.authorization, raw.url!);
    if (caller instanceof Promise) {
      return caller.then((verified) => {
        context.caller = verified;
      });
    }
    context.caller = caller;
    next();
  };
}

function countRequest({ rateLimiter, onRateLimited }: LifecycleDependencies): Hook {
  const apply = (context: RequestContext, decision: RateDecision) => {
    context.rateHeaders = rateHeaders(decision);
    if (!decision.allowed) {
      onRateLimited();
      throw rateLimited(decision);
    }
  };
  return ({ raw }, _reply, next) => {
    const context = RequestContext.of(raw);
    const { clientId, rateLimit } = context.caller!;
    const decision = rateLimiter.take(clientId, rateLimit);
    if (decision instanceof Promise) {
      return decision.then((made) => apply(context, made));
    }
    apply(context, decision);
    next();
  };
}

function authorizeCaller(access: RouteAccess): Hook {
  return ({ raw }, _reply, next) => {
    const context = RequestContext.of(raw);
    const caller = context.caller!;
    refuseUnlessGranted(caller, access);
    const wait = caller.mode === 'test' ? simulate(context, access) : undefined;
    if (wait !== undefined) {
      return wait;
    }
    next();
  };
}

const readStatedTime: Hook = ({ raw }, _reply, next) => {
  const context = RequestContext.of(raw);
  if (context.caller?.mode === 'test') {
    context.statedNow = statedTime(raw.headers);
  }
  next();
};

/** Reads the body into the context. It is parsed with the query, so that one error names all problems. */
function readBody(reader: InputReader, bodies: BodyBudgets): Hook {
  return ({ raw }, _reply, next) => {
    const context = RequestContext.of(raw);
    reader.readBody(context, bodies.of(context), (fault, body, release) => {
      context.body = body;
      context.releaseBody = release;
      next(fault);
    });
  };
}

/** Returns a handler that releases the body of a request when the response is made. Fastify calls it after any body. */
function releasingBody(handler: RouteLifecycle['handler']): RouteLifecycle['handler'] {
  return (request) => {
    const { releaseBody } = RequestContext.of(request.raw);
    if (releaseBody === undefined) {
      return handler(request);
    }
    let sent: void | Promise<void>;
    try {
      sent = handler(request);
    } catch (error) {
      releaseBody();
      throw error;
    }
    if (sent instanceof Promise) {
      return sent.finally(releaseBody);
    }
    releaseBody();
  };
}

/** Responds from the cache or from the route's handler. */
function respond(
  route: Route,
  reader: InputReader,
  deps: LifecycleDependencies,
): RouteLifecycle['handler'] {
  const { responseCache, publicUrl } = deps;
  const cache = route.cacheable ? responseCache : undefined;
  const handle = handlerOf(route, reader, deps);
  const defaults = { status: route.success?.statuses?.[0] ?? 200 };

  return (request) => {
    const context = RequestContext.of(request.raw);
    const key = cache && cacheKey(context);
    const known = key === undefined ? undefined : cache!.get(key);
    const issued = known?.issueTo(context.caller!);
    if (issued !== undefined) {
      const { envelope } = issued;
      const { headers } = known!;
      const compression = compressionOf(context, known!, issued, key!);
      const response = { envelope, ...(headers && { headers }) };
      return sendAndRelease(context, response, issued, compression);
    }
    const generation = cache?.generation();
    const send = (result: ApiResponse) => {
      const link = linkTo(context, result);
      if (cache?.wants(key!, generation!)) {
        const shared = sharedForm(result);
        if (shared !== undefined) {
          cache.keep(key!, { ...shared, ...link });
        }
      }
      return sendAndRelease(context, { ...defaults, ...result, ...link }, result);
    };
    const result = handle(context, request);
    return result instanceof Promise ? result.then(send) : send(result);
  };

  function compressionOf(
    { caller }: RequestContext,
    known: CachedResponse,
    { issue }: IssuedEnvelope,
    key: string,
  ): Compression {
    return cache!.compression(key, known, { clientId: caller?.clientId, issue });
  }

  /** Returns the `Link` to the next page, if there is one and a GET request can ask for it. */
  function linkTo(
    { request }: RequestContext,
    { nextPage, headers }: ApiResponse,
  ): Pick<ApiResponse, 'headers'> | undefined {
    if (nextPage === undefined || route.method !== 'GET') {
      return undefined;
    }
    const link = linkToNext(publicUrl(), request.url!, nextPage);
    return link === undefined ? undefined : { headers: { ...headers, Link: link } };
  }
}

/** Sends a response, and releases its envelope if that was sent at once. */
function sendAndRelease(
  context: RequestContext,
  response: ApiResponse,
  owner: ApiResponse | IssuedEnvelope,
  compression?: Compression,
): void | Promise<void> {
  if (context.losesResponse) {
    loseResponse(context, response);
    return;
  }
  const sent = sendResponse(context, response, compression);
  const { writableEnded, writableLength } = context.response;
  // Otherwise, the socket or a compression may still read the envelope.
  if ('envelope' in owner && writableEnded && writableLength === 0) {
    owner.release?.();
  }
  return sent;
}

/**
 * Returns everything that a response of a cacheable route depends on, except the catalog and the URLs. Only
 * the last part can contain a space.
 */
function cacheKey({ request, caller, body }: RequestContext): string {
  const key = `${caller!.mode}${viewOf(caller!)} ${request.url}`;
  return body === undefined ? key : `${key} ${body.type} ${body.bytes.toString('latin1')}`;
}

/**
 * Returns what, beside the mode, determines how a caller sees a response. A feature that is switched off
 * disappears with the next request, because it changes the key.
 */
function viewOf({ features }: Caller): string {
  return features.has('previews') ? '+previews' : '';
}

/** Returns the three fields of draft-ietf-httpapi-ratelimit-headers-06, and its policy. */
function rateHeaders({ limit, remaining, resetSeconds }: RateDecision): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `${limit};w=${WINDOW_SECONDS}`,
  };
}

function rateLimited({ limit, resetSeconds }: RateDecision): StaveError {
  return new StaveError(
    'rate_limited',
    `The limit of ${counted(limit, 'request')} a minute is used up; retry in ${resetSeconds} s.`,
    { headers: { 'Retry-After': String(resetSeconds) } },
  );
}
