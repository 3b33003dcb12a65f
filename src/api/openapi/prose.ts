import { ERROR_KINDS, type ErrorKind } from '../../kernel/errors.ts';

/** Kinds that are answered before any operation is reached, and so stand on none of them. */
const BEFORE_OPERATIONS: readonly ErrorKind[] = [
  'invalid_request',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'not_implemented',
  'unavailable',
];

/** The introduction of the document: what holds for every operation. */
export const INTRODUCTION = `The partner API of a music licensing house: browse, search and stream a licensed catalog.

## From credentials to a track
1. Exchange the client id and secret that the house gave you for an access token: \`POST /v1/auth/token\`. It lives for an hour. The secret decides the mode, test or live; the token stays bound to it.
2. Send it with every request: \`Authorization: Bearer <token>\`.
3. \`GET /v1/tracks\` lists tracks; each carries a \`streamUrl\` that plays as it is for 30 minutes.

## One envelope
Every answer is \`{"data": …, "error": …}\`, whatever happened. On success \`error\` is \`{"code": 0, "message": "OK"}\`. On failure \`data\` is an object all the same, and \`error\` carries the HTTP status as \`code\`, the kind as \`type\`, one sentence as \`message\`, the \`requestId\` to quote, and on validation errors \`details\` with every field that is wrong. Binary answers (audio, pictures, this document) come without it. Pass over members that you do not know: new ones may be added at any time.

## Limits
600 requests a minute for each client, unless the contract says otherwise, counted over both modes together. The \`RateLimit-*\` headers say what is left; a 429 says in \`Retry-After\` when to come back. A body may have 64 KiB and 32 levels, a URL 8 KB, the headers 16 KB and 100 fields.

## Versions
The path carries the contract version, and so does \`X-API-Version\`. Breaking changes come under a new prefix while the old one goes on; a version that will be retired says so for at least 180 days, in \`Deprecation\`, \`Sunset\` and \`Link\`.

## Refused before an operation is reached
| status | kind | when |
|---|---|---|
${BEFORE_OPERATIONS.map((kind) => `| ${ERROR_KINDS[kind].status} | \`${kind}\` | ${ERROR_KINDS[kind].when} |`).join('\n')}
`;

/** The tag of the routes that report on the service itself. */
export const SERVICE_TAG = 'Service';

/** What each tag of the routes stands for, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  Authentication: 'From client credentials to an access token, and what a token says.',
  Tracks: 'Browse, search and read the catalog.',
  Filters: 'Genres, moods and use-cases.',
  Playlists: 'Lists of tracks that the house granted to the client.',
  Analytics: 'What sells.',
  Media: 'Audio behind signed URLs, and artwork.',
  [SERVICE_TAG]: 'Versions and health.',
  'Contract features': 'Switched on for a client by contract; off by default.',
};

/** The tag of the routes that serve the document itself, which it leaves out. */
export const DOCUMENTATION_TAG = 'Documentation';
