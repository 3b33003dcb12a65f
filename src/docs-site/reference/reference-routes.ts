import { readFile } from 'node:fs/promises';
import { StaveError } from '../../common/errors.ts';
import { asBuffer } from '../../common/threads/calls.ts';
import { Thread } from '../../common/threads/thread.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import type { OutgoingMessage, Route } from '../../engines/http/route/route.ts';
import { REFERENCE_PATH } from '../guides/guide-text.ts';
import { buildOpenApi } from '../openapi/openapi.ts';
import { asOpenApi30 } from '../openapi/openapi-30.ts';
import {
  documentationFile,
  documentationRoute,
  fileRoute,
  type StaticFile,
  staticFileOf,
} from './files.ts';

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
  const page = async () =>
    documentationFile('text/html; charset=utf-8', await readFile(PAGE), {
      'Content-Security-Policy': referencePolicy(new URL(publicUrl()).origin),
      'Referrer-Policy': 'no-referrer',
    });
  // At the first request, because the listening address is not known earlier.
  const document = (sent: readonly OutgoingMessage[]) =>
    buildOpenApi(routes, { version: SERVICE_VERSION, serverUrl: publicUrl(), messages: sent });
  const contentType = 'application/json; charset=utf-8';
  return [
    fileRoute('showOpenApi', '/openapi.json', 'The OpenAPI document', {
      contentType,
      make: () => staticFileOf(JSON.stringify(document(messages))),
    }),
    fileRoute('showOpenApi30', '/openapi-3.0.json', 'The document as OpenAPI 3.0', {
      contentType,
      make: () => staticFileOf(JSON.stringify(asOpenApi30(document([])))),
    }),
    clientPackageRoute(),
    pickerRoute(),
    documentationRoute('showReference', REFERENCE_PATH, 'The document as a page', page),
    documentationRoute('showReferenceStart', '/docs/start.js', 'What starts the page', () =>
      documentationFile('text/javascript; charset=utf-8', REFERENCE_START),
    ),
    fileRoute('showReferenceScript', '/docs/scalar.js', 'The page’s script', {
      contentType: 'text/javascript; charset=utf-8',
      make: loadReferenceScript,
      cacheControl: 'public, max-age=3600',
    }),
  ];
}

/** Where `npm run build` writes the archive. */
const ARCHIVE = new URL('../../../web/dist/stave-client.tgz', import.meta.url);

/**
 * Serves the client library for TypeScript as an archive for `npm install`, in the version that fits this service. It is
 * not on a public registry.
 */
export function clientPackageRoute(archive: URL = ARCHIVE): Route {
  return documentationRoute(
    'showClientPackage',
    '/docs/stave-client.tgz',
    'The client library for TypeScript',
    async () => {
      try {
        return documentationFile('application/gzip', await readFile(archive));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        throw new StaveError(
          'not_found',
          'The client library is not built here. Ask the operator to run `npm run build`.',
        );
      }
    },
  );
}

/** Where `npm run build` writes the picker. */
const PICKER = new URL('../../../web/dist/picker.js', import.meta.url);

/** Serves the picker, a script that pages of partners load from here (packages/picker). */
export function pickerRoute(script: URL = PICKER): Route {
  return fileRoute('showPicker', '/picker.js', 'The picker for pages of partners', {
    contentType: 'text/javascript; charset=utf-8',
    make: async () => {
      try {
        return await staticFileOf(await readFile(script));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        throw new StaveError(
          'not_found',
          'The picker is not built here. Ask the operator to run `npm run build`.',
        );
      }
    },
    cacheControl: 'public, max-age=3600',
    // Pages that load nothing from other origins by default (COEP) may load it.
    headers: { 'Cross-Origin-Resource-Policy': 'cross-origin' },
  });
}

/** The page that shows the OpenAPI document. It loads everything from its own origin, by links that work behind a proxy. */
const PAGE = new URL('./reference.html', import.meta.url);

/**
 * The configuration of Scalar, without everything that would contact other hosts: fonts, telemetry,
 * the agent, the hosted client and its proxy.
 */
const REFERENCE_CONFIGURATION = {
  url: '../openapi.json',
  defaultOpenAllTags: true,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  proxyUrl: '',
  persistAuth: false,
  // Partners have a client id and a secret; the page requests the token itself.
  authentication: { preferredSecurityScheme: 'clientCredentials' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

/** A separate file, so that the policy of the page can forbid inline scripts. */
const REFERENCE_START = `Scalar.createApiReference('#app', ${JSON.stringify(REFERENCE_CONFIGURATION)});\n`;

/**
 * Returns the Content-Security-Policy of the page: it may load from and send requests to this
 * origin and the public one, which the document names as its server. Inline styles are permitted,
 * because Scalar writes its own.
 */
function referencePolicy(publicOrigin: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${publicOrigin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Loads Scalar's bundled script (4 MB, about 1.3 MB compressed) from its package and compresses it, on first use,
 * because many nodes never show their documentation. This runs in a thread, because it takes at least 300 ms.
 */
async function loadReferenceScript(): Promise<StaticFile> {
  const module = new URL('./reference-script-worker.ts', import.meta.url);
  const thread = new Thread<{ load(): Promise<Uint8Array> }>(module);
  try {
    return await staticFileOf(asBuffer(await thread.call('load')));
  } finally {
    await thread.terminate();
  }
}
