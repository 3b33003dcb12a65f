import { Type } from 'typebox';
import { StaveError } from '../../common/errors.ts';
import { type Route, route } from '../../engines/http/route/route.ts';
import { DOCUMENTATION_TAG } from '../openapi/prose.ts';
import { documentationRoute } from '../reference/documentation-route.ts';
import { staticFileResponse } from '../reference/static-file.ts';
import type { ExplorerFiles } from './explorer-files.ts';

/** What the routes of the explorer need. */
export interface ExplorerDependencies {
  files: ExplorerFiles;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl(): string;
  /** The origin to which stream URLs redirect; undefined if the service sends the audio itself. */
  mediaOrigin(): Promise<string | undefined>;
}

/** The names of assets contain a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Returns the routes of the explorer: its page at `/`, and its scripts and styles. They need no token. */
export function explorerRoutes({ files, publicUrl, mediaOrigin }: ExplorerDependencies): Route[] {
  return [
    documentationRoute('showExplorer', '/', 'The explorer of the catalog', async (request) =>
      staticFileResponse(files.page, request, {
        contentType: 'text/html; charset=utf-8',
        cacheControl: 'no-cache',
        headers: {
          'Content-Security-Policy': policy(new URL(publicUrl()).origin, await mediaOrigin()),
          'Referrer-Policy': 'no-referrer',
        },
      }),
    ),
    route({
      operationId: 'showExplorerAsset',
      method: 'GET',
      path: '/assets/{name}',
      tag: DOCUMENTATION_TAG,
      summary: 'A script or a style of the explorer',
      description: 'Named by the page of the explorer.',
      access: 'public',
      errors: ['not_found'],
      params: Type.Object({ name: Type.String() }),
      data: undefined,
      produces: ['text/javascript', 'text/css'],
      handle(request) {
        const asset = files.assets.get(request.params.name);
        if (asset === undefined) {
          throw new StaveError('not_found', 'The explorer has no such file. Load its page again.');
        }
        const { contentType } = asset;
        return staticFileResponse(asset, request, { contentType, cacheControl: FOR_EVER });
      },
    }),
  ];
}

/**
 * Returns the policy of the page: its own scripts and styles, and media of the service. `publicOrigin` differs from the
 * origin of the page if the page was opened at another address than the public one.
 */
function policy(publicOrigin: string, mediaOrigin: string | undefined): string {
  const media = ["'self'", publicOrigin, mediaOrigin].filter((one) => one !== undefined).join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${publicOrigin}`,
    `media-src ${media}`,
    `connect-src ${media}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
