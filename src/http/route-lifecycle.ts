import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import { type RateDecision, type RateLimiter, WINDOW_SECONDS } from '../access/rate-limiter.ts';
import { counted } from '../common/counted.ts';
import { StaveError } from '../common/errors.ts';
import type { BodyBudgets } from './body.ts';
import { InputReader } from './input.ts';
import { linkToNext } from './next-link.ts';
import { RequestContext } from './request-context.ts';
import { issuing, sendResponse } from './response.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';
import type { ApiResponse, IssuedEnvelope, Route, RouteAccess } from './route.ts';
import { refuseUnlessJsonAccepted } from './unrouted.ts';
import { defaultHeaders } from './versions.ts';

/**
 * Returns the caller that an `Authorization` header names; throws or rejects with `invalid_token`. Several
 * such headers are joined by commas. The URL only serves to explain a missing token.
 */
export type Authenticate = (
  authorization: string | undefined,
  url: string,
) => Caller | Promise<Caller>;

/** A hook of Fastify that calls `next`, or returns a promise, or throws. */
type Hook = (request: FastifyRequest, reply: unknown, next: () => void) => void | Promise<void>;

/** The hooks and the handler of a route, in the order in which Fastify runs them. */
export interface RouteLifecycle {
  onRequest: Hook[];
  preValidation: Hook[];
  handler(request: FastifyRequest): void | Promise<void>;
}

/** The dependencies of all routes. */
export interface LifecycleDependencies {
  authenticate: Authenticate;
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
 * (403), body (415, 413), query and body by their schemas (400).
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
    ],
    preValidation: route.body === undefined ? [] : [readBody(reader, deps.bodies)],
    handler: respond(route, reader, deps),
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
    refuseUnlessGranted(RequestContext.of(raw).caller!, access);
    next();
  };
}

/** Reads the body into the context. It is parsed with the query, so that one error names all problems. */
function readBody(reader: InputReader, bodies: BodyBudgets): Hook {
  return async ({ raw }) => {
    const context = RequestContext.of(raw);
    context.body = await reader.readBody(context, bodies.of(context));
  };
}

/** Responds from the cache or from the route's handler. */
function respond(
  route: Route,
  reader: InputReader,
  { responseCache, publicUrl }: LifecycleDependencies,
): RouteLifecycle['handler'] {
  const cache = route.cacheable ? responseCache : undefined;

  return (request) => {
    const context = RequestContext.of(request.raw);
    const key = cache && cacheKey(context);
    const known = key === undefined ? undefined : cache!.get(key);
    const issued = known?.issueTo(context.caller!);
    if (issued !== undefined) {
      return sendIssued(context, known!, issued, key!);
    }
    const generation = cache?.generation();
    const send = (result: ApiResponse) => {
      const link = linkTo(context, result);
      const issueTo = cache && issuing(result);
      const own = issueTo?.(context.caller!);
      if (own === undefined) {
        return sendResponse(context, { ...result, ...link });
      }
      const shared = { issueTo: issueTo!, sizeBytes: own.envelope.length, ...link };
      cache!.keep(key!, shared, generation!);
      return sendResponse(context, { envelope: own.envelope, ...link });
    };
    const result = handle(context, request);
    return result instanceof Promise ? result.then(send) : send(result);
  };

  function sendIssued(
    context: RequestContext,
    known: CachedResponse,
    { envelope, issue }: IssuedEnvelope,
    key: string,
  ): void | Promise<void> {
    const { headers } = known;
    const clientId = context.caller?.clientId;
    const compression = cache!.compression(key, known, { clientId, issue });
    return sendResponse(context, { envelope, ...(headers && { headers }) }, compression);
  }

  function handle(
    context: RequestContext,
    target: FastifyRequest,
  ): ApiResponse | Promise<ApiResponse> {
    const { request, requestId, caller, body } = context;
    return route.handle({
      ...reader.parse(context, target.params as Record<string, string>, body),
      caller,
      headers: request.headers,
      address: target.ip,
      requestId,
      method: request.method!,
      rawUrl: request.url!,
      note: (fields) => {
        context.noted = fields;
      },
    });
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

/**
 * Returns everything that a response of a cacheable route depends on, except the catalog and the URLs. Only
 * the last part can contain a space.
 */
function cacheKey({ request, caller, body }: RequestContext): string {
  const key = `${caller?.mode} ${request.url}`;
  return body === undefined ? key : `${key} ${body.type} ${body.bytes.toString('latin1')}`;
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

/**
 * A feature that is off is reported before a missing scope: without the feature, a token with the scope would
 * not help.
 */
function refuseUnlessGranted({ features, scopes }: Caller, access: RouteAccess): void {
  if (typeof access === 'string') {
    return;
  }
  const { scope, feature } = access;
  if (feature !== undefined && !features.has(feature)) {
    throw new StaveError(
      'feature_not_enabled',
      `The feature ${feature} is not part of this client's contract; ask the operator for it.`,
    );
  }
  if (!scopes.has(scope)) {
    throw new StaveError('insufficient_scope', `The token lacks the scope ${scope}.`, {
      headers: {
        // RFC 6750 §3.
        'WWW-Authenticate': `Bearer realm="stave", error="insufficient_scope", scope="${scope}"`,
      },
    });
  }
}
