import { Type } from 'typebox';
import { StaveError } from '../../common/errors.ts';
import type { ApiResponse, Route } from '../../http/route.ts';
import type { Guide } from '../../openapi/guides.ts';
import { documentationFile, documentationRoute } from '../docs/documentation-route.ts';
import { ALL_GUIDES } from './guide-links.ts';
import {
  guidePage,
  LLMS_PATH,
  MAX_QUERY_LENGTH,
  SEARCH_PATH,
  START_PATH,
  STYLE_PATH,
  startPage,
} from './guide-page.ts';
import type { GuideSearch } from './guide-search.ts';
import { GUIDE_STYLE } from './guide-style.ts';
import { readGuide, servedMarkdown } from './guide-text.ts';
import { Kept } from './kept.ts';
import { llmsText } from './llms-text.ts';
import { longQueryPage, searchPage } from './search-page.ts';

/** No scripts, and nothing of other origins. */
const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

const html = (page: string) => documentationFile('text/html; charset=utf-8', page, PAGE_HEADERS);
const markdown = (text: string) => documentationFile('text/markdown; charset=utf-8', text);

const guides = new Map(ALL_GUIDES.map((guide) => [guide.path, guide]));

/**
 * Returns the guides: the start page at `/docs`, each guide as a page and as Markdown, the search, and `/llms.txt`.
 * What is made of the files of the package is made at its first request, and kept.
 * @param deps.publicUrl returns the base of the service's own URLs, without a trailing slash.
 */
export function guideRoutes({ publicUrl }: { publicUrl: () => string }): Route[] {
  const pages = new Kept<Guide, string>(async (guide) => {
    // Imported at the first request, because few processes show a guide.
    const { renderGuide } = await import('./render-guide.ts');
    return guidePage(guide, renderGuide(await readGuide(guide)));
  });
  const texts = new Kept<Guide, string>(async (guide) =>
    servedMarkdown(await readGuide(guide), publicUrl()),
  );
  const indexes = new Kept<'all', GuideSearch>(async () => {
    const { GuideSearch } = await import('./guide-search.ts');
    return GuideSearch.of(await Promise.all(ALL_GUIDES.map(readGuide)));
  });

  /** Responds to the path of a guide, with `.md` for its Markdown. */
  async function show(path: string): Promise<ApiResponse> {
    const isMarkdown = path.endsWith('.md');
    const guide = guides.get(isMarkdown ? path.slice(0, -'.md'.length) : path);
    if (guide === undefined) {
      throw new StaveError('not_found', 'There is no guide at this path; /docs lists all guides.');
    }
    return isMarkdown ? markdown(await texts.get(guide)) : html(await pages.get(guide));
  }

  async function search(url: string): Promise<ApiResponse> {
    const query = (new URL(url, 'http://host').searchParams.get('q') ?? '').trim();
    if (query.length > MAX_QUERY_LENGTH) return { ...html(longQueryPage(query)), status: 400 };
    const index = await indexes.get('all');
    return html(searchPage(query, index.find(query)));
  }

  return [
    documentationRoute('showGuides', START_PATH, 'The list of all guides', () => html(startPage())),
    documentationRoute('showGuideStyle', STYLE_PATH, 'The style of the guides', () =>
      documentationFile('text/css; charset=utf-8', GUIDE_STYLE),
    ),
    documentationRoute('searchGuides', SEARCH_PATH, 'Search the guides', ({ rawUrl }) =>
      search(rawUrl),
    ),
    documentationRoute('showLlmsText', LLMS_PATH, 'The list of all guides for programs', () =>
      documentationFile('text/plain; charset=utf-8', llmsText(publicUrl())),
    ),
    documentationRoute(
      'showGuide',
      '/docs/{page}',
      'A guide',
      ({ params }) => show((params as { page: string }).page),
      Type.Object({ page: Type.String() }),
    ),
    documentationRoute(
      'showGuideOfFolder',
      '/docs/{folder}/{page}',
      'A guide in a folder',
      ({ params }) => {
        const { folder, page } = params as { folder: string; page: string };
        return show(`${folder}/${page}`);
      },
      Type.Object({ folder: Type.String(), page: Type.String() }),
    ),
  ];
}
