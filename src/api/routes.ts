import type { GuessLimiter } from '../access/guess-limiter.ts';
import type { ClientRegistry } from '../access/registry.ts';
import type { TokenIssuer } from '../access/token-issuer.ts';
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import type { CatalogStore, PlaylistStore } from '../catalog/store.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Popularity } from '../licensing/popularity.ts';
import { openGeneratedArtwork } from '../media/artwork.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { StreamUrls } from '../media/signed-url.ts';
import { listMostLicensed } from './analytics/list-most-licensed.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { listFilters } from './filters/list-filters.ts';
import { meRoute } from './me/me-route.ts';
import { artworkRoute } from './media/artwork-route.ts';
import { streamRoute } from './media/stream-route.ts';
import { listPlaylistTracks } from './playlists/list-playlist-tracks.ts';
import { listPlaylists } from './playlists/list-playlists.ts';
import type { Readiness } from './readiness.ts';
import { roadmapRoutes } from './roadmap/roadmap-routes.ts';
import type { Route } from './route.ts';
import { searchTracks } from './search/search-tracks.ts';
import { suggest } from './suggest/suggest.ts';
import { tokenRoute } from './token/token-route.ts';
import { listTracks } from './tracks/list-tracks.ts';
import { showTrack } from './tracks/show-track.ts';
import type { TrackPages } from './tracks/track-page.ts';
import { healthCheck } from './version/health-check.ts';
import { readVersion } from './version/read-version.ts';

/** Room for some two thousand generated pictures. */
const ARTWORK_CACHE_BYTES = 24 * 1024 * 1024;

/** What the operations of the API work with. */
export interface ApiDependencies {
  catalog: LiveCatalog;
  store: { catalog: CatalogStore; playlists: PlaylistStore };
  /** What streams need to know of tracks. */
  audio: Pick<CatalogStore, 'trackAudio'>;
  media: MediaStore;
  /** How audio reaches the holder of a signed URL, where the media store can answer itself. */
  mediaDelivery: 'redirect' | 'proxy';
  registry: ClientRegistry;
  issuer: TokenIssuer;
  guesses: GuessLimiter;
  /** Brings the registry up to the end of the change log. */
  catchUp(): Promise<void>;
  pages: TrackPages;
  popularity: Popularity;
  streamUrls: StreamUrls;
  /** Base of handed-out URLs, without a trailing slash; known once the server listens. */
  publicUrl(): string;
  readiness: Readiness;
  clock: Clock;
  log: Log;
}

/** Every operation, in the order of the documentation, and the documentation of them all. */
export function apiRoutes(deps: ApiDependencies): Route[] {
  const { catalog, store, audio, media, registry, pages, popularity, streamUrls, clock, log } =
    deps;
  const publicUrl = () => deps.publicUrl();
  const operations: Route[] = [
    tokenRoute(deps),
    meRoute(),
    listTracks({ catalog, pages }),
    showTrack({ catalog: store.catalog, pages }),
    searchTracks({ catalog, pages }),
    suggest({ catalog }),
    listFilters({ catalog }),
    listPlaylists({ playlists: store.playlists, publicUrl }),
    listPlaylistTracks({ playlists: store.playlists, catalog, pages }),
    listMostLicensed({ popularity, pages }),
    readVersion(),
    healthCheck(deps),
    streamRoute({
      streamUrls,
      catalog: audio,
      media,
      mediaDelivery: deps.mediaDelivery,
      honoursUrl: (clientId, issuedAt) => registry.honoursUrl(clientId, issuedAt),
      clock,
      log,
    }),
    artworkRoute({
      media,
      generated: openGeneratedArtwork({ maxBytes: ARTWORK_CACHE_BYTES }),
      hasArtwork: async (id) =>
        catalog.locate([id], {})[0] !== undefined || (await store.playlists.find(id)) !== undefined,
    }),
    ...roadmapRoutes(),
  ];
  return [...operations, ...docsRoutes({ routes: operations, publicUrl })];
}
