import type { RequestHeader, Route } from '../../engines/http/route/route.ts';
import { WINDOW_SECONDS } from '../../engines/limits/rate-limiter.ts';
import { DEFAULT_RATE_LIMIT } from '../../features/access/client.ts';
import type { Json } from './schema-library.ts';

const text = (description: string, example: string, required = true): Json => ({
  description,
  required,
  schema: { type: 'string' },
  example,
});
/** Absent from a response only if the request failed before it was counted. */
const ofLimit = (description: string, example: number): Json => ({
  description,
  required: false,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** All response headers of the document, by the names of their components. */
export const HEADERS = {
  'X-API-Version': text('Contract version of the URL path.', 'v1'),
  'X-Service-Version': text('Semantic version of the running build; for diagnostics.', '1.0.0'),
  'X-Request-Id': text(
    'The id of this request, also in the log of the service. A well-formed id that you send is used.',
    '6d0c3f6e-3f0b-4a52-9a35-0e0a4ac1b6f4',
  ),
  'RateLimit-Limit': ofLimit('Requests per window.', DEFAULT_RATE_LIMIT),
  'RateLimit-Remaining': ofLimit('Requests left in this window.', DEFAULT_RATE_LIMIT - 1),
  'RateLimit-Reset': ofLimit('Seconds until the window ends.', 60),
  'RateLimit-Policy': text(
    'The limit and its window in seconds.',
    `${DEFAULT_RATE_LIMIT};w=${WINDOW_SECONDS}`,
    false,
  ),
  RateLimit: text(
    'Requests left in this window, and the seconds until it ends, as draft 10 of the RateLimit fields has them.',
    `"default";r=${DEFAULT_RATE_LIMIT - 1};t=60`,
    false,
  ),
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'Retry-After-In-Progress': {
    description:
      'Seconds to wait before the next attempt, if a request with the same `Idempotency-Key` is in progress.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': text(
    'The challenge: `Bearer` (RFC 6750), or `Basic` if the client authenticates with a form or with HTTP Basic.',
    'Bearer realm="stave", error="invalid_token"',
    false,
  ),
  'Accept-Encoding': text('The content codings that are accepted for a body.', 'identity', false),
  Deprecation: text('When the route became deprecated (RFC 9745).', '@1767225600'),
  Sunset: text('When the route will be removed (RFC 8594).', 'Wed, 01 Jul 2026 00:00:00 GMT'),
  Link: text(
    'The next page, if there is one: `rel="next"` (RFC 8288). For a deprecated route also a page about its replacement: `rel="deprecation"`.',
    '<https://example.com/v1/tracks?search=night&page=2>; rel="next"',
    false,
  ),
  ETag: text('Identifies the content, for `If-None-Match` and `If-Range`.', '"4f1c"', false),
  'Last-Modified': text('When the content was stored.', 'Sat, 21 Nov 2026 08:00:00 GMT', false),
  'Cache-Control': text(
    'How long the content may be cached.',
    'public, max-age=31536000, immutable',
    false,
  ),
  'Content-Disposition': text(
    'The name of the file, and whether a browser saves it.',
    `inline; filename="Mara Lindt - Night Ferry.mp3"; filename*=UTF-8''Mara%20Lindt%20-%20Night%20Ferry.mp3`,
    false,
  ),
  'TDM-Reservation': text(
    '`1` if machines must not learn from the content (W3C TDMRep).',
    '1',
    false,
  ),
  'Content-Usage': text('The same in the draft of the IETF’s AI preferences.', 'train-ai=n', false),
  'Accept-Ranges': text('`bytes` if ranges are supported, `none` if not.', 'bytes', false),
  Location: text(
    'The address of the content, or the path of what was created.',
    'https://media.example.com/4f1c.mp3?X-Amz-Signature=4f1c',
  ),
  'Idempotency-Replayed': text(
    '`true`, if this repeats the response to an earlier request with the same `Idempotency-Key`.',
    'true',
    false,
  ),
  'Content-Language': text('The language of the texts.', 'de', false),
  'Set-Cookie': text(
    'A cookie that opens the link.',
    '__Host-stave-link-0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41=1764547200000.4f1c; Path=/; Max-Age=43200; Secure; HttpOnly; SameSite=Strict',
    false,
  ),
  'Content-Range': text(
    'The part of the content that this is, and its total size.',
    'bytes 0-99/1234',
    false,
  ),
} as const;

export type HeaderName = keyof typeof HEADERS;

/** The headers of every response (docs/contract/versions.md#version-headers). */
export const ALWAYS: readonly HeaderName[] = ['X-API-Version', 'X-Service-Version', 'X-Request-Id'];

/** The headers of every response to a valid token (docs/contract/limits.md#rate-limit-headers). */
export const METERED: readonly HeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

/** The additional headers of a deprecated route (docs/contract/versions.md#deprecation). */
export const DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

export const BINARY: readonly HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Accept-Ranges',
  'Content-Range',
  'Content-Disposition',
  'TDM-Reservation',
  'Content-Usage',
];

/** The components whose names differ from those of their headers. */
const SENT_AS: { [Name in HeaderName]?: string } = { 'Retry-After-In-Progress': 'Retry-After' };

export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(
    names.map((name) => [SENT_AS[name] ?? name, { $ref: `#/components/headers/${name}` }]),
  );
}

const REQUEST_HEADERS: Readonly<
  Record<RequestHeader | 'If-Match' | 'Idempotency-Key', Json & { name: string }>
> = {
  'Accept-Language': optional(
    'Accept-Language',
    'The preferred languages of texts, as RFC 9110 §12.5.4 defines them.',
    'de, en;q=0.5',
  ),
  'Idempotency-Key': optional(
    'Idempotency-Key',
    'A text of your choice, with or without quotes. A repeat of the request with the same key within 24 hours has no further effect.',
    '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
  ),
  'If-Match': requiredHeader(
    'If-Match',
    'The `ETag` of the version that the request changes, or `*` for any version.',
    '"3"',
  ),
  'X-Stave-Now': optional(
    'X-Stave-Now',
    'The time at which a request in test mode takes place, as RFC 3339 writes it. Ignored in live mode.',
    '2026-11-21T10:40:10.000Z',
  ),
};

export function requiredHeader(name: string, description: string, example: string) {
  return { ...header(name, true, description), example };
}

function optional(name: string, description: string, example: string) {
  return {
    ...header(name, false, description),
    // The reference page shows the example of an optional header but does not send it.
    examples: { example: { value: example, 'x-disabled': true } },
  };
}

function header(name: string, required: boolean, description: string) {
  return { name, in: 'header', required, description, schema: { type: 'string' } };
}

/** Returns the parameters for the request headers that an operation reads, beside those of every request. */
export function requestHeadersOf({
  requestHeaders = [],
  idempotent,
  needsMatch,
  localized,
}: Route): Json[] {
  const names = [
    ...(idempotent ? (['Idempotency-Key'] as const) : []),
    ...(needsMatch ? (['If-Match'] as const) : []),
    ...requestHeaders,
    ...(localized === 'header' ? (['Accept-Language'] as const) : []),
  ];
  return names.map((name) => REQUEST_HEADERS[name]);
}
