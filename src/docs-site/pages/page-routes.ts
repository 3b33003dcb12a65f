import type { Route } from '../../engines/http/route/route.ts';
import { guideLayout } from '../guides/guide-page.ts';
import { PAGE_HEADERS } from '../guides/guide-routes.ts';
import { documentationFile, documentationRoute } from '../reference/files.ts';

const HTML = 'text/html; charset=utf-8';

/** A note on a stave, as an ICO file with one PNG of 32 × 32 pixels. */
const FAVICON = Buffer.from(
  'AAABAAEAICAAAAEAIACpAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgDAAAARKSKxgAAAAlQTFRFHypEj6PM' +
    '////zKx/cwAAAFtJREFUeJzVkFEKwCAMQ2vuf+gxC7rONCpssL0fKQ32tWa/BIh1uQMAl5L9cCJHTCILAQsBIummQtIf' +
    'NUKzHeCS+pJPO4QW6hkTSTS4ZO8nI14MjJKFS7Y1P8gB42QBi9mN3VwAAAAASUVORK5CYII=',
  'base64',
);

/** Browsers request it for every page. */
export function iconRoute(): Route {
  return documentationRoute('showFavicon', '/favicon.ico', 'The icon of the pages', () =>
    documentationFile('image/x-icon', FAVICON, { 'Cache-Control': 'public, max-age=86400' }),
  );
}

/** Returns the page at `/` where the explorer is not built: what the service is, and links to its documentation. */
export function welcomeRoute(): Route {
  const page = guideLayout({
    path: '/',
    title: 'Stave',
    main: `      <h1>Stave</h1>
      <p>This is the partner API of a music licensing catalog. Partners get a token, browse and search
      licensed tracks and sound effects, and stream them through signed URLs.</p>
      <p>The explorer, which belongs here, is not built. Run <code>npm run build</code> in the checkout, and start
      Stave again.</p>`,
  });
  return documentationRoute('showWelcome', '/', 'What this is', () =>
    documentationFile(HTML, page, PAGE_HEADERS),
  );
}
