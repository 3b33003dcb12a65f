import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../../common/caller/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/counted.ts';
import { type RateDecision, type RateLimiter, WINDOW_SECONDS } from '../../limits/rate-limiter.ts';
import { RestrictedMember, refuseUnlessGranted } from '../guard/authorize.ts';
import { Localization } from '../guard/localization.ts';
import { refuseUnlessJsonAccepted } from '../guard/paths.ts';
import { simulate } from '../guard/simulate.ts';
import type { BodyBudgets } from '../input/body.ts';
import { InputReader, statedTime } from '../input/input.ts';
import { defaultHeaders } from '../response/headers.ts';
import { type ResponseDependencies, respond } from '../response/respond.ts';
import { RequestContext } from './request-context.ts';
import type { Route } from './route.ts';

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
export interface LifecycleDependencies extends ResponseDependencies {
  rateLimiter: RateLimiter;
  /** Counts the requests of each client, for the operator. */
  requestCounter?: { count(caller: Caller, allowed: boolean): void } | undefined;
  bodies: BodyBudgets;
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
  const localization = Localization.of(route, deps.languages);
  return {
    onRequest: [
      enterRoute(route),
      ...(access === 'public'
        ? []
        : [authenticateCaller(deps), countRequest(deps), authorizeCaller(route, localization)]),
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

function countRequest({ rateLimiter, requestCounter, onRateLimited }: LifecycleDependencies): Hook {
  const apply = (context: RequestContext, decision: RateDecision) => {
    context.rateHeaders = rateHeaders(decision);
    requestCounter?.count(context.caller!, decision.allowed);
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

function authorizeCaller(route: Route, localization: Localization | undefined): Hook {
  const { access } = route;
  const restricted = RestrictedMember.of(route);
  return ({ raw }, _reply, next) => {
    const context = RequestContext.of(raw);
    const caller = context.caller!;
    refuseUnlessGranted(caller, access);
    localization?.refuseUnlessAllowed(context);
    restricted?.refuseInUrl(context);
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
