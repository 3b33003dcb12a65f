import { explorerRoutes, mediaOrigin } from '../docs-site/explorer/explorer-routes.ts';
import { guideRoutes } from '../docs-site/guides/guide-routes.ts';
import { iconRoute, welcomeRoute } from '../docs-site/pages/page-routes.ts';
import { signInRoutes } from '../docs-site/pages/sign-in-page.ts';
import { docsRoutes } from '../docs-site/reference/reference-routes.ts';
import { findFfmpeg } from '../engines/audio/find-ffmpeg.ts';
import type { Route } from '../engines/http/route/route.ts';
import { browserTokenRoute } from '../features/access/routes/browser-token-route.ts';
import { sessionRoutes } from '../features/access/routes/session-routes.ts';
import {
  meRoute,
  oauthMetadataRoute,
  oauthTokenRoute,
  tokenRoute,
} from '../features/access/routes/token-routes.ts';
import { TokenIssuer } from '../features/access/tokens.ts';
import { SlugIds } from '../features/catalog/slug-ids.ts';
import { ChangeFeed } from '../features/changes/feed.ts';
import { listTrackChanges } from '../features/changes/routes/list-track-changes.ts';
import { LongPolls } from '../features/changes/routes/long-polls.ts';
import { readTrackReferences } from '../features/changes/routes/read-track-references.ts';
import { readTrackSnapshot } from '../features/changes/routes/read-track-snapshot.ts';
import type { LinkUse } from '../features/collections/link.ts';
import { collectionRoutes } from '../features/collections/routes/collection-routes.ts';
import { linkRoutes } from '../features/collections/routes/link-routes.ts';
import { SharedLinks } from '../features/collections/routes/shared-links.ts';
import { sharedRoutes } from '../features/collections/routes/shared-routes.ts';
import { listLanguages } from '../features/languages/routes/list-languages.ts';
import { claimsOf } from '../features/licensing/issued-license.ts';
import { LicensedFiles } from '../features/licensing/licensed-files.ts';
import { OpenDownloads } from '../features/licensing/open-downloads.ts';
import { licenseKeyRoutes } from '../features/licensing/routes/certificate-routes.ts';
import { downloadFileRoute } from '../features/licensing/routes/download-file-route.ts';
import { licensingRoutes } from '../features/licensing/routes/licensing-routes.ts';
import { measuredSales } from '../features/licensing/work/licensing-metrics.ts';
import { mediaRoutes } from '../features/media/routes/media-routes.ts';
import { SignedUrls, type UrlTicket } from '../features/media/signed-url.ts';
import {
  listPlaylists,
  listPlaylistTracks,
  showPlaylist,
} from '../features/playlists/routes/playlist-routes.ts';
import { Popularity } from '../features/popularity/popularity.ts';
import { listMostLicensed } from '../features/popularity/routes/list-most-licensed.ts';
import { renditionKeys, renditionRoutes } from '../features/renditions/routes/rendition-routes.ts';
import { savedSearchRoutes } from '../features/saved-searches/routes/saved-search-routes.ts';
import {
  checkLiveness,
  checkReadiness,
  healthCheck,
  readVersion,
} from '../features/service/routes/service-routes.ts';
import { ExampleAudio } from '../features/sound/example-audio.ts';
import { listStems } from '../features/stems/routes/list-stems.ts';
import { listTracks, searchTracks } from '../features/tracks/routes/find-tracks.ts';
import { listFilters } from '../features/tracks/routes/list-filters.ts';
import { listSimilarTracks } from '../features/tracks/routes/list-similar-tracks.ts';
import { searchByAudio } from '../features/tracks/routes/search-by-audio.ts';
import { batchTracks, signStreams } from '../features/tracks/routes/several-tracks.ts';
import { showTrack } from '../features/tracks/routes/show-track.ts';
import { suggest } from '../features/tracks/routes/suggest.ts';
import { TrackPages } from '../features/tracks/routes/track-page.ts';
import { UrlIssuer } from '../features/tracks/routes/url-issuer.ts';
import { cueSheetRoutes } from '../features/usage/routes/read-cue-sheet.ts';
import { readUsageSummary } from '../features/usage/routes/read-usage-summary.ts';
import { reportUsage } from '../features/usage/routes/report-usage.ts';
import { MESSAGES } from '../features/webhooks/routes/message-schemas.ts';
import { webhookRoutes } from '../features/webhooks/routes/webhook-routes.ts';
import { measuredPolls, usageEventCounter } from './metrics.ts';
import type { NodeParts } from './node-parts.ts';
import type { AppContext } from './open/context.ts';
import { reportsApart } from './report-thread.ts';

/** Returns every operation, in the order of the documentation, and the documentation itself. */
export function apiRoutes(deps: ApiDependencies): Route[] {
  const { catalog, store, pages, popularity, clock, publicUrl } = deps;
  const slugIds = new SlugIds({ store: store.catalog, version: () => catalog.version });
  const operations: Route[] = [
    tokenRoute(deps),
    oauthTokenRoute(deps),
    oauthMetadataRoute({ publicUrl }),
    browserTokenRoute(deps),
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
    checkLiveness(),
    checkReadiness(deps),
    ...mediaRoutes(deps, (signed) => [
      ...renditionRoutes(signed, deps),
      downloadFileRoute({ ...deps.downloads, signed }),
    ]),
    listSimilarTracks({ store: store.catalog, catalog, pages }),
    searchByAudio({ catalog, pages, exampleAudio: deps.exampleAudio }),
    listStems({ catalog: store.catalog, signedUrls: deps.signedUrls, publicUrl, clock }),
    readUsageSummary({ usage: store.usage }),
    reportUsage({
      usage: store.usage,
      licenses: store.issuedLicenses,
      clock,
      maxAgeDays: deps.usageMaxAgeDays,
      count: deps.countEvents,
      apart: reportsApart(store, deps.countEvents, deps.usageMaxAgeDays),
    }),
    ...cueSheetRoutes(store),
    ...savedSearchRoutes(deps),
    ...collectionRoutes(deps),
    ...linkRoutes(deps),
    ...sharedRoutes(deps),
    ...licensingRoutes(deps),
    ...webhookRoutes(deps),
    ...licenseKeyRoutes(deps),
  ];
  return [
    ...operations,
    ...sessionRoutes(deps),
    ...signInRoutes(),
    ...guideRoutes({ publicUrl }),
    ...docsRoutes({ routes: operations, messages: MESSAGES, publicUrl }),
    ...(deps.explorer === undefined
      ? [welcomeRoute()]
      : explorerRoutes({
          files: deps.explorer,
          findLink: (token, request) => deps.sharedLinks.find(token, request),
          publicUrl,
          mediaOrigin: () => mediaOrigin(deps),
        })),
    iconRoute(),
  ];
}

export type ApiDependencies = ReturnType<typeof apiDependencies>;

export function apiDependencies(
  { config, store, media, clock, log }: AppContext,
  {
    views,
    work,
    metrics,
    loginThrottle,
    openCounts,
    readiness,
    pdfs,
    briefs,
    explorer,
    endpointUrls,
    publicUrl,
    rateLimiter,
    passwordThrottle,
    streamPolicy,
  }: NodeParts,
) {
  const { keyRing, licenseKeys, registry, catalog, audio } = views;
  const signedUrls = new SignedUrls({ keys: keyRing });
  const urlIssuer = new UrlIssuer({ urls: signedUrls, clock, publicUrl });
  const { issuedLicenses, licenseDownloads, links } = store;
  const sharedLinks = new SharedLinks({ links, registry, rateLimiter, loginThrottle, clock });
  const licensedFiles = new LicensedFiles({
    ...{ catalog: store.catalog, downloads: licenseDownloads, media, publicUrl },
    ...{ renditions: work.renditionQueue, conversions: work.streams },
  });
  return {
    catalog,
    store,
    sales: measuredSales(metrics, store, clock),
    certify: (license: Parameters<typeof claimsOf>[0]) =>
      licenseKeys.sign(claimsOf(license, config.publicUrl ?? config.licensor)),
    countEvents: usageEventCounter(metrics),
    usageMaxAgeDays: config.usageMaxAgeDays,
    media,
    audio,
    renditions: work.renditionQueue,
    streamPolicy,
    conversions: work.streams,
    /** For a bucket, which can serve audio itself. */
    mediaDelivery: config.media?.delivery ?? 'proxy',
    registry,
    sharedLinks,
    acceptsLink: (ticket: UrlTicket) => sharedLinks.accepts(ticket),
    countLinkUse: (use: Pick<LinkUse, 'linkId' | 'opens' | 'plays'>) =>
      work.linkUseCounter.count(use),
    writeLinkUse: () => work.linkUseCounter.write(),
    issuer: new TokenIssuer({ keyRing, clock }),
    loginThrottle,
    passwordThrottle,
    rateLimiter,
    ownUrl: config.publicUrl,
    catchUp: () => views.catchUpAccess(),
    feed: new ChangeFeed({ log: store.changes, clock, position: () => catalog.position }),
    polls: measuredPolls(metrics, new LongPolls({ bell: views.bell, readiness, open: openCounts })),
    endpointUrls,
    regionGroups: (clientId: string) => views.regionGroupsOf(clientId),
    pages: new TrackPages({ documents: catalog, urls: urlIssuer }),
    exampleAudio: new ExampleAudio({
      isOn: config.analysis,
      ffmpeg: () => findFfmpeg(config.ffmpeg.setting, config.ffmpeg.searchPath),
    }),
    urlIssuer,
    licensedFiles,
    downloads: {
      ...{ issuedLicenses, downloads: licenseDownloads, files: licensedFiles, clock },
      openCounts,
      open: new OpenDownloads((numbers) => licenseDownloads.revoked(numbers)),
      clipKeyOf: renditionKeys(work.renditionQueue, openCounts),
      mediaRequestCounter: work.counters.mediaRequestCounter,
    },
    popularity: new Popularity({
      licenses: store.licenses,
      changes: store.changes,
      catalog,
      clock,
    }),
    licenseKeys,
    pdfs,
    briefs,
    explorer,
    signedUrls,
    publicUrl,
    ...{ openCounts, readiness, ...work.counters, clock, log },
  };
}
