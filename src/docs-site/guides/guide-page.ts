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

/** The style of the guides. It is a separate file, so that their policy can forbid inline styles. */
export const GUIDE_STYLE = `
:root {
  color-scheme: light dark; --line: light-dark(#d5d5d0, #3a3c42); --link: light-dark(#1e40af, #93b4ff);
  --soft: light-dark(#f3f3f0, #1f2126); --quiet: light-dark(#55585f, #a9acb3); --mark: light-dark(#ffe58a, #473a00);
}
* { box-sizing: border-box; }
body {
  margin: 0; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word;
  background: light-dark(#fdfdfc, #17181b); color: light-dark(#1c1d20, #e8e8e6);
}
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
header {
  display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center;
  padding: .75rem 1.25rem; border-bottom: 1px solid var(--line);
}
header .home { font-weight: 600; text-decoration: none; color: inherit; }
header form { display: flex; gap: .5rem; margin-left: auto; max-width: 100%; }
header label span, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
input, button { font: inherit; padding: .3rem .6rem; border: 1px solid var(--quiet); border-radius: .4rem; background: var(--soft); color: inherit; }
input { min-width: 0; width: 12rem; }
.columns { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
main { min-width: 0; max-width: 46rem; padding: 1.5rem 0 2rem; }
main:focus { outline: none; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .4rem; }
.here { margin-left: .4rem; text-decoration: none; opacity: 0; }
:is(h2, h3, h4):hover .here { opacity: 1; }
:target { scroll-margin-top: 1rem; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--soft); line-height: 1.45; }
pre code { overflow-wrap: normal; }
.table { overflow-x: auto; margin: 1rem 0 1.5rem; }
table { border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 6rem; }
td code { overflow-wrap: normal; }
mark { background: var(--mark); color: inherit; border-radius: .2rem; }
.cards, .results { list-style: none; padding: 0; display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.cards a, .results a { font-weight: 600; }
.cards span, .results span { display: block; }
.results .where { color: var(--quiet); }
#contents { padding: 1rem 0 2rem; border-top: 1px solid var(--line); }
#contents h2 { font-size: .95rem; margin: 1.25rem 0 .25rem; color: var(--quiet); }
#contents ul { list-style: none; margin: 0; padding: 0; }
#contents a { display: block; padding: .2rem .5rem; border-radius: .3rem; text-decoration: none; }
#contents a:hover { text-decoration: underline; }
#contents [aria-current] { background: var(--soft); font-weight: 600; color: inherit; }
.neighbors { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; margin-top: 3rem; }
.neighbors span { display: block; color: var(--quiet); }
.neighbors [rel="next"] { text-align: right; margin-left: auto; }
footer { padding: 1rem 1.25rem 2rem; border-top: 1px solid var(--line); }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem; }
  main { grid-column: 2; grid-row: 1; }
  #contents { grid-column: 1; grid-row: 1; border-top: 0; }
  header .contents { display: none; }
}
@media print { header, #contents, .neighbors, .here { display: none; } }
`;
