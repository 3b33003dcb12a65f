import { ERROR_KINDS, type ErrorKind } from '../../common/errors.ts';
import { SERVICE_TAG } from '../../engines/http/route/route.ts';
import { GUIDES } from './guides.ts';

/** Error kinds that occur before an operation is reached, so that no operation declares them. */
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

/**
 * Returns the introduction of the document: what applies to every operation.
 * @param serverUrl the public URL, without a trailing slash.
 */
export function introduction(serverUrl: string): string {
  return `The partner API of a music licensor: browse, search and stream a licensed catalog.

Guides: ${GUIDES.map(({ path, title }) => `[${title}](${serverUrl}/docs/${path})`).join(' · ')}

## From credentials to a track
1. Exchange the client id and secret that the licensor gave you for an access token: \`POST /v1/auth/token\`. The token is valid for an hour. The secret determines its mode, test or live.
2. Send the token with every request: \`Authorization: Bearer <token>\`.
3. \`GET /v1/tracks\` lists tracks. Each track has a \`streamUrl\`, which plays without a header for 30 minutes.

## Envelope
Every response has the form \`{"data": …, "error": …}\`. On success, \`error\` is \`{"code": 0, "message": "OK"}\`. On failure, \`data\` is still an object, and \`error\` contains the HTTP status (\`code\`), the kind of error (\`type\`), a sentence (\`message\`), the id of the request (\`requestId\`), a link to the cause and the cure of this kind of error (\`docs\`), and for validation errors all invalid fields (\`details\`). Two kinds of responses have no envelope: binary ones (audio, pictures, this document), and those for OAuth libraries, which get their token from \`POST /oauth/token\` (RFC 6749) and find it through \`/.well-known/oauth-authorization-server\`. Ignore members that you do not know: new ones may be added at any time. Responses over 1 KB are compressed if \`Accept-Encoding\` contains \`gzip\`.

## Pages
If there is a next page, the response to a GET has a header \`Link: <…>; rel="next"\` (RFC 8288) with the complete query. \`POST /v1/search\` has no such header: send the same body with the next \`page\`.

## Limits
A client may send 600 requests a minute, in both modes together, unless its contract sets another limit. The \`RateLimit-*\` headers contain the remaining number. A 429 response contains the waiting time in \`Retry-After\`. A body may have 64 KiB, 32 levels of nesting and 1,000 members, unless the operation states other bounds, a URL 8 KB, and the headers 16 KB and 100 fields.

## Test mode
With a test token, every operation that needs a token reads the header \`X-Stave-Simulate\`. Its value is a kind of error, such as \`unavailable\` or \`conflict\`, which is then the response; \`slow;ms=5000\`, which delays the response; or \`lost_response\`, which does the request and ends the connection without a response. An unknown value is refused with a list of all values. Two tracks exist for tests only: \`f1c70000-0000-4000-8000-000000000200\` is found, and \`f1c70000-0000-4000-8000-000000000410\` is taken down.

## Versions
The path and the header \`X-API-Version\` contain the version of the contract. A breaking change gets a new prefix, and the old one remains available. A version that is going to be retired announces this for at least 180 days in the headers \`Deprecation\`, \`Sunset\` and \`Link\`.

## Errors before an operation is reached
| status | kind | when |
|---|---|---|
${BEFORE_OPERATIONS.map((kind) => `| ${ERROR_KINDS[kind].status} | \`${kind}\` | ${ERROR_KINDS[kind].when} |`).join('\n')}
`;
}

/** The descriptions of the tags, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  Authentication: 'Exchange client credentials for an access token, and show what a token allows.',
  Tracks: 'Browse, search and read the catalog.',
  Filters: 'Genres, moods and use-cases.',
  Playlists: 'Lists of tracks that the licensor granted to the client.',
  Languages: 'The languages of names, tags and descriptions. A contract feature.',
  Analytics: 'The most licensed tracks.',
  Sync: 'Keep a copy of the catalog. Enabled for a client by contract; disabled by default.',
  Media: 'Audio, preview clips and waveforms behind signed URLs, and artwork.',
  [SERVICE_TAG]: 'Versions and health.',
  Similar: 'Tracks that resemble a track. A contract feature.',
  Collections: 'Lists of tracks and searches that a client keeps. A contract feature.',
  Webhooks: 'Messages to your server about changes. A contract feature.',
  Licensing: 'Prices, quotes, licenses and their certificates. A contract feature.',
  Stems: 'Stems and alternate versions of tracks. A contract feature.',
  Usage: 'Reports of the use of tracks, and cue sheets. A contract feature.',
};

/** The tag of the routes that serve documentation, which the document omits. */
export const DOCUMENTATION_TAG = 'Documentation';
