import { Readable } from 'node:stream';
import { SERVICE_VERSION } from '../../common/version.ts';
import { acceptsGzip } from '../../http/compression.ts';
import type { ApiRequest, ApiResponse, Route } from '../../http/route.ts';
import { buildOpenApi } from '../../openapi/openapi.ts';
import type { OutgoingMessage } from '../../openapi/outgoing-messages.ts';
import { evaluatePreconditions } from '../media/preconditions.ts';
import { documentationFile, documentationRoute } from './documentation-route.ts';
import { REFERENCE_PAGE, REFERENCE_START, referencePolicy } from './reference-page.ts';
import { loadReferenceScript, type ReferenceScript } from './reference-script.ts';

/**
 * Serves the documentation of the given routes: the OpenAPI document at /openapi.json and a page to
 * browse it at /docs. They have no envelope, and are not part of the document.
 */
export function docsRoutes({
  routes,
  messages,
  publicUrl,
}: {
  routes: readonly Route[];
  /** What the service sends to servers of clients. */
  messages: readonly OutgoingMessage[];
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: () => string;
}): Route[] {
  let script: Promise<ReferenceScript> | undefined;
  let document: Buffer | undefined;
  const page = () =>
    documentationFile('text/html; charset=utf-8', REFERENCE_PAGE, {
      'Content-Security-Policy': referencePolicy(new URL(publicUrl()).origin),
      'Referrer-Policy': 'no-referrer',
    });
  return [
    documentationRoute('showOpenApi', '/openapi.json', 'The OpenAPI document', () => {
      // The document is made at the first request, because the listening address is not known earlier.
      document ??= Buffer.from(
        JSON.stringify(
          buildOpenApi(routes, { version: SERVICE_VERSION, serverUrl: publicUrl(), messages }),
        ),
      );
      return documentationFile('application/json; charset=utf-8', document);
    }),
    documentationRoute('showReference', '/docs', 'The document as a page', page),
    documentationRoute('showReferenceStart', '/docs/start.js', 'What starts the page', () =>
      documentationFile('text/javascript; charset=utf-8', REFERENCE_START),
    ),
    documentationRoute(
      'showReferenceScript',
      '/docs/scalar.js',
      'The page’s script',
      async (request) => {
        // A failure is not kept, so that the next request tries again.
        script ??= loadReferenceScript().catch((error: unknown) => {
          script = undefined;
          throw error;
        });
        return scriptResponse(await script, request);
      },
    ),
  ];
}

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** How many bytes of the script are written to a socket at a time. A slow reader occupies no more memory. */
const SLICE_BYTES = 64 * 1024;

function scriptResponse(
  { plain, gzipped, sha256 }: ReferenceScript,
  { headers: asked }: Pick<ApiRequest, 'headers'>,
): ApiResponse {
  const isZipped = acceptsGzip(String(asked['accept-encoding'] ?? ''));
  const bytes = isZipped ? gzipped : plain;
  // Each encoding needs its own strong entity tag, because its bytes are different.
  const etag = isZipped ? `"${sha256}-gzip"` : `"${sha256}"`;
  const headers = {
    'Cache-Control': 'public, max-age=3600',
    Vary: 'Accept-Encoding',
    ETag: etag,
  };
  if (evaluatePreconditions(asked, { etag, modifiedMs: undefined }) === 'not-modified') {
    return { status: 304, headers, body: null, contentType: SCRIPT_TYPE };
  }
  return {
    headers: {
      ...headers,
      ...(isZipped && { 'Content-Encoding': 'gzip' }),
      'Content-Length': String(bytes.length),
    },
    body: Readable.from(slicesOf(bytes)),
    contentType: SCRIPT_TYPE,
  };
}

function* slicesOf(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}
