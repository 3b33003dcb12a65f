import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import type { OpenCounts } from '../common/memory/open-counts.ts';
import type { ExplorerFiles } from '../docs-site/explorer/explorer-files.ts';
import { explorerRoutes } from '../docs-site/explorer/explorer-routes.ts';
import { mediaOrigin } from '../docs-site/explorer/media-origin.ts';
import { guideRoutes } from '../docs-site/guides/guide-routes.ts';
import { type PageDependencies, pageRoutes, welcomeRoute } from '../docs-site/pages/page-routes.ts';
import { docsRoutes } from '../docs-site/reference/docs-routes.ts';
import type { MediaStore } from '../engines/blobs/media-store.ts';
import type { ChangeLog } from '../engines/change-log/change-log.ts';
import type { Readiness } from '../engines/http/readiness.ts';
import type { Route } from '../engines/http/route/route.ts';
import type { LoginThrottle } from '../features/access/login-throttle.ts';
import type { ClientRegistry } from '../features/access/registry.ts';
import type { TokenDependencies } from '../features/access/routes/grant-token.ts';
import { meRoute } from '../features/access/routes/me-route.ts';
import { oauthMetadataRoute } from '../features/access/routes/metadata-route.ts';
import { oauthTokenRoute } from '../features/access/routes/oauth-token-route.ts';
import { tokenRoute } from '../features/access/routes/token-route.ts';
import type { TokenIssuer } from '../features/access/token-issuer.ts';
import type { CatalogStore } from '../features/catalog/catalog-stores.ts';
import type { LiveCatalog } from '../features/catalog/live/live-catalog.ts';
import { SlugIds } from '../features/catalog/slug-ids.ts';
import type { ChangeFeed } from '../features/changes/feed.ts';
import { listTrackChanges } from '../features/changes/routes/list-track-changes.ts';
import type { LongPolls } from '../features/changes/routes/long-polls.ts';
import { readTrackReferences } from '../features/changes/routes/read-track-references.ts';
import { readTrackSnapshot } from '../features/changes/routes/read-track-snapshot.ts';
import type { CollectionStore, CollectionTrackStore } from '../features/collections/collection.ts';
import { collectionRoutes } from '../features/collections/routes/collection-routes.ts';
import { listLanguages } from '../features/languages/routes/list-languages.ts';
import type { LanguageStore } from '../features/languages/translations.ts';
import type { Certify } from '../features/licensing/issued-license.ts';
import type { LicenseKeys } from '../features/licensing/license-keys.ts';
import type { PdfMaker } from '../features/licensing/pdf/pdf-maker.ts';
import { licenseKeyRoutes } from '../features/licensing/routes/certificate-routes.ts';
import { licensingRoutes, type Sales } from '../features/licensing/routes/licensing-routes.ts';
import type { IssuedLicenseStore } from '../features/licensing/store/issued-license-store.ts';
import type { QuoteStore } from '../features/licensing/store/quote-store.ts';
import type { RateCardStore } from '../features/licensing/store/rate-card-store.ts';
import type { MediaRequestCounter } from '../features/media/media-requests.ts';
import { mediaRoutes } from '../features/media/routes/media-routes.ts';
import type { SignedUrls } from '../features/media/signed-url.ts';
import type { PlaylistStore } from '../features/playlists/playlist-store.ts';
import { listPlaylistTracks } from '../features/playlists/routes/list-playlist-tracks.ts';
import { listPlaylists } from '../features/playlists/routes/list-playlists.ts';
import { showPlaylist } from '../features/playlists/routes/show-playlist.ts';
import type { Popularity } from '../features/popularity/popularity.ts';
import { listMostLicensed } from '../features/popularity/routes/list-most-licensed.ts';
import type { RenditionQueue } from '../features/renditions/rendition-queue.ts';
import { renditionRoutes } from '../features/renditions/routes/rendition-routes.ts';
import { savedSearchRoutes } from '../features/saved-searches/routes/saved-search-routes.ts';
import type { SavedSearchStore } from '../features/saved-searches/store/saved-search-store.ts';
import { healthCheck } from '../features/service/routes/health-check.ts';
import { readVersion } from '../features/service/routes/read-version.ts';
import { listStems } from '../features/stems/routes/list-stems.ts';
import type { ReferenceStore } from '../features/takedown/track-references.ts';
import { batchTracks } from '../features/tracks/routes/batch-tracks.ts';
import type { RegionGroupsOf } from '../features/tracks/routes/licensable-in.ts';
import { listFilters } from '../features/tracks/routes/list-filters.ts';
import { listSimilarTracks } from '../features/tracks/routes/list-similar-tracks.ts';
import { listTracks } from '../features/tracks/routes/list-tracks.ts';
import { searchTracks } from '../features/tracks/routes/search-tracks.ts';
import { showTrack } from '../features/tracks/routes/show-track.ts';
import { signStreams } from '../features/tracks/routes/sign-streams.ts';
import { suggest } from '../features/tracks/routes/suggest.ts';
import type { TrackPages } from '../features/tracks/routes/track-page.ts';
import type { UrlIssuer } from '../features/tracks/routes/url-issuer.ts';
import { cueSheetRoutes } from '../features/usage/routes/read-cue-sheet.ts';
import { readUsageSummary } from '../features/usage/routes/read-usage-summary.ts';
import { reportUsage } from '../features/usage/routes/report-usage.ts';
import type { CueSheetStore } from '../features/usage/store/cue-sheet-store.ts';
import type { UsageStore } from '../features/usage/store/usage-store.ts';
import type { EndpointUrls } from '../features/webhooks/routes/endpoint-urls.ts';
import { MESSAGES } from '../features/webhooks/routes/message-schemas.ts';
import { webhookRoutes } from '../features/webhooks/routes/webhook-routes.ts';
import type { DeliveryStore } from '../features/webhooks/store/delivery-store.ts';
import type { WebhookStore } from '../features/webhooks/store/webhook-store.ts';

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
    ...cueSheetRoutes(store),
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
