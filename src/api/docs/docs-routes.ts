import { API_VERSION, SERVICE_VERSION } from '../../kernel/version.ts';
import { DOCUMENTATION_TAG } from '../openapi/prose.ts';
import { buildOpenApi } from '../openapi.ts';
import { type Answer, type ApiRequest, type Route, route } from '../route.ts';
import { REFERENCE_PAGE, REFERENCE_START, referencePolicy } from './reference-page.ts';
import { loadReferenceScript, type ReferenceScript } from './reference-script.ts';

/**
 * The documentation of the given routes: the OpenAPI document at /openapi.json and a page to browse
 * it at /docs. Plain files, not enveloped, and not part of the document they show.
 */
export function docsRoutes({
  routes,
  publicUrl,
}: {
  routes: readonly Route[];
  /** Base of handed-out URLs, without a trailing slash. */
  publicUrl: () => string;
}): Route[] {
  let script: Promise<ReferenceScript> | undefined;
  let document: Buffer | undefined;
  const page = () =>
    file('text/html; charset=utf-8', REFERENCE_PAGE, {
      'Content-Security-Policy': referencePolicy(new URL(publicUrl()).origin),
      'Referrer-Policy': 'no-referrer',
    });
  return [
    documentation('showOpenApi', '/openapi.json', 'The OpenAPI document', () => {
      // Not before the first request: only then is the listening address known.
      document ??= Buffer.from(
        JSON.stringify(buildOpenApi(routes, { version: SERVICE_VERSION, serverUrl: publicUrl() })),
      );
      return file('application/json; charset=utf-8', document);
    }),
    documentation('showReference', '/docs', 'The document as a page', page),
    documentation('showReferenceStart', '/docs/start.js', 'What starts the page', () =>
      file('text/javascript; charset=utf-8', REFERENCE_START),
    ),
    documentation(
      'showReferenceScript',
      '/docs/scalar.js',
      'The page’s script',
      async (request) => {
        // A failure is not kept: the next request tries again.
        script ??= loadReferenceScript().catch((error: unknown) => {
          script = undefined;
          throw error;
        });
        const { plain, gzipped } = await script;
        const zipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
        return file('text/javascript; charset=utf-8', zipped ? gzipped : plain, {
          'Cache-Control': 'public, max-age=3600',
          Vary: 'Accept-Encoding',
          ...(zipped && { 'Content-Encoding': 'gzip' }),
        });
      },
    ),
  ];
}

function documentation(
  operationId: string,
  path: string,
  summary: string,
  handle: (request: ApiRequest) => Answer | Promise<Answer>,
): Route {
  return route({
    operationId,
    method: 'GET',
    path,
    version: API_VERSION,
    tag: DOCUMENTATION_TAG,
    summary,
    description: 'Documentation, served from the package itself.',
    access: 'public',
    errors: [],
    data: undefined,
    handle,
  });
}

function file(contentType: string, body: string | Buffer, headers: Record<string, string> = {}) {
  return {
    body: typeof body === 'string' ? Buffer.from(body) : body,
    contentType,
    headers: { 'Cache-Control': 'no-cache', ...headers },
  };
}
