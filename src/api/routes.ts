import type { LoginThrottle } from '../access/login-throttle.ts';
import type { ClientRegistry } from '../access/registry.ts';
import type { TokenIssuer } from '../access/token-issuer.ts';
import type { CollectionStore, CollectionTrackStore } from '../catalog/collection.ts';
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import type { PlaylistStore } from '../catalog/playlist-store.ts';
import type { SavedSearchStore } from '../catalog/saved-search.ts';
import { SlugIds } from '../catalog/slug-ids.ts';
import type { CatalogStore } from '../catalog/store.ts';
import type { ReferenceStore } from '../catalog/track-references.ts';
import type { LanguageStore } from '../catalog/translations.ts';
import type { ChangeFeed } from '../changes/feed.ts';
import type { DeliveryStore, WebhookStore } from '../changes/webhooks/webhook-store.ts';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import type { OpenCounts } from '../common/memory/open-counts.ts';
import type { MediaStore } from '../engines/blobs/media-store.ts';
import type { ChangeLog } from '../engines/change-log/change-log.ts';
import type { Readiness } from '../engines/http/readiness.ts';
import type { Route } from '../engines/http/route/route.ts';
import type { CueSheetStore } from '../licensing/cue-sheet.ts';
import type { Certify, IssuedLicenseStore } from '../licensing/issued-license.ts';
import type { LicenseKeys } from '../licensing/license-keys.ts';
import type { PdfMaker } from '../licensing/pdf/pdf-maker.ts';
import type { Popularity } from '../licensing/popularity.ts';
import type { QuoteStore } from '../licensing/quote.ts';
import type { RateCardStore } from '../licensing/rate-card.ts';
import type { UsageStore } from '../licensing/usage.ts';
import type { MediaRequestCounter } from '../media/media-requests.ts';
import type { RenditionQueue } from '../media/renditions/rendition-queue.ts';
import type { SignedUrls } from '../media/signed-url.ts';
import { listMostLicensed } from './analytics/list-most-licensed.ts';
import { listTrackChanges } from './changes/list-track-changes.ts';
import type { LongPolls } from './changes/long-polls.ts';
import { readTrackReferences } from './changes/read-track-references.ts';
import { readTrackSnapshot } from './changes/read-track-snapshot.ts';
import { collectionRoutes } from './collections/collection-routes.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import type { ExplorerFiles } from './explorer/explorer-files.ts';
import { explorerRoutes } from './explorer/explorer-routes.ts';
import { mediaOrigin } from './explorer/media-origin.ts';
import { listFilters } from './filters/list-filters.ts';
import { guideRoutes } from './guides/guide-routes.ts';
import { listLanguages } from './languages/list-languages.ts';
import { licenseKeyRoutes } from './licensing/license-key-routes.ts';
import { licensingRoutes, type Sales } from './licensing/licensing-routes.ts';
import { meRoute } from './me/me-route.ts';
import { mediaRoutes } from './media/media-routes.ts';
import { renditionRoutes } from './media/rendition-routes.ts';
import { oauthMetadataRoute } from './oauth/metadata-route.ts';
import { oauthTokenRoute } from './oauth/oauth-token-route.ts';
import { type PageDependencies, pageRoutes, welcomeRoute } from './pages/page-routes.ts';
import { listPlaylistTracks } from './playlists/list-playlist-tracks.ts';
import { listPlaylists } from './playlists/list-playlists.ts';
import { showPlaylist } from './playlists/show-playlist.ts';
import { savedSearchRoutes } from './saved-searches/saved-search-routes.ts';
import { searchTracks } from './search/search-tracks.ts';
import { listSimilarTracks } from './similar/list-similar-tracks.ts';
import { listStems } from './stems/list-stems.ts';
import { suggest } from './suggest/suggest.ts';
import type { TokenDependencies } from './token/grant-token.ts';
import { tokenRoute } from './token/token-route.ts';
import { batchTracks } from './tracks/batch-tracks.ts';
import type { RegionGroupsOf } from './tracks/licensable-in.ts';
import { listTracks } from './tracks/list-tracks.ts';
import { showTrack } from './tracks/show-track.ts';
import { signStreams } from './tracks/sign-streams.ts';
import type { TrackPages } from './tracks/track-page.ts';
import type { UrlIssuer } from './tracks/url-issuer.ts';
import { readCueSheetJson } from './usage/read-cue-sheet.ts';
import { readCueSheetCsv } from './usage/read-cue-sheet-csv.ts';
import { readUsageSummary } from './usage/read-usage-summary.ts';
import { reportUsage } from './usage/report-usage.ts';
import { healthCheck } from './version/health-check.ts';
import { readVersion } from './version/read-version.ts';
import type { EndpointUrls } from './webhooks/endpoint-urls.ts';
import { MESSAGES } from './webhooks/message-schemas.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** What the operations of the API need. */
export interface ApiDependencies extends Pick<TokenDependencies, 'requestCounter'> {
  catalog: LiveCatalog;
  store: {
    catalog: CatalogStore;
    playlists: PlaylistStore;
    languages: LanguageStore;
    collections: CollectionStore;
    collectionTracks: CollectionTrackStore;
    savedSearches: SavedSearchStore;
    references: ReferenceStore;
    changes: ChangeLog;
    usage: Pick<UsageStore, 'summary'>;
    cueSheets: CueSheetStore;
    rateCards: RateCardStore;
    quotes: QuoteStore;
    issuedLicenses: IssuedLicenseStore;
    webhooks: WebhookStore;
    webhookDeliveries: DeliveryStore;
  };
  sales: Sales;
  /** Makes the certificates of licenses. */
  certify: Certify;
  /** Where reports of usage are stored. */
  usageReports: Pick<UsageStore, 'report'>;
  /** The greatest age of a reported use of a track. */
  usageMaxAgeDays: number;
  /** The states of tracks and their parts, and the keys of their media. */
  audio: Pick<CatalogStore, 'trackAudio' | 'trackParts' | 'partAudio'>;
  media: MediaStore;
  /** The preview clips and waveforms that requests need. */
  renditions: Pick<RenditionQueue, 'find' | 'ensure'>;
  /** Counts what is sent of tracks. */
  mediaRequestCounter?: MediaRequestCounter | undefined;
  /** Counts what clients have open at the same time. */
  openCounts: OpenCounts;
  /** How audio reaches the holder of a signed URL if the media store can serve it itself. */
  mediaDelivery: 'redirect' | 'proxy';
  registry: ClientRegistry;
  issuer: TokenIssuer;
  loginThrottle: LoginThrottle;
  /** Brings the registry up to the end of the change log. */
  catchUp(): Promise<void>;
  /** Where webhooks may go. */
  endpointUrls: EndpointUrls;
  pages: TrackPages;
  urlIssuer: UrlIssuer;
  /** The groups of countries of the rate card of a client. */
  regionGroups: RegionGroupsOf;
  feed: ChangeFeed;
  /** The requests that wait for changes. */
  polls: LongPolls;
  popularity: Popularity;
  licenseKeys: Pick<LicenseKeys, 'published'>;
  /** Makes the PDFs of licenses. */
  pdfs: Pick<PdfMaker, 'pdfOf'>;
  signedUrls: SignedUrls;
  /**
   * The base of the service's own URLs, without a trailing slash; known once the server listens.
   */
  publicUrl(): string;
  readiness: Readiness;
  /** The page at `/`; undefined if it has not been built. */
  explorer: ExplorerFiles | undefined;
  /** The track that the page at `/` plays where the explorer has not been built. */
  demoTrack: PageDependencies['demoTrack'];
  clock: Clock;
  log: Log;
}

/** Returns every operation, in the order of the documentation, and the documentation itself. */
export function apiRoutes(deps: ApiDependencies): Route[] {
  const { catalog, store, pages, popularity, clock } = deps;
  const publicUrl = () => deps.publicUrl();
  const slugIds = new SlugIds({ store: store.catalog, version: () => catalog.version });
  const operations: Route[] = [
    tokenRoute(deps),
    oauthTokenRoute(deps),
    oauthMetadataRoute({ publicUrl }),
    meRoute(),
    listTracks(deps),
    showTrack({ catalog: store.catalog, pages }),
    batchTracks({ catalog, slugIds, pages }),
    signStreams({ catalog, urls: deps.urlIssuer }),
    searchTracks(deps),
    suggest({ catalog }),
    listFilters({ catalog }),
    listLanguages({ languages: store.languages, catalog }),
    listPlaylists({ playlists: store.playlists, texts: store.languages, publicUrl }),
    showPlaylist({ playlists: store.playlists, texts: store.languages, publicUrl }),
    listPlaylistTracks({ playlists: store.playlists, catalog, pages }),
    listMostLicensed({ popularity, catalog, pages }),
    listTrackChanges({ feed: deps.feed, polls: deps.polls, catalog, pages }),
    readTrackSnapshot({ catalog, store, readiness: deps.readiness, publicUrl }),
    readTrackReferences({ references: store.references, texts: store.languages }),
    readVersion(),
    healthCheck(deps),
    ...mediaRoutes(deps, (signed) => renditionRoutes(signed, deps)),
    listSimilarTracks({ store: store.catalog, catalog, pages }),
    listStems({ catalog: store.catalog, signedUrls: deps.signedUrls, publicUrl, clock }),
    readUsageSummary({ usage: store.usage }),
    reportUsage({
      usage: deps.usageReports,
      licenses: store.issuedLicenses,
      clock,
      maxAgeDays: deps.usageMaxAgeDays,
    }),
    readCueSheetJson(store),
    readCueSheetCsv(store),
    ...savedSearchRoutes(deps),
    ...collectionRoutes(deps),
    ...licensingRoutes(deps),
    ...webhookRoutes(deps),
    ...licenseKeyRoutes(deps),
  ];
  return [
    ...operations,
    ...guideRoutes({ publicUrl }),
    ...docsRoutes({ routes: operations, messages: MESSAGES, publicUrl }),
    ...(deps.explorer === undefined
      ? [welcomeRoute(deps)]
      : explorerRoutes({
          files: deps.explorer,
          publicUrl,
          mediaOrigin: () => mediaOrigin(deps),
        })),
    ...pageRoutes(),
  ];
}
