import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { StaveError } from '../../common/errors.ts';
import type { ApiRequest, ApiResponse, Route } from '../../engines/http/route/route.ts';
import type { Guide } from '../openapi/guides.ts';
import {
  documentationFile,
  documentationRoute,
  fileRoute,
  kept,
  staticFileOf,
  staticFileResponse,
} from '../reference/files.ts';
import {
  guidePage,
  LLMS_PATH,
  MAX_QUERY_LENGTH,
  SEARCH_PATH,
  START_PATH,
  STYLE_PATH,
  startPage,
} from './guide-page.ts';
import { findSections, longQueryPage, searchPage } from './guide-search.ts';
import { ALL_GUIDES, llmsText, readGuide, servedMarkdown } from './guide-text.ts';

/** Nothing of other origins. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];
export const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY.join('; '),
  'Referrer-Policy': 'no-referrer',
};

const HTML = 'text/html; charset=utf-8';
/** A separate file, so that the policy of the pages can forbid inline styles. */
const STYLE = new URL('./guides.css', import.meta.url);

const guides = new Map(ALL_GUIDES.map((guide) => [guide.path, guide]));

/**
 * Returns the guides: the start page at `/docs`, each guide as a page and as Markdown, the search, and `/llms.txt`.
 * Each file is made at its first request, and kept, also compressed.
 * @param deps.publicUrl returns the base of the service's own URLs, without a trailing slash.
 */
export function guideRoutes({ publicUrl }: { publicUrl: () => string }): Route[] {
  const pages = kept(async (guide: Guide) => {
    // Imported at the first request, because few processes show a guide.
    const { renderGuide } = await import('./render-guide.ts');
    return staticFileOf(guidePage(guide, renderGuide(await readGuide(guide))));
  });
  const texts = kept(async (guide: Guide) =>
    staticFileOf(servedMarkdown(await readGuide(guide), publicUrl())),
  );
  const index = kept(async () => (await import('./guide-index.ts')).guideIndex());

  /** Responds to the path of a guide, with `.md` for its Markdown. */
  async function show(path: string, request: ApiRequest): Promise<ApiResponse> {
    const isMarkdown = path.endsWith('.md');
    const guide = guides.get(isMarkdown ? path.slice(0, -'.md'.length) : path);
    if (guide === undefined) {
      throw new StaveError('not_found', 'There is no guide at this path; /docs lists all guides.');
    }
    const cacheControl = 'no-cache';
    return isMarkdown
      ? staticFileResponse(await texts(guide), request, {
          contentType: 'text/markdown; charset=utf-8',
          cacheControl,
        })
      : staticFileResponse(await pages(guide), request, {
          contentType: HTML,
          cacheControl,
          headers: PAGE_HEADERS,
        });
  }

  async function search(url: string): Promise<ApiResponse> {
    const query = (new URL(url, 'http://host').searchParams.get('q') ?? '').trim();
    if (query.length > MAX_QUERY_LENGTH) {
      return { ...documentationFile(HTML, longQueryPage(query), PAGE_HEADERS), status: 400 };
    }
    const found = findSections(await index(), query);
    return documentationFile(HTML, searchPage(query, found), PAGE_HEADERS);
  }

  return [
    fileRoute('showGuides', START_PATH, 'The list of all guides', {
      contentType: HTML,
      headers: PAGE_HEADERS,
      make: () => staticFileOf(startPage()),
    }),
    fileRoute('showGuideStyle', STYLE_PATH, 'The style of the guides', {
      contentType: 'text/css; charset=utf-8',
      make: async () => staticFileOf(await readFile(STYLE)),
    }),
    documentationRoute('searchGuides', SEARCH_PATH, 'Search the guides', ({ rawUrl }) =>
      search(rawUrl),
    ),
    fileRoute('showLlmsText', LLMS_PATH, 'The list of all guides for programs', {
      contentType: 'text/plain; charset=utf-8',
      make: () => staticFileOf(llmsText(publicUrl())),
    }),
    documentationRoute(
      'showGuide',
      '/docs/{page}',
      'A guide',
      (request) => show((request.params as { page: string }).page, request),
      Type.Object({ page: Type.String() }),
    ),
    documentationRoute(
      'showGuideOfFolder',
      '/docs/{folder}/{page}',
      'A guide in a folder',
      (request) => {
        const { folder, page } = request.params as { folder: string; page: string };
        return show(`${folder}/${page}`, request);
      },
      Type.Object({ folder: Type.String(), page: Type.String() }),
    ),
  ];
}
