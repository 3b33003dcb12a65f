import type { Clock } from '../../common/clock.ts';
import { escaped } from '../../common/text/shown.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import type { Route } from '../../engines/http/route/route.ts';
import type { LiveCatalog } from '../../features/catalog/live/live-catalog.ts';
import { parseDocument } from '../../features/catalog/track-document.ts';
import { artworkPath } from '../../features/media/artwork/artwork.ts';
import type { SignedUrls } from '../../features/media/signed-url.ts';
import { GUIDES } from '../openapi/guides.ts';
import { documentationFile, documentationRoute } from '../reference/files.ts';

const HTML = 'text/html; charset=utf-8';
const A_DAY = { 'Cache-Control': 'public, max-age=86400' };

/** A note on a stave, as an ICO file with one PNG of 32 × 32 pixels. */
const FAVICON = Buffer.from(
  'AAABAAEAICAAAAEAIACpAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgDAAAARKSKxgAAAAlQTFRFHypEj6PM' +
    '////zKx/cwAAAFtJREFUeJzVkFEKwCAMQ2vuf+gxC7rONCpssL0fKQ32tWa/BIh1uQMAl5L9cCJHTCILAQsBIummQtIf' +
    'NUKzHeCS+pJPO4QW6hkTSTS4ZO8nI14MjJKFS7Y1P8gB42QBi9mN3VwAAAAASUVORK5CYII=',
  'base64',
);

/** The style of the page at `/`. It is a separate file, so that the policy of the page can forbid inline styles. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --link: light-dark(#1e40af, #93b4ff); }
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 46rem;
  font: 1rem/1.6 system-ui, sans-serif;
  background: light-dark(#fdfdfc, #17181b); color: light-dark(#1c1d20, #e8e8e6);
}
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.3rem; margin: 2.25rem 0 .5rem; }
a { color: var(--link); }
code { font: .92em ui-monospace, monospace; }
pre { overflow-x: auto; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .5rem; line-height: 1.45; }
table { display: block; margin: 1rem 0 1.5rem; overflow-x: auto; border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
nav ul { list-style: none; padding: 0; display: grid; gap: .75rem; }
nav a { font-weight: 600; }
nav span { display: block; }
.track { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: center; margin: 1.75rem 0; padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem; }
.track img { width: 9rem; height: 9rem; border-radius: .4rem; display: block; }
.track div { flex: 1 1 16rem; min-width: 0; }
.track p { margin: 0; }
.track .name { font-size: 1.2rem; font-weight: 600; }
.track audio { width: 100%; margin-top: .75rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
`;

interface PageDependencies {
  catalog: Pick<LiveCatalog, 'locate' | 'documents'>;
  signedUrls: SignedUrls;
  clock: Clock;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl(): string;
  /** The track and client of the demo; undefined if there is no demo or its client may not stream. */
  demoTrack(): { trackId: string; clientId: string } | undefined;
}

export function pageRoutes(): Route[] {
  return [
    documentationRoute('showFavicon', '/favicon.ico', 'The icon of the pages', () =>
      documentationFile('image/x-icon', FAVICON, A_DAY),
    ),
    documentationRoute('showPageStyle', '/docs/style.css', 'The style of the pages', () =>
      documentationFile('text/css; charset=utf-8', PAGE_STYLE, A_DAY),
    ),
  ];
}

/** Returns the page at `/` where the explorer is not built. */
export function welcomeRoute(deps: PageDependencies): Route {
  return documentationRoute('showWelcome', '/', 'What this is', async () =>
    documentationFile(HTML, welcomePage(await playerOf(deps)), headersOf(deps.publicUrl())),
  );
}

/**
 * Returns the headers of the page, which limit what it may load. Audio and pictures come from the public origin, and
 * audio in a bucket comes from the address of the redirect.
 */
function headersOf(publicUrl: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      `img-src 'self' ${new URL(publicUrl).origin}`,
      'media-src *',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
  };
}

/**
 * Returns the page: what the service is, and links to its documentation. They are relative, so that the page works behind
 * a proxy that serves Stave under a path.
 * @param player HTML; empty without a track to play
 */
function welcomePage(player: string): string {
  const links = [
    ['docs', 'Guides', 'Getting started, tasks, errors, and a search.'],
    ['docs/reference', 'API reference', 'Every operation, with a form to try it.'],
    ...GUIDES.map(({ path, title, summary }) => [`docs/${path}`, title, summary]),
    ['openapi.json', 'OpenAPI document', 'For code generators and API clients.'],
  ] as [href: string, text: string, summary: string][];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Stave</title>
    <link rel="icon" href="favicon.ico">
    <link rel="stylesheet" href="docs/style.css">
  </head>
  <body>
    <main>
      <h1>Stave</h1>
      <p>This is the partner API of a music licensing catalog. Partners get a token, browse and search
      licensed tracks and sound effects, and stream them through signed URLs.</p>
      <p>The explorer, which belongs here, is not built. Run <code>npm run build</code> in the checkout, and start
      Stave again.</p>
${player}      <nav>
        <ul>
${links.map(([href, text, summary]) => `          <li><a href="${href}">${text}</a><span>${summary}</span></li>`).join('\n')}
        </ul>
      </nav>
    </main>
    <footer><a href="./">Stave</a> ${SERVICE_VERSION}</footer>
  </body>
</html>
`;
}

/** Returns the track of the demo with a player, as HTML; empty if it is not live. */
async function playerOf({
  catalog,
  signedUrls,
  clock,
  ...deps
}: PageDependencies): Promise<string> {
  const demo = deps.demoTrack();
  const number = demo && catalog.locate([demo.trackId], {})[0];
  const document = number === undefined ? undefined : (await catalog.documents([number]))[0];
  if (demo === undefined || document === undefined) return '';
  const { name, artists } = parseDocument(document);
  const base = deps.publicUrl();
  const artworkUrl = base + artworkPath(demo.trackId, document.artworkKey);
  const streamUrl =
    base + signedUrls.sign('stream', demo.trackId, demo.clientId, 'test', clock.now());
  return `      <section class="track">
        <img src="${escaped(artworkUrl)}" alt="Artwork of ${escaped(name)}" width="144" height="144">
        <div>
          <p class="name">${escaped(name)}</p>
          <p>${escaped(artists.find(({ isPrimary }) => isPrimary)?.name ?? '')}</p>
          <audio controls preload="metadata" src="${escaped(streamUrl)}"></audio>
        </div>
      </section>
`;
}
