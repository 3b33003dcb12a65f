import { readFile } from 'node:fs/promises';
import type { Token } from 'marked';
import type { Guide } from '../openapi/guides.ts';
import { targetOf } from './guide-links.ts';

const PACKAGE = new URL('../../../', import.meta.url);

/** A guide with the text of its file. */
export interface GuideText {
  guide: Guide;
  markdown: string;
}

/** Reads a guide. Rejects if its file is missing because the installation is incomplete. */
export async function readGuide(guide: Guide): Promise<GuideText> {
  return { guide, markdown: await readFile(new URL(guide.file, PACKAGE), 'utf8') };
}

/** A link in Markdown. */
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

/** Changes the text between blocks of code. */
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
