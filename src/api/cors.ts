/** What scripts of other origins may read of an answer (decisions §3). */
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
];

/** On every answer. Any origin may call: what counts is the token, and cookies play no part. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.join(', '),
} as const;

/** What answers `OPTIONS` on a path with these methods, a browser's preflight included. */
export function optionsHeaders(methods: readonly string[]): Record<string, string> {
  const allow = methods.join(', ');
  return {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Range, If-Range, If-None-Match, X-Request-Id',
    // A day; browsers cap it as they like.
    'Access-Control-Max-Age': '86400',
  };
}
