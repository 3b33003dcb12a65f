import { join } from 'node:path';
import type { Clock } from '../common/clock.ts';
import { newId } from '../common/ids.ts';
import type { Log } from '../common/log.ts';
import { OpenCounts } from '../common/memory/open-counts.ts';
import { loggedWaitPolicy, type WaitPolicy } from '../common/work/wait-policy.ts';
import { type ExplorerFiles, loadExplorer } from '../docs-site/explorer/explorer-files.ts';
import { ensureLogEpoch } from '../engines/change-log/log-epoch.ts';
import { createAuthenticate } from '../engines/http/guard/authorize.ts';
import type { Metrics } from '../engines/http/metrics/metrics.ts';
import { Readiness } from '../engines/http/readiness.ts';
import { ResponseCache } from '../engines/http/response/response-cache.ts';
import { buildServer, type HttpServer } from '../engines/http/server.ts';
import { MemoryRateLimiter } from '../engines/limits/memory-rate-limiter.ts';
import type { LocalRateLimiter, RateLimiter } from '../engines/limits/rate-limiter.ts';
import { RedisRateLimiter } from '../engines/limits/redis/rate-limiter.ts';
import type { Targets } from '../engines/net/endpoint-url.ts';
import { type Resolver, resolverFor } from '../engines/net/resolver.ts';
import type { SegmentColumns } from '../engines/search/segments/columns.ts';
import { whileHeld } from '../engines/tasks/lease.ts';
import { createClient } from '../features/access/clients.ts';
import { LoginThrottle } from '../features/access/login-throttle.ts';
import { TokenIssuer } from '../features/access/token-issuer.ts';
import { TokenVerifier } from '../features/access/token-verifier.ts';
import { switchDue } from '../features/availability/work/availability.ts';
import type { DocumentMaker } from '../features/catalog/document-copy.ts';
import { DocumentFile } from '../features/catalog/store/disk/document-file.ts';
import { ChangeFeed } from '../features/changes/feed.ts';
import { LongPolls } from '../features/changes/routes/long-polls.ts';
import { type Greeting, greeting } from '../features/demo/greeting.ts';
import { type Demo, importDemo, playableTrack } from '../features/demo/import-demo.ts';
import { claimsOf } from '../features/licensing/issued-license.ts';
import { PdfMaker } from '../features/licensing/pdf/pdf-maker.ts';
import {
  measuredSales,
  measureLicenseKeys,
  measurePdfs,
} from '../features/licensing/work/licensing-metrics.ts';
import { SignedUrls } from '../features/media/signed-url.ts';
import { Popularity } from '../features/popularity/popularity.ts';
import type { RenditionQueue } from '../features/renditions/rendition-queue.ts';
import { TrackPages } from '../features/tracks/routes/track-page.ts';
import { UrlIssuer } from '../features/tracks/routes/url-issuer.ts';
import { EndpointUrls } from '../features/webhooks/routes/endpoint-urls.ts';
import { type BackgroundWork, backgroundWork } from './background-work.ts';
import type { Config } from './config/config.ts';
import { DocumentJobs } from './indexing/document-copies.ts';
import { IndexJobs } from './indexing/index-jobs.ts';
import type { IndexMaker } from './indexing/index-source.ts';
import { connectionLimits, listen, readTls, type StartConsole, startListeners } from './listen.ts';
import { measuredPolls, measuredReports, serviceMetrics } from './metrics.ts';
import { type AppContext, openAppContext } from './open/context.ts';
import { DOCUMENTS_FILE } from './open/data-folder.ts';
import { locationOf } from './open/open-store.ts';
import { apiRoutes } from './routes.ts';
import { Views } from './views.ts';

/** The size of the response cache: enough for 3,000 pages of 20 tracks. */
const RESPONSE_CACHE_BYTES = 64 * 1024 * 1024;

/** A running Stave. */
export interface Service {
  context: AppContext;
  app: HttpServer;
  metrics: Metrics;
  /** The scheme, host and port on which it listens. */
  address: string;
  /** What the start prints: the address, and the credentials of the demo catalog. */
  greeting: Greeting;
  /** Completes open requests, then closes everything in the reverse order of opening. */
  close(): Promise<void>;
}

/** The dependencies of a service. */
export interface ServiceDependencies {
  config: Config;
  clock: Clock;
  log: Log;
  /** Present if the service is one of several workers in its process. */
  worker?: WorkerContext;
  /** Ends the wait for the database; the start then fails. */
  stop?: AbortSignal;
  /** The name servers (`ADDRESS:PORT`) that are asked for the addresses of webhooks. Default: those of the machine. */
  nameServers?: readonly string[];
  /** Starts the console; needed if the configuration requests it. */
  startConsole?: StartConsole;
  /** Where the built explorer is. Default: where `npm run build` writes it. */
  explorerFolder?: URL;
}

/**
 * Starts a service. It listens at once and responds with `unavailable` until it is loaded, so that a
 * load balancer sees the node before it serves. Resolves when it serves; on failure, closes what it
 * opened and rejects with the cause.
 */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const resources = new AsyncDisposableStack();
  try {
    return await start(deps, resources);
  } catch (error) {
    await resources
      .disposeAsync()
      .catch((fault: unknown) => deps.log.error({ err: fault }, 'closing failed'));
    throw error;
  }
}

async function start(
  {
    config,
    clock,
    log,
    worker,
    stop,
    nameServers,
    startConsole,
    explorerFolder,
  }: ServiceDependencies,
  resources: AsyncDisposableStack,
): Promise<Service> {
  const waitPolicy = loggedWaitPolicy(log, config.databaseWaitMs, stop);
  const context = await openAppContext({ config, clock, log, waitPolicy });
  resources.defer(() => context.close());
  await context.media.check();

  const views = resources.use(await openViews(context, waitPolicy, worker));
  const metrics = serviceMetrics(context, views);
  const isFirst = worker?.isFirst ?? true;
  const work = backgroundWork(context, { views, metrics, isFirst, nameServers });
  resources.defer(() => work.stop());
  const localLimiter = worker?.rateLimiter ?? new MemoryRateLimiter({ clock });
  const sharedLimiter = openSharedLimiter(context, { localLimiter, metrics, resources });

  const readiness = new Readiness({
    isStale: () => views.silence().some(([, ms]) => ms > config.staleLimitSeconds * 1_000),
  });
  readiness.onDrain(() => views.bell.end());
  readiness.onDrain(() => work.drain());
  const pdfs = new PdfMaker();
  measurePdfs(metrics, pdfs);
  measureLicenseKeys(metrics, views.licenseKeys, clock);
  resources.defer(() => pdfs.close());
  const known: Known = { address: '', demo: undefined };
  const { webhookTargets: targets } = config;
  const app = await makeServer(context, {
    views,
    known,
    rateLimiter: sharedLimiter?.limiter ?? localLimiter,
    loginThrottle: worker?.loginThrottle ?? new LoginThrottle({ clock }),
    openCounts: worker?.openCounts ?? new OpenCounts(),
    metrics,
    readiness,
    renditions: work.renditionQueue,
    counters: work.counters,
    pdfs,
    explorer: await loadExplorer(explorerFolder),
    webhookUrls: { targets, resolver: resolverFor(targets, nameServers) },
  });
  resources.defer(() => app.close());
  known.address = await listen(app, config, { isShared: worker !== undefined });
  await startListeners(context, { metrics, startConsole, resources });

  await worker?.listening(known.address, metrics);
  await views.keyRing.open('system:start');
  await views.licenseKeys.open('system:start');
  await ensureLogEpoch(context.store.settings);
  known.demo = config.demo ? await importDemoOnce(context) : undefined;
  // Tracks whose periods ended while no node ran are not served.
  await switchDue(context, stop);
  await views.load();
  work.start();
  worker?.onBase((columns) => views.adoptIndex(columns));
  await sharedLimiter?.attempted;
  await worker?.loaded();
  waitPolicy.end();
  readiness.serve();
  log.info({ address: known.address, tracks: views.catalog.size }, 'serving');
  return {
    context,
    app,
    metrics,
    address: known.address,
    greeting: greeting({ address: publicUrlOf(config, known), demo: known.demo }),
    close: () => resources.disposeAsync(),
  };
}

/** What the server uses, and what is known only after it was made. */
interface Known {
  address: string;
  demo: Demo | undefined;
}

function publicUrlOf(config: Config, known: Known): string {
  return config.publicUrl ?? known.address;
}

async function openViews(
  context: AppContext,
  waitPolicy: WaitPolicy,
  worker: WorkerContext | undefined,
): Promise<Views> {
  const { config, clock, log, store } = context;
  const from = await store.changes.head();
  const location = locationOf(config);
  return new Views(context, {
    from,
    maker: worker?.indexMaker ?? new IndexJobs({ location, clock, log, waitPolicy }),
    documentMaker: worker?.documentMaker ?? new DocumentJobs({ location, clock, log }),
    openDocuments: (columns) =>
      DocumentFile.open(join(config.dataFolder, DOCUMENTS_FILE), columns, log),
    isFirst: worker?.isFirst ?? true,
  });
}

/** What the server needs besides the context. */
interface ServerDependencies {
  views: Views;
  known: Known;
  rateLimiter: RateLimiter;
  loginThrottle: LoginThrottle;
  openCounts: OpenCounts;
  metrics: Metrics;
  readiness: Readiness;
  renditions: RenditionQueue;
  counters: BackgroundWork['counters'];
  pdfs: PdfMaker;
  explorer: ExplorerFiles | undefined;
  webhookUrls: { targets: Targets; resolver: Resolver };
}

async function makeServer(
  { config, store, media, clock, log }: AppContext,
  deps: ServerDependencies,
): Promise<HttpServer> {
  const { views, known, rateLimiter, loginThrottle, openCounts, metrics, readiness } = deps;
  const { keyRing, licenseKeys, registry, catalog, audio, positions } = views;
  const signedUrls = new SignedUrls({ keys: keyRing });
  const publicUrl = () => publicUrlOf(config, known);
  const urlIssuer = new UrlIssuer({ urls: signedUrls, clock, publicUrl });
  const catchUp = () => views.catchUpAccess();
  const shared = { openCounts, readiness, ...deps.counters, clock, log };
  const routes = apiRoutes({
    catalog,
    store,
    sales: measuredSales(metrics, store, clock),
    certify: (license) => licenseKeys.sign(claimsOf(license, config.publicUrl ?? config.licensor)),
    usageReports: measuredReports(metrics, store.usage),
    usageMaxAgeDays: config.usageMaxAgeDays,
    media,
    audio,
    renditions: deps.renditions,
    mediaDelivery: config.media?.delivery ?? 'proxy',
    registry,
    issuer: new TokenIssuer({ keyRing, clock }),
    loginThrottle,
    catchUp,
    feed: new ChangeFeed({ log: store.changes, clock, position: () => catalog.position }),
    polls: measuredPolls(metrics, new LongPolls({ bell: views.bell, readiness, open: openCounts })),
    endpointUrls: new EndpointUrls(deps.webhookUrls),
    regionGroups: (clientId) => views.regionGroupsOf(clientId),
    pages: new TrackPages({ documents: catalog, urls: urlIssuer }),
    urlIssuer,
    popularity: new Popularity({
      licenses: store.licenses,
      changes: store.changes,
      catalog,
      clock,
    }),
    licenseKeys,
    pdfs: deps.pdfs,
    explorer: deps.explorer,
    signedUrls,
    publicUrl,
    demoTrack: () => playableTrack(known.demo, (clientId) => registry.isEnabled(clientId)),
    ...shared,
  });
  const verifier = new TokenVerifier({ keyRing, registry, clock, catchUp });
  return buildServer({
    responseCache: new ResponseCache({
      maxBytes: RESPONSE_CACHE_BYTES,
      catalogVersion: () => catalog.version + positions.version,
    }),
    idempotency: store.idempotency,
    languages: () => catalog.languages.all,
    publicUrl,
    routes,
    authenticate: createAuthenticate((token) => verifier.verify(token)),
    rateLimiter,
    tls: await readTls(config),
    trustProxy: config.trustProxy,
    maxConnections: connectionLimits(config, log),
    metrics,
    ...shared,
  });
}

/** Returns the limiter that counts in Redis, and its first attempt to connect; undefined without Redis. */
function openSharedLimiter(
  { config, log }: AppContext,
  deps: {
    localLimiter: LocalRateLimiter;
    metrics: Metrics;
    resources: AsyncDisposableStack;
  },
): { limiter: RateLimiter; attempted: Promise<void> } | undefined {
  if (config.redisUrl === null) return undefined;
  const limiter = new RedisRateLimiter({ url: config.redisUrl, local: deps.localLimiter, log });
  deps.resources.defer(() => limiter.close());
  measureSharedLimiter(deps.metrics, limiter);
  return { limiter, attempted: limiter.start() };
}

/** The duration of the lease after a node has died while it imported the demo catalog. */
const DEMO_LEASE_MS = 15_000;

/** Imports the demo catalog into an empty store, on one node at a time if nodes share a database. */
async function importDemoOnce({ config, store, media, clock, log }: AppContext): Promise<Demo> {
  const work = () => importDemo({ store, media, clock, log, createClient });
  if (config.database === null) return work();
  const onError = (error: unknown) => {
    // The store itself logs that the database is away.
    if (store.isReachable()) log.error({ err: error }, 'waiting to import the demo catalog failed');
  };
  return whileHeld(
    { leases: store.leases, name: 'demo', holder: newId(), ms: DEMO_LEASE_MS, onError },
    work,
  );
}

/** What a worker knows about its position among the workers of a process, and what it shares with them. */
export interface WorkerContext {
  /** Whether this worker merges the index, and requests copies of the documents, for all workers. */
  readonly isFirst: boolean;
  /** Counts requests for all workers together. */
  readonly rateLimiter: LocalRateLimiter;
  /** Counts failed token requests for all workers together. */
  readonly loginThrottle: LoginThrottle;
  /** Counts open responses for all workers together. */
  readonly openCounts: OpenCounts;
  readonly indexMaker: IndexMaker;
  readonly documentMaker: DocumentMaker;
  /** Called by the service when it listens. Resolves when the service may load. */
  listening(address: string, metrics: Metrics): Promise<void>;
  /** Called by the service when it is loaded. Resolves when all workers are. */
  loaded(): Promise<void>;
  /**
   * Sets the function that takes over each index that another worker has made. Calls do not overlap, an older
   * index is skipped if a newer one exists, and a failed call is repeated.
   */
  onBase(take: (columns: SegmentColumns) => Promise<void>): void;
}

/** Registers the metrics of the shared rate limiter. A node without Redis does not have them. */
function measureSharedLimiter(metrics: Metrics, limiter: RedisRateLimiter): void {
  metrics.gauge(
    'stave_rate_limit_shared',
    '1 while requests are counted over all nodes, 0 while Redis is away and each counts alone.',
    () => (limiter.isShared ? 1 : 0),
  );
  metrics.observedCounter(
    'stave_rate_limit_local_total',
    'Requests that were counted by this node alone because Redis was away.',
    () => limiter.countedLocally,
  );
}
