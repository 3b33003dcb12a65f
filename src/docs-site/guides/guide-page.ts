import { escaped } from '../../common/text/shown.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import {
  GUIDE_SECTIONS,
  type Guide,
  REFERENCE_PAGES,
  SHOWN_REFERENCE_PAGES,
} from '../openapi/guides.ts';
import { markdownPathOf, pathOf, REFERENCE_PATH, relativeUrl } from './guide-text.ts';

export const START_PATH = '/docs';
export const SEARCH_PATH = '/docs/search';
export const LLMS_PATH = '/llms.txt';
export const STYLE_PATH = '/docs/guides.css';

/** The longest text that is searched for, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 100;

const linkTo = (guide: Guide) => ({ ...guide, path: pathOf(guide) });

/** Groups of links for the navigation and the start page. */
const GROUPS = [
  ...GUIDE_SECTIONS.map(({ title, audience, guides }) => ({
    title,
    audience,
    links: guides.map(linkTo),
  })),
  {
    title: 'Reference',
    audience: 'partners',
    links: [
      {
        path: REFERENCE_PATH,
        title: 'API reference',
        summary: 'Every operation, with a form to try it.',
      },
      {
        path: '/openapi.json',
        title: 'OpenAPI document',
        summary: 'For code generators and API clients.',
      },
      ...REFERENCE_PAGES.slice(0, SHOWN_REFERENCE_PAGES).map(linkTo),
    ],
  },
];

export function guideLayout({
  path,
  title,
  main,
  query = '',
  markdownPath,
}: {
  path: string;
  title: string;
  /** HTML. */
  main: string;
  /** The text in the field for searches. */
  query?: string;
  /** The path of the same page as Markdown, if there is one. */
  markdownPath?: string;
}): string {
  const to = (target: string) => relativeUrl(path, target);
  const alternate =
    markdownPath === undefined
      ? ''
      : `\n    <link rel="alternate" type="text/markdown" href="${to(markdownPath)}">`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <link rel="icon" href="${to('/favicon.ico')}">
    <link rel="stylesheet" href="${to(STYLE_PATH)}">${alternate}
  </head>
  <body>
    <header>
      <a class="skip" href="#content">Skip to the content</a>
      <a class="home" href="${to(START_PATH)}">Stave documentation</a>
      <a class="contents" href="#contents">Contents</a>
      <form role="search" action="${to(SEARCH_PATH)}" method="get">
        <label><span>Search the guides</span>
        <input type="search" name="q" value="${escaped(query)}" maxlength="${MAX_QUERY_LENGTH}" placeholder="Search" required></label>
        <button type="submit">Search</button>
      </form>
    </header>
    <div class="columns">
    <main id="content" tabindex="-1">
${main}
    </main>
    <nav id="contents" aria-label="Guides">
${GROUPS.map((group) => navigationGroup(group, path)).join('\n')}
    </nav>
    </div>
    <footer><a href="${to('/')}">Stave</a> ${SERVICE_VERSION}</footer>
  </body>
</html>
`;
}

/** Returns the page of a guide. `body` is HTML. */
export function guidePage(guide: Guide, body: string): string {
  const path = pathOf(guide);
  const markdownPath = markdownPathOf(guide);
  return guideLayout({
    path,
    title: `${guide.title} · Stave`,
    markdownPath,
    main: `${body}${neighbors(guide)}      <p class="source"><a href="${relativeUrl(path, markdownPath)}">This page as Markdown</a></p>`,
  });
}

export function startPage(): string {
  const groupsFor = (audience: string) =>
    GROUPS.filter((group) => group.audience === audience)
      .map(
        ({ title, links }) => `      <h3>${title}</h3>
      <ul class="cards">
${links.map(({ path, title: text, summary }) => `        <li><a href="${relativeUrl(START_PATH, path)}">${escaped(text)}</a><span>${escaped(summary)}</span></li>`).join('\n')}
      </ul>`,
      )
      .join('\n');
  return guideLayout({
    path: START_PATH,
    title: 'Stave documentation',
    markdownPath: LLMS_PATH,
    main: `      <h1>Stave documentation</h1>
      <p>Stave is the partner API of a music licensing catalog. With <a href="docs/getting-started">Getting started</a>,
      you have a playing track after a few minutes. The <a href="${relativeUrl(START_PATH, REFERENCE_PATH)}">API reference</a> describes every
      operation.</p>
      <h2 id="partners">For developers of partners</h2>
${groupsFor('partners')}
      <h2 id="operators">For operators</h2>
      <p>These guides are for the people who run Stave and its catalog.</p>
${groupsFor('operators')}
      <p>Programs read the list of all guides from <a href="${relativeUrl(START_PATH, LLMS_PATH)}">llms.txt</a>.</p>`,
  });
}

function navigationGroup({ title, links }: (typeof GROUPS)[number], current: string): string {
  const items = links.map(({ path, title: text }) => {
    const mark = path === current ? ' aria-current="page"' : '';
    return `        <li><a href="${relativeUrl(current, path)}"${mark}>${escaped(text)}</a></li>`;
  });
  return `      <h2>${title}</h2>
      <ul>
${items.join('\n')}
      </ul>`;
}

function neighbors(guide: Guide): string {
  const audience = GUIDE_SECTIONS.find(({ guides }) => guides.includes(guide))?.audience;
  if (audience === undefined) return '';
  const order = GUIDE_SECTIONS.filter((section) => section.audience === audience).flatMap(
    ({ guides }) => guides,
  );
  const at = order.indexOf(guide);
  const link = (other: Guide | undefined, rel: 'prev' | 'next', label: string) =>
    other === undefined
      ? ''
      : `        <a rel="${rel}" href="${relativeUrl(pathOf(guide), pathOf(other))}"><span>${label}</span> ${escaped(other.title)}</a>\n`;
  return `      <nav class="neighbors" aria-label="Previous and next guide">
${link(order[at - 1], 'prev', 'Previous')}${link(order[at + 1], 'next', 'Next')}      </nav>
`;
}
