import { API_VERSION, SERVICE_VERSION } from '../../../common/version.ts';
import { CORS_HEADERS } from '../guard/cors.ts';
import type { Deprecation } from '../route/route.ts';

/** Response headers by name, in the spelling in which they are sent. */
export type HeaderFields = Readonly<Record<string, string>>;

/**
 * The shortest notice of a route's retirement (docs/contract/versions.md#deprecation).
 */
export const MIN_NOTICE_DAYS = 180;

/**
 * Returns the headers that every response of a route carries: its contract version, the build, CORS, and its
 * deprecation. They are made once per route.
 */
export function defaultHeaders(version: string, deprecation?: Deprecation): HeaderFields {
  return {
    'X-API-Version': version,
    'X-Service-Version': SERVICE_VERSION,
    ...CORS_HEADERS,
    // Browsers must not guess a content type other than the one that is sent.
    'X-Content-Type-Options': 'nosniff',
    ...(deprecation && deprecationHeaders(deprecation)),
  };
}

/** The default headers of responses that belong to no route. */
export const BASE_HEADERS: HeaderFields = defaultHeaders(API_VERSION);

/** Returns `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the address of the notes. */
function deprecationHeaders({ since, sunset, notes }: Deprecation): HeaderFields {
  return {
    Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    Sunset: sunset.toUTCString(),
    Link: `<${notes}>; rel="deprecation"; type="text/html"`,
  };
}
