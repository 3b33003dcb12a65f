import { Type } from 'typebox';
import { StaveError } from '../../common/errors.ts';
import type { ApiRequest, ApiResponse, Route } from '../../engines/http/route/route.ts';
import type { Guide } from '../openapi/guides.ts';
import { documentationFile, documentationRoute } from '../reference/documentation-route.ts';
import { type StaticFile, staticFileOf, staticFileResponse } from '../reference/static-file.ts';
import { ALL_GUIDES } from './guide-links.ts';
import {
  guidePage,
  LLMS_PATH,
  MAX_QUERY_LENGTH,
  OLD_LINKS_PATH,
  OLD_LINKS_SCRIPT,
  SEARCH_PATH,
  START_PATH,
  STYLE_PATH,
  startPage,
} from './guide-page.ts';
import { GuideSearch } from './guide-search.ts';
import { GUIDE_STYLE } from './guide-style.ts';
import { readGuide, servedMarkdown } from './guide-text.ts';
import { Kept } from './kept.ts';
import { llmsText } from './llms-text.ts';
import { longQueryPage, searchPage } from './search-page.ts';

/** Nothing of other origins. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];
const headersOf = (policy: readonly string[]) => ({
  'Content-Security-Policy': policy.join('; '),
  'Referrer-Policy': 'no-referrer',
});
const PAGE_HEADERS = headersOf(POLICY);
/** Only the start page has a script. */
const START_HEADERS = headersOf([...POLICY, "script-src 'self'"]);

const HTML = 'text/html; charset=utf-8';
const style = () => GUIDE_STYLE;

const guides = new Map(ALL_GUIDES.map((guide) => [guide.path, guide]));

/**
 * Returns the guides: the start page at `/docs`, each guide as a page and as Markdown, the search, and `/llms.txt`.
 * Each file is made at its first request, and kept, also compressed.
 * @param deps.publicUrl returns the base of the service's own URLs, without a trailing slash.
 */
export function guideRoutes({ publicUrl }: { publicUrl: () => string }): Route[] {
  const pages = new Kept<Guide, StaticFile>(async (guide) => {
    // Imported at the first request, because few processes show a guide.
    const { renderGuide } = await import('./render-guide.ts');
    return staticFileOf(guidePage(guide, renderGuide(await readGuide(guide))));
  });
  const texts = new Kept<Guide, StaticFile>(async (guide) =>
    staticFileOf(servedMarkdown(await readGuide(guide), publicUrl())),
  );
  const searches = new Kept<'all', GuideSearch>(() => GuideSearch.load());
  const others = new Kept<() => string, StaticFile>((make) => staticFileOf(make()));
  const listed = () => llmsText(publicUrl());

  /** Responds to the path of a guide, with `.md` for its Markdown. */
  async function show(path: string, request: ApiRequest): Promise<ApiResponse> {
    const isMarkdown = path.endsWith('.md');
    const guide = guides.get(isMarkdown ? path.slice(0, -'.md'.length) : path);
    if (guide === undefined) {
      throw new StaveError('not_found', 'There is no guide at this path; /docs lists all guides.');
    }
    return isMarkdown
      ? fileResponse(await texts.get(guide), request, 'text/markdown; charset=utf-8')
      : fileResponse(await pages.get(guide), request, HTML, PAGE_HEADERS);
  }

  async function search(url: string): Promise<ApiResponse> {
    const query = (new URL(url, 'http://host').searchParams.get('q') ?? '').trim();
    if (query.length > MAX_QUERY_LENGTH) {
      return { ...documentationFile(HTML, longQueryPage(query), PAGE_HEADERS), status: 400 };
    }
    const found = (await searches.get('all')).find(query);
    return documentationFile(HTML, searchPage(query, found), PAGE_HEADERS);
  }

  return [
    documentationRoute('showGuides', START_PATH, 'The list of all guides', async (request) =>
      fileResponse(await others.get(startPage), request, HTML, START_HEADERS),
    ),
    documentationRoute('showGuideStyle', STYLE_PATH, 'The style of the guides', async (request) =>
      fileResponse(await others.get(style), request, 'text/css; charset=utf-8'),
    ),
    documentationRoute('showOldLinks', OLD_LINKS_PATH, 'Leads old links on', () =>
      documentationFile('text/javascript; charset=utf-8', OLD_LINKS_SCRIPT),
    ),
    documentationRoute('searchGuides', SEARCH_PATH, 'Search the guides', ({ rawUrl }) =>
      search(rawUrl),
    ),
    documentationRoute(
      'showLlmsText',
      LLMS_PATH,
      'The list of all guides for programs',
      async (request) =>
        fileResponse(await others.get(listed), request, 'text/plain; charset=utf-8'),
    ),
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

/** Browsers ask each time whether a file has changed, because its address does not tell the version. */
function fileResponse(
  file: StaticFile,
  request: ApiRequest,
  contentType: string,
  headers: Record<string, string> = {},
): ApiResponse {
  return staticFileResponse(file, request, { contentType, cacheControl: 'no-cache', headers });
}
