import { SERVICE_VERSION } from '../../common/version.ts';
import type { OutgoingMessage, Route } from '../../engines/http/route/route.ts';
import { REFERENCE_PATH } from '../guides/guide-links.ts';
import { buildOpenApi } from '../openapi/openapi.ts';
import { clientPackageRoute } from './client-package-route.ts';
import { documentationFile, documentationRoute } from './documentation-route.ts';
import { REFERENCE_PAGE, REFERENCE_START, referencePolicy } from './reference-page.ts';
import { loadReferenceScript } from './reference-script.ts';
import { type StaticFile, staticFileOf, staticFileResponse } from './static-file.ts';

/**
 * Serves the documentation of the given routes: the OpenAPI document at /openapi.json and a page to
 * browse it at /docs/reference. They have no envelope, and are not part of the document.
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
  let script: Promise<StaticFile> | undefined;
  let document: Promise<StaticFile> | undefined;
  const page = () =>
    documentationFile('text/html; charset=utf-8', REFERENCE_PAGE, {
      'Content-Security-Policy': referencePolicy(new URL(publicUrl()).origin),
      'Referrer-Policy': 'no-referrer',
    });
  return [
    documentationRoute('showOpenApi', '/openapi.json', 'The OpenAPI document', async (request) => {
      // The document is made at the first request, because the listening address is not known earlier.
      document ??= staticFileOf(
        JSON.stringify(
          buildOpenApi(routes, { version: SERVICE_VERSION, serverUrl: publicUrl(), messages }),
        ),
      );
      return staticFileResponse(await document, request, {
        contentType: 'application/json; charset=utf-8',
        cacheControl: 'no-cache',
      });
    }),
    clientPackageRoute(),
    documentationRoute('showReference', REFERENCE_PATH, 'The document as a page', page),
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
        return staticFileResponse(await script, request, {
          contentType: 'text/javascript; charset=utf-8',
          cacheControl: 'public, max-age=3600',
        });
      },
    ),
  ];
}
