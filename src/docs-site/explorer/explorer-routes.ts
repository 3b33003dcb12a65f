import { readdir, readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { ERROR_KINDS, StaveError } from '../../common/errors.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import { type ApiRequest, type Route, route } from '../../engines/http/route/route.ts';
import { DOCUMENTATION_TAG } from '../openapi/prose.ts';
import {
  languageHeaders,
  PAGE_LANGUAGES,
  type PageLanguage,
  pageLanguage,
} from '../pages/page-languages.ts';
import {
  documentationRoute,
  type StaticFile,
  staticFileOf,
  staticFileResponse,
} from '../reference/files.ts';

export interface ExplorerDependencies {
  files: ExplorerFiles;
  /** Finds the link of a guest. Rejects with `not_found` if there is none. */
  findLink(
    token: string,
    request: Pick<ApiRequest, 'headers' | 'address' | 'note'>,
  ): Promise<unknown>;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl(): string;
  /** The origin to which stream URLs redirect; undefined if the service sends the audio itself. */
  mediaOrigin(): Promise<string | undefined>;
}

/** The names of assets contain a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const HTML = 'text/html; charset=utf-8';

/**
 * Returns the routes of the explorer: its page at `/`, the page of links to collections, and their scripts and styles.
 * They need no token.
 */
export function explorerRoutes({
  files,
  findLink,
  publicUrl,
  mediaOrigin,
}: ExplorerDependencies): Route[] {
  return [
    documentationRoute('showExplorer', '/', 'The explorer of the catalog', async (request) =>
      staticFileResponse(files.page, request, {
        contentType: HTML,
        cacheControl: 'no-cache',
        headers: {
          'Content-Security-Policy': policy(new URL(publicUrl()).origin, await mediaOrigin()),
          'Referrer-Policy': 'no-referrer',
        },
      }),
    ),
    documentationRoute(
      'showSharedPage',
      '/s/{token}',
      'The page of a link to a collection',
      async (request) => {
        const { token } = request.params as { token: string };
        const refusal = await findLink(token, request).then(() => undefined, refusalOf);
        const language = pageLanguage(request.headers);
        const response = staticFileResponse(files.sharedPages[language], request, {
          contentType: HTML,
          cacheControl: 'no-store',
          headers: {
            ...languageHeaders(language),
            ...refusal?.headers,
            // The audio of links is never at another origin.
            'Content-Security-Policy': policy(new URL(publicUrl()).origin, undefined),
          },
        });
        // The page reads the collection, and says in words why it cannot.
        return refusal === undefined
          ? response
          : { ...response, status: ERROR_KINDS[refusal.kind].status };
      },
      Type.Object({ token: Type.String() }),
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

/** Returns why a link cannot be opened. Throws what is a fault of the service. */
function refusalOf(error: unknown): StaveError {
  if (error instanceof StaveError) return error;
  throw error;
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

export interface ExplorerFiles {
  page: StaticFile;
  /** That of links to collections. */
  sharedPages: Readonly<Record<PageLanguage, StaticFile>>;
  /** The files of `assets/` by their names. */
  assets: ReadonlyMap<string, StaticFile & { contentType: string }>;
}

/** Where `npm run build` writes the explorer. */
const EXPLORER_FOLDER: URL = new URL('../../../web/dist/', import.meta.url);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/**
 * Reads the built explorer. Undefined if it has not been built. Rejects if a file cannot be read, or is of a type that
 * the build does not make.
 */
export async function loadExplorer(
  folder: URL = EXPLORER_FOLDER,
): Promise<ExplorerFiles | undefined> {
  try {
    const page = await staticFileOf(await readFile(new URL('index.html', folder)));
    const sharedPages = PAGE_LANGUAGES.map(
      async (language): Promise<[string, StaticFile]> => [
        language,
        await staticFileOf(await readFile(new URL(`shared.${language}.html`, folder))),
      ],
    );
    const names = await readdir(new URL('assets/', folder));
    const assets = names.map(
      async (name): Promise<[string, StaticFile & { contentType: string }]> => {
        const contentType = CONTENT_TYPES[name.split('.').at(-1)!];
        if (contentType === undefined)
          throw new Error(`web/dist/assets/${name} has an unknown type`);
        const content = await readFile(new URL(`assets/${name}`, folder));
        return [name, { ...(await staticFileOf(content)), contentType }];
      },
    );
    return {
      page,
      sharedPages: Object.fromEntries(
        await Promise.all(sharedPages),
      ) as ExplorerFiles['sharedPages'],
      assets: new Map(await Promise.all(assets)),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A key of no file: only the origin of its URL counts. */
const ANY_KEY = `${'0'.repeat(64)}.mp3`;

/**
 * Returns the origin to which requests for audio are redirected. Undefined if the service sends the audio itself, and
 * while the store cannot make URLs.
 */
export async function mediaOrigin({
  media,
  mediaDelivery,
}: {
  media: Pick<MediaStore, 'presign'>;
  mediaDelivery: 'redirect' | 'proxy';
}): Promise<string | undefined> {
  if (mediaDelivery === 'proxy' || media.presign === undefined) return undefined;
  try {
    const { url } = await media.presign(ANY_KEY, {
      method: 'GET',
      seconds: 1,
      contentType: 'audio/mpeg',
      cacheControl: 'no-store',
    });
    return new URL(url).origin;
  } catch {
    // The audio cannot be played now either; the next page has the origin.
    return undefined;
  }
}
