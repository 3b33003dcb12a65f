import { posix } from 'node:path';
import { GUIDE_SECTIONS, type Guide, REFERENCE_PAGES } from '../openapi/guides.ts';

/** Every page that is served, in the order of the navigation. */
export const ALL_GUIDES: readonly Guide[] = [
  ...GUIDE_SECTIONS.flatMap(({ guides }) => guides),
  ...REFERENCE_PAGES,
];

/** The page of the API reference, and the document that it shows. */
export const REFERENCE_PATH = '/docs/reference';
const OPENAPI_PATH = '/openapi.json';
const OPENAPI_FILE = 'docs/reference/openapi.json';

const byFile = new Map(ALL_GUIDES.map((guide) => [guide.file, guide]));

/** Where a link of a Markdown file leads: to another site, or to a path of the service; or nowhere that is served. */
export type Target = { url: string } | { path: string; fragment: string } | undefined;

/**
 * Resolves a link of a file of the repository. Links to files that are not served, such as those of the code, lead
 * nowhere.
 * @param file the file with the link, from the root of the package.
 * @param form the form of the page with the link, because a page links to pages and Markdown to Markdown.
 */
export function targetOf(href: string, file: string, form: 'html' | 'markdown'): Target {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return { url: href };
  const [path = '', fragment] = href.split('#', 2);
  const linked = path === '' ? file : posix.join(posix.dirname(file), path);
  const hash = fragment === undefined ? '' : `#${fragment}`;
  if (linked === OPENAPI_FILE) {
    return { path: form === 'html' ? REFERENCE_PATH : OPENAPI_PATH, fragment: hash };
  }
  const guide = byFile.get(linked);
  if (guide === undefined) return undefined;
  return { path: form === 'html' ? pathOf(guide) : markdownPathOf(guide), fragment: hash };
}

/** Returns the path at which a guide is served. */
export function pathOf({ path }: Guide): string {
  return `/docs/${path}`;
}

/** Returns the path at which a guide is served as Markdown. */
export function markdownPathOf({ path }: Guide): string {
  return `/docs/${path}.md`;
}

/**
 * Returns a link from one path of the service to another one. It is relative, so that it works behind a proxy that
 * serves Stave under a path.
 */
export function relativeUrl(from: string, to: string): string {
  const depth = from.split('/').length - 2;
  return depth === 0 && to === '/' ? './' : '../'.repeat(depth) + to.slice(1);
}
