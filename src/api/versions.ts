import { API_VERSION, SERVICE_VERSION } from '../kernel/version.ts';
import { CORS_HEADERS } from './cors.ts';
import type { Deprecation } from './route.ts';

/** Response headers by name, in the spelling they are sent in. */
export type HeaderFields = Readonly<Record<string, string>>;

/** How long before its retirement a route version is announced at least (decisions §1). */
export const MIN_NOTICE_DAYS = 180;

/**
 * The headers that every answer of a route carries: its contract version, the build, CORS, and the
 * announcement of its end where there is one. Made once a route, not once a request.
 */
export function standingHeaders(version: string, deprecation?: Deprecation): HeaderFields {
  return {
    'X-API-Version': version,
    'X-Service-Version': SERVICE_VERSION,
    ...CORS_HEADERS,
    // Media and documents are never to be taken for something else than they say.
    'X-Content-Type-Options': 'nosniff',
    ...(deprecation && deprecationHeaders(deprecation)),
  };
}

/** The headers of answers that belong to no route. */
export const BASE_HEADERS: HeaderFields = standingHeaders(API_VERSION);

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the address of the notes. */
function deprecationHeaders({ since, sunset, notes }: Deprecation): HeaderFields {
  return {
    Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    Sunset: sunset.toUTCString(),
    Link: `<${notes}>; rel="deprecation"; type="text/html"`,
  };
}
