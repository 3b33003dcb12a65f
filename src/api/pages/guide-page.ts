import { readFile } from 'node:fs/promises';
import { GUIDES, type Guide } from '../../openapi/guides.ts';
import { htmlPage } from './html-page.ts';

const DOCS = new URL('../../../docs/', import.meta.url);

/**
 * Returns a guide as a page. Rejects if its file is missing because the installation is incomplete.
 */
export async function guidePage({ file, title }: Guide): Promise<string> {
  const text = await readFile(new URL(file, DOCS), 'utf8');
  // Imported at the first request, because few processes show a guide.
  const { Marked } = await import('marked');
  const marked = new Marked({
    async: false,
    walkTokens(token) {
      if (token.type === 'link') {
        token.href = servedAddress(token.href);
      }
    },
  });
  const links = GUIDES.map((guide) => `<a href="${guide.slug}">${guide.title}</a>`);
  return htmlPage({
    title: `${title} · Stave`,
    root: '../',
    main: `      <p><a href="../docs">API reference</a> · ${links.join(' · ')}</p>
${marked.parse(text) as string}`,
  });
}

/**
 * Returns the served address of a link. Guides link to each other by file name, for readers of the
 * repository.
 */
function servedAddress(href: string): string {
  const [path = '', fragment] = href.split('#', 2);
  const guide = GUIDES.find(({ file }) => file.split('/').at(-1) === path.split('/').at(-1));
  const address = path.endsWith('openapi.json') ? '../openapi.json' : (guide?.slug ?? path);
  return fragment === undefined ? address : `${address}#${fragment}`;
}
