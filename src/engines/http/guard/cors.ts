/** The response headers that scripts of other origins may read (docs/contract/http.md#cross-origin-requests). */
const EXPOSED = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
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
 * CORS headers of every response. Every origin may call, because access depends on the token and no cookie is
 * used.
 */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.join(', '),
} as const;

/**
 * Returns the headers of the response to `OPTIONS`, preflight requests included, at a path with these
 * methods.
 */
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
