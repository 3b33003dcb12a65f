import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Token } from 'marked';
import { GUIDE_SECTIONS, type Guide, REFERENCE_PAGES } from '../openapi/guides.ts';

const PACKAGE = new URL('../../../', import.meta.url);

export interface GuideText {
  guide: Guide;
  markdown: string;
}

/** Reads a guide. Rejects if its file is missing because the installation is incomplete. */
export async function readGuide(guide: Guide): Promise<GuideText> {
  return { guide, markdown: await readFile(new URL(guide.file, PACKAGE), 'utf8') };
}

const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/**
 * Returns the Markdown of a guide as it is served: without comments, and with absolute links to the Markdown of other
 * guides. Links to files that are not served become their texts.
 * @param publicUrl the base of the service's own URLs, without a trailing slash.
 */
export function servedMarkdown({ guide, markdown }: GuideText, publicUrl: string): string {
  return outsideOfCode(markdown, (text) =>
    text.replace(/^<!--.*?-->\n+/gms, '').replace(LINK, (link, label: string, href: string) => {
      const target = href.startsWith('#') ? { url: href } : targetOf(href, guide.file, 'markdown');
      if (target === undefined) return label;
      return 'url' in target ? link : `[${label}](${publicUrl}${target.path}${target.fragment})`;
    }),
  );
}

function outsideOfCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/^(```.*?^```)$/ms)
    .map((part, i) => (i % 2 === 0 ? change(part) : part))
    .join('');
}

/** Returns the text of inline tokens, without marks. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined
        ? plainText(token.tokens)
        : 'text' in token
          ? (token.text as string)
          : token.raw,
    )
    .join('');
}

/** Returns a function that makes the ids of the headings of one page, in their order, as GitHub makes them. */
export function headingIds(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const id = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = used.get(id) ?? 0;
    used.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}

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

export function pathOf({ path }: Guide): string {
  return `/docs/${path}`;
}

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

/**
 * Returns the list of all guides for language models, in the form of llmstxt.org.
 * @param publicUrl the base of the service's own URLs, without a trailing slash.
 */
export function llmsText(publicUrl: string): string {
  const list = (guides: readonly Guide[]) =>
    guides
      .map(
        (guide) => `- [${guide.title}](${publicUrl}${markdownPathOf(guide)}): ${guide.summary}\n`,
      )
      .join('');
  const sections = GUIDE_SECTIONS.map(({ title, guides }) => `## ${title}\n\n${list(guides)}`);
  return `# Stave

> The partner API of a music licensing catalog: browse and search licensed tracks and sound effects, stream them through
> signed URLs, license them, and report their use.

Every JSON response has the form \`{"data": …, "error": …}\`. Get a token with \`POST /v1/auth/token\`, and send it as
\`Authorization: Bearer <token>\`.

${sections.join('\n')}
## Reference

- [OpenAPI document](${publicUrl}/openapi.json): Every operation with its parameters, responses and errors.

## Optional

${list(REFERENCE_PAGES)}`;
}
