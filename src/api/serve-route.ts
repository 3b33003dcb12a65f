import type { Caller } from '../access/caller.ts';
import { WINDOW_SECONDS } from '../access/fixed-windows.ts';
import type { RateDecision, RateLimiter } from '../access/rate-limiter.ts';
import { StaveError } from '../kernel/errors.ts';
import { acceptsJson } from './accept.ts';
import { plainEnvelope, sendAnswer } from './answer.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { Exchange } from './exchange.ts';
import { InputReader, type RawBody } from './input.ts';
import type { Route, RouteAccess } from './route.ts';
import { standingHeaders } from './versions.ts';

/**
 * Tells from an `Authorization` header who is calling; throws or rejects with invalid_token. Several
 * such headers come joined by commas, as no good token is.
 */
export type Authenticate = (authorization: string | undefined) => Caller | Promise<Caller>;

/** What the router found in a request. */
export interface Target {
  /** The path's parameters, decoded. */
  params: unknown;
  /** The caller's address, the forwarded one where the proxy is trusted. */
  readonly ip: string;
}

/** Answers one exchange; throws or rejects with what is to be answered instead. */
export type Serve = (exchange: Exchange, target: Target) => void | Promise<void>;

/**
 * The way of a request through one route, in the order of decisions §1: 406, 401, 429, 403, 415 and
 * 413, 400, the handler. Where nothing has to be waited for, it is one synchronous call.
 */
export function serveRoute(
  route: Route,
  deps: {
    authenticate: Authenticate;
    rateLimiter: RateLimiter;
    answers?: AnswerCache;
    onRateLimited(): void;
  },
): Serve {
  const { access, data } = route;
  const answers = route.cacheable ? deps.answers : undefined;
  const reader = new InputReader(route);
  const headers = standingHeaders(route.version, route.deprecation);

  return (exchange, target) => {
    exchange.operationId = route.operationId;
    exchange.standingHeaders = headers;
    if (data !== undefined) {
      refuseUnlessJsonAccepted(exchange);
    }
    return access === 'public'
      ? admitted(exchange, target)
      : then(deps.authenticate(exchange.request.headers.authorization), (caller) => {
          exchange.caller = caller;
          return then(deps.rateLimiter.take(caller.clientId, caller.rateLimit), (decision) => {
            exchange.rateHeaders = rateHeaders(decision);
            if (!decision.allowed) {
              deps.onRateLimited();
              throw rateLimited(decision);
            }
            refuseUnlessGranted(caller, access);
            return admitted(exchange, target);
          });
        });
  };

  function admitted(exchange: Exchange, target: Target): void | Promise<void> {
    return then(reader.readBody(exchange), (body) =>
      answers === undefined
        ? then(handle(exchange, target, body), (answer) => sendAnswer(exchange, answer))
        : answerOnce(exchange, target, body, answers),
    );
  }

  /** From the cache where the same was answered before. */
  function answerOnce(
    exchange: Exchange,
    target: Target,
    body: RawBody | undefined,
    cache: AnswerCache,
  ): void | Promise<void> {
    const question = questionOf(exchange, body);
    const known = cache.get(question);
    if (known !== undefined) {
      return sendAnswer(exchange, { envelope: known });
    }
    const edition = cache.edition();
    return then(handle(exchange, target, body), (answer) => {
      const envelope = plainEnvelope(answer);
      if (envelope === undefined) {
        return sendAnswer(exchange, answer);
      }
      cache.keep(question, envelope, edition);
      return sendAnswer(exchange, { envelope });
    });
  }

  function handle(exchange: Exchange, target: Target, body: RawBody | undefined) {
    const { request, requestId, caller } = exchange;
    return route.handle({
      ...reader.parse(exchange, target.params as Record<string, string>, body),
      caller,
      headers: request.headers,
      address: target.ip,
      requestId,
      method: request.method!,
      rawUrl: request.url!,
    });
  }
}

/**
 * All that an answer of a cacheable route hangs on but what drops the whole cache. None of the parts
 * holds a space, but the last.
 */
function questionOf({ request, caller }: Exchange, body: RawBody | undefined): string {
  const question = `${caller?.clientId} ${caller?.mode} ${request.url}`;
  return body === undefined
    ? question
    : `${question} ${body.type} ${body.bytes.toString('latin1')}`;
}

/** 406 where the caller takes no JSON (decisions §1). */
export function refuseUnlessJsonAccepted({ request }: Exchange): void {
  if (!acceptsJson(request.headers.accept)) {
    throw new StaveError('not_acceptable', 'The answer is JSON; Accept must let it through.');
  }
}

/** Goes on at once with a value that is there, later with one that is promised. */
function then<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The three-field form of draft-ietf-httpapi-ratelimit-headers-06, with its policy. */
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
    `The limit of ${limit} requests a minute is used up; retry in ${resetSeconds} s.`,
    { headers: { 'Retry-After': String(resetSeconds) } },
  );
}

/**
 * A feature that is off is told before a missing scope: without the feature a token with the scope
 * would not help, so "get one" would be advice in vain.
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
