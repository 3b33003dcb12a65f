import { newId } from '../common/ids.ts';
import { loggedWaitPolicy } from '../common/work/wait-policy.ts';
import { ensureLogEpoch } from '../engines/change-log/positions.ts';
import type { ServedCertificate } from '../engines/http/connection/served-certificate.ts';
import { createAuthenticate } from '../engines/http/guard/authorize.ts';
import type { Metrics } from '../engines/http/metrics/metrics.ts';
import { ResponseCache } from '../engines/http/response/response-cache.ts';
import { buildServer, type HttpServer } from '../engines/http/server.ts';
import { whileHeld } from '../engines/tasks/lease.ts';
import { TokenVerifier } from '../features/access/tokens.ts';
import { switchDue } from '../features/availability/work/availability.ts';
import { type Greeting, greeting } from '../features/demo/greeting.ts';
import { type Demo, importDemo } from '../features/demo/import-demo.ts';
import { CertificateFiles } from './certificate-files.ts';
import { SETTINGS } from './config/settings.ts';
import { connectionLimits, listen, startConsoleOf, startMetrics } from './listen.ts';
import { measureCertificate } from './metrics.ts';
import { type NodeParts, openParts, type ServiceDependencies } from './node-parts.ts';
import { type AppContext, openAppContext } from './open/context.ts';
import { apiDependencies, apiRoutes } from './routes.ts';
import { openTracing, withMediaSteps } from './tracing/open-tracing.ts';

/** Enough for 3,000 pages of 20 tracks. */
const RESPONSE_CACHE_BYTES = 64 * 1024 * 1024;

export interface Service {
  context: AppContext;
  app: HttpServer;
  metrics: Metrics;
  /** Scheme, host and port. */
  address: string;
  greeting: Greeting;
  /** Reads the certificate again. */
  reload(): void;
  /** Resolves when each thread that serves has responded. */
  responds(): Promise<unknown>;
  /** Completes open requests, then closes everything in the reverse order of opening. */
  close(): Promise<void>;
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

async function start(deps: ServiceDependencies, resources: AsyncDisposableStack): Promise<Service> {
  const { config, clock, log, worker, stop, startConsole } = deps;
  const files = config.tls && !worker ? await CertificateFiles.open(config.tls, deps) : undefined;
  if (files !== undefined) resources.use(files);
  const tls = files?.served ?? worker?.certificate ?? null;
  const waitPolicy = loggedWaitPolicy(log, config.databaseWaitMs, stop);
  resources.use(await openTracing(config, log));
  const context = withMediaSteps(await openAppContext({ config, clock, log, waitPolicy }));
  resources.defer(() => context.close());
  await context.media.check();

  const parts = await openParts(context, { deps, waitPolicy, resources });
  const { views, metrics, known, publicUrl } = parts;
  if (tls !== null) measureCertificate(metrics, tls);
  const app = makeServer(context, parts, tls);
  resources.defer(() => app.close());
  known.address = await listen(app, config, { isShared: worker !== undefined });
  await startMetrics(config, metrics, resources);
  const { passwordThrottle } = parts;
  await startConsoleOf(context, metrics, { tls, passwordThrottle, startConsole, resources });

  if (context.store.isPlainToOthers?.() && (worker?.isFirst ?? true)) {
    log.warn(
      {},
      'the connection to the database is not encrypted: set sslmode=verify-full and sslrootcert=FILE in STAVE_DATABASE_URL',
    );
  }
  await worker?.listening(known.address, metrics);
  await views.keyRing.open('system:start');
  await views.licenseKeys.open('system:start');
  await ensureLogEpoch(context.store.settings);
  known.demo = config.demo ? await importDemoOnce(context) : undefined;
  // Tracks whose periods ended while no node ran are not served.
  await switchDue(context, stop);
  await views.load();
  parts.work.start();
  worker?.onBase((columns) => views.adoptIndex(columns));
  await parts.sharedLimiter?.attempted;
  await worker?.loaded();
  waitPolicy.end();
  parts.readiness.serve();
  // One thread does it for all workers.
  if (worker?.isFirst ?? true) void parts.briefs.prepare();
  log.info({ address: known.address, tracks: views.catalog.size }, 'serving');
  return {
    context,
    app,
    metrics,
    address: known.address,
    greeting: greeting({
      address: publicUrl(),
      demo: known.demo,
      dataFolder:
        config.dataFolder === SETTINGS.dataFolder.fallback ? undefined : config.dataFolder,
    }),
    reload: () => void files?.reload(),
    responds: () => Promise.resolve(),
    close: () => resources.disposeAsync(),
  };
}

function makeServer(
  context: AppContext,
  parts: NodeParts,
  tls: ServedCertificate | null,
): HttpServer {
  const { config, store, clock, log } = context;
  const { views, work, rateLimiter, openCounts, metrics, readiness, publicUrl } = parts;
  const { keyRing, registry, catalog, positions } = views;
  const catchUp = () => views.catchUpAccess();
  const verifier = new TokenVerifier({ keyRing, registry, clock, catchUp });
  return buildServer({
    responseCache: new ResponseCache({
      maxBytes: RESPONSE_CACHE_BYTES,
      catalogVersion: () => catalog.version + positions.version,
    }),
    idempotency: store.idempotency,
    languages: () => catalog.languages.all,
    publicUrl,
    routes: apiRoutes(apiDependencies(context, parts)),
    authenticate: createAuthenticate((token) => verifier.verify(token)),
    rateLimiter,
    tls,
    trustProxy: config.trustProxy,
    maxConnections: connectionLimits(config, log),
    metrics,
    ...{ openCounts, readiness, ...work.counters, clock, log },
  });
}

/** The duration of the lease after a node has died while it imported the demo catalog. */
const DEMO_LEASE_MS = 15_000;

/** Imports the demo catalog into an empty store, on one node at a time if nodes share a database. */
async function importDemoOnce({ config, store, media, clock, log }: AppContext): Promise<Demo> {
  const work = () => importDemo({ store, media, clock, log });
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
