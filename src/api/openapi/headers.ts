import { DEFAULT_RATE_LIMIT } from '../../access/client.ts';
import { WINDOW_SECONDS } from '../../access/fixed-windows.ts';
import type { Json } from './schema-library.ts';

const text = (description: string, example: string, required = true): Json => ({
  description,
  required,
  schema: { type: 'string' },
  example,
});
const count = (description: string, example: number): Json => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** Every response header that the document speaks of. */
export const HEADERS = {
  'X-API-Version': text('Contract version of the URL path.', 'v1'),
  'X-Service-Version': text('Semantic version of the running build; for diagnostics.', '0.1.0'),
  'X-Request-Id': text(
    'Names this request in the service’s log; a well-formed one that you send is kept.',
    '6d0c3f6e-3f0b-4a52-9a35-0e0a4ac1b6f4',
  ),
  'RateLimit-Limit': count('Requests a window.', DEFAULT_RATE_LIMIT),
  'RateLimit-Remaining': count('Requests left in this window.', DEFAULT_RATE_LIMIT - 1),
  'RateLimit-Reset': count('Seconds until the window ends.', 60),
  'RateLimit-Policy': text(
    'The limit and its window in seconds.',
    `${DEFAULT_RATE_LIMIT};w=${WINDOW_SECONDS}`,
  ),
  'Retry-After': {
    ...count('Seconds to wait before the next try.', 12),
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': text(
    'The challenge: `Bearer` (RFC 6750), or `Basic` where a client authenticates by a form or by HTTP Basic.',
    'Bearer realm="stave", error="invalid_token"',
    false,
  ),
  'Accept-Encoding': text('The codings that a body may come in.', 'identity', false),
  Deprecation: text('When the route became deprecated (RFC 9745).', '@1767225600'),
  Sunset: text('When it will be gone (RFC 8594).', 'Wed, 01 Jul 2026 00:00:00 GMT'),
  Link: text('Notes on what to use instead.', '<https://example.com/notes>; rel="deprecation"'),
  ETag: text('Names these bytes, for `If-None-Match` and `If-Range`.', '"4f1c"', false),
  'Last-Modified': text('When the bytes came in.', 'Sat, 21 Nov 2026 08:00:00 GMT', false),
  'Cache-Control': text(
    'How long the bytes may be kept.',
    'public, max-age=31536000, immutable',
    false,
  ),
  'Accept-Ranges': text('`bytes` where seeks are served.', 'bytes', false),
  Location: text('Where the bytes are.', 'https://media.example.com/4f1c.mp3?X-Amz-Signature=4f1c'),
  'Content-Range': text('Which part of how much this is.', 'bytes 0-99/1234', false),
} as const;

/** A response header that the document describes. */
export type HeaderName = keyof typeof HEADERS;

/** On every response without exception (decisions §1). */
export const ALWAYS: readonly HeaderName[] = ['X-API-Version', 'X-Service-Version', 'X-Request-Id'];

/** On every response to a request with a good token (decisions §6). */
export const METERED: readonly HeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
];

/** What a deprecated route's answers carry besides (decisions §1). */
export const DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** What binary answers carry besides. */
export const BINARY: readonly HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Accept-Ranges',
  'Content-Range',
];

/** References to the headers by name, for a response. */
export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
