import type { Caller } from '../../../common/caller.ts';
import { API_VERSION, SERVICE_VERSION } from '../../../common/version.ts';
import { type RateDecision, WINDOW_SECONDS } from '../../limits/rate-limiter.ts';
import type { Deprecation } from '../route/route.ts';

/** Response headers by name, in the spelling in which they are sent. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The response headers that scripts of other origins may read (docs/contract/http.md#cross-origin-requests). */
const EXPOSED = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'X-Request-Id',
  'X-API-Version',
  'X-Service-Version',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'Deprecation',
  'Sunset',
  'Link',
  'Location',
  'Content-Language',
  'Idempotency-Replayed',
];

/** The request headers that scripts of other origins may send. */
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Range',
  'If-Range',
  'If-None-Match',
  'X-Request-Id',
  'Idempotency-Key',
  'If-Match',
  'Accept-Language',
  'X-Stave-Simulate',
  'X-Stave-Now',
];

/**
 * CORS headers of every response. Every origin may call, because access depends on the token: browsers send no cookies
 * where any origin is allowed.
 */
const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.join(', '),
} as const;

/** The shortest notice of a route's retirement (docs/contract/versions.md#deprecation). */
export const MIN_NOTICE_DAYS = 180;

/**
 * Returns the headers that every response of a route carries: the contract version of its path, the build, CORS, and
 * its deprecation. They are made once per route.
 */
export function defaultHeaders(path: string, deprecation?: Deprecation): HeaderFields {
  return {
    'X-API-Version': /^\/(v[0-9]+)\//.exec(path)?.[1] ?? API_VERSION,
    'X-Service-Version': SERVICE_VERSION,
    ...CORS_HEADERS,
    // Browsers must not guess a content type other than the one that is sent.
    'X-Content-Type-Options': 'nosniff',
    // Pages that load nothing from other origins by default (COEP) may show artwork and play audio.
    ...(path.startsWith('/media/') && { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
    // The path of a link to a collection is its secret.
    ...(isOfLink(path) && { 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'same-origin' }),
    ...(deprecation && deprecationHeaders(deprecation)),
  };
}

/** Whether the path is one that contains the token of a link to a collection. */
function isOfLink(path: string): boolean {
  return path.startsWith('/s/') || path.startsWith('/v1/shared/');
}

/**
 * Returns the headers of a route for a request with a browser token: only pages of its origin may read the response.
 *
 * @param origin undefined if the request came from none of the token's origins
 */
export function headersForOrigin(headers: HeaderFields, origin: string | undefined): HeaderFields {
  const { 'Access-Control-Allow-Origin': _, ...others } = headers;
  return {
    ...others,
    ...(origin !== undefined && { 'Access-Control-Allow-Origin': origin }),
    Vary: 'Origin',
  };
}

/** The default headers of responses that belong to no route. */
export const BASE_HEADERS: HeaderFields = defaultHeaders('/');

/** A response to a token belongs to one client. Other responses may change at any time. */
export function cacheControl(caller: Caller | undefined): string {
  return caller === undefined ? 'no-cache' : 'private, no-cache';
}

/** The three fields of draft-ietf-httpapi-ratelimit-headers-06, and its policy; and the field of draft 10. */
export function rateHeaders({ limit, remaining, resetSeconds }: RateDecision): HeaderFields {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
  };
}

/** Returns `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the address of the notes. */
function deprecationHeaders({ since, sunset, notes }: Deprecation): HeaderFields {
  return {
    Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    Sunset: sunset.toUTCString(),
    Link: `<${notes}>; rel="deprecation"; type="text/html"`,
  };
}

/** Returns the headers of a response to `OPTIONS`, also as preflight, at a path with these methods. */
export function optionsHeaders(methods: readonly string[]): Record<string, string> {
  const allow = methods.join(', ');
  return {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': ALLOWED.join(', '),
    // One day. Browsers apply their own limits.
    'Access-Control-Max-Age': '86400',
  };
}
