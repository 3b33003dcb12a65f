import type { Clock } from '../../common/clock.ts';
import type { Route } from '../../engines/http/route/route.ts';
import type { LiveCatalog } from '../../features/catalog/live/live-catalog.ts';
import { parseDocument } from '../../features/catalog/track-document.ts';
import { artworkPath } from '../../features/media/artwork/artwork.ts';
import type { SignedUrls } from '../../features/media/signed-url.ts';
import { documentationFile, documentationRoute } from '../reference/documentation-route.ts';
import { favicon } from './favicon.ts';
import { PAGE_STYLE, pageHeaders } from './html-page.ts';
import { type WelcomeTrack, welcomePage } from './welcome-page.ts';

const HTML = 'text/html; charset=utf-8';
const A_DAY = { 'Cache-Control': 'public, max-age=86400' };

/** What the pages need. */
export interface PageDependencies {
  catalog: Pick<LiveCatalog, 'locate' | 'documents' | 'version'>;
  signedUrls: SignedUrls;
  clock: Clock;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl(): string;
  /**
   * The track and client of the demo; undefined if there is no demo or its client may not stream.
   */
  demoTrack(): { trackId: string; clientId: string } | undefined;
}

/**
 * Returns the page at `/` where the explorer is not built.
 */
export function welcomeRoute(deps: PageDependencies): Route {
  const welcome = new WelcomePages(deps);
  return documentationRoute('showWelcome', '/', 'What this is', async () =>
    documentationFile(HTML, await welcome.page(), pageHeaders(new URL(deps.publicUrl()).origin)),
  );
}

/** Returns the style and the icon of the pages, which need no token. */
export function pageRoutes(): Route[] {
  let icon: Promise<Buffer> | undefined;
  return [
    documentationRoute('showFavicon', '/favicon.ico', 'The icon of the pages', async () => {
      icon ??= favicon();
      return documentationFile('image/x-icon', await icon, A_DAY);
    }),
    documentationRoute('showPageStyle', '/docs/style.css', 'The style of the pages', () =>
      documentationFile('text/css; charset=utf-8', PAGE_STYLE, A_DAY),
    ),
  ];
}

/** Makes the page at `/` again only when stream URLs are reissued or the catalog changes. */
class WelcomePages {
  readonly #deps: PageDependencies;
  #made:
    | { period: object; version: number; clientId: string | undefined; page: Promise<string> }
    | undefined;

  constructor(deps: PageDependencies) {
    this.#deps = deps;
  }

  page(): Promise<string> {
    const { catalog, signedUrls, clock, demoTrack } = this.#deps;
    const period = signedUrls.period(clock.now());
    const demo = demoTrack();
    const made = this.#made;
    if (
      made?.period === period &&
      made.version === catalog.version &&
      made.clientId === demo?.clientId
    ) {
      return made.page;
    }
    const page = this.#make(demo);
    this.#made = { period, version: catalog.version, clientId: demo?.clientId, page };
    page.catch(() => {
      this.#made = undefined;
    });
    return page;
  }

  async #make(demo: { trackId: string; clientId: string } | undefined): Promise<string> {
    return welcomePage(demo && (await this.#track(demo)));
  }

  /** Returns undefined if the track is not live. */
  async #track(demo: { trackId: string; clientId: string }): Promise<WelcomeTrack | undefined> {
    const { catalog, signedUrls, clock, publicUrl } = this.#deps;
    const number = catalog.locate([demo.trackId], {})[0];
    const document = number === undefined ? undefined : (await catalog.documents([number]))[0];
    if (document === undefined) {
      return undefined;
    }
    const { name, artists } = parseDocument(document);
    const base = publicUrl();
    return {
      name,
      artist: artists.find(({ isPrimary }) => isPrimary)?.name ?? '',
      artworkUrl: base + artworkPath(demo.trackId, document.artworkKey),
      streamUrl: base + signedUrls.sign('stream', demo.trackId, demo.clientId, 'test', clock.now()),
    };
  }
}
